"""Text that remembers where each of its characters stood, through quotes, variables and YAML."""

import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

DASHES: Final = "-‐‑‒–—―−－"
"""A hyphen, and what a chat, a web page or a Chinese keyboard makes of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of the pasted text, in characters; the end is not part of it."""

    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Chars:
    """A text and the place of each character in the paste."""

    text: str
    at: Sequence[int]

    @staticmethod
    def whole(text: str) -> "Chars":
        """Return a paste itself."""
        return Chars(text, range(len(text)))

    def part(self, begin: int, end: int) -> "Chars":
        """Return a stretch of it."""
        return Chars(self.text[begin:end], self.at[begin:end])

    @property
    def span(self) -> Span:
        """Where it stood; an empty text stands nowhere and begins the paste."""
        return Span(begin=min(self.at), end=max(self.at) + 1) if len(self.at) else EMPTY


EMPTY = Span(begin=0, end=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word as a program receives it."""

    chars: Chars
    is_resolved: bool = True
    """False where a variable or command stands in it whose value is not in the paste."""

    @property
    def text(self) -> str:
        """The word itself."""
        return self.chars.text

    @property
    def span(self) -> Span:
        """Where its first to its last character stand."""
        return self.chars.span

    @property
    def is_literal(self) -> bool:
        """True where the paste holds it letter by letter, so that it can be replaced there."""
        span = self.span
        return bool(self.text) and span.end - span.begin == len(self.text)

    def part(self, begin: int, end: int | None = None) -> "Word":
        """Return a stretch of the word."""
        stop = len(self.text) if end is None else end
        return Word(chars=self.chars.part(begin, stop), is_resolved=self.is_resolved)


def word_at(text: str, span: Span) -> Word:
    """Make a word of a value that stands as a whole at a place, such as a YAML node."""
    same = span.end - span.begin == len(text)
    places = range(span.begin, span.end) if same else (span.begin,) * len(text)
    return Word(chars=Chars(text, places))


class Lines:
    """Finds the line of a place."""

    def __init__(self, text: str) -> None:
        self._starts = [0]
        self._starts += [i + 1 for i, sign in enumerate(text) if sign == "\n"]

    def line(self, offset: int) -> int:
        """Return the line, counted from one."""
        return bisect.bisect_right(self._starts, offset)

    def column(self, offset: int) -> int:
        """Return the column, counted from one."""
        return offset - self._starts[self.line(offset) - 1] + 1
