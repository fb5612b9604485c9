"""Order what was found in one start: causes first, then what follows from them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.core.diagnosis.finding import Confidence
from app.core.diagnosis.matching import Candidate
from app.core.diagnosis.rules import Role
from app.core.logs.line import LogLevel

_ORDER: Final = {
    Role.CAUSE: 0,
    Role.CONSEQUENCE: 1,
    Role.PEER_DEATH: 2,
    Role.WRAPPER: 3,
    Role.RECOVERED: 4,
}
_SURENESS: Final = {Confidence.HIGH: 0, Confidence.MEDIUM: 1, Confidence.LOW: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """Candidates of one start by what they stand for, the first of each the most telling."""

    causes: tuple[Candidate, ...] = ()
    """Causes, then consequences."""
    peers: tuple[Candidate, ...] = ()
    wrappers: tuple[Candidate, ...] = ()
    recovered: tuple[Candidate, ...] = ()

    @property
    def has_failed(self) -> bool:
        """True when anything says that the start went wrong."""
        return bool(self.causes or self.peers or self.wrappers)


def rank(candidates: Iterable[Candidate]) -> Ranked:
    """Order the candidates of one start."""
    found = _without_recovered(tuple(candidates))
    ordered = sorted(found, key=lambda item: _key(item, found))
    by_role = {role: tuple(c for c in ordered if c.rule.role is role) for role in Role}
    causes = (*by_role[Role.CAUSE], *by_role[Role.CONSEQUENCE])
    return Ranked(
        causes=_doubtful(_merged(causes), found),
        peers=_merged(by_role[Role.PEER_DEATH]),
        wrappers=by_role[Role.WRAPPER],
        recovered=by_role[Role.RECOVERED],
    )


def _key(candidate: Candidate, others: Sequence[Candidate]) -> tuple[int, ...]:
    rule = candidate.rule
    return (
        is_explained(candidate, others),
        _ORDER[rule.role],
        candidate.confidence is Confidence.LOW,
        _is_only_warned(candidate),
        -rule.priority,
        _SURENESS[candidate.confidence],
        candidate.line or 1 << 60,
    )


def _is_only_warned(candidate: Candidate) -> bool:
    """An engine that warns goes on; NCCL calls every failure a warning."""
    sighting = candidate.sighting
    return (
        sighting is not None
        and sighting.level is LogLevel.WARNING
        and LogLevel.WARNING not in candidate.rule.levels
        and "NCCL" not in sighting.text
    )


def is_explained(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    """True when another candidate says that it is behind this one."""
    return any(
        other is not candidate
        and _names(other, candidate)
        and other.rule.role is not Role.RECOVERED
        and not (_names(candidate, other) and candidate.rule.priority > other.rule.priority)
        for other in others
    )


def _names(other: Candidate, candidate: Candidate) -> bool:
    return candidate.rule.cause != other.rule.cause and bool(
        {candidate.rule.cause, candidate.rule.id}.intersection(other.rule.supersedes)
    )


def _without_recovered(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Leave out what the engine got over: it got ready, or says that it tried again."""
    return tuple(
        candidate
        for candidate in candidates
        if not candidate.is_recovered and not _got_over(candidate, candidates)
    )


def _got_over(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    return candidate.rule.role is not Role.RECOVERED and any(
        other.rule.role is Role.RECOVERED
        and _names(other, candidate)
        and candidate.last_line <= other.line
        for other in others
    )


def _merged(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Make one candidate of those with one cause; the first keeps the others' lines."""
    merged: dict[str, Candidate] = {}
    for candidate in candidates:
        first = merged.get(candidate.rule.cause)
        if first is None:
            merged[candidate.rule.cause] = candidate
            continue
        lines = (*first.support, *(s for s in (candidate.sighting,) if s), *candidate.support)
        surest = min(first.confidence, candidate.confidence, key=lambda c: _SURENESS[c])
        merged[candidate.rule.cause] = replace(first, support=lines, confidence=surest)
    return tuple(merged.values())


def _doubtful(causes: Sequence[Candidate], others: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """A warning is never sure; nor is one of two causes that do not explain each other."""
    rivals = [
        candidate
        for candidate in causes
        if candidate.confidence is not Confidence.LOW
        and candidate.rule.role is Role.CAUSE
        and not is_explained(candidate, others)
    ]
    return tuple(
        replace(candidate, confidence=Confidence.MEDIUM)
        if candidate.confidence is Confidence.HIGH
        and (_is_only_warned(candidate) or _has_rival(candidate, rivals))
        else candidate
        for candidate in causes
    )


def _has_rival(candidate: Candidate, rivals: Sequence[Candidate]) -> bool:
    return candidate in rivals and any(
        rival.rule.cause != candidate.rule.cause and rival.rule.priority >= candidate.rule.priority
        for rival in rivals
    )
