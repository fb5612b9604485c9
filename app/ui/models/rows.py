"""A table of frozen rows: what every such model has in common, but for titles and cells."""

from collections.abc import Sequence
from typing import Final, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

Index = QModelIndex | QPersistentModelIndex
Row = TypeVar("Row")

NO_PARENT: Final = QModelIndex()
RIGHT: Final = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class RowsModel(QAbstractTableModel, Generic[Row]):
    """Rows that are replaced as a whole; subclasses answer for the cells in ``data``."""

    context = ""
    """Translation context of the titles."""
    titles: tuple[str, ...] = ()
    figures: frozenset[int] = frozenset()
    """Columns of numbers, whose titles stand to the right."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[Row, ...] = ()

    def key(self, row: Row) -> object:
        """Return what makes two rows the same line, so that a change keeps the selection."""
        return row

    def replace(self, rows: Sequence[Row]) -> None:
        """Show other rows; when the lines are the same, their cells are only changed."""
        new = tuple(rows)
        if [self.key(row) for row in new] == [self.key(row) for row in self._rows]:
            self._rows = new
            if new:
                last = self.index(len(new) - 1, len(self.titles) - 1)
                self.dataChanged.emit(self.index(0, 0), last)
            return
        if self._rows:
            self.beginRemoveRows(NO_PARENT, 0, len(self._rows) - 1)
            self._rows = ()
            self.endRemoveRows()
        if new:
            self.beginInsertRows(NO_PARENT, 0, len(new) - 1)
            self._rows = new
            self.endInsertRows()

    def retranslate(self) -> None:
        """The titles are in another language now."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.titles) - 1)

    def rowCount(self, parent: Index = NO_PARENT) -> int:
        """Return how many rows there are."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = NO_PARENT) -> int:
        """Return how many titles there are."""
        return 0 if parent.isValid() else len(self.titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return a column's title, and where it stands."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self.titles):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return QCoreApplication.translate(self.context, self.titles[section])
        if role == Qt.ItemDataRole.TextAlignmentRole and section in self.figures:
            return RIGHT
        return None
