"""What each hardware would give, as a table."""

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
from PySide6.QtGui import QFont, QGuiApplication

from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.icons import STATUS_ICONS, IconSet
from app.ui.models.roles import SORT_ROLE
from app.ui.viewmodels.plan_hardware import HardwareView

Index = QModelIndex | QPersistentModelIndex


class HardwareColumn(IntEnum):
    """Columns, left to right."""

    NAME = 0
    VERDICT = 1
    MEMORY = 2
    REQUESTS = 3
    TOKENS = 4


_TITLES: Final = {
    HardwareColumn.NAME: QT_TRANSLATE_NOOP("Plan", "Hardware"),
    HardwareColumn.VERDICT: QT_TRANSLATE_NOOP("Plan", "Answer"),
    HardwareColumn.MEMORY: QT_TRANSLATE_NOOP("Plan", "Memory"),
    HardwareColumn.REQUESTS: QT_TRANSLATE_NOOP("Plan", "Requests"),
    HardwareColumn.TOKENS: QT_TRANSLATE_NOOP("Plan", "KV tokens"),
}
_FIGURES: Final = {HardwareColumn.MEMORY, HardwareColumn.REQUESTS, HardwareColumn.TOKENS}


class HardwareModel(QAbstractTableModel):
    """One row per candidate; another question replaces them all."""

    def __init__(self, icons: IconSet, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._rows: tuple[HardwareView, ...] = ()

    @property
    def rows(self) -> tuple[HardwareView, ...]:
        """What is shown."""
        return self._rows

    def replace(self, rows: tuple[HardwareView, ...]) -> None:
        """Show the answer to another question."""
        if rows == self._rows:
            return
        if len(rows) == len(self._rows):
            self._rows = rows
            if rows:
                last = self.index(len(rows) - 1, len(HardwareColumn) - 1)
                self.dataChanged.emit(self.index(0, 0), last)
            return
        if self._rows:
            self.beginRemoveRows(QModelIndex(), 0, len(self._rows) - 1)
            self._rows = ()
            self.endRemoveRows()
        if rows:
            self.beginInsertRows(QModelIndex(), 0, len(rows) - 1)
            self._rows = rows
            self.endInsertRows()

    def refresh_titles(self) -> None:
        """Write the titles again."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(HardwareColumn) - 1)

    def titles(self) -> tuple[str, ...]:
        """Return the titles in the order of `hardware_text`."""
        order = (
            HardwareColumn.NAME, HardwareColumn.MEMORY, HardwareColumn.TOKENS,
            HardwareColumn.REQUESTS, HardwareColumn.VERDICT,
        )  # fmt: skip
        return tuple(QCoreApplication.translate("Plan", _TITLES[column]) for column in order)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Return how many candidates there are."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Return how many columns there are."""
        return 0 if parent.isValid() else len(HardwareColumn)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return a column's title."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(HardwareColumn):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return QCoreApplication.translate("Plan", _TITLES[HardwareColumn(section)])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(HardwareColumn(section))
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Answer for a cell."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row, column = self._rows[index.row()], HardwareColumn(index.column())
        return _sort_key(row, column) if role == SORT_ROLE else self._cell(row, column, role)

    def _cell(self, row: HardwareView, column: HardwareColumn, role: int) -> object:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _text(row, column)
            case Qt.ItemDataRole.ToolTipRole:
                return row.note
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(column)
            case Qt.ItemDataRole.DecorationRole if column is HardwareColumn.VERDICT:
                return self._icons.icon(STATUS_ICONS[row.status], f"status.{row.status}")
        return _emphasis(row, column, role)


class EnoughFilter(QSortFilterProxyModel):
    """Sorts by figures; may leave out what is not enough."""

    def __init__(self, model: HardwareModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._only_enough = False
        self.setSortRole(SORT_ROLE)
        self.setSourceModel(model)

    def show_only_enough(self, only: bool) -> None:
        """Leave out what is not enough, or show it again."""
        self.beginFilterChange()
        self._only_enough = only
        self.endFilterChange()

    def shown(self) -> tuple[HardwareView, ...]:
        """Return the rows as they are shown, in their order."""
        places = (self.mapToSource(self.index(row, 0)).row() for row in range(self.rowCount()))
        return tuple(self._model.rows[place] for place in places)

    def filterAcceptsRow(self, row: int, _parent: Index) -> bool:
        """Tell whether a row is shown; owned hosts always are."""
        view = self._model.rows[row]
        return not self._only_enough or view.status == "ok" or view.is_owned


def _emphasis(row: HardwareView, column: HardwareColumn, role: int) -> object:
    """What is enough stands out, what cannot run the model stands back."""
    if role == Qt.ItemDataRole.FontRole and row.is_smallest and column is HardwareColumn.NAME:
        return _bold()
    if role == Qt.ItemDataRole.ForegroundRole and not row.runs:
        return QGuiApplication.palette().placeholderText()
    return None


def _bold() -> QFont:
    font = QFont()
    font.setBold(True)
    return font


def _text(row: HardwareView, column: HardwareColumn) -> str:
    match column:
        case HardwareColumn.NAME:
            return row.name
        case HardwareColumn.VERDICT:
            return row.verdict
        case HardwareColumn.MEMORY:
            return row.memory
        case HardwareColumn.REQUESTS:
            return f"{row.requests:,.1f}"
        case HardwareColumn.TOKENS:
            return f"{row.tokens:,}"


def _sort_key(row: HardwareView, column: HardwareColumn) -> object:
    match column:
        case HardwareColumn.NAME:
            return row.name.casefold()
        case HardwareColumn.VERDICT:
            return f"{('ok', 'warn', 'unknown', 'error').index(row.status)}{row.memory_bytes:020d}"
        case HardwareColumn.MEMORY:
            return row.memory_bytes
        case HardwareColumn.REQUESTS:
            return row.requests
        case HardwareColumn.TOKENS:
            return row.tokens


def _alignment(column: HardwareColumn) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in _FIGURES else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
