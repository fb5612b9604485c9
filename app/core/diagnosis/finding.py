"""What a diagnosis says: findings with their evidence, and a verdict on the log as a whole."""

from dataclasses import dataclass
from enum import StrEnum

from app.core.texts import Text


class Confidence(StrEnum):
    """How far a finding can be trusted."""

    HIGH = "high"
    """The text is decisive in its context."""
    MEDIUM = "medium"
    """The most likely reading; another is possible."""
    LOW = "low"
    """A hint only."""


class Verdict(StrEnum):
    """What the log as a whole amounts to."""

    CAUSE_FOUND = "cause_found"
    NOT_IN_LOG = "not_in_log"
    """Something failed, but its cause is not in this log: ``collect`` says what to get next."""
    NOT_A_FAILURE = "not_a_failure"
    """What looks like an error was only a warning, or the engine recovered from it."""
    HEALTHY = "healthy"
    """The engine started and nothing failed."""
    NOTHING_FOUND = "nothing_found"
    """Nothing that Pitwall knows; also an empty log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A line that supports a finding."""

    line: int
    """1-based number in the log; 0 for a line of the host's kernel log or a fact."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterChange:
    """One change to a plan."""

    parameter: str
    """A plan field or the name of a flag without dashes."""
    action: str
    """``set``, ``raise``, ``lower`` or ``remove``."""
    value: str = ""
    """The new value, where it is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanChange:
    """A remedy as a change to the plan."""

    parameters: tuple[ParameterChange, ...] = ()
    image_hint: str = ""
    """Which other image to take: ``older_cuda``, ``newer_cuda``, ``devel``, ``newer_engine`` …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One cause that was found, with the lines that prove it."""

    cause: str
    family: str
    confidence: Confidence
    evidence: tuple[Evidence, ...]
    title: Text
    explanation: Text
    remedy: tuple[Text, ...] = ()
    change: PlanChange | None = None
    sources: tuple[str, ...] = ()
    rule: str
    start: int = 1
    """Which start of the engine in this log the finding belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """The answer to a whole log."""

    primary: Finding | None
    findings: tuple[Finding, ...] = ()
    """All of them, the primary one first."""
    verdict: Verdict
    collect: tuple[Text, ...] = ()
    """What to get next when the cause is not in this log."""
    telling: tuple[Evidence, ...] = ()
    """Lines that name a fault which no rule knows."""
    engine: str | None = None
    engine_version: str | None = None
    starts: int = 0
    """How many starts of the engine the log holds; 0 when it holds none's first words."""
    lines_read: int = 0
