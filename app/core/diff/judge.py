"""Hold two values against each other by a rule: equal, different and what that means, or unknown.

The answer does not depend on which side is named first.
"""

import re
from dataclasses import dataclass

from app.core.diff.difference import Difference, Item, Raw
from app.core.diff.spec import HEAVIEST_FIRST, Compare, DiffCase, DiffRule, Weight
from app.core.diff.words import not_known
from app.core.texts import Text

_NUMBERS = re.compile(r"\d+")

Order = tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What the two sides are called in sentences."""

    a: str
    b: str


def judge(a: Item, b: Item, rule: DiffRule, names: Names) -> Difference | None:
    """Return the difference of two values of one path; ``None`` when they are equal.

    Both values unknown is not a difference: the caller says that nobody could compare them.
    """
    if a.value is None or b.value is None:
        return None if a.value is b.value else _unknown(a, b, rule, names)
    if _equal(a.value, b.value, rule):
        return None
    cases = [case for case in rule.case if _holds(case, a.value, b.value)]
    weights = [case.weight or rule.weight for case in cases] or [rule.weight]
    weight = min(weights, key=HEAVIEST_FIRST.index)
    places = _places(a, b, names)
    texts = [case.meaning.filled(places | _sides(case, a.value, names)) for case in cases]
    sources = [case.source for case in cases] or [rule.source]
    return Difference(
        path=a.path,
        area=rule.area,
        label=a.label or rule.label,
        a=a.shown,
        b=b.shown,
        weight=weight,
        would_weigh=weight,
        meaning=joined(tuple(texts)) if texts else rule.meaning.filled(places),
        source="; ".join(dict.fromkeys(sources)),
    )


def joined(texts: tuple[Text, ...]) -> Text:
    """Put sentences behind each other."""
    return Text(en=" ".join(t.en for t in texts), zh_CN="".join(t.zh_CN for t in texts))


def _unknown(a: Item, b: Item, rule: DiffRule, names: Names) -> Difference:
    missing, side = (a, names.a) if a.value is None else (b, names.b)
    return Difference(
        path=a.path,
        area=rule.area,
        label=a.label or rule.label,
        a=None if a.value is None else a.shown,
        b=None if b.value is None else b.shown,
        weight=Weight.UNKNOWN,
        would_weigh=rule.weight,
        meaning=not_known(side, missing.reason, rule.weight),
        source=rule.source,
    )


def _equal(a: Raw, b: Raw, rule: DiffRule) -> bool:
    if rule.compare is Compare.NUMBER and isinstance(a, int | float) and isinstance(b, int | float):
        return abs(a - b) <= max(rule.tolerance, rule.tolerance_ratio * max(abs(a), abs(b)))
    return a == b


def _holds(case: DiffCase, a: Raw, b: Raw) -> bool:
    if case.either and (_word(a) in case.either) == (_word(b) in case.either):
        return False
    return _holds_in_numbers(case, _order(a), _order(b))


def _holds_in_numbers(case: DiffCase, a: Order, b: Order) -> bool:
    if not (case.crosses or case.major or case.ratio_below is not None):
        return True
    if not a or not b:
        return False
    low, high = sorted((a, b))
    crossed = not case.crosses or low < _order(case.crosses) <= high
    major = not case.major or (a[0] == float(case.major)) != (b[0] == float(case.major))
    near = case.ratio_below is None or high[0] - low[0] < case.ratio_below * high[0]
    return crossed and major and near


def _order(value: Raw) -> Order:
    """Return what a value is ordered by; empty when it has no order."""
    if isinstance(value, bool) or value is None or isinstance(value, tuple):
        return ()
    if isinstance(value, int | float):
        return (float(value),)
    if not value[:1].isdigit():
        return ()
    return tuple(float(part) for part in _NUMBERS.findall(value))


def _word(value: Raw) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def _places(a: Item, b: Item, names: Names) -> dict[str, object]:
    """Return the words for the lower and the higher value, where the values have an order."""
    order_a, order_b = _order(a.value), _order(b.value)
    if not order_a or not order_b:
        return {}
    low, high = (a, names.a), (b, names.b)
    if (order_a, a.shown) > (order_b, b.shown):
        low, high = high, low
    return {"lower": low[1], "higher": high[1], "low": low[0].shown, "high": high[0].shown}


def _sides(case: DiffCase, a: Raw, names: Names) -> dict[str, object]:
    """Return the words for the side that a case is about."""
    if not case.either and not case.major:
        return {}
    first = _is_the_one(case, a)
    return {"side": names.a, "other": names.b} if first else {"side": names.b, "other": names.a}


def _is_the_one(case: DiffCase, value: Raw) -> bool:
    if case.either:
        return _word(value) in case.either
    return _order(value)[:1] == (float(case.major),)
