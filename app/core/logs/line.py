"""One log line as the rest of Pitwall sees it: who wrote it, how serious it is, what it says."""

from dataclasses import dataclass
from enum import StrEnum


class LogLevel(StrEnum):
    """How serious the writer said a line is."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    FATAL = "fatal"
    UNKNOWN = ""
    """The line carries no level and does not look like an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """A line with its prefixes taken apart; nothing is lost, ``raw`` is what was printed."""

    at: str = ""
    """Time stamp: the container engine's if there is one, else as the line prints it."""
    source: str = ""
    """Process or part that wrote it: ``EngineCore``, ``Worker_TP0``, ``srv``; empty if unsaid."""
    rank: int | None = None
    level: LogLevel = LogLevel.UNKNOWN
    text: str = ""
    """The message; leading blanks of a traceback or a table are kept."""
    raw: str = ""
    location: str = ""
    """File and line in the engine's code, where printed: ``core.py:133``."""
    number: int = 0
    """Counts from 1 within one reader."""
    start: int = 1
    """Which start of the engine the line belongs to; a restarted container has several."""


def is_serious(line: LogLine) -> bool:
    """True for lines written as errors."""
    return line.level in {LogLevel.ERROR, LogLevel.FATAL}
