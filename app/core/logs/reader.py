"""Turn a stream of output into lines, in constant memory and without ever failing.

Input may be cut anywhere, even inside a character, and may hold anything. A line without an end
is given out in pieces once it is longer than `app.core.logs.splitter.LINE_LIMIT`.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from app.core.logs.clean import clean
from app.core.logs.line import LogLine
from app.core.logs.prefixes import take_apart
from app.core.logs.splitter import LogSplitter

# First words of a start, from recorded logs: vLLM's banner (0.26.0, 0.32.0) and its older line,
# llama-server's first line (b10434).
_FIRST_WORDS: Final = re.compile(
    r"(?<!NCCL )\bversion \d+\.\d+\.\d+\S*$|vLLM (?:API )?server version|common_params_print_info: "
)
_LLAMA_CLOCK: Final = re.compile(r"(\d+)\.(\d\d)\.(\d{3})\.(\d{3})\Z")


class LogReader:
    """Feed it pieces of output, get whole lines; ``close`` gives the last, unended one."""

    def __init__(self) -> None:
        self._splitter = LogSplitter()
        self._number = 0
        self._starts = _StartCounter()

    @property
    def starts(self) -> int:
        """How many starts of the engine were seen so far (0 before the first words)."""
        return self._starts.count

    def feed(self, chunk: str | bytes, *, at: str = "") -> list[LogLine]:
        """Add output and return the lines that it completed.

        Args:
            chunk: Any piece; bytes are read as UTF-8, broken ones become replacement characters.
            at: The container engine's time stamp, when it is known.
        """
        return [self._line(raw, at) for raw in self._splitter.feed(chunk)]

    def feed_line(self, raw: str, *, at: str = "") -> LogLine:
        """Add one line that is known to be whole, as a container engine delivers them."""
        return self._line(raw, at)

    def close(self) -> list[LogLine]:
        """Return what stood without a line end."""
        return [self._line(text, "") for text in self._splitter.close()]

    def _line(self, raw: str, at: str) -> LogLine:
        if raw.endswith("\r"):
            raw = raw.rstrip("\r")
        self._number += 1
        parts = take_apart(clean(raw))
        start = self._starts.see(parts.at, parts.text)
        return LogLine(
            at=at or parts.at,
            source=parts.source,
            rank=parts.rank,
            level=parts.level,
            text=parts.text,
            raw=raw,
            location=parts.location,
            number=self._number,
            start=start,
        )


class _StartCounter:
    """Count the starts in one log, by first words and by clocks that begin anew."""

    def __init__(self) -> None:
        self.count = 0
        self._said_at = ""
        self._clock = ""

    def see(self, at: str, text: str) -> int:
        said = ("version" in text or "verbosity" in text) and _FIRST_WORDS.search(text) is not None
        if at[:1].isdigit() and _LLAMA_CLOCK.match(at):
            self._see_clock(at, said)
        elif said:
            self._see_words(at)
        return self.count or 1

    def _see_clock(self, clock: str, said: bool) -> None:
        last, self._clock = self._clock, clock
        if not last:
            self.count = self.count or 1
        elif said or falls_back(last, clock):
            self.count += 1

    def _see_words(self, at: str) -> None:
        """Several processes of one start may say their first words in the same second."""
        if not self.count or at != self._said_at or not at:
            self.count += 1
        self._said_at = at


def falls_back(last: str, now: str) -> bool:
    """Tell whether llama.cpp's clock, which counts from its start, began anew.

    Threads may print a little out of order; a tenth of a second is allowed for that.
    """
    before, after = _LLAMA_CLOCK.match(last), _LLAMA_CLOCK.match(now)
    return before is not None and after is not None and _seconds(after) < _seconds(before) - 0.1


def _seconds(clock: re.Match[str]) -> float:
    return int(clock[1]) * 60 + float(f"{clock[2]}.{clock[3]}{clock[4]}")


def read_lines(chunks: Iterable[str | bytes]) -> Iterator[LogLine]:
    """Yield the lines of a whole log."""
    reader = LogReader()
    for chunk in chunks:
        yield from reader.feed(chunk)
    yield from reader.close()
