"""The facts of a host: groups on the left, the chosen group's facts or the GPUs beside them."""

from PySide6.QtCore import QCoreApplication, QModelIndex, QSize, QSortFilterProxyModel, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QListView, QStackedWidget, QWidget

from app.core.hardware.fingerprint import Fingerprint
from app.ui.icons import IconSet
from app.ui.models.fingerprint import GPU_MEMORY_COLUMN, FactsModel, GpuModel, GroupsModel
from app.ui.models.roles import SORT_ROLE
from app.ui.theme import Theme, letters, space
from app.ui.viewmodels.fingerprint import FactGroup
from app.ui.widgets.bars import BarDelegate
from app.ui.widgets.table import DataTable, RowDelegate

translate = QCoreApplication.translate


class FingerprintFacts(QWidget):
    """Groups, facts and GPUs; `show_facts` fills them and keeps the chosen group."""

    gpu_chosen = Signal(int)
    """Number of a GPU that was chosen in its table."""

    def __init__(self, theme: Theme, icons: IconSet) -> None:
        super().__init__()
        self._group = "gpus"
        self.groups = GroupsModel(icons, self)
        self.facts = FactsModel(theme, self)
        self.gpus = GpuModel(self)
        self.groups_view = self._build_groups()
        self.facts_view = DataTable()
        self.facts_view.setModel(self.facts)
        self.facts_view.setSortingEnabled(False)
        self.facts_view.set_widths((34, 60, 20), stretch=1)
        self.gpus_view = self._build_gpus(theme)
        self._tables = QStackedWidget()
        self._tables.addWidget(self.facts_view)
        self._tables.addWidget(self.gpus_view)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(space(3))
        row.addWidget(self.groups_view)
        row.addWidget(self._tables, 1)
        self.groups_view.selectionModel().currentChanged.connect(self._on_group)
        self.gpus_view.selectionModel().currentRowChanged.connect(self._on_gpu)

    def retranslate(self) -> None:
        """Set every text again, but for what `show_facts` brings."""
        self.groups_view.setAccessibleName(translate("FingerprintPage", "Groups of facts"))
        self.facts_view.setAccessibleName(translate("FingerprintPage", "Facts"))
        self.gpus_view.setAccessibleName(translate("FingerprintPage", "GPUs"))
        self.facts.retranslate()
        self.gpus.retranslate()

    def show_facts(self, groups: tuple[FactGroup, ...], fingerprint: Fingerprint) -> None:
        """Show what is known of a host."""
        self.groups.replace(groups)
        self.gpus.replace(fingerprint)

    def show_group(self) -> None:
        """Bring the chosen group to the front, or the first where it is gone."""
        index = self.groups.index(max(self.groups.row_of(self._group), 0))
        if self.groups_view.currentIndex() != index:
            self.groups_view.setCurrentIndex(index)
        else:
            self._on_group(index)

    def choose_group(self, group_id: str) -> None:
        """Show a group of facts."""
        row = self.groups.row_of(group_id)
        if row >= 0:
            self.groups_view.setCurrentIndex(self.groups.index(row))

    def text(self) -> str:
        """Return the chosen group as lines with tabs, for the clipboard."""
        group = self.groups.group(max(self.groups.row_of(self._group), 0))
        return "\n".join(f"{fact.label}\t{fact.value or fact.reason}" for fact in group.facts)

    def _build_groups(self) -> QListView:
        view = QListView()
        view.setProperty("role", "groups")
        view.setModel(self.groups)
        view.setFixedWidth(letters(self.font(), 36))
        view.setIconSize(QSize(16, 16))
        view.setItemDelegate(RowDelegate(view))
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setTextElideMode(Qt.TextElideMode.ElideRight)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        return view

    def _build_gpus(self, theme: Theme) -> DataTable:
        self._gpu_proxy = QSortFilterProxyModel(self)
        self._gpu_proxy.setSortRole(SORT_ROLE)
        self._gpu_proxy.setSourceModel(self.gpus)
        view = DataTable()
        view.setModel(self._gpu_proxy)
        view.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        view.setItemDelegateForColumn(GPU_MEMORY_COLUMN, BarDelegate(theme, view))
        view.set_widths((5, 13, 4, 17, 6, 5, 7, 4, 12, 5), stretch=GPU_MEMORY_COLUMN)
        return view

    def _on_group(self, index: QModelIndex) -> None:
        if not index.isValid():
            return
        group = self.groups.group(index.row())
        self._group = group.id
        if group.id == "gpus" and self.gpus.rowCount():
            self._tables.setCurrentWidget(self.gpus_view)
        else:
            self.facts.replace(group.facts)
            self._tables.setCurrentWidget(self.facts_view)

    def _on_gpu(self, index: QModelIndex) -> None:
        if index.isValid() and self.gpus_view.hasFocus():
            self.gpu_chosen.emit(self._gpu_proxy.mapToSource(index).row())
