"""Rules made ready to be asked: pattern numbers, compiled frames, comparisons, version limits."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.core.diagnosis.bank import PatternBank
from app.core.diagnosis.comparisons import Comparison, parse_comparison
from app.core.diagnosis.rules import DiagnosisRules, Marker, MarkerKind, Role, Rule
from app.core.diagnosis.versions import Range, parse_range


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledRule:
    """A rule with its patterns as numbers of the bank."""

    rule: Rule
    any: tuple[int, ...]
    also: tuple[int, ...]
    after: tuple[int, ...]
    before: tuple[int, ...]
    none: tuple[int, ...]
    none_before: tuple[int, ...]
    none_after: tuple[int, ...]
    raise_if: tuple[int, ...]
    lower_if: tuple[int, ...]
    frames: tuple[re.Pattern[str], ...]
    not_frames: tuple[re.Pattern[str], ...]
    facts: tuple[Comparison, ...]
    needs: tuple[Comparison, ...]
    raise_facts: tuple[Comparison, ...]
    lower_facts: tuple[Comparison, ...]
    limits: Range


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledRules:
    """Everything that reading a log needs; made once, used for many logs."""

    source: DiagnosisRules
    bank: PatternBank
    rules: tuple[CompiledRule, ...]
    markers: Mapping[int, tuple[Marker, ...]]
    facts: Mapping[int, str]
    """Name of the fact by pattern number."""
    finders: frozenset[int]
    """Patterns of ``any``: a line that one matches is known to some rule."""
    faults: frozenset[int]
    """Those of them that say that something went wrong."""
    late: frozenset[int]
    """Patterns that matter only after a line that one of ``finders`` matched."""
    first_words: frozenset[int]
    """Patterns that begin a start."""
    quotes: frozenset[int]
    """Patterns after which a line is not the engine's own word."""


def compile_rules(rules: DiagnosisRules) -> CompiledRules:
    """Make rules ready; their patterns are known to be readable."""
    bank = PatternBank(rules)
    compiled = tuple(_compile(rule, bank) for rule in rules.rules)
    markers: dict[int, tuple[Marker, ...]] = {}
    for marker in rules.markers:
        for pattern in marker.any:
            number = bank.number(pattern)
            markers[number] = (*markers.get(number, ()), marker)
    return CompiledRules(
        source=rules,
        bank=bank,
        rules=compiled,
        markers=markers,
        facts={bank.number(p): fact.name for fact in rules.facts for p in fact.any},
        finders=frozenset(number for rule in compiled for number in rule.any),
        faults=frozenset(
            number
            for one in compiled
            if one.rule.role is not Role.RECOVERED and not one.rule.last
            for number in one.any
        ),
        late=_late(compiled) - markers.keys(),
        first_words=_of_kind(MarkerKind.START, markers),
        quotes=_of_kind(MarkerKind.QUOTE, markers),
    )


def _of_kind(kind: MarkerKind, markers: Mapping[int, tuple[Marker, ...]]) -> frozenset[int]:
    return frozenset(
        number for number, told in markers.items() if any(marker.kind is kind for marker in told)
    )


def _late(rules: Iterable[CompiledRule]) -> frozenset[int]:
    late: set[int] = set()
    early: set[int] = set()
    for one in rules:
        late.update(one.none_after, one.before)
        early.update(one.any, one.also, one.after, one.none, one.none_before)
        early.update(one.raise_if, one.lower_if)
    return frozenset(late - early)


def _compile(rule: Rule, bank: PatternBank) -> CompiledRule:
    def numbers(patterns: Iterable[str]) -> tuple[int, ...]:
        return tuple(bank.number(pattern) for pattern in patterns)

    return CompiledRule(
        rule=rule,
        any=numbers(rule.any),
        also=numbers(rule.also),
        after=numbers(rule.after),
        before=numbers(rule.before),
        none=numbers(rule.none),
        none_before=numbers(rule.none_before),
        none_after=numbers(rule.none_after),
        raise_if=numbers(rule.raise_if),
        lower_if=numbers(rule.lower_if),
        frames=tuple(re.compile(pattern) for pattern in rule.frames),
        not_frames=tuple(re.compile(pattern) for pattern in rule.not_frames),
        facts=_comparisons(rule.facts),
        needs=_comparisons(rule.needs),
        raise_facts=_comparisons(rule.raise_facts),
        lower_facts=_comparisons(rule.lower_facts),
        limits=parse_range(rule.versions) or () if rule.versions else (),
    )


def _comparisons(texts: Iterable[str]) -> tuple[Comparison, ...]:
    parsed = (parse_comparison(text) for text in texts)
    return tuple(comparison for comparison in parsed if comparison is not None)
