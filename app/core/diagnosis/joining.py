"""Put together what a terminal or a pretty printer broke into several lines.

Nothing says where a line was broken, so the pieces are searched both alone and joined; a join
that was wrong only makes a text that no pattern matches.
"""

import re
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from app.core.logs.line import LogLine

_MOST_PIECES: Final = 10
_LONGEST: Final = 4000
_NARROWEST: Final = 60
_WIDEST: Final = 300
_NEIGHBOURS: Final = 40
_USUAL_WIDTHS: Final = frozenset({80, 100, 120, 132, 160, 200})
_NEVER_JOINED: Final = re.compile(
    r'\s*File "|Traceback \(most recent|During handling of|The above exception'
)


@dataclass(slots=True)
class Joined:
    """Pieces of one logical line."""

    text: str
    boundary: int
    """Where the last piece begins in ``text``."""
    first: LogLine
    starts: list[tuple[int, int]] = field(default_factory=list)
    """Where each piece begins, and its line number."""

    def line_at(self, position: int) -> int:
        """Return the number of the line that holds a position."""
        return [number for start, number in self.starts if start <= position][-1]


class Joiner:
    """Feed it lines in order; it returns the logical line that a line continues, if it does."""

    def __init__(self) -> None:
        self._joined: Joined | None = None
        self._last: LogLine | None = None
        self._widths: deque[int] = deque(maxlen=_NEIGHBOURS)

    def feed(self, line: LogLine, width: int) -> Joined | None:
        """Take a line into account.

        Args:
            line: A cleaned line.
            width: Length of the printed line with its prefixes.
        """
        last, joined = self._last, self._joined
        self._last = line
        broken_hard = last is not None and self._is_full()
        self._widths.append(width)
        if last is None or joined is None or not self._continues(last, line, joined):
            self._joined = Joined(line.text, 0, line, [(0, line.number)])
            return None
        is_bare = line.text == line.raw
        self._joined = _append(joined, line, hard=broken_hard and is_bare)
        return self._joined

    def _continues(self, last: LogLine, line: LogLine, joined: Joined) -> bool:
        return (
            line.number == last.number + 1
            and bool(line.text.strip())
            and bool(last.text.strip())
            and (line.text == line.raw or _same_head(last, line))
            and len(joined.starts) < _MOST_PIECES
            and len(joined.text) < _LONGEST
            and not _NEVER_JOINED.match(line.text)
        )

    def _is_full(self) -> bool:
        """True when the last line reaches the width at which this log seems to be broken."""
        width = self._widths[-1]
        if not _NARROWEST <= width <= _WIDEST or width < max(self._widths):
            return False
        return width in _USUAL_WIDTHS or self._widths.count(width) > 1


def _append(joined: Joined, line: LogLine, *, hard: bool) -> Joined:
    before = joined.text if hard else joined.text.rstrip() + " "
    return Joined(
        before + (line.text if hard else line.text.lstrip()),
        len(before),
        joined.first,
        [*joined.starts, (len(before), line.number)],
    )


def _same_head(last: LogLine, line: LogLine) -> bool:
    return (
        last.text != last.raw
        and (last.source, last.rank) == (line.source, line.rank)
        and (last.level, last.location) == (line.level, line.location)
    )
