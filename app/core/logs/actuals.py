"""Read what an engine says that it really took, to set beside what was predicted."""

import re
from dataclasses import dataclass
from typing import Final

from app.core.engines.spec import ActualRule, StartupFile
from app.core.logs.line import LogLine
from app.core.units import GIB, KIB, MIB

_FACTORS: Final = {
    "GiB": GIB,
    "MiB": MIB,
    "KiB": KIB,
    "bytes": 1,
    "tokens": 1,
    "s": 1,
    "count": 1,
}


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
    """Feed it the log of a start; later lines correct earlier ones, ranks are kept apart."""

    def __init__(self, startup: StartupFile) -> None:
        self._rules = tuple((rule, re.compile(rule.pattern)) for rule in startup.actual)
        self._found: dict[tuple[str, int | None], Actual] = {}

    def feed(self, line: LogLine) -> bool:
        """Take a line into account; True when it held a quantity."""
        hit = False
        for rule, pattern in self._rules:
            found = pattern.search(line.text)
            value = None if found is None else _number(found)
            if value is not None:
                actual = _actual(rule, value, line)
                self._found[actual.quantity, actual.rank] = actual
                hit = True
        return hit

    def actuals(self) -> tuple[Actual, ...]:
        """Return one value per quantity: of several ranks the largest, which decides the fit."""
        largest: dict[str, Actual] = {}
        for actual in self._found.values():
            known = largest.get(actual.quantity)
            if known is None or actual.value > known.value:
                largest[actual.quantity] = actual
        return tuple(largest.values())

    def per_rank(self) -> tuple[Actual, ...]:
        """Return every rank's value."""
        return tuple(self._found.values())


def _number(found: re.Match[str]) -> float | None:
    text = found.groupdict().get("value")
    if text is None:
        text = found[1] if found.re.groups else None
    if text is None:
        return None
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def _actual(rule: ActualRule, value: float, line: LogLine) -> Actual:
    unit = "bytes" if rule.unit in {"GiB", "MiB", "KiB"} else rule.unit
    return Actual(
        quantity=rule.quantity,
        value=value * _FACTORS.get(rule.unit, 1),
        unit=unit,
        line=line.number,
        text=line.text,
        rank=line.rank,
    )
