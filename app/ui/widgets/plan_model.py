"""Step 1: which model, from a folder on the host."""

from PySide6.QtCore import QModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.core.errors import ErrorInfo
from app.core.ids import HostId
from app.core.models.architecture import ModelInfo
from app.ui.icons import IconSet
from app.ui.models.plan import CandidateColumn, CandidatesModel
from app.ui.models.roles import ID_ROLE, SORT_ROLE
from app.ui.theme import Theme, space
from app.ui.viewmodels.plan import PlanViewModel
from app.ui.viewmodels.plan_state import PlanState
from app.ui.viewmodels.plan_texts import model_facts, present_candidate
from app.ui.widgets.buttons import push_button
from app.ui.widgets.form import Field
from app.ui.widgets.plan_model_check import ModelCheck
from app.ui.widgets.plan_places import PLACES, UsualPlaces
from app.ui.widgets.state import ErrorBanner
from app.ui.widgets.table import DataTable
from app.ui.widgets.text import ElidedLabel, label


class ModelPanel(QWidget):
    """Look for models, choose one, see what it is."""

    _host_id: HostId | None = None

    def __init__(self, view_model: PlanViewModel, theme: Theme, icons: IconSet) -> None:
        super().__init__()
        self._vm = view_model
        self._theme = theme
        self._shown: ModelInfo | str | None = None
        self._question = label("section")
        self.folder = QLineEdit()
        self.folder.returnPressed.connect(self._find)
        self.find_button = push_button(icons, icon="search", on_click=self._find)
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(space(2))
        line.addWidget(self.folder, 1)
        line.addWidget(self.find_button)
        self._field = Field(row)
        self._field.focus_on(self.folder)
        self._banner = ErrorBanner(icons)
        self._model_banner = ErrorBanner(icons)
        self.candidates = CandidatesModel(self)
        proxy = QSortFilterProxyModel(self)
        proxy.setSourceModel(self.candidates)
        proxy.setSortRole(SORT_ROLE)
        self.table = DataTable()
        self.table.setModel(proxy)
        self.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.table.set_widths((16, 17, 9, 12), 0)
        # Names and paths differ at their ends as often as at their beginnings.
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.clicked.connect(self._on_row)
        self.table.opened.connect(self._on_row)
        self._empty = label("muted", wrap=True)
        self.places = UsualPlaces(icons)
        self._place = self._build_place()
        self._field.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._facts_title = ElidedLabel(role="section", mode=Qt.TextElideMode.ElideMiddle)
        self._facts = QWidget()
        self._grid = QGridLayout(self._facts)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(space(3))
        self._grid.setVerticalSpacing(3)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, space(2), 0)
        layout.setSpacing(space(2))
        layout.addWidget(self._question)
        layout.addWidget(self._field)
        layout.addWidget(self._place, 1)
        self.check = ModelCheck(icons)
        self.check.measure.connect(view_model.measure_disk)
        below: tuple[QWidget, ...] = (
            self._model_banner,
            self._facts_title,
            self._facts,
            self.check,
        )
        for part in below:
            layout.addWidget(part)
        self.retranslate()

    def _build_place(self) -> QStackedWidget:
        """One place for the table and for what is said instead of it: nothing around it moves."""
        self.places.chosen.connect(self._on_place)
        said = QWidget()
        words = QVBoxLayout(said)
        words.setContentsMargins(0, 0, 0, 0)
        words.addWidget(self._banner)
        words.addWidget(self._empty)
        words.addWidget(self.places)
        words.addStretch(1)
        place = QStackedWidget()
        place.addWidget(said)
        place.addWidget(self.table)
        place.setMinimumHeight(self.table.fontMetrics().height() * 6)
        return place

    def retranslate(self) -> None:
        """Set every text again."""
        self._question.setText(self.tr("Which model shall run?"))
        self._field.set_words(
            self.tr("&Folder on the host"),
            self.tr("A folder with models below it, one model's folder, or a GGUF file."),
        )
        self.folder.setPlaceholderText(PLACES[0])
        self.find_button.setText(self.tr("Find models"))
        self.places.retranslate()
        self.table.setAccessibleName(self.tr("Models found"))
        self.candidates.refresh_texts()
        self.check.retranslate()
        self._shown = None
        self.show_state(self._vm.state)

    def show_state(self, state: PlanState) -> None:
        """Show what is known."""
        if state.host_id != self._host_id:
            # Another host has other folders; what was typed for the last one does not fit.
            self._host_id = state.host_id
            self.folder.setText(state.folder)
        elif state.folder and not self.folder.hasFocus() and self.folder.text() != state.folder:
            self.folder.setText(state.folder)
        # Not greyed while it looks: the keyboard would be thrown off it. A new search takes over.
        self.find_button.setEnabled(state.is_connected)
        _show_error(self._banner, state.find_error)
        _show_error(self._model_banner, state.model_error)
        found = state.candidates
        self.candidates.replace(found or (), state.folder)
        places = any(present_candidate(one, state.folder).is_elsewhere for one in found or ())
        self.table.show_column(CandidateColumn.PLACE, shown=places)
        self._place.setCurrentIndex(1 if found else 0)
        self._empty.setText(self._empty_text(state))
        self._empty.setVisible(not found and state.find_error is None)
        self.places.setVisible(state.is_connected and not state.is_finding and not found)
        self._select(state.model_path)
        self._show_model(state)
        self.check.show_report(state.preflight, is_busy=state.is_checking)

    def _empty_text(self, state: PlanState) -> str:
        if state.is_finding:
            return self.tr("Looking for models in {folder} …").format(folder=state.folder)
        if not state.is_connected:
            return self.tr("Connect the host to look for models on it.")
        if state.candidates is None:
            return self.tr("Nothing of a model is copied: only its headers are read.")
        return self.tr(
            "No model was found in {folder}. A model is a folder with config.json and weights, or "
            "a GGUF file."
        ).format(folder=state.folder)

    def _show_model(self, state: PlanState) -> None:
        wanted = state.model_path if state.is_reading else state.model
        if wanted is not None and wanted == self._shown:
            return
        self._shown = wanted
        while self._grid.count():
            item = self._grid.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.deleteLater()
        self._facts_title.setVisible(state.model is not None or state.is_reading)
        if state.is_reading:
            self._facts_title.set_text(self.tr("Reading {path} …").format(path=state.model_path))
            return
        if state.model is None:
            return
        self._facts_title.set_text(state.model.name)
        for number, (name, value) in enumerate(model_facts(state.model)):
            row, column = number // 2, number % 2 * 2
            self._grid.addWidget(label("muted", name), row, column)
            shown = ElidedLabel(value)
            shown.setFont(self._theme.font("figure"))
            self._grid.addWidget(shown, row, column + 1)
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnStretch(3, 1)

    def _select(self, path: str) -> None:
        row = self.candidates.row_of(path)
        proxy = self.table.model()
        if row < 0 or not isinstance(proxy, QSortFilterProxyModel):
            return
        index = proxy.mapFromSource(self.candidates.index(row, 0))
        chosen = self.table.selectionModel().isRowSelected(index.row(), QModelIndex())
        if not chosen or self.table.currentIndex().row() != index.row():
            self.table.selectRow(index.row())

    def _find(self) -> None:
        self._vm.find_models(self.folder.text())

    def _on_place(self, folder: str) -> None:
        self.folder.setText(folder)
        self.folder.setFocus()
        self._find()

    def _on_row(self, index: QModelIndex) -> None:
        self._vm.choose_model(str(index.data(ID_ROLE)))


def _show_error(banner: ErrorBanner, error: ErrorInfo | None) -> None:
    if error is banner.error:
        return
    if error is None:
        banner.clear()
    else:
        banner.show_error(error)
