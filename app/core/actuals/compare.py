"""Set what an engine said beside what was predicted of it, quantity by quantity."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Final

from app.core.actuals.record import StartRecord
from app.core.actuals.verdict import Verdict
from app.core.models.prediction import Predicted
from app.core.texts import Text
from app.core.units import MIB

_PRINTED: Final = 0.005 * 1024 * MIB
"""Engines print GiB with two digits: half of the last one is no difference."""
_STRICT: Final = {"extra": "forbid"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One quantity: predicted with its band, and actual."""

    quantity: str
    unit: str
    """``bytes`` or ``tokens``."""
    predicted: float
    low: float | None
    high: float | None
    """Ends of the band; ``None`` when none was stated."""
    actual: float | None
    verdict: Verdict
    corrected: bool
    """Earlier starts of this installation changed the prediction."""
    why: Text | None = None
    """Why it may be outside its band."""

    @property
    def difference(self) -> float | None:
        """Actual less predicted; ``None`` when the engine did not say it."""
        return None if self.actual is None else self.actual - self.predicted

    @property
    def relative(self) -> float | None:
        """The difference as a share of the prediction; ``None`` where that means nothing."""
        difference = self.difference
        return None if difference is None or not self.predicted else difference / self.predicted


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyRule:
    """Why a quantity may be more or less than predicted; the first that matches is told."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    quantity: str
    direction: str
    """``more`` or ``less`` than predicted."""
    engine: str = ""
    """Engine id; empty for all."""
    text: Text
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyFile:
    """``actuals/why.toml``."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    schema_version: int
    why: tuple[WhyRule, ...]


def compare(record: StartRecord, rules: Iterable[WhyRule]) -> tuple[Comparison, ...]:
    """Return the quantities that were predicted; none when nothing was."""
    if record.prediction is None:
        return ()
    known = tuple(rules)
    rows = (_compared(record, predicted, known) for predicted in record.prediction.quantities)
    return tuple(row for row in rows if row.predicted or row.actual)


def _compared(record: StartRecord, predicted: Predicted, rules: tuple[WhyRule, ...]) -> Comparison:
    found = record.actual(predicted.quantity)
    unit = "tokens" if predicted.quantity == "kv_tokens" else "bytes"
    actual = None if found is None else found.value
    band = predicted.band
    low = None if band is None else predicted.value * (1 - min(band, 1.0))
    high = None if band is None else predicted.value * (1 + band)
    verdict = _verdict(actual, low, high, _PRINTED if unit == "bytes" else 0.5)
    engine = record.prediction.engine if record.prediction else ""
    return Comparison(
        quantity=predicted.quantity,
        unit=unit,
        predicted=predicted.value,
        low=low,
        high=high,
        actual=actual,
        verdict=verdict,
        corrected=predicted.correction != 0,
        why=_why(rules, predicted, actual, engine) if verdict is Verdict.OUTSIDE else None,
    )


def _verdict(
    actual: float | None, low: float | None, high: float | None, tolerance: float
) -> Verdict:
    if actual is None:
        return Verdict.NOT_SAID
    if low is None or high is None:
        return Verdict.NO_BAND
    inside = low - tolerance <= actual <= high + tolerance
    return Verdict.INSIDE if inside else Verdict.OUTSIDE


def _why(
    rules: tuple[WhyRule, ...], predicted: Predicted, actual: float | None, engine: str
) -> Text | None:
    direction = "more" if (actual or 0.0) > predicted.value else "less"
    for rule in rules:
        fits = rule.quantity == predicted.quantity and rule.direction == direction
        if fits and rule.engine in ("", engine):
            return rule.text
    return None
