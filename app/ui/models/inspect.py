"""A table of texts, as the Inspect page shows what was read."""

import unicodedata
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex
_NONE: Final = QModelIndex()


class TextTableModel(QAbstractTableModel):
    """Titles and rows that do not change."""

    def __init__(
        self,
        titles: Sequence[str],
        rows: Sequence[Sequence[str]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._titles = tuple(titles)
        self._rows = tuple(tuple(row) for row in rows)

    def rowCount(self, parent: Index = _NONE) -> int:
        """Return how many rows there are."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NONE) -> int:
        """Return how many columns there are."""
        return 0 if parent.isValid() else len(self._titles)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a cell's text; the tool tip has it whole."""
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole}:
            return self._rows[index.row()][index.column()]
        return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Return a column's title."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        return None

    def widths(self) -> tuple[int, ...]:
        """Return the letters each column needs, within reason."""
        columns = zip(self._titles, *self._rows, strict=True)
        return tuple(min(max(map(_letters, column)) + 1, 44) for column in columns)


def _letters(text: str) -> int:
    """Return how many letters wide a text is; a Chinese sign takes two."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)
