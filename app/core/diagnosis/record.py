"""What is kept of one start while its log streams by: bounded, whatever the log's length."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from app.core.diagnosis.tracebacks import Frames
from app.core.logs.line import LogLevel

SERVING: Final = "serving"
"""The phase once the engine is ready."""
_FIRST: Final = 12
_LAST: Final = 12
_RANKS: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """A line that a pattern matched, with what was around it."""

    line: int
    text: str
    groups: Mapping[str, str]
    source: str = ""
    rank: int | None = None
    level: LogLevel = LogLevel.UNKNOWN
    phase: str = ""
    is_ready: bool = False
    frames: Frames = ()

    @property
    def process(self) -> tuple[str, int | None]:
        """Who wrote the line."""
        return self.source, self.rank


class Sightings:
    """The first and the last sightings of one pattern, and the first of each process."""

    def __init__(self) -> None:
        self._first: list[Sighting] = []
        self._last: deque[Sighting] = deque(maxlen=_LAST)
        self._by_process: dict[tuple[str, int | None], Sighting] = {}

    def add(self, sighting: Sighting) -> None:
        """Keep a sighting, or drop it when enough are known."""
        if len(self._first) < _FIRST:
            self._first.append(sighting)
            return
        self._last.append(sighting)
        if len(self._by_process) < _RANKS:
            self._by_process.setdefault(sighting.process, sighting)

    def __iter__(self) -> Iterator[Sighting]:
        """Yield what was kept, in the log's order."""
        kept = {id(item): item for item in (*self._first, *self._by_process.values(), *self._last)}
        return iter(sorted(kept.values(), key=lambda item: item.line))


@dataclass(slots=True)
class StartRecord:
    """One start of the engine: sightings by pattern number, facts, and how it ended."""

    number: int
    first_line: int
    has_words: bool = False
    """Its first words were seen; otherwise the log began in the middle."""
    phase: str = ""
    ready_line: int = 0
    stop_line: int = 0
    """A stop was asked for while it served."""
    fault_line: int = 0
    """Last line written as an error."""
    last_line: int = 0
    sightings: dict[int, Sightings] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    has_finding: bool = False
    """A line was seen that a rule may be about."""
    telling: list[tuple[int, str]] = field(default_factory=list)

    @property
    def is_ready(self) -> bool:
        """True once the engine served."""
        return self.ready_line > 0

    def add(self, sign: int, sighting: Sighting) -> None:
        """Keep a sighting of a pattern."""
        self.sightings.setdefault(sign, Sightings()).add(sighting)

    def of(self, signs: Iterable[int]) -> list[Sighting]:
        """Return the sightings of any of these patterns, in the log's order."""
        found = [s for sign in signs if sign in self.sightings for s in self.sightings[sign]]
        return sorted(found, key=lambda item: item.line)
