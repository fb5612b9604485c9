"""The tab “Checks”: what is wrong with the host, worst on top, and the administrator's sheet."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from PySide6.QtCore import QModelIndex, QSize, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.core.checks.spec import CheckState
from app.core.hardware.fingerprint import Fingerprint
from app.ui.icons import IconSet
from app.ui.models.fingerprint_checks import (
    FOUND_COLUMN,
    STATE_COLUMN,
    ChecksFilter,
    ChecksModel,
)
from app.ui.models.roles import ID_ROLE
from app.ui.theme import Theme, letters, space
from app.ui.viewmodels.as_command import CommandLine, parsed
from app.ui.viewmodels.fingerprint_checks import (
    STATES,
    ChecksViewModel,
    check_command,
    look_of,
    present_check,
    present_checks,
)
from app.ui.widgets.buttons import icon_button, name_button, push_button
from app.ui.widgets.dialog import shortcut
from app.ui.widgets.empty import EmptyState
from app.ui.widgets.fingerprint_check_detail import CheckDetails
from app.ui.widgets.fingerprint_tab import FingerprintTab
from app.ui.widgets.table import DataTable
from app.ui.widgets.text import label

_EMPTY, _BUSY, _RESULT = range(3)
_HIDDEN_AT_FIRST: Final = frozenset({CheckState.NOT_APPLICABLE})


class FingerprintChecks(FingerprintTab):
    """Counts on top, a table that can be sorted and filtered, details beside it.

    It is built and judges when it first comes to the front: the page opens faster without.
    """

    def __init__(
        self,
        view_model: ChecksViewModel,
        theme: Theme,
        icons: IconSet,
        file: Callable[[], Path | None],
    ) -> None:
        super().__init__()
        self.view_model = view_model
        self._theme = theme
        self._icons = icons
        self._file = file
        self._chosen = ""
        self._is_built = False
        self._fingerprint: Fingerprint | None = None
        view_model.changed.connect(self._show)
        view_model.failed.connect(self.failed)
        view_model.sheet_saved.connect(self._on_saved)
        theme.changed.connect(self._show)

    def activated(self) -> None:
        """Build what is shown, at the first time, and judge."""
        if not self._is_built:
            self._build()
            self._is_built = True
            self.retranslate()
        self.view_model.show(self._fingerprint)

    def _build(self) -> None:
        icons = self._icons
        self._stack = QStackedWidget()
        self._empty = EmptyState(icons, "shield-check")
        self._busy = EmptyState(icons, "loader-2")
        for page in (self._empty, self._busy, self._build_result()):
            self._stack.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, space(3), 0, 0)
        layout.addWidget(self._stack)

    # What the page asks of a tab

    def title(self) -> str:
        """Return the word on the tab."""
        return self.tr("Checks")

    def show_fingerprint(self, fingerprint: Fingerprint | None) -> None:
        """Judge this fingerprint, once somebody looks."""
        self._fingerprint = fingerprint
        if self._is_built:
            self.view_model.show(fingerprint)
            self._show()

    def dispose(self) -> None:
        """End what runs."""
        self.view_model.dispose()

    def retranslate(self) -> None:
        """Set every text again."""
        if not self._is_built:
            return
        for state, button in self.states.items():
            button.setText(look_of(state).word)
        self.search.setPlaceholderText(self.tr("Search checks"))
        self.search.setAccessibleName(self.tr("Search checks"))
        self.category.setAccessibleName(self.tr("Area"))
        self.sheet.setText(self.tr("Preparation sheet"))
        self.sheet.setToolTip(
            self.tr("What the host's administrator should change, with commands and reasons.")
        )
        self._save.setText(self.tr("Save as Markdown"))
        self._copy.setText(self.tr("Copy"))
        name_button(self.command, self.tr("Copy as command"))
        self.table.setAccessibleName(self.tr("Checks"))
        self._none.setText(self.tr("No check matches. Choose other states or other words."))
        self._empty.set_texts(
            self.tr("Nothing to check yet"),
            self.tr("Take a fingerprint of the host, or open one from a file."),
        )
        self._busy.set_texts(self.tr("Checking"), self.tr("The facts are being judged."))
        self.model.retranslate()
        self._show()

    # Building

    def _build_result(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(space(3))
        column.addLayout(self._build_top())
        column.addLayout(self._build_filter())
        column.addWidget(self._build_table(), 1)
        return page

    def _build_top(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(space(2))
        self.states: dict[CheckState, QPushButton] = {}
        for state in STATES:
            button = push_button(self._icons, on_click=self._filter)
            button.setCheckable(True)
            button.setChecked(state not in _HIDDEN_AT_FIRST)
            button.setProperty("kept", f"checks-{state.value}")
            look = look_of(state)
            self._icons.set_icon(button, look.icon, look.token)
            button.setIconSize(QSize(16, 16))
            self.states[state] = button
            row.addWidget(button)
        row.addStretch(1)
        self.command = icon_button(self._icons, "terminal-2", on_click=self._on_command)
        self.sheet = push_button(self._icons, icon="file-text")
        menu = QMenu(self.sheet)
        self._save, self._copy = QAction(menu), QAction(menu)
        self._save.triggered.connect(self._on_save)
        self._copy.triggered.connect(self._on_copy)
        menu.addActions([self._save, self._copy])
        self.sheet.setMenu(menu)
        row.addWidget(self.command)
        row.addWidget(self.sheet)
        return row

    def _build_filter(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(space(2))
        self.search = QLineEdit()
        self.search.setProperty("kept", "checks-search")
        self.search.setClearButtonEnabled(False)
        self.search.textChanged.connect(self._filter)
        self.category = QComboBox()
        self.category.setProperty("kept", "checks-category")
        self.category.setMinimumWidth(letters(self.font(), 22))
        self.category.currentIndexChanged.connect(self._filter)
        row.addWidget(self.search, 1)
        row.addWidget(self.category)
        return row

    def _build_table(self) -> QSplitter:
        self.model = ChecksModel(self._icons, self._theme, self)
        self.proxy = ChecksFilter(self)
        self.proxy.setSourceModel(self.model)
        self.table = DataTable()
        self.table.setModel(self.proxy)
        self.table.setIconSize(QSize(16, 16))
        self.table.set_widths((12, 15, 32, 30), stretch=FOUND_COLUMN)
        self.table.sortByColumn(STATE_COLUMN, Qt.SortOrder.AscendingOrder)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.details = CheckDetails(self._icons, self._theme)
        self.details.copied.connect(self._copy_text)
        self._none = label("muted", wrap=True)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table, 1)
        column.addWidget(self._none)
        splitter = QSplitter()
        splitter.setHandleWidth(space(3))
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(left)
        splitter.addWidget(self.details)
        splitter.setStretchFactor(0, 1)
        splitter.setSizes([letters(self.font(), 100), letters(self.font(), 44)])
        shortcut(self.table, QKeySequence(QKeySequence.StandardKey.Find), self.search.setFocus)
        return splitter

    # Showing

    def _show(self) -> None:
        if not self._is_built:
            return
        report = self.view_model.report
        if report is None:
            has_facts = self.view_model.fingerprint is not None
            self._stack.setCurrentIndex(_BUSY if has_facts else _EMPTY)
            return
        view = present_checks(report)
        self.model.replace(view.rows)
        for count in view.counts:
            self.states[count.state].setText(count.text)
        self._list_categories(view.categories)
        self._filter()
        self._stack.setCurrentIndex(_RESULT)
        self._choose()

    def _list_categories(self, categories: tuple[tuple[str, str], ...]) -> None:
        """Fill the list of areas anew, keeping the chosen one."""
        chosen = self.category.currentData()
        self.category.blockSignals(True)
        self.category.clear()
        self.category.addItem(self.tr("All areas"), "")
        for category, title in categories:
            self.category.addItem(title, category)
        self.category.setCurrentIndex(max(self.category.findData(chosen), 0))
        self.category.blockSignals(False)

    def _filter(self) -> None:
        chosen = {state for state, button in self.states.items() if button.isChecked()}
        self.proxy.choose(
            states=frozenset(chosen or STATES),
            area=str(self.category.currentData() or ""),
            text=self.search.text(),
        )
        self._none.setVisible(self.model.rowCount() > 0 and self.proxy.rowCount() == 0)

    def _choose(self) -> None:
        """Keep the chosen check, else choose the worst one."""
        row = self.model.row_of(self._chosen)
        index = self.proxy.mapFromSource(self.model.index(row, 0)) if row >= 0 else QModelIndex()
        if not index.isValid():
            index = self.proxy.index(0, 0)
        self.table.setCurrentIndex(index)
        self.table.scrollTo(index)
        self._on_row(index)

    def _on_row(self, index: QModelIndex) -> None:
        self._chosen = str(index.data(ID_ROLE) or "") if index.isValid() else ""
        result = self.view_model.result(self._chosen)
        self.details.show_check(present_check(result) if result is not None else None)

    # Doing

    def _copy_text(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.notified.emit(self.tr("Copied"))

    def _on_copy(self) -> None:
        self._copy_text(self.view_model.sheet())

    def command_lines(self) -> tuple[CommandLine, ...]:
        """Return what checks the same."""
        found = self.view_model.fingerprint
        return () if found is None else (parsed(check_command(found, self._file())),)

    def _on_command(self) -> None:
        fingerprint = self.view_model.fingerprint
        if fingerprint is not None:
            self._copy_text(check_command(fingerprint, self._file()))

    def _on_save(self) -> None:
        fingerprint = self.view_model.fingerprint
        if fingerprint is None:
            return
        dialog = QFileDialog(self, self.tr("Save preparation sheet"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("md")
        dialog.selectFile(f"{fingerprint.host_name or 'host'}-preparation.md")
        dialog.fileSelected.connect(lambda name: self.view_model.save_sheet(Path(name)))
        dialog.open()

    def _on_saved(self, path: Path) -> None:
        self.notified.emit(self.tr("Saved as {file}").format(file=path))
