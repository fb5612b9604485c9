"""From figures to findings: which rules hold, in which order, in which words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from string import Formatter
from typing import Final

from app.core.causes import Cause
from app.core.diagnosis.comparisons import Comparison, FactValue, parse_comparison
from app.core.diagnosis.finding import Confidence, Evidence, Finding, PlanChange
from app.core.hardware.fingerprint import Gpu
from app.core.slow.breakdown import Breakdown, break_down
from app.core.slow.facts import (
    ClientTiming,
    Facts,
    HostLoad,
    Planned,
    client_facts,
    engine_facts,
    gpu_facts,
    host_facts,
    known,
    plan_facts,
)
from app.core.slow.readings import EngineReading, window_of
from app.core.slow.spec import LogSign, Severity, SlowRule, SlowRules, Use
from app.core.texts import Text

_FORMATTER: Final = Formatter()


class SlowVerdict(StrEnum):
    """What a look at a serving deployment amounts to."""

    SLOW = "slow"
    NOTHING_SLOW = "nothing_slow"
    """Requests were served, and no figure is out of the ordinary; there may be hints."""
    IDLE = "idle"
    """Nothing was asked in the window: its figures say nothing of speed."""
    NOT_KNOWN = "not_known"
    """The engine's figures could not be read twice, or it exposes none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """All that was seen of a deployment in a window; empty means not seen."""

    engine: str
    readings: tuple[EngineReading, ...] = ()
    gpus: tuple[Gpu, ...] = ()
    """Samples of the GPUs that it uses, one entry per GPU and look."""
    host: HostLoad = field(default_factory=HostLoad)
    client: ClientTiming | None = None
    planned: Planned = field(default_factory=Planned)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowReport:
    """The answer: where the time goes, and what is wrong with that."""

    verdict: SlowVerdict
    breakdown: Breakdown | None
    findings: tuple[Finding, ...]
    facts: Mapping[str, FactValue]
    """Every figure that was known, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A finding with how loud it is."""

    finding: Finding
    severity: Severity


def explain(seen: Seen, rules: SlowRules, causes: Mapping[str, Cause]) -> SlowReport:
    """Return where the time of a deployment's requests goes."""
    window = window_of(seen.readings)
    breakdown = break_down(window, rules, seen.engine) if window is not None else None
    facts: Facts = gpu_facts(seen.gpus) | host_facts(seen.host) | plan_facts(seen.planned)
    if window is not None and breakdown is not None:
        facts |= engine_facts(window, breakdown)
    if seen.client is not None:
        facts |= client_facts(seen.client)
    judged = judge(facts, rules.of(Use.WINDOW), causes)
    return SlowReport(
        verdict=_verdict(facts, judged),
        breakdown=breakdown,
        findings=tuple(item.finding for item in judged),
        facts=facts,
    )


def judge(
    facts: Mapping[str, FactValue], rules: Iterable[SlowRule], causes: Mapping[str, Cause]
) -> tuple[Judged, ...]:
    """Return the findings of all rules that hold, without those that another explains."""
    held = [rule for rule in rules if _holds(rule, facts)]
    explained = {name for rule in held for name in rule.supersedes}
    return tuple(
        Judged(finding=_finding(rule, facts, causes), severity=rule.severity)
        for rule in held
        if rule.id not in explained
    )


def sign_finding(
    sign: LogSign, line: str, facts: Mapping[str, FactValue], causes: Mapping[str, Cause]
) -> Judged | None:
    """Return the finding of a line that a sign matched; ``None`` when the facts speak against."""
    if not _all_true(sign.when, facts):
        return None
    finding = Finding(
        cause=sign.cause,
        family=causes[sign.cause].family,
        confidence=sign.confidence,
        evidence=(Evidence(line=0, text=line),),
        title=_fill(sign.title, facts),
        explanation=_fill(sign.explanation, facts),
        remedy=tuple(_fill(text, facts) for text in sign.remedy),
        sources=(sign.source,),
        rule=sign.id,
    )
    return Judged(finding=finding, severity=sign.severity)


def _verdict(facts: Mapping[str, FactValue], judged: Sequence[Judged]) -> SlowVerdict:
    if any(item.finding.confidence is not Confidence.LOW for item in judged):
        return SlowVerdict.SLOW
    if "window_s" not in facts:
        return SlowVerdict.NOT_KNOWN
    work = ("requests", "running_max", "waiting_max", "output_tokens", "client_tokens")
    if any(known(facts, name) for name in work):
        return SlowVerdict.NOTHING_SLOW
    return SlowVerdict.IDLE if any(name in facts for name in work) else SlowVerdict.NOT_KNOWN


def _holds(rule: SlowRule, facts: Mapping[str, FactValue]) -> bool:
    return _all_true(rule.when, facts) and not any(
        comparison.holds(facts) is True for comparison in _parsed(rule.unless)
    )


def _all_true(texts: tuple[str, ...], facts: Mapping[str, FactValue]) -> bool:
    return all(comparison.holds(facts) is True for comparison in _parsed(texts))


@lru_cache(maxsize=512)
def _parsed(texts: tuple[str, ...]) -> tuple[Comparison, ...]:
    """A comparison that is none would silently never hold: the data's test finds it."""
    parsed = [parse_comparison(text) for text in texts]
    if None in parsed:
        raise ValueError(texts)
    return tuple(comparison for comparison in parsed if comparison is not None)


def _finding(
    rule: SlowRule, facts: Mapping[str, FactValue], causes: Mapping[str, Cause]
) -> Finding:
    lines = [_filled(text, facts) for text in rule.evidence]
    return Finding(
        cause=rule.cause,
        family=causes[rule.cause].family,
        confidence=rule.confidence,
        evidence=tuple(Evidence(line=0, text=line) for line in lines if line is not None),
        title=_fill(rule.title, facts),
        explanation=_fill(rule.explanation, facts),
        remedy=tuple(_fill(text, facts) for text in rule.remedy),
        change=_change(rule.change, facts),
        sources=(rule.source,),
        rule=rule.id,
    )


def _change(change: PlanChange | None, facts: Mapping[str, FactValue]) -> PlanChange | None:
    if change is None:
        return None
    return replace(
        change,
        parameters=tuple(
            replace(item, value=_filled(item.value, facts) or "") for item in change.parameters
        ),
    )


def _fill(text: Text, facts: Mapping[str, FactValue]) -> Text:
    return Text(
        en=_filled(text.en, facts) or _bare(text.en),
        zh_CN=_filled(text.zh_CN, facts) or _bare(text.zh_CN),
    )


def _filled(text: str, facts: Mapping[str, FactValue]) -> str | None:
    """Fill the places; ``None`` when a figure is not known."""
    names = [name for _, name, _, _ in _FORMATTER.parse(text) if name]
    if any(facts.get(name) is None for name in names):
        return None
    return text.format_map(facts)


def _bare(text: str) -> str:
    """A sentence whose figure is not known, with a question mark in its place."""
    return "".join(
        literal + ("?" if name is not None else "")
        for literal, name, _, _ in _FORMATTER.parse(text)
    )
