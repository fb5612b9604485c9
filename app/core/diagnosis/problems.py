"""What is wrong with diagnosis rules that have the right shape: patterns, ids, references."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from app.core.causes import Cause
from app.core.diagnosis.anchors import SHORTEST, anchors_of
from app.core.diagnosis.comparisons import parse_comparison
from app.core.diagnosis.rules import DiagnosisRules, Rule
from app.core.diagnosis.versions import parse_range
from app.core.logs.line import LogLevel

PATTERN_FIELDS = (
    "any",
    "also",
    "after",
    "before",
    "none",
    "none_before",
    "none_after",
    "frames",
    "not_frames",
    "raise_if",
    "lower_if",
)
_COMPARISON_FIELDS = ("facts", "needs", "raise_facts", "lower_facts")
_ACTIONS = frozenset({"set", "raise", "lower", "remove"})


def rule_problems(rules: DiagnosisRules, causes: Mapping[str, Cause]) -> Iterator[tuple[str, str]]:
    """Yield key and reason of everything that is wrong."""
    yield from _repeated(rule.id for rule in rules.rules)
    for marker in rules.markers:
        yield from _patterns(f"marker.{marker.phase or marker.kind}.any", marker.any)
    for fact in rules.facts:
        yield from _fact_patterns(f"fact.{fact.name}.any", fact.any)
    known = set(causes) | {rule.id for rule in rules.rules}
    for rule in rules.rules:
        yield from _of_rule(rule, rules, causes)
        for name in rule.supersedes:
            if name not in known:
                yield f"rule.{rule.id}.supersedes", f"“{name}” is neither a cause nor a rule"


def _of_rule(
    rule: Rule, rules: DiagnosisRules, causes: Mapping[str, Cause]
) -> Iterator[tuple[str, str]]:
    key = f"rule.{rule.id}"
    if rule.cause not in causes:
        yield f"{key}.cause", f"“{rule.cause}” is not in causes.toml"
    if (rule.advice or rule.cause) not in rules.advice:
        yield f"{key}.advice", f"there is no advice “{rule.advice or rule.cause}”"
    if not rule.any and not rule.needs:
        yield f"{key}.any", "a rule needs lines (any) or facts (needs)"
    if not rule.sources:
        yield f"{key}.sources", "a rule names where it was read"
    if rule.versions and parse_range(rule.versions) is None:
        yield f"{key}.versions", f"“{rule.versions}” is no range such as >=0.8,<0.9"
    yield from _conditions(key, rule)
    yield from _changes(key, rule, rules)


def _conditions(key: str, rule: Rule) -> Iterator[tuple[str, str]]:
    for name in PATTERN_FIELDS:
        yield from _patterns(f"{key}.{name}", getattr(rule, name))
    for name in _COMPARISON_FIELDS:
        for text in getattr(rule, name):
            if parse_comparison(text) is None:
                yield f"{key}.{name}", f"“{text}” is no comparison"
    for level in rule.levels:
        if level not in set(LogLevel):
            yield f"{key}.levels", f"“{level}” is no level"


def _changes(key: str, rule: Rule, rules: DiagnosisRules) -> Iterator[tuple[str, str]]:
    advice = rules.advice.get(rule.advice or rule.cause)
    change = rule.change or (advice.change if advice else None)
    for parameter in change.parameters if change else ():
        if parameter.action not in _ACTIONS:
            yield f"{key}.change", f"“{parameter.action}” is no action"


def _patterns(key: str, patterns: Iterable[str]) -> Iterator[tuple[str, str]]:
    for pattern in patterns:
        try:
            compiled = re.compile(pattern)
        except re.error as exc:
            yield key, f"“{pattern}”: {exc}"
            continue
        if compiled.search(""):
            yield key, f"“{pattern}” matches everything"
        elif not anchors_of(pattern) and not key.endswith("frames"):
            yield key, f"“{pattern}” needs a longer plain text in each branch ({SHORTEST} or more)"


def _fact_patterns(key: str, patterns: Iterable[str]) -> Iterator[tuple[str, str]]:
    yield from _patterns(key, patterns)
    for pattern in patterns:
        if "(" not in pattern:
            yield key, f"“{pattern}” has no group"


def _repeated(ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    for name, count in Counter(ids).items():
        if count > 1:
            yield f"rule.{name}", "appears twice"
