"""The hosts table: one row per host, exact changes, values to sort by."""

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Final

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)

from app.core.events import DeploymentSnapshot, HostSnapshot
from app.core.ids import HostId
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.icons import IconSet
from app.ui.models.roles import BAR_ROLE, GROUP_ROLE, ID_ROLE, SEARCH_ROLE, SORT_ROLE
from app.ui.viewmodels.hosts_rows import HostRow, present_host_row

CONTEXT: Final = "Hosts"
Index = QModelIndex | QPersistentModelIndex


class Column(IntEnum):
    """Columns, left to right."""

    NAME = 0
    STATE = 1
    GROUP = 2
    ADDRESS = 3
    GPUS = 4
    DRIVER = 5
    MEMORY = 6
    DEPLOYMENTS = 7
    SEEN = 8


_TITLES: Final = {
    Column.NAME: QT_TRANSLATE_NOOP("Hosts", "Name"),
    Column.STATE: QT_TRANSLATE_NOOP("Hosts", "State"),
    Column.GROUP: QT_TRANSLATE_NOOP("Hosts", "Group"),
    Column.ADDRESS: QT_TRANSLATE_NOOP("Hosts", "Address"),
    Column.GPUS: QT_TRANSLATE_NOOP("Hosts", "GPUs"),
    Column.DRIVER: QT_TRANSLATE_NOOP("Hosts", "Driver"),
    Column.MEMORY: QT_TRANSLATE_NOOP("Hosts", "GPU memory, GiB"),
    Column.DEPLOYMENTS: QT_TRANSLATE_NOOP("Hosts", "Deployments"),
    Column.SEEN: QT_TRANSLATE_NOOP("Hosts", "Last seen"),
}
_FIGURES: Final = {Column.DEPLOYMENTS}


class HostsModel(QAbstractTableModel):
    """Rows of hosts; `replace` changes only what changed."""

    def __init__(
        self,
        icons: IconSet,
        *,
        now: Callable[[], float],
        deployments: Callable[[HostId], Sequence[DeploymentSnapshot] | None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._icons = icons
        self._now = now
        self._deployments = deployments
        self._snapshots: list[HostSnapshot] = []
        self._rows: list[HostRow] = []

    def snapshot(self, row: int) -> HostSnapshot:
        """Return the host of a row."""
        return self._snapshots[row]

    def row_of(self, host_id: HostId) -> int:
        """Return a host's row; -1 when it has none."""
        for row, snapshot in enumerate(self._snapshots):
            if snapshot.settings.id == host_id:
                return row
        return -1

    def replace(self, snapshots: Sequence[HostSnapshot]) -> None:
        """Bring the rows to these hosts by removing, changing and adding rows."""
        wanted = {snapshot.settings.id: snapshot for snapshot in snapshots}
        for row in range(len(self._snapshots) - 1, -1, -1):
            if self._snapshots[row].settings.id not in wanted:
                self.beginRemoveRows(QModelIndex(), row, row)
                del self._snapshots[row], self._rows[row]
                self.endRemoveRows()
        for row, old in enumerate(self._snapshots):
            self._change(row, wanted.pop(old.settings.id))
        if wanted:
            first = len(self._snapshots)
            self.beginInsertRows(QModelIndex(), first, first + len(wanted) - 1)
            for snapshot in wanted.values():
                self._snapshots.append(snapshot)
                self._rows.append(self._present(snapshot))
            self.endInsertRows()

    def refresh_texts(self) -> None:
        """Write every text again: after a change of language, theme or simply of time."""
        for row, snapshot in enumerate(self._snapshots):
            self._rows[row] = self._present(snapshot)
        if self._rows:
            last = self.index(len(self._rows) - 1, len(Column) - 1)
            self.dataChanged.emit(self.index(0, 0), last)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(Column) - 1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Return how many hosts there are."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Return how many columns there are."""
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Return a column's title."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(Column):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return QCoreApplication.translate(CONTEXT, _TITLES[Column(section)])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(Column(section))
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Answer for a cell."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row, column = self._rows[index.row()], Column(index.column())
        return self._answer(row, column, role, self._snapshots[index.row()])

    def _answer(self, row: HostRow, column: Column, role: int, snapshot: HostSnapshot) -> object:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                answer: object = row.texts[column]
            case Qt.ItemDataRole.ToolTipRole:
                answer = row.tool_tips.get(column)
            case Qt.ItemDataRole.TextAlignmentRole:
                answer = _alignment(column)
            case Qt.ItemDataRole.DecorationRole if column is Column.STATE:
                answer = self._icons.icon(row.state.icon, _token(row.state.status))
            case Qt.ItemDataRole.DecorationRole if column is Column.DEPLOYMENTS and row.runs:
                answer = self._icons.icon(row.runs.icon, _token(row.runs.status))
            case Qt.ItemDataRole.AccessibleTextRole if column is Column.DEPLOYMENTS and row.runs:
                answer = f"{row.texts[column]} {row.runs.word}"
            case _:
                ours = {
                    SORT_ROLE: row.sort_keys[column],
                    BAR_ROLE: row.memory if column is Column.MEMORY else None,
                    SEARCH_ROLE: row.search,
                    GROUP_ROLE: row.group,
                    ID_ROLE: snapshot.settings.id,
                }
                answer = ours.get(role)
        return answer

    def _present(self, snapshot: HostSnapshot) -> HostRow:
        return present_host_row(
            snapshot, now_s=self._now(), deployments=self._deployments(snapshot.settings.id)
        )

    def _change(self, row: int, snapshot: HostSnapshot) -> None:
        if snapshot is self._snapshots[row]:
            return
        presented = self._present(snapshot)
        self._snapshots[row] = snapshot
        if presented != self._rows[row]:
            self._rows[row] = presented
            self.dataChanged.emit(self.index(row, 0), self.index(row, len(Column) - 1))


class HostsProxy(QSortFilterProxyModel):
    """Sort by value, not by text; find by words, show one group."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words: tuple[str, ...] = ()
        self._group: str | None = None
        self.setSortRole(SORT_ROLE)
        self.setSortCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)

    def search(self, text: str) -> None:
        """Show the hosts that hold every word: in name, address, group, GPU, notes, deployment."""
        self.beginFilterChange()
        self._words = tuple(text.casefold().split())
        self.endFilterChange()

    def show_group(self, group: str | None) -> None:
        """Show one group; an empty one is the hosts without, ``None`` shows all."""
        self.beginFilterChange()
        self._group = group
        self.endFilterChange()

    def filterAcceptsRow(self, source_row: int, source_parent: Index) -> bool:
        """Tell whether a host is shown."""
        index = self.sourceModel().index(source_row, 0, source_parent)
        if self._group is not None and index.data(GROUP_ROLE) != self._group:
            return False
        text = str(index.data(SEARCH_ROLE))
        return all(word in text for word in self._words)


def _alignment(column: Column) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in _FIGURES else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _token(status: str) -> str:
    return status if status == "accent" else f"status.{status}"
