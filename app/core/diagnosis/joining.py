"""Put together what a terminal or a pretty printer broke into several lines.

Nothing says where a line was broken, so the pieces are searched both alone and joined; a join
that was wrong only makes a text that no pattern matches. Lines with a prefix are joined within
their process, so that interleaved ranks stay apart.
"""

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from app.core.logs.line import LogLevel, LogLine

_MOST_PIECES: Final = 10
_LONGEST: Final = 4000
_NARROWEST: Final = 60
_WIDEST: Final = 300
_NEIGHBOURS: Final = 40
_USUAL_WIDTHS: Final = frozenset({80, 100, 120, 132, 160, 200})
_MOST_STREAMS: Final = 256
_FARTHEST: Final = 64
"""Lines of other processes that may stand between two lines of one message."""
_NEVER_JOINED: Final = re.compile(
    r'\s*File "|Traceback \(most recent|During handling of|The above exception'
)
_CELL: Final = re.compile(r"\|\s+\|\s+\| (?P<cell>.*?)\s*\|$")
"""The rest of a message in the last column of a table, as Triton prints it."""
_MAY_CONTINUE: Final = frozenset({LogLevel.ERROR, LogLevel.FATAL, LogLevel.UNKNOWN})

_Stream = tuple[str, int | None, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """Pieces of one logical line."""

    text: str
    boundary: int
    """Where the last piece begins in ``text``."""
    pieces: tuple[tuple[int, LogLine], ...]
    """Where each piece begins, and its line."""
    possible: frozenset[int] = frozenset()
    """Branches of patterns that may match one of the pieces."""

    @property
    def spaced(self) -> str:
        """The text in case the last break was at a blank after all."""
        return f"{self.text[: self.boundary]} {self.text[self.boundary :]}"

    def line_at(self, position: int) -> LogLine:
        """Return the line that holds a position."""
        return [line for start, line in self.pieces if start <= position][-1]


class Joiner:
    """Feed it lines in order; it returns the logical line that a line continues, if it does."""

    def __init__(self) -> None:
        self._joined: dict[_Stream, Joined] = {}
        self._last_stream: _Stream = ("", None, "")
        self._last_number = 0
        self._widths: deque[int] = deque(maxlen=_NEIGHBOURS)

    def feed(self, line: LogLine, possible: Iterable[int] = ()) -> Joined | None:
        """Take a line into account.

        Args:
            line: Its ``raw`` is the cleaned line with its prefixes.
            possible: Branches of patterns that may match it.
        """
        is_bare = line.text == line.raw
        is_next = line.number == self._last_number + 1
        hard = is_bare and is_next and self._is_full() and not line.text[:1].isspace()
        stream = self._stream_of(line, is_bare=is_bare and is_next)
        self._widths.append(len(line.raw))
        self._last_stream, self._last_number = stream, line.number
        joined = self._joined.get(stream)
        if joined is None or not _continues(joined, line, is_bare=is_bare):
            self._joined[stream] = _begun(line, possible)
            return None
        self._joined[stream] = joined = _append(joined, line, possible, hard=hard)
        return joined

    def _stream_of(self, line: LogLine, *, is_bare: bool) -> _Stream:
        """A line without prefixes continues whatever was printed last."""
        if is_bare:
            return self._last_stream
        stream = (line.source, line.rank, line.location)
        if stream not in self._joined and len(self._joined) >= _MOST_STREAMS:
            self._joined.clear()
        return stream

    def _is_full(self) -> bool:
        """True when the last line reaches the width at which this log seems to be broken."""
        width = self._widths[-1] if self._widths else 0
        if not _NARROWEST <= width <= _WIDEST or width < max(self._widths):
            return False
        return width in _USUAL_WIDTHS or self._widths.count(width) > 1


def _continues(joined: Joined, line: LogLine, *, is_bare: bool) -> bool:
    nearest = 1 if is_bare else _FARTHEST
    return (
        line.number - joined.pieces[-1][1].number <= nearest
        and bool(line.text.strip())
        and (is_bare or (line.level in _MAY_CONTINUE and line.level == joined.pieces[0][1].level))
        and len(joined.pieces) < _MOST_PIECES
        and len(joined.text) < _LONGEST
        and not _NEVER_JOINED.match(line.text)
    )


def _begun(line: LogLine, possible: Iterable[int]) -> Joined:
    pieces = ((0, line),)
    return Joined(text=line.text, boundary=0, pieces=pieces, possible=frozenset(possible))


def _append(joined: Joined, line: LogLine, possible: Iterable[int], *, hard: bool) -> Joined:
    cell = _CELL.match(line.text)
    if cell:
        before, rest = joined.text.removesuffix("|").rstrip(), cell["cell"]
    elif hard:
        before, rest = joined.text, line.text
    else:
        before, rest = joined.text.rstrip() + " ", line.text.lstrip()
    return Joined(
        text=before + rest,
        boundary=len(before),
        pieces=(*joined.pieces, (len(before), line)),
        possible=joined.possible.union(possible),
    )
