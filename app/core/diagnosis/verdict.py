"""From the record of a log to the answer: which start counts, which finding comes first."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from app.core.causes import Cause
from app.core.diagnosis.comparisons import FactValue
from app.core.diagnosis.compiled import CompiledRules
from app.core.diagnosis.context import DiagnosisContext
from app.core.diagnosis.context_facts import facts_of
from app.core.diagnosis.finding import Confidence, Diagnosis, Evidence, Finding, Verdict
from app.core.diagnosis.matching import Candidate, Surroundings, apply_rule
from app.core.diagnosis.ranking import Ranked, rank
from app.core.diagnosis.reading import LogReading
from app.core.diagnosis.record import StartRecord
from app.core.diagnosis.wording import Wording
from app.core.texts import Text

_MOST_FINDINGS: Final = 8
_NOTHING_LOGGED: Final = "wrapper_error_unknown"
"""Advice that says what to collect when a container failed without a word."""

_Judged = tuple[StartRecord, Ranked]


def judge(
    reading: LogReading,
    compiled: CompiledRules,
    causes: Mapping[str, Cause],
    context: DiagnosisContext,
) -> Diagnosis:
    """Return what the log so far amounts to."""
    judged = _judge_starts(reading, compiled, context)
    start, ranked = _telling(judged)
    wording = Wording(advice=compiled.source.advice, causes=causes)
    verdict = _verdict(start, ranked, context)
    findings = _findings(verdict, start, ranked, wording)
    failed = verdict is Verdict.CAUSE_FOUND or bool(ranked.peers)
    engine, version = _engine(reading, context)
    return Diagnosis(
        primary=_strengthened(findings[0], judged) if failed and findings else None,
        findings=findings,
        verdict=verdict,
        collect=_collect(ranked, compiled, wording) if verdict is Verdict.NOT_IN_LOG else (),
        telling=tuple(Evidence(line=line, text=text) for line, text in start.telling),
        engine=engine,
        engine_version=version,
        starts=reading.start_count,
        lines_read=reading.lines_read,
    )


def _judge_starts(
    reading: LogReading, compiled: CompiledRules, context: DiagnosisContext
) -> Sequence[_Judged]:
    facts = facts_of(context)
    engine, version = _engine(reading, context)
    engines = frozenset(reading.engines) | ({engine} if engine else set())
    judged = []
    for start in reading.starts:
        around = Surroundings(
            start=start,
            log=reading.starts,
            facts=facts if start is reading.starts[-1] else _lasting(facts),
            engines=engines,
            version=version,
            is_starting=context.is_starting,
        )
        held = (apply_rule(rule, around) for rule in compiled.rules)
        judged.append((start, rank(candidate for candidate in held if candidate)))
    return judged


def _lasting(facts: Mapping[str, FactValue]) -> dict[str, FactValue]:
    """How the container ended says something of its last start only."""
    ended = {"exit_code", "oom_killed"}
    return {name: value for name, value in facts.items() if name not in ended}


def _telling(judged: Sequence[_Judged]) -> _Judged:
    """The last start counts; when it only began, the last one before it that failed."""
    start, ranked = judged[-1]
    if ranked.has_failed or start.is_ready or start.telling or ranked.recovered:
        return start, ranked
    failed = [item for item in judged if item[1].has_failed]
    return failed[-1] if failed else judged[-1]


def _verdict(start: StartRecord, ranked: Ranked, context: DiagnosisContext) -> Verdict:
    if ranked.causes:
        return Verdict.CAUSE_FOUND
    if ranked.peers:
        return Verdict.NOT_IN_LOG
    is_unknown = any(line > start.ready_line for line, _ in start.telling)
    if ranked.wrappers or context.exit_code:
        return Verdict.NOTHING_FOUND if is_unknown else Verdict.NOT_IN_LOG
    if ranked.recovered and not is_unknown:
        return Verdict.NOT_A_FAILURE
    return Verdict.HEALTHY if start.is_ready and not is_unknown else Verdict.NOTHING_FOUND


def _findings(
    verdict: Verdict, start: StartRecord, ranked: Ranked, wording: Wording
) -> tuple[Finding, ...]:
    told: tuple[Candidate, ...] = (*ranked.causes, *ranked.peers)
    if not told and verdict is Verdict.NOT_IN_LOG:
        told = ranked.wrappers[:1]
    if verdict is Verdict.NOT_A_FAILURE:
        told = ranked.recovered
    return tuple(wording.finding(item, start.number) for item in told[:_MOST_FINDINGS])


def _strengthened(finding: Finding, judged: Sequence[_Judged]) -> Finding:
    """A hint that several starts ended with is more than a hint."""
    times = sum(
        any(candidate.rule.cause == finding.cause for candidate in ranked.causes)
        for _, ranked in judged
    )
    if times > 1 and finding.confidence is Confidence.LOW:
        return replace(finding, confidence=Confidence.MEDIUM)
    return finding


def _collect(ranked: Ranked, compiled: CompiledRules, wording: Wording) -> tuple[Text, ...]:
    told = wording.collect((*ranked.peers, *ranked.wrappers))
    silent = compiled.source.advice.get(_NOTHING_LOGGED)
    return told or (silent.collect if silent else ())


def _engine(reading: LogReading, context: DiagnosisContext) -> tuple[str | None, str | None]:
    """What is known beside the log counts more than what the log names."""
    named = next(reversed(reading.engines), None)
    engine = context.engine or (context.spec.engine if context.spec else None) or named
    told = reading.engines.get(engine or "") or None
    planned = context.spec.engine_version if context.spec else None
    return engine, context.engine_version or told or planned
