"""What shell text is read as: commands with their words, variables and pasting damage."""

from dataclasses import dataclass
from typing import Final

from app.core.clinic.origin import Span, Word

MOST_WORDS: Final = 600
"""Of one command; what is longer is no launch."""


class Break:
    """How a command was broken apart."""

    BLANK_AFTER_BACKSLASH: Final = "blank_after_backslash"
    LOST_CONTINUATION: Final = "lost_continuation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One break and where it is."""

    id: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """``NAME=value`` before a command, or alone."""

    name: str
    value: Word
    whole: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command with the variables set for it alone."""

    words: tuple[Word, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    exported: tuple[Assignment, ...] = ()
    """What the lines above exported."""
    problems: tuple[Problem, ...] = ()
