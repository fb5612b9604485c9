"""Predicted against actual, as documents show it."""

from dataclasses import dataclass

from app.core.actuals.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonEntry:
    """One quantity: predicted with its band, and what the engine said; bytes or tokens."""

    quantity: str
    unit: str
    predicted: float
    low: float | None
    high: float | None
    actual: float | None
    difference: float | None
    verdict: Verdict
    corrected: bool
    """Earlier starts of this installation changed the prediction."""
    why: str | None
    why_zh_CN: str | None  # noqa: N815 - the language's own code
