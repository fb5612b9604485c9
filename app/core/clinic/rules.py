"""Which rules hold for a launch, as remarks: the one way in which data judge a text."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from app.core.clinic.correct import added, option_added, whole
from app.core.clinic.fact_book import Facts
from app.core.clinic.launch import Start
from app.core.clinic.origin import Span
from app.core.clinic.remark import Edit, Remark
from app.core.clinic.spec import ClinicRule, Fix
from app.core.diagnosis.comparisons import Comparison, parse_comparison
from app.core.texts import Text
from app.core.versions import VersionScheme, in_span


def hold(
    rules: Sequence[ClinicRule],
    facts: Facts,
    start: Start,
    paste: str,
    *,
    version: str = "",
    scheme: VersionScheme = VersionScheme.SEMVER,
) -> Iterator[Remark]:
    """Yield a remark for each rule whose comparisons all hold."""
    engine = str(facts.values.get("engine") or "")
    for rule in rules:
        if rule.engines and engine not in rule.engines:
            continue
        if rule.kinds and start.kind not in rule.kinds:
            continue
        if (rule.since or rule.until) and not in_span(version, rule.since, rule.until, scheme):
            continue
        if _holds(rule, facts):
            yield _remark(rule, facts, start, paste, version)


def _holds(rule: ClinicRule, facts: Facts) -> bool:
    if any(_compare(text, facts) is not True for text in rule.when):
        return False
    return not any(_compare(text, facts) is True for text in rule.unless)


def _compare(text: str, facts: Facts) -> bool | None:
    comparison = _parsed(text)
    return None if comparison is None else comparison.holds(facts.values)


@lru_cache(maxsize=2048)
def _parsed(text: str) -> Comparison | None:
    return parse_comparison(text)


def _remark(rule: ClinicRule, facts: Facts, start: Start, paste: str, version: str) -> Remark:
    name = next((n for n in rule.at if n in facts.places), None)
    span = facts.places[name] if name else start.span
    values: dict[str, object] = {k: v for k, v in facts.values.items() if v is not None}
    values |= {"version": version, "value": paste[span.begin : span.end][:60]}
    return Remark(
        id=rule.id,
        severity=rule.severity,
        span=span,
        text=_filled(rule.text, values),
        instead=_filled(rule.instead, values) if rule.instead else None,
        source=rule.source,
        checked=rule.checked,
        edits=_edits(rule.fix, name, facts, start, paste) if rule.fix else (),
        supersedes=rule.supersedes,
    )


def _filled(text: Text, values: dict[str, object]) -> Text:
    """Fill places; names of facts with points in them are written with ``_``."""
    return text.filled({key.replace(".", "_").replace("-", "_"): v for key, v in values.items()})


def _edits(fix: Fix, name: str | None, facts: Facts, start: Start, paste: str) -> tuple[Edit, ...]:
    if fix.add:
        return added(paste, start, fix.add)
    if fix.add_option or fix.add_key:
        return option_added(paste, start, fix.add_option, fix.add_key)
    if name is None:
        return ()
    if fix.drop:
        place = facts.wholes[name]
        return (Edit(span=whole(paste, place.begin, place.end), text=""),)
    if fix.replace is not None:
        return (Edit(span=_inside_quotes(facts.places[name], paste), text=fix.replace),)
    return ()


def _inside_quotes(span: Span, paste: str) -> Span:
    """Keep the quotes round a value."""
    text = paste[span.begin : span.end]
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return Span(begin=span.begin + 1, end=span.end - 1)
    return span
