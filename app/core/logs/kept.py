"""Many lines of a log in little memory: packed page by page, the oldest page dropped first.

A line is known by its place in the whole log, counted from 0; places never change. A page that
is full is compressed, so a million lines take tens of megabytes. Pages are immutable: a search
on another thread works on what `pages` returned while lines go on arriving.
"""

import math
import zlib
from array import array
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from app.core.logs.line import LogLevel, LogLine
from app.core.logs.stamps import seconds_of

LIMIT: Final = 1_000_000
"""Lines kept."""
PAGE: Final = 4096
"""Lines of a page."""
LEVELS: Final = tuple(LogLevel)
_CODES: Final = {level: code for code, level in enumerate(LEVELS)}
_UNPACKED: Final = 8
"""Pages that stay readable at once: about 5 MB."""
_RECOGNISED: Final = 60
"""Characters by which a line is recognised that was put together from several."""


@dataclass(frozen=True, slots=True)
class Page:
    """Lines that stand together."""

    first: int
    """Place of its first line."""
    levels: bytes
    """Per line the position of its level in `LEVELS`."""
    times_s: "array[float]"
    """Seconds since the epoch; not a number where the line has no stamp."""
    packed: bytes

    @property
    def end(self) -> int:
        """Place after its last line."""
        return self.first + len(self.levels)

    def joined(self) -> str:
        """Return its lines, one below the other."""
        return zlib.decompress(self.packed).decode("utf-8", "surrogatepass")

    def lines(self) -> list[str]:
        """Return its lines."""
        return self.joined().split("\n")


class KeptLines:
    """The newest lines of a log. Not locked: its owner does that."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._full: list[Page] = []
        self._unpacked: OrderedDict[int, list[str]] = OrderedDict()
        self._begin(0)
        self.counts: dict[LogLevel, int] = dict.fromkeys(LEVELS, 0)
        """Kept lines of each level."""

    def _begin(self, first: int) -> None:
        self._first = first
        self._texts: list[str] = []
        self._levels = bytearray()
        self._times = array("d")

    @property
    def first(self) -> int:
        """Place of the oldest line that is kept: as many were dropped."""
        return self._full[0].first if self._full else self._first

    @property
    def end(self) -> int:
        """Place after the newest line."""
        return self._first + len(self._texts)

    def __len__(self) -> int:
        """How many lines are kept."""
        return self.end - self.first

    def append(self, lines: Iterable[LogLine]) -> None:
        """Add lines at the end; `drop_old` makes room again."""
        for line in lines:
            at_s = seconds_of(line.at)
            self._texts.append(line.text.replace("\n", " "))
            self._levels.append(_CODES[line.level])
            self._times.append(math.nan if at_s is None else at_s)
            self.counts[line.level] += 1
            if len(self._texts) == PAGE:
                self._full.append(self._tail())
                self._begin(self._first + PAGE)

    @property
    def surplus(self) -> int:
        """Lines beyond the limit, in whole pages: what `drop_old` drops."""
        return max(len(self) - self._limit, 0) // PAGE * PAGE

    def drop_old(self) -> None:
        """Drop the oldest pages beyond the limit."""
        for _ in range(self.surplus // PAGE):
            page = self._full.pop(0)
            self._unpacked.pop(page.first, None)
            for code, level in enumerate(LEVELS):
                self.counts[level] -= page.levels.count(code)

    def text(self, place: int) -> str:
        """Return a line."""
        if place >= self._first:
            return self._texts[place - self._first]
        page = self._page(place)
        return self._lines_of(page)[place - page.first]

    def level(self, place: int) -> LogLevel:
        """Return a line's level."""
        if place >= self._first:
            return LEVELS[self._levels[place - self._first]]
        page = self._page(place)
        return LEVELS[page.levels[place - page.first]]

    def at_s(self, place: int) -> float:
        """Return when a line was written; not a number where it has no stamp."""
        if place >= self._first:
            return self._times[place - self._first]
        page = self._page(place)
        return page.times_s[place - page.first]

    def pages(self, since: int = 0) -> tuple[Page, ...]:
        """Return what there is from a place on, whole pages, for use on any thread."""
        full = tuple(page for page in self._full if page.end > since)
        return (*full, self._tail()) if self._texts else full

    def _tail(self) -> Page:
        packed = zlib.compress("\n".join(self._texts).encode("utf-8", "surrogatepass"), 1)
        return Page(self._first, bytes(self._levels), self._times[:], packed)

    def _page(self, place: int) -> Page:
        return self._full[(place - self.first) // PAGE]

    def _lines_of(self, page: Page) -> list[str]:
        lines = self._unpacked.get(page.first)
        if lines is None:
            lines = self._unpacked[page.first] = page.lines()
            if len(self._unpacked) > _UNPACKED:
                self._unpacked.popitem(last=False)
        self._unpacked.move_to_end(page.first)
        return lines


def place_of_text(pages: Sequence[Page], expected: int, text: str) -> int | None:
    """Return the place of an evidence line; ``None`` when it is not here (any more).

    The text decides; the expected place only says which of several equal lines is meant, because
    a log that was read from another place on counts differently.
    """
    wanted = text.strip()
    if not wanted:
        return None
    found = _nearest(pages, expected, wanted)
    if found is None and len(wanted) > _RECOGNISED:
        found = _nearest(pages, expected, wanted[:_RECOGNISED])
    return found


def _nearest(pages: Sequence[Page], expected: int, wanted: str) -> int | None:
    best: int | None = None
    for page in sorted(pages, key=lambda page: _distance(page, expected)):
        if best is not None and abs(best - expected) <= _distance(page, expected):
            break
        joined = page.joined()
        if wanted in joined:
            lines = joined.split("\n")
            places = [page.first + row for row, line in enumerate(lines) if wanted in line]
            known = places if best is None else [best, *places]
            best = min(known, key=lambda place: abs(place - expected), default=None)
    return best


def _distance(page: Page, place: int) -> int:
    return max(page.first - place, place - page.end + 1, 0)


def place_at(pages: Sequence[Page], at_s: float) -> int | None:
    """Return the place of the first line written at a time or later; ``None`` for none."""
    for page in pages:
        # Lines without a stamp compare as false, so they are passed over.
        if any(time_s >= at_s for time_s in reversed(page.times_s)):
            return page.first + next(
                row for row, time_s in enumerate(page.times_s) if time_s >= at_s
            )
    return None
