"""A log as a list model: bounded, filled in batches, searched without a proxy.

A proxy would ask Python for every row at each key pressed; here the texts are scanned directly.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from app.core.logs.line import LogLevel, LogLine

Index = QModelIndex | QPersistentModelIndex

LIMIT: Final = 100_000
"""Lines kept."""
_SLACK: Final = 2_000
"""Old lines go in pieces of at least this size, so that not every batch moves the list."""

_RECOGNISED: Final = 60
"""Characters by which a line is recognised that was put together from several."""

LEVEL_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 30
"""A `LogLevel`."""
MATCH_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 31
"""True for a line that holds what is searched."""


class LogModel(QAbstractListModel):
    """Lines of one log, the oldest dropped first."""

    matches_changed = Signal()

    def __init__(self, parent: QObject | None = None, *, limit: int = LIMIT) -> None:
        super().__init__(parent)
        self._limit = limit
        self._texts: list[str] = []
        self._levels: list[LogLevel] = []
        self._needle = ""
        self._matches: list[int] = []
        self.longest = 0
        """Characters of the longest line so far."""
        self.dropped = 0
        """Lines that are no longer here."""

    def append(self, lines: Iterable[LogLine]) -> None:
        """Add lines at the end and let the oldest go."""
        texts, levels = [], []
        for line in lines:
            texts.append(_shown(line))
            levels.append(line.level)
        if not texts:
            return
        first = len(self._texts)
        self.beginInsertRows(QModelIndex(), first, first + len(texts) - 1)
        self._texts += texts
        self._levels += levels
        self.endInsertRows()
        self.longest = max(self.longest, *map(len, texts))
        if self._needle:
            self._extend_matches(first)
        if len(self._texts) > self._limit + _SLACK:
            self._drop(len(self._texts) - self._limit)

    def leave_out(self, count: int) -> None:
        """Count lines that came too fast to be shown."""
        self.dropped += count

    def clear(self) -> None:
        """Remove every line."""
        if self._texts:
            self.beginRemoveRows(QModelIndex(), 0, len(self._texts) - 1)
            self._texts, self._levels = [], []
            self.endRemoveRows()
        self.longest, self.dropped = 0, 0
        self._set_matches([])

    def text(self, row: int) -> str:
        """Return a line."""
        return self._texts[row]

    def all_text(self) -> str:
        """Return every line."""
        return "\n".join(self._texts)

    # Searching

    @property
    def needle(self) -> str:
        """What is searched, in small letters."""
        return self._needle

    @property
    def matches(self) -> int:
        """How many lines hold it."""
        return len(self._matches)

    def search(self, text: str) -> None:
        """Search a text, whatever its case; empty ends it."""
        self._needle = text.casefold()
        found = []
        if self._needle:
            found = [row for row, line in enumerate(self._texts) if self._needle in line.casefold()]
        self._set_matches(found)
        if self._texts:
            last = self.index(len(self._texts) - 1)
            self.dataChanged.emit(self.index(0), last, [MATCH_ROLE])

    def match_after(self, row: int) -> int:
        """Return the next row that holds it, from the start again at the end; -1 for none."""
        if not self._matches:
            return -1
        position = bisect_right(self._matches, row)
        return self._matches[position % len(self._matches)]

    def match_before(self, row: int) -> int:
        """Return the row before that holds it; -1 for none."""
        if not self._matches:
            return -1
        return self._matches[bisect_left(self._matches, row) - 1]

    def match_number(self, row: int) -> int:
        """Return which match a row is, from 1; 0 when it is none."""
        position = bisect_left(self._matches, row)
        is_match = position < len(self._matches) and self._matches[position] == row
        return position + 1 if is_match else 0

    def row_of_line(self, number: int, text: str) -> int:
        """Return the row that shows an evidence line; -1 when it is not here any more.

        The text decides; the number only says which of several equal lines is meant, because
        a log that was read from another place on counts differently.
        """
        expected = number - 1 - self.dropped
        wanted = text.strip()
        rows = [row for row, line in enumerate(self._texts) if wanted and wanted in line]
        if not rows and wanted[:_RECOGNISED] != wanted:
            rows = [row for row, line in enumerate(self._texts) if wanted[:_RECOGNISED] in line]
        if rows:
            return min(rows, key=lambda row: abs(row - expected))
        return -1

    # Qt

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Return how many lines there are."""
        return 0 if parent.isValid() else len(self._texts)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Answer for a line."""
        row = index.row()
        if not index.isValid() or row >= len(self._texts):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._texts[row]
        if role == LEVEL_ROLE:
            return self._levels[row]
        if role == MATCH_ROLE:
            return bool(self._needle) and self.match_number(row) > 0
        return None

    # Inside

    def _drop(self, count: int) -> None:
        self.beginRemoveRows(QModelIndex(), 0, count - 1)
        del self._texts[:count]
        del self._levels[:count]
        self.dropped += count
        self.endRemoveRows()
        if self._matches:
            self._set_matches([row - count for row in self._matches if row >= count])

    def _extend_matches(self, first: int) -> None:
        new = [
            row
            for row in range(first, len(self._texts))
            if self._needle in self._texts[row].casefold()
        ]
        if new:
            self._set_matches(self._matches + new)

    def _set_matches(self, matches: list[int]) -> None:
        if matches != self._matches:
            self._matches = matches
            self.matches_changed.emit()


def _shown(line: LogLine) -> str:
    """Return time of day and text; the stamp's date and zone stand in the saved file."""
    clock = line.at[11:19] if len(line.at) >= 19 and line.at[10] in "T " else ""
    return f"{clock}  {line.text}" if clock else line.text
