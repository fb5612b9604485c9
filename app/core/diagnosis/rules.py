"""The shape of ``resources/diagnosis/*.toml``: rules, the advice they share, markers, facts.

A rule is found by a line (``any``) and kept by its surroundings: other lines of the same start,
the frames of the traceback, the phase of the start, and facts of host, plan and log. Regular
expressions are searched in a line without prefixes, and again in what a terminal had wrapped.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import ClassVar, Final

from app.core.diagnosis.finding import Confidence, PlanChange
from app.core.texts import Text

_STRICT: Final[Mapping[str, str]] = MappingProxyType({"extra": "forbid"})


class Role(StrEnum):
    """What a line that matches stands for."""

    CAUSE = "cause"
    CONSEQUENCE = "consequence"
    """Follows from a cause; named only when no cause is found."""
    PEER_DEATH = "peer_death"
    """Another rank ended first: its own lines hold the cause."""
    WRAPPER = "wrapper"
    """Says only that something failed; never a cause."""
    RECOVERED = "recovered"
    """Looks like an error, yet the engine went on."""


class Scope(StrEnum):
    """How far the other conditions of a rule look."""

    START = "start"
    LOG = "log"
    """Over all starts in the log."""


class MarkerKind(StrEnum):
    """What a line tells about the start it belongs to."""

    START = "start"
    """First words of a start."""
    READY = "ready"
    """The engine serves from here on; the phase is then ``serving``."""
    PHASE = "phase"
    STOP = "stop"
    """A stop that was asked for: what a serving engine prints after it is no failure."""
    ENGINE = "engine"
    """Only tells which engine wrote the log."""
    QUOTE = "quote"
    """From here on the line repeats what a client or the model said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """A line that tells engine, start, phase or readiness."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    kind: MarkerKind
    engine: str = ""
    phase: str = ""
    any: tuple[str, ...]
    """Regular expressions; a group ``version`` tells the engine's version."""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFact:
    """A value that the log itself tells, such as a flag on its command line."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    name: str
    any: tuple[str, ...]
    """Regular expressions with one group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What is said of a cause; rules share it, ``{places}`` are filled from groups and facts."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    id: str
    title: Text
    explanation: Text
    remedy: tuple[Text, ...] = ()
    collect: tuple[Text, ...] = ()
    change: PlanChange | None = None
    """``value`` of a parameter may hold ``{places}`` too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One way in which a cause shows itself."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    id: str
    cause: str
    advice: str = ""
    """Advice to give; empty: the one whose id is the cause."""
    role: Role = Role.CAUSE
    engines: tuple[str, ...] = ()
    """Empty: any. An engine that is not known matches."""
    versions: str = ""
    """``>=0.8,<0.9``; a version that is not known matches."""

    any: tuple[str, ...] = ()
    """One must match: this line is the finding's evidence. Empty: a rule of facts alone."""
    levels: tuple[str, ...] = ()
    """Levels the line may have; empty: all but ``info`` and ``debug``."""
    also: tuple[str, ...] = ()
    """Each must match somewhere in the scope."""
    ordered: bool = False
    """The lines of ``also`` must come before the match, in this order."""
    after: tuple[str, ...] = ()
    """One of them must match before the finding's line."""
    before: tuple[str, ...] = ()
    """One of them must match after it."""
    none: tuple[str, ...] = ()
    none_before: tuple[str, ...] = ()
    none_after: tuple[str, ...] = ()
    within: int = 0
    """``also``, ``after`` and ``before`` count only this many lines from the match; 0: any."""
    same_rank: bool = False
    """``also``, ``after`` and ``before`` count only in lines of the same rank or process."""
    scope: Scope = Scope.START
    frames: tuple[str, ...] = ()
    """One must match a ``path:function`` of the traceback that ends in the line."""
    not_frames: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()
    """Phase of the start in which the line stands; with none known yet this fails."""
    not_phases: tuple[str, ...] = ()
    distinct_ranks: int = 0
    """The match must come from so many ranks …"""
    same: str = ""
    """… with the same value of this group."""
    last: int = 0
    """A stall: at most so many lines follow, and the engine did not get ready."""
    stays_when_ready: bool = False
    """The finding stands although the engine got ready after it."""

    facts: tuple[str, ...] = ()
    """Comparisons; a false one rules this out, an unknown one does not."""
    needs: tuple[str, ...] = ()
    """Comparisons that must be true."""

    confidence: Confidence
    raise_if: tuple[str, ...] = ()
    """One step up when one of these matches in the scope …"""
    raise_facts: tuple[str, ...] = ()
    """… or when all of these are true."""
    lower_if: tuple[str, ...] = ()
    lower_facts: tuple[str, ...] = ()

    supersedes: tuple[str, ...] = ()
    """Causes or rules that this one explains: they rank below it."""
    priority: int = 50
    remedy: tuple[Text, ...] = ()
    """Instead of the advice's."""
    change: PlanChange | None = None
    """Instead of the advice's."""
    sources: tuple[str, ...]
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisFile:
    """Shape of one ``resources/diagnosis/*.toml``."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    schema_version: int
    marker: tuple[Marker, ...] = ()
    fact: tuple[LogFact, ...] = ()
    advice: tuple[Advice, ...] = ()
    rule: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisRules:
    """All files together."""

    markers: tuple[Marker, ...] = ()
    facts: tuple[LogFact, ...] = ()
    advice: Mapping[str, Advice] = field(default_factory=lambda: MappingProxyType({}))
    rules: tuple[Rule, ...] = ()


def gather(files: Iterable[DiagnosisFile]) -> DiagnosisRules:
    """Put the files together; of two pieces of advice with one id the later counts."""
    read = tuple(files)
    return DiagnosisRules(
        markers=tuple(marker for file in read for marker in file.marker),
        facts=tuple(fact for file in read for fact in file.fact),
        advice=MappingProxyType({item.id: item for file in read for item in file.advice}),
        rules=tuple(rule for file in read for rule in file.rule),
    )
