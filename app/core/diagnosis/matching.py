"""Ask one rule about one start: does it hold, from which line, how sure?"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.core.diagnosis.comparisons import Comparison, FactValue
from app.core.diagnosis.compiled import CompiledRule
from app.core.diagnosis.finding import Confidence
from app.core.diagnosis.record import SERVING, Sighting, StartRecord
from app.core.diagnosis.rules import Rule, Scope
from app.core.diagnosis.versions import in_range
from app.core.logs.line import LogLevel

_LADDER = (Confidence.LOW, Confidence.MEDIUM, Confidence.HIGH)
_QUIET = frozenset({LogLevel.INFO, LogLevel.DEBUG})


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a rule may look at beside the line."""

    start: StartRecord
    log: Sequence[StartRecord]
    facts: Mapping[str, FactValue]
    """Of host and plan; what the log itself tells comes second."""
    engines: frozenset[str]
    """Empty: not known."""
    version: str | None
    is_starting: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A rule that holds."""

    rule: Rule
    confidence: Confidence
    sighting: Sighting | None
    """``None`` for a rule of facts alone."""
    support: tuple[Sighting, ...]
    """Other lines that the rule rests on."""
    values: Mapping[str, FactValue]
    """What fills the texts: groups of the match, then facts."""
    last_line: int = 0
    """The last line from which the rule holds."""
    is_recovered: bool = False
    """The engine got ready after the line."""

    @property
    def line(self) -> int:
        """Line of the evidence; 0 for facts."""
        return self.sighting.line if self.sighting else 0


def apply_rule(compiled: CompiledRule, around: Surroundings) -> Candidate | None:
    """Return the rule's candidate in this start, ``None`` when it does not hold."""
    if not _fits_engine(compiled, around):
        return None
    if not compiled.any:
        return _from_facts(compiled, around)
    found = [s for s in around.start.of(compiled.any) if _fits_line(compiled, s)]
    if not _enough_ranks(compiled.rule, found):
        return None
    ordered = reversed(found) if compiled.rule.last else iter(found)
    held = [c for sighting in ordered if (c := _from_line(compiled, sighting, around))]
    if not held:
        return None
    lasting = next((candidate for candidate in held if not candidate.is_recovered), held[0])
    return replace(lasting, last_line=max(candidate.line for candidate in held))


def values_of(around: Surroundings, groups: Mapping[str, str]) -> dict[str, FactValue]:
    """Return what comparisons and texts may name; the closest wins.

    A start that tells nothing of its plan had the one of the starts before it.
    """
    values: dict[str, FactValue] = dict(around.start.facts)
    if not values:
        for record in around.log:
            values.update(record.facts)
    values.update(around.facts)
    values.update(groups)
    return values


def _fits_engine(compiled: CompiledRule, around: Surroundings) -> bool:
    rule = compiled.rule
    if rule.engines and around.engines and not around.engines.intersection(rule.engines):
        return False
    return in_range(around.version, compiled.limits) is not False


def _fits_line(compiled: CompiledRule, sighting: Sighting) -> bool:
    rule = compiled.rule
    if rule.levels:
        if sighting.level not in rule.levels:
            return False
    elif sighting.level in _QUIET and not rule.last:
        return False
    if rule.phases and sighting.phase not in rule.phases:
        return False
    if rule.not_phases and sighting.phase in rule.not_phases:
        return False
    has = any(p.search(frame) for p in compiled.frames for frame in sighting.frames)
    if compiled.frames and not has:
        return False
    return not any(p.search(frame) for p in compiled.not_frames for frame in sighting.frames)


def _enough_ranks(rule: Rule, found: Sequence[Sighting]) -> bool:
    if not rule.distinct_ranks:
        return bool(found)
    by_value: dict[str, set[tuple[str, int | None]]] = {}
    for sighting in found:
        value = sighting.groups.get(rule.same, "") if rule.same else ""
        by_value.setdefault(value, set()).add(_rank_of(sighting))
    return any(len(ranks) >= rule.distinct_ranks for ranks in by_value.values())


def _rank_of(sighting: Sighting) -> tuple[str, int | None]:
    rank = sighting.groups.get("rank")
    return ("", int(rank)) if rank and rank.isdigit() else sighting.process


def _from_facts(compiled: CompiledRule, around: Surroundings) -> Candidate | None:
    values = values_of(around, {})
    if not _facts_hold(compiled, values):
        return None
    support = _others(compiled, None, around)
    if support is None:
        return None
    confidence = _confidence(compiled, None, around, values)
    return Candidate(
        rule=compiled.rule, confidence=confidence, sighting=None, support=support, values=values
    )


