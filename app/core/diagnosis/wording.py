"""Turn a candidate into a finding: its evidence, and its advice with the places filled."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from app.core.causes import Cause
from app.core.diagnosis.comparisons import FactValue
from app.core.diagnosis.finding import Evidence, Finding, PlanChange
from app.core.diagnosis.matching import Candidate
from app.core.diagnosis.rules import Advice
from app.core.texts import Text

_MOST_EVIDENCE: Final = 6
_LONGEST: Final = 600
_UNKNOWN: Final = "?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Knows what is said of each cause."""

    advice: Mapping[str, Advice]
    causes: Mapping[str, Cause]

    def finding(self, candidate: Candidate, start: int) -> Finding:
        """Return the finding of a candidate in one start."""
        rule = candidate.rule
        advice = self.of(candidate)
        places = _Places(candidate.values)
        return Finding(
            cause=rule.cause,
            family=self.causes[rule.cause].family,
            confidence=candidate.confidence,
            evidence=_evidence(candidate),
            title=_fill(advice.title, places),
            explanation=_fill(advice.explanation, places),
            remedy=tuple(_fill(text, places) for text in rule.remedy or advice.remedy),
            change=_change(rule.change or advice.change, candidate.values),
            sources=rule.sources,
            rule=rule.id,
            start=start,
        )

    def of(self, candidate: Candidate) -> Advice:
        """Return the advice of a candidate's rule."""
        return self.advice[candidate.rule.advice or candidate.rule.cause]

    def collect(self, candidates: Iterable[Candidate]) -> tuple[Text, ...]:
        """Return what to collect next, each once."""
        texts = [
            _fill(text, _Places(candidate.values))
            for candidate in candidates
            for text in self.of(candidate).collect
        ]
        return tuple(dict.fromkeys(texts))


def _evidence(candidate: Candidate) -> tuple[Evidence, ...]:
    """The line that decides comes first, those that support it follow in order."""
    lines: dict[int, str] = {}
    first = [candidate.sighting] if candidate.sighting else []
    for sighting in (*first, *sorted(candidate.support, key=lambda item: item.line)):
        lines.setdefault(sighting.line, sighting.text.strip()[:_LONGEST])
    if not lines:
        lines[0] = _facts_told(candidate)
    return tuple(
        Evidence(line=line, text=text) for line, text in list(lines.items())[:_MOST_EVIDENCE]
    )


def _facts_told(candidate: Candidate) -> str:
    return ", ".join(
        f"{name}: {candidate.values[name]}"
        for name in ("exit_code", "oom_killed", "restart_count")
        if name in candidate.values
    ) or " and ".join(candidate.rule.needs)


def _change(change: PlanChange | None, values: Mapping[str, FactValue]) -> PlanChange | None:
    """Fill the values; a value whose place is not known is left to the plan."""
    if change is None:
        return None
    parameters = tuple(
        replace(parameter, value=_value(parameter.value, values)) for parameter in change.parameters
    )
    return replace(change, parameters=parameters)


def _value(template: str, values: Mapping[str, FactValue]) -> str:
    filled = template.format_map(_Places(values))
    return "" if _UNKNOWN in filled else filled


def _fill(text: Text, places: "_Places") -> Text:
    return Text(en=text.en.format_map(places), zh_CN=text.zh_CN.format_map(places))


class _Places(dict[str, object]):
    """Fills places; what is not known reads as a question mark."""

    def __missing__(self, key: str) -> str:
        return _UNKNOWN
