"""A log as a list model: bounded, filled in batches, filtered by level without a proxy.

A proxy would ask Python for every row at each key pressed; here levels are bytes that are
scanned at once, and only the rows that are seen are made into texts.
"""

import math
import time
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from itertools import compress
from typing import Final

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from app.core.logs.kept import LEVELS, LIMIT, KeptLines, place_at, place_of_text
from app.core.logs.line import LogLevel, LogLine
from app.ui.viewmodels.deployments_search import (
    ALL_LEVELS,
    Found,
    LogSearch,
    Query,
    Run,
    run_here,
)

Index = QModelIndex | QPersistentModelIndex

LEVEL_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 30
"""A `LogLevel`."""
MATCH_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 31
"""True for a line that holds what is searched."""
TIME_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 32
"""Time of day as it is shown; empty when there is none."""
TEXT_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 33
"""The line without its time."""


class ShownTime(StrEnum):
    """How the time of a line is written."""

    LOCAL = "local"
    UTC = "utc"
    NONE = "none"


class LogModel(QAbstractListModel):
    """Lines of one log, the oldest dropped first."""

    counted = Signal()
    """Lines came or went, also such that are filtered out."""

    def __init__(
        self, parent: QObject | None = None, *, limit: int = LIMIT, run: Run = run_here
    ) -> None:
        super().__init__(parent)
        self._limit = limit
        self._run = run
        self._kept = KeptLines(limit)
        self._levels = ALL_LEVELS
        self._rows: array[int] | None = None
        self._left_out = 0
        self.shown_time = ShownTime.LOCAL
        self.search = LogSearch(self._kept, self, run)
        self.search.changed.connect(self._repaint)
        self.longest = 0
        """Characters of the longest line so far."""
        self._answers: Mapping[int, Callable[[int], object]] = {
            int(Qt.ItemDataRole.DisplayRole): self._shown_text,
            int(Qt.ItemDataRole.ToolTipRole): self._stamp,
            LEVEL_ROLE: self._level,
            MATCH_ROLE: lambda place: self.search.is_active and self.search.number_of(place) > 0,
            TIME_ROLE: self._clock,
            TEXT_ROLE: self._bare_text,
        }

    # What there is

    @property
    def kept(self) -> int:
        """How many lines there are, filtered or not."""
        return len(self._kept)

    @property
    def end(self) -> int:
        """How many lines came since the log was opened."""
        return self._kept.end

    @property
    def dropped(self) -> int:
        """Lines that are no longer here."""
        return self._kept.first + self._left_out

    @property
    def levels(self) -> frozenset[LogLevel]:
        """Levels that are shown."""
        return self._levels

    def count(self, levels: Iterable[LogLevel]) -> int:
        """Return how many lines of some levels there are."""
        return sum(self._kept.counts[level] for level in levels)

    def append(self, lines: Iterable[LogLine]) -> None:
        """Add lines at the end and let the oldest go."""
        new = list(lines)
        if not new:
            return
        shown = [line.level in self._levels for line in new]
        count = sum(shown)
        first, place = self.rowCount(), self._kept.end
        if count:
            self.beginInsertRows(QModelIndex(), first, first + count - 1)
        self._kept.append(new)
        if self._rows is not None:
            self._rows.extend(compress(range(place, place + len(new)), shown))
        self.longest = max(self.longest, *(len(line.text) for line in new))
        if count:
            self.endInsertRows()
        self._drop_old()
        self.search.go_on()
        self.counted.emit()

    def leave_out(self, count: int) -> None:
        """Count lines that came too fast to be shown."""
        self._left_out += count

    def clear(self) -> None:
        """Remove every line."""
        self.beginResetModel()
        self._kept = KeptLines(self._limit)
        self._rows = None if self._rows is None else array("q")
        self.longest, self._left_out = 0, 0
        self.endResetModel()
        self.search.reset(self._kept)
        self.counted.emit()

    def show_levels(self, levels: frozenset[LogLevel]) -> None:
        """Show only lines of some levels."""
        if levels == self._levels:
            return
        self.beginResetModel()
        self._levels = levels
        self._rows = None if levels == ALL_LEVELS else self._filtered()
        self.endResetModel()
        query = self.search.query
        self.search.search(
            Query(
                text=query.text,
                is_regex=query.is_regex,
                with_case=query.with_case,
                levels=levels,
            )
        )

    def show_time(self, shown: ShownTime) -> None:
        """Write times another way."""
        self.shown_time = shown
        self._repaint()

    # Lines

    def text(self, row: int) -> str:
        """Return a line with its time as it is shown."""
        return self._shown_text(self.place(row))

    def stamped(self, row: int, *, with_time: bool) -> str:
        """Return a line for elsewhere: with the whole stamp in front, or without."""
        place = self.place(row)
        text = self._kept.text(place)
        stamp = self._stamp(place) if with_time else ""
        return f"{stamp} {text}" if stamp else text

    def all_text(self) -> str:
        """Return every line that is shown."""
        return "\n".join(map(self.text, range(self.rowCount())))

    def place(self, row: int) -> int:
        """Return the place of a row in the whole log."""
        return self._kept.first + row if self._rows is None else self._rows[row]

    def row_of(self, place: int) -> int:
        """Return the row of a place, or of the next one that is shown; -1 for none."""
        row = place - self._kept.first if self._rows is None else bisect_left(self._rows, place)
        return row if 0 <= row < self.rowCount() else -1

    # Finding

    @property
    def matches(self) -> int:
        """How many lines hold what is searched."""
        return len(self.search.places)

    def match_after(self, row: int) -> int:
        """Return the next row that matches, from the start again at the end; -1 for none."""
        place = self.search.after(self.place(row) if row >= 0 else -1)
        return -1 if place is None else self.row_of(place)

    def match_before(self, row: int) -> int:
        """Return the row before that matches; -1 for none."""
        known = 0 <= row < self.rowCount()
        place = self.search.before(self.place(row) if known else self._kept.end)
        return -1 if place is None else self.row_of(place)

    def match_number(self, row: int) -> int:
        """Return which match a row is, from 1; 0 when it is none."""
        return self.search.number_of(self.place(row)) if 0 <= row < self.rowCount() else 0

    def find_line(self, number: int, text: str, done: Callable[[int | None], None]) -> None:
        """Look for an evidence line on the worker; ``done`` gets its place or ``None``."""
        pages, expected = self._kept.pages(), number - 1 - self._left_out

        def work() -> Found:
            place = place_of_text(pages, expected, text)
            return Found(places=array("q", () if place is None else (place,)), end=0)

        self._run(work, lambda found: done(found.places[0] if found.places else None))

    def row_of_line(self, number: int, text: str) -> int:
        """Return the row that shows an evidence line; -1 when it is not here (any more)."""
        place = place_of_text(self._kept.pages(), number - 1 - self._left_out, text)
        return -1 if place is None else self.row_of(place)

    def row_at(self, at_s: float) -> int:
        """Return the first shown row written at a time or later, else the last; -1 for none."""
        place = place_at(self._kept.pages(), at_s)
        row = -1 if place is None else self.row_of(place)
        return self.rowCount() - 1 if row < 0 else row

    @property
    def newest_s(self) -> float | None:
        """When the newest line with a stamp was written."""
        for page in reversed(self._kept.pages(max(self._kept.first, self._kept.end - 1))):
            known = (at_s for at_s in reversed(page.times_s) if not math.isnan(at_s))
            return next(known, None)
        return None

    # Qt

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Return how many lines are shown."""
        if parent.isValid():
            return 0
        return len(self._kept) if self._rows is None else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Answer for a line."""
        row = index.row()
        if not index.isValid() or row >= self.rowCount():
            return None
        answer = self._answers.get(role)
        return None if answer is None else answer(self.place(row))

    # Inside

    def _drop_old(self) -> None:
        going = self._kept.surplus
        if not going:
            return
        rows = going if self._rows is None else bisect_left(self._rows, self._kept.first + going)
        if rows:
            self.beginRemoveRows(QModelIndex(), 0, rows - 1)
        self._kept.drop_old()
        if self._rows is not None:
            del self._rows[:rows]
        if rows:
            self.endRemoveRows()
        self.search.forget_before(self._kept.first)

    def _filtered(self) -> "array[int]":
        table = bytes(code < len(LEVELS) and LEVELS[code] in self._levels for code in range(256))
        rows = array("q")
        for page in self._kept.pages():
            rows.extend(compress(range(page.first, page.end), page.levels.translate(table)))
        return rows

    def _level(self, place: int) -> LogLevel:
        return self._kept.level(place)

    def _bare_text(self, place: int) -> str:
        return self._kept.text(place)

    def _shown_text(self, place: int) -> str:
        clock, text = self._clock(place), self._kept.text(place)
        return f"{clock}  {text}" if clock else text

    def _clock(self, place: int) -> str:
        at_s = self._kept.at_s(place)
        if self.shown_time is ShownTime.NONE or math.isnan(at_s):
            return ""
        split = time.localtime if self.shown_time is ShownTime.LOCAL else time.gmtime
        return time.strftime("%H:%M:%S", split(at_s))

    def _stamp(self, place: int) -> str:
        at_s = self._kept.at_s(place)
        if math.isnan(at_s):
            return ""
        at = datetime.fromtimestamp(at_s, UTC)
        if self.shown_time is ShownTime.LOCAL:
            return at.astimezone().isoformat(timespec="milliseconds")
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _repaint(self) -> None:
        if self.rowCount():
            last = self.index(self.rowCount() - 1)
            self.dataChanged.emit(self.index(0), last, [MATCH_ROLE])
