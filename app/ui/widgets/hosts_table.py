"""The table of hosts with its search, its order and its keys; what nobody fits is said."""

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.core.events import HostSnapshot
from app.core.ids import HostId
from app.ui.icons import IconSet
from app.ui.models.hosts import Column, HostsModel, HostsProxy
from app.ui.models.roles import ID_ROLE
from app.ui.theme import Theme
from app.ui.widgets.bars import BarDelegate
from app.ui.widgets.buttons import push_button
from app.ui.widgets.dialog import shortcut
from app.ui.widgets.empty import EmptyState
from app.ui.widgets.table import DataTable

_KEEP_MS: Final = 400
_COLUMNS: Final = tuple(column.name for column in Column)
_WIDTHS: Final = (15, 20, 12, 18, 18, 12, 25, 12, 12)


class HostsTable(QStackedWidget):
    """Hosts in rows; signals carry the id of the row's host."""

    opened = Signal(str)
    deleted = Signal(str)
    looked_at = Signal(str)
    """A click or Space: the details are wanted."""
    moved_to = Signal(str)
    """The row with the keyboard's focus changed."""
    edit_wanted = Signal(str)
    copy_wanted = Signal(str)
    menu_wanted = Signal(str, QPoint)
    arranged = Signal(str)
    """Widths and order changed; the text goes back in with `arrange`."""
    cleared = Signal()
    """Every host shall be shown again."""

    def __init__(
        self, icons: IconSet, theme: Theme, model: HostsModel, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model = model
        self.proxy = HostsProxy(self)
        self.proxy.setSourceModel(model)
        self.view = DataTable()
        self.view.setModel(self.proxy)
        self.view.sortByColumn(Column.NAME, Qt.SortOrder.AscendingOrder)
        self.view.setItemDelegateForColumn(Column.MEMORY, BarDelegate(theme, self.view))
        self.view.set_widths(_WIDTHS, stretch=Column.ADDRESS)
        self._nothing = EmptyState(icons, "search")
        self._clear = push_button(icons, icon="x", on_click=self.cleared.emit)
        self._nothing.add_button(self._clear)
        self._keep = QTimer(self)
        self._keep.setInterval(_KEEP_MS)
        self._keep.setSingleShot(True)
        self.addWidget(self.view)
        self.addWidget(self._nothing)
        self._connect()

    def retranslate(self) -> None:
        """Set every text again."""
        self.view.setAccessibleName(self.tr("Hosts"))
        self._nothing.set_texts(
            self.tr("No host fits"),
            self.tr("Search and group leave nothing over; there are hosts beyond them."),
        )
        self._clear.setText(self.tr("Show all hosts"))

    def set_hosts(self, hosts: Sequence[HostSnapshot]) -> None:
        """Show these hosts."""
        self._model.replace(hosts)
        self.view.show_column(Column.GROUP, shown=any(host.settings.group for host in hosts))
        self._show()

    def search(self, text: str) -> None:
        """Show the hosts that hold every word."""
        self.proxy.search(text)
        self._show()

    def show_group(self, group: str | None) -> None:
        """Show one group, or all."""
        self.proxy.show_group(group)
        self._show()

    def shown(self) -> tuple[HostSnapshot, ...]:
        """Return the hosts that are in the table now, in its order."""
        rows = (self.proxy.index(row, 0) for row in range(self.proxy.rowCount()))
        return tuple(self._model.snapshot(self.proxy.mapToSource(row).row()) for row in rows)

    def select(self, host_id: HostId | None) -> None:
        """Mark a host's row."""
        row = self._model.row_of(host_id) if host_id is not None else -1
        if row < 0:
            self.view.clearSelection()
            return
        index = self.proxy.mapFromSource(self._model.index(row, 0))
        if index.isValid() and index.row() != self.view.currentIndex().row():
            self.view.selectRow(index.row())

    def arrange(self, text: str) -> None:
        """Take up widths and order that were kept."""
        self.view.arrange(text, _COLUMNS)

    def dispose(self) -> None:
        """Nothing is kept any more."""
        self._keep.stop()

    def _connect(self) -> None:
        view = self.view
        view.opened.connect(lambda index: self.opened.emit(_id_of(index)))
        view.deleted.connect(lambda index: self.deleted.emit(_id_of(index)))
        view.clicked.connect(lambda index: self.looked_at.emit(_id_of(index)))
        view.customContextMenuRequested.connect(self._on_menu)
        view.selectionModel().currentRowChanged.connect(self._on_current)
        view.arranged.connect(self._keep.start)
        self._keep.timeout.connect(lambda: self.arranged.emit(view.arrangement(_COLUMNS)))
        for keys, told in (
            ("F2", self.edit_wanted.emit),
            ("Space", self.looked_at.emit),
            ("Ctrl+C", self.copy_wanted.emit),
        ):
            bound = shortcut(view, keys, self._on_row(told))
            bound.setContext(Qt.ShortcutContext.WidgetShortcut)

    def _on_row(self, tell: Callable[[str], object]) -> Callable[[], None]:
        def act() -> None:
            index = self.view.currentIndex()
            if index.isValid():
                tell(_id_of(index))

        return act

    def _on_current(self, index: QModelIndex) -> None:
        if index.isValid() and self.view.hasFocus():
            self.moved_to.emit(_id_of(index))

    def _on_menu(self, position: QPoint) -> None:
        index = self.view.indexAt(position)
        if index.isValid():
            self.menu_wanted.emit(_id_of(index), self.view.viewport().mapToGlobal(position))

    def _show(self) -> None:
        self.setCurrentWidget(self.view if self.proxy.rowCount() else self._nothing)


def _id_of(index: QModelIndex) -> str:
    return str(index.data(ID_ROLE))
