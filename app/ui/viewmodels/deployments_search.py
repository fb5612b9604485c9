"""Search a log: text or regular expression, in pieces on a worker thread.

An expression that would try for ever ends at PCRE's own limit for each line (18 ms were measured);
the first such line ends the search, and that is said.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QObject, QRegularExpression, Signal

from app.core.logs.kept import LEVELS, KeptLines, Page
from app.core.logs.line import LogLevel

_PAGES_AT_ONCE: Final = 8
_PATIENCE: Final = "(*LIMIT_MATCH=100000)"
"""PCRE's own limit is a hundred times that: 30 to 160 ms a line in which Python stands still."""
ALL_LEVELS: Final = frozenset(LEVELS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is searched."""

    text: str = ""
    is_regex: bool = False
    with_case: bool = False
    levels: frozenset[LogLevel] = ALL_LEVELS
    """Only lines of these are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Answer for some pages."""

    places: "array[int]"
    end: int
    """Place up to which was searched."""
    is_too_hard: bool = False


Run = Callable[[Callable[[], Found], Callable[[Found], None]], None]
"""Run the first somewhere, then give its answer to the second on this thread."""


def run_here(work: Callable[[], Found], done: Callable[[Found], None]) -> None:
    """Search at once."""
    done(work())


class LogSearch(QObject):
    """Places of matching lines, found as the log grows."""

    changed = Signal()

    def __init__(self, kept: KeptLines, parent: QObject, run: Run = run_here) -> None:
        super().__init__(parent)
        self._kept, self._run = kept, run
        self.query = Query()
        self.places: array[int] = array("q")
        self.problem = ""
        """What PCRE says of an expression that cannot be read."""
        self.is_too_hard = False
        self._searched = 0
        self._is_running = False
        self._number = 0

    @property
    def is_active(self) -> bool:
        """True while something is searched."""
        return bool(self.query.text) and not self.problem

    @property
    def is_behind(self) -> bool:
        """True while lines wait to be looked at."""
        return self.is_active and not self.is_too_hard and self._searched < self._kept.end

    def reset(self, kept: KeptLines) -> None:
        """Begin anew with other lines."""
        self._kept = kept
        self.search(self.query)

    def search(self, query: Query) -> None:
        """Search something; an empty text ends it."""
        self.query = query
        self._number += 1
        self._is_running = False
        self._searched = 0
        self.places = array("q")
        self.is_too_hard = False
        self.problem = problem_of(query)
        self.changed.emit()
        self.go_on()

    def go_on(self) -> None:
        """Look at lines that came since."""
        if self._is_running or not self.is_behind:
            return
        self._is_running = True
        number, query = self._number, self.query
        since = max(self._searched, self._kept.first)
        pages = self._kept.pages(since)[:_PAGES_AT_ONCE]

        def take(found: Found) -> None:
            if number == self._number:
                self._take(found)

        self._run(lambda: scan(pages, since, query), take)

    def forget_before(self, place: int) -> None:
        """Forget matches whose lines were dropped."""
        gone = bisect_left(self.places, place)
        if gone:
            del self.places[:gone]
            self.changed.emit()

    def after(self, place: int) -> int | None:
        """Return the next match, from the start again at the end."""
        if not self.places:
            return None
        return self.places[bisect_right(self.places, place) % len(self.places)]

    def before(self, place: int) -> int | None:
        """Return the match before, from the end again at the start."""
        if not self.places:
            return None
        return self.places[bisect_left(self.places, place) - 1]

    def number_of(self, place: int) -> int:
        """Return which match a line is, from 1; 0 when it is none."""
        position = bisect_left(self.places, place)
        is_match = position < len(self.places) and self.places[position] == place
        return position + 1 if is_match else 0

    def _take(self, found: Found) -> None:
        self._is_running = False
        self._searched = found.end
        self.is_too_hard = found.is_too_hard
        first = self._kept.first
        self.places.extend(place for place in found.places if place >= first)
        self.changed.emit()
        self.go_on()


def problem_of(query: Query) -> str:
    """Return why an expression cannot be used; empty when it can."""
    if not query.is_regex or not query.text:
        return ""
    expression = _expression(query)
    return "" if expression.isValid() else expression.errorString()


def scan(pages: Sequence[Page], since: int, query: Query) -> Found:
    """Return the places from ``since`` on that match."""
    wanted = bytes(level in query.levels for level in LEVELS)
    found = array("q")
    for page in pages:
        rows, is_too_hard = _expressed(page, query) if query.is_regex else (_said(page, query), 0)
        found.extend(
            page.first + row
            for row in rows
            if page.first + row >= since and wanted[page.levels[row]]
        )
        if is_too_hard:
            return Found(places=found, end=page.end, is_too_hard=True)
    return Found(places=found, end=pages[-1].end if pages else since)


def _said(page: Page, query: Query) -> list[int]:
    joined, needle = page.joined(), query.text
    if not query.with_case:
        joined, needle = joined.casefold(), needle.casefold()
    if needle not in joined:
        return []
    return [row for row, line in enumerate(joined.split("\n")) if needle in line]


def _expressed(page: Page, query: Query) -> tuple[list[int], bool]:
    match = _expression(query).match
    rows = []
    for row, line in enumerate(page.lines()):
        result = match(line)
        if result.hasMatch():
            rows.append(row)
        elif not result.isValid():
            return rows, True
    return rows, False


def _expression(query: Query) -> QRegularExpression:
    option = QRegularExpression.PatternOption
    options = option.UseUnicodePropertiesOption
    if not query.with_case:
        options |= option.CaseInsensitiveOption
    return QRegularExpression(_PATIENCE + query.text, options)
