"""A table of texts, as the Inspect page shows what was read."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication

Index = QModelIndex | QPersistentModelIndex
_NONE: Final = QModelIndex()
_RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_FIGURE: Final = re.compile(r"-?\d+([.,]\d+)*")
_LEAST_COLUMNS: Final = 3
_LONG: Final = 24
"""Letters of an id that are worth a scroll bar."""


class TextTableModel(QAbstractTableModel):
    """Titles and rows that do not change."""

    def __init__(
        self,
        titles: Sequence[str],
        rows: Sequence[Sequence[str]],
        parent: QObject | None = None,
        *,
        unknown: frozenset[int] = frozenset(),
    ) -> None:
        super().__init__(parent)
        self._unknown = unknown
        self._titles = tuple(titles)
        self._rows = tuple(tuple(row) for row in rows)
        self.figures = _figures(self._rows)
        """Columns that hold nothing but figures; they stand to the right."""

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
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in self.figures:
            return _RIGHT
        if role == Qt.ItemDataRole.ForegroundRole and index.row() in self._unknown:
            return QGuiApplication.palette().placeholderText()
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
        if role == Qt.ItemDataRole.TextAlignmentRole and section in self.figures:
            return _RIGHT
        return None

    def stretched(self) -> int:
        """Return the column that takes the room left over: the last one with words in it."""
        words = [n for n in range(len(self._titles)) if n not in self.figures]
        return words[-1] if words else len(self._titles) - 1

    def is_code(self) -> bool:
        """Tell whether the column that takes the rest holds ids, which may lose their middle."""
        column = [row[self.stretched()] for row in self._rows]
        return any(len(cell) > _LONG for cell in column) and not any(" " in c for c in column)

    def widths(self) -> tuple[int, ...]:
        """Return the letters each column needs, within reason."""
        columns = zip(self._titles, *self._rows, strict=True)
        widths = [min(max(map(_letters, column)) + 1, 44) for column in columns]
        if self.is_code():
            widths[self.stretched()] = _LONG
        return tuple(widths)


def _figures(rows: tuple[tuple[str, ...], ...]) -> frozenset[int]:
    # Of two columns the second is what the first is about: words and figures by turns.
    if not rows or len(rows[0]) < _LEAST_COLUMNS:
        return frozenset()
    return frozenset(n for n, column in enumerate(zip(*rows, strict=True)) if _is_figures(column))


def _is_figures(column: tuple[str, ...]) -> bool:
    known = [cell for cell in column if cell != "–"]
    return bool(known) and all(_FIGURE.fullmatch(cell) for cell in known)


def _letters(text: str) -> int:
    """Return how many letters wide a text is; a Chinese sign takes two."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)
