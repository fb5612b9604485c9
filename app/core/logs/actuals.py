"""Read what an engine says that it really took, to set beside what was predicted."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from app.core.engines.observed_spec import ActualRule, ChosenRule, DerivedRule, StartupFile
from app.core.logs.line import LogLine
from app.core.units import GIB, KIB, MIB

_FACTORS: Final = {
    "GiB": GIB,
    "MiB": MIB,
    "KiB": KIB,
    "B": 1,
    "bytes": 1,
    "tokens": 1,
    "s": 1,
    "count": 1,
}
_SIZES: Final = frozenset({"GiB", "MiB", "KiB", "B", "bytes"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Actual:
    """One quantity as the engine printed it, in bytes, seconds or a count."""

    quantity: str
    value: float
    unit: str
    """``bytes``, ``tokens``, ``s`` or ``count``."""
    line: int
    """Number of the line it was read from."""
    text: str
    rank: int | None = None


class ActualsReader:
    """Feed it a log; it keeps what the last start said, ranks apart, later lines correct earlier.

    What earlier starts of the same log said is forgotten.
    """

    def __init__(self, startup: StartupFile) -> None:
        self._rules = tuple((rule, re.compile(rule.pattern)) for rule in startup.actual)
        self._choices = tuple((rule, re.compile(rule.pattern)) for rule in startup.chosen)
        self._derived = startup.derived
        self._smallest = {rule.quantity for rule in startup.actual if rule.smallest}
        self._found: dict[tuple[str, int | None], Actual] = {}
        self._chosen: dict[str, str] = {}
        self._start = 1

    def feed(self, line: LogLine) -> bool:
        """Take a line into account; True when it held a quantity or a choice."""
        if line.start != self._start:
            self._start = line.start
            self._found.clear()
            self._chosen.clear()
        hit = self._choose(self._choices, line.text)
        for rule, pattern in self._rules:
            found = pattern.search(line.text)
            actual = None if found is None else _actual(rule, found, line)
            if actual is not None:
                self._keep(rule, actual)
                hit = True
        return hit

    def actuals(self) -> tuple[Actual, ...]:
        """Return one value per quantity; of several ranks the one that decides the fit."""
        deciding: dict[str, Actual] = {}
        for actual in self._found.values():
            known = deciding.get(actual.quantity)
            if known is None or self._decides(actual, known):
                deciding[actual.quantity] = actual
        for rule in self._derived:
            derived = None if rule.quantity in deciding else _derive(rule, deciding)
            if derived is not None:
                deciding[rule.quantity] = derived
        return tuple(deciding.values())

    def per_rank(self) -> tuple[Actual, ...]:
        """Return every rank's value."""
        return tuple(self._found.values())

    def chosen(self) -> Mapping[str, str]:
        """Return what the engine said that it chose, such as its attention back end."""
        return dict(sorted(self._chosen.items()))

    def _choose(self, choices: Iterable[tuple[ChosenRule, re.Pattern[str]]], text: str) -> bool:
        hit = False
        for rule, pattern in choices:
            if (found := pattern.search(text)) is not None:
                self._chosen[rule.id] = found["value"]
                hit = True
        return hit

    def _keep(self, rule: ActualRule, actual: Actual) -> None:
        key = actual.quantity, actual.rank
        earlier = self._found.get(key)
        if rule.add and earlier is not None:
            actual = replace(actual, value=earlier.value + actual.value)
        self._found[key] = actual

    def _decides(self, actual: Actual, known: Actual) -> bool:
        if actual.quantity in self._smallest:
            return actual.value < known.value
        return actual.value > known.value


def _actual(rule: ActualRule, found: re.Match[str], line: LogLine) -> Actual | None:
    groups = found.groupdict()
    value = _number(found, groups)
    unit = groups.get("unit") or rule.unit
    if value is None or unit not in _FACTORS:
        return None
    rank = groups.get("rank")
    return Actual(
        quantity=rule.quantity,
        value=value * _FACTORS[unit],
        unit="bytes" if unit in _SIZES else unit,
        line=line.number,
        text=line.text,
        rank=line.rank if rank is None else int(rank),
    )


def _number(found: re.Match[str], groups: Mapping[str, str | None]) -> float | None:
    texts = [text for name, text in groups.items() if name.startswith("value")]
    if not texts and found.re.groups:
        texts = [found[1]]
    try:
        return sum(float(text.replace(",", "")) for text in texts if text) if any(texts) else None
    except ValueError:
        return None


def _derive(rule: DerivedRule, known: Mapping[str, Actual]) -> Actual | None:
    first, other = known.get(rule.of), known.get(rule.times or rule.minus)
    value = rule.default if other is None else other.value
    if first is None or value is None:
        return None
    result = first.value * value if rule.times else first.value - value
    return Actual(
        quantity=rule.quantity,
        value=result,
        unit=rule.unit or first.unit,
        line=first.line,
        text=first.text,
        rank=first.rank,
    )
