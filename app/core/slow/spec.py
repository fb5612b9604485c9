"""The shape of ``resources/slow/*.toml``: where figures come from, rules over them, log signs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import ClassVar, Final, Literal

from app.core.diagnosis.finding import Confidence, PlanChange
from app.core.texts import Text

_STRICT: Final[Mapping[str, str]] = MappingProxyType({"extra": "forbid"})


class Figure(StrEnum):
    """What is read of an engine; sums of seconds belong to the requests that ended."""

    RUNNING = "running"
    WAITING = "waiting"
    KV_PERCENT = "kv_percent"
    PREEMPTIONS = "preemptions"
    REQUESTS = "requests"
    E2E_S = "e2e_s"
    QUEUE_S = "queue_s"
    PREFILL_S = "prefill_s"
    DECODE_S = "decode_s"
    TTFT_S = "ttft_s"
    TTFT_COUNT = "ttft_count"
    ITL_S = "itl_s"
    ITL_COUNT = "itl_count"
    PROMPT_TOKENS = "prompt_tokens"
    OUTPUT_TOKENS = "output_tokens"
    CACHE_ASKED = "cache_asked"
    """Prompt tokens that were looked up in the prefix cache …"""
    CACHE_HIT = "cache_hit"
    """… and those that were found there."""
    SERVER_CPU_S = "server_cpu_s"
    """Processor time of the process that answers HTTP."""
    SERVER_MEMORY_BYTES = "server_memory_bytes"


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureSource:
    """Which sample of an engine's metrics gives a figure; the first that is there counts."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    engine: str
    figure: Figure
    name: str
    """Sample name as it is exposed, with ``_sum`` or ``_count`` of a histogram."""
    kind: Literal["counter", "gauge"]
    scale: float = 1.0
    average: bool = False
    """True for a share of each of several engines, which must not be added up."""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingFigure:
    """Figures that an engine does not give, and why."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    engine: str
    figures: tuple[Figure, ...]
    reason: Text
    source: str
    checked: str


class Use(StrEnum):
    """Where a rule is applied."""

    WINDOW = "window"
    """To the figures of a short window, when somebody asks where the time goes."""
    WATCH = "watch"
    """Again and again while connected."""
    BOTH = "both"


class Severity(StrEnum):
    """How loud an alert is."""

    WARN = "warn"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowRule:
    """Figures that together mean one cause."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    id: str
    cause: str
    use: Use
    when: tuple[str, ...]
    """Comparisons; all must be true, an unknown one is not."""
    unless: tuple[str, ...] = ()
    """None of these may be true; an unknown one is not."""
    confidence: Confidence
    severity: Severity = Severity.WARN
    title: Text
    explanation: Text
    remedy: tuple[Text, ...]
    change: PlanChange | None = None
    evidence: tuple[str, ...]
    """Figures with unit and window, in signs rather than words; one whose figure is unknown is
    left out."""
    supersedes: tuple[str, ...] = ()
    """Rules that this one explains."""
    priority: int = 50
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSign:
    """A line of a serving engine's log that says it became slower than planned."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    id: str
    cause: str
    engines: tuple[str, ...] = ()
    any: tuple[str, ...]
    """Regular expressions; named groups are facts for ``when`` and the words."""
    when: tuple[str, ...] = ()
    confidence: Confidence
    severity: Severity = Severity.WARN
    title: Text
    explanation: Text
    remedy: tuple[Text, ...]
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowFile:
    """Shape of one ``resources/slow/*.toml``."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    schema_version: int
    figure: tuple[FigureSource, ...] = ()
    missing: tuple[MissingFigure, ...] = ()
    rule: tuple[SlowRule, ...] = ()
    sign: tuple[LogSign, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowRules:
    """All files together."""

    figures: tuple[FigureSource, ...] = ()
    missing: tuple[MissingFigure, ...] = ()
    rules: tuple[SlowRule, ...] = ()
    signs: tuple[LogSign, ...] = ()
    _by_use: Mapping[Use, tuple[SlowRule, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Sort the rules by where they are applied, the most telling first."""
        ordered = sorted(self.rules, key=lambda rule: rule.priority)
        by_use = {
            use: tuple(rule for rule in ordered if rule.use in {use, Use.BOTH})
            for use in (Use.WINDOW, Use.WATCH)
        }
        object.__setattr__(self, "_by_use", MappingProxyType(by_use))

    def of(self, use: Use) -> tuple[SlowRule, ...]:
        """Return the rules of one use, the most telling first."""
        return self._by_use[use]

    def reason(self, engine: str, figure: Figure) -> Text | None:
        """Return why an engine does not give a figure, where that is on record."""
        for entry in self.missing:
            if entry.engine == engine and figure in entry.figures:
                return entry.reason
        return None


def gather(files: Iterable[SlowFile]) -> SlowRules:
    """Put the files together."""
    read = tuple(files)
    return SlowRules(
        figures=tuple(item for file in read for item in file.figure),
        missing=tuple(item for file in read for item in file.missing),
        rules=tuple(item for file in read for item in file.rule),
        signs=tuple(item for file in read for item in file.sign),
    )