def _from_line(
    compiled: CompiledRule, sighting: Sighting, around: Surroundings
) -> Candidate | None:
    rule = compiled.rule
    if rule.last and not _is_stalled(rule, sighting, around):
        return None
    support = _others(compiled, sighting, around)
    if support is None:
        return None
    values = values_of(around, sighting.groups)
    if not _facts_hold(compiled, values):
        return None
    ready = around.start.ready_line > sighting.line and not sighting.is_ready
    return Candidate(
        rule=rule,
        confidence=_confidence(compiled, sighting, around, values),
        sighting=sighting,
        support=support,
        values=values,
        is_recovered=ready and not rule.stays_when_ready,
    )


def _is_stalled(rule: Rule, sighting: Sighting, around: Surroundings) -> bool:
    start = around.start
    return (
        not around.is_starting
        and start.last_line - sighting.line <= rule.last
        and (not start.is_ready or SERVING in rule.phases)
    )


def _facts_hold(compiled: CompiledRule, values: Mapping[str, FactValue]) -> bool:
    if any(comparison.holds(values) is not True for comparison in compiled.needs):
        return False
    return not any(comparison.holds(values) is False for comparison in compiled.facts)


def _others(
    compiled: CompiledRule, sighting: Sighting | None, around: Surroundings
) -> tuple[Sighting, ...] | None:
    """Return the other lines that the rule asks for; ``None`` when one is missing or forbidden."""
    look = _Look(compiled.rule, sighting, around)
    at = sighting.line if sighting else 0
    if look.all_of(compiled.none):
        return None
    if any(s.line < at for s in look.all_of(compiled.none_before)):
        return None
    if any(s.line > at for s in look.all_of(compiled.none_after)):
        return None
    support: list[Sighting] = []
    for wanted in (compiled.after, compiled.before):
        if wanted:
            near = [s for s in look.near(wanted) if _is_beyond(s, at, wanted is compiled.before)]
            if not near:
                return None
            support.append(near[-1] if wanted is compiled.after else near[0])
    also = _also(compiled, look, at)
    return None if also is None else (*support, *also)


def _is_beyond(other: Sighting, at: int, must_follow: bool) -> bool:
    return other.line > at if must_follow else other.line < at


def _also(compiled: CompiledRule, look: "_Look", at: int) -> list[Sighting] | None:
    support: list[Sighting] = []
    for sign in compiled.also:
        near = look.near((sign,))
        if compiled.rule.ordered:
            reached = support[-1].line if support else 0
            near = [s for s in near if reached <= s.line and (s.line <= at or not at)]
        if not near:
            return None
        support.append(near[0])
    return support


@dataclass(frozen=True, slots=True)
class _Look:
    rule: Rule
    sighting: Sighting | None
    around: Surroundings

    def all_of(self, signs: Iterable[int]) -> list[Sighting]:
        """Return all sightings in the rule's scope."""
        if self.rule.scope is Scope.START:
            return self.around.start.of(signs)
        wanted = tuple(signs)
        return [s for record in self.around.log for s in record.of(wanted)]

    def near(self, signs: Iterable[int]) -> list[Sighting]:
        """Return those that count as company of the match."""
        here, rule = self.sighting, self.rule
        found = self.all_of(signs)
        if here is None:
            return found
        if rule.within:
            found = [s for s in found if abs(s.line - here.line) <= rule.within]
        if rule.same_rank:
            found = [s for s in found if s.process == here.process]
        return found


def _confidence(
    compiled: CompiledRule,
    sighting: Sighting | None,
    around: Surroundings,
    values: Mapping[str, FactValue],
) -> Confidence:
    look = _Look(compiled.rule, sighting, around)
    step = _LADDER.index(compiled.rule.confidence)
    step += bool(look.near(compiled.raise_if)) or _all_true(compiled.raise_facts, values)
    step -= bool(look.near(compiled.lower_if)) or _all_true(compiled.lower_facts, values)
    step -= _served_on(compiled.rule, sighting, around.start)
    return _LADDER[min(max(step, 0), len(_LADDER) - 1)]


def _served_on(rule: Rule, sighting: Sighting | None, start: StartRecord) -> bool:
    """Tell whether a serving engine went on after the line: one request may have failed alone."""
    return (
        sighting is not None
        and sighting.is_ready
        and not rule.stays_when_ready
        and start.ready_line > sighting.line
    )


def _all_true(comparisons: Sequence[Comparison], values: Mapping[str, FactValue]) -> bool:
    return bool(comparisons) and all(comparison.holds(values) is True for comparison in comparisons)
