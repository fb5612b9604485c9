"""Document of ``pitwall actuals``, and predicted against actual as other documents show it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from app.core.actuals.compare import Comparison
from app.core.actuals.correction import Correction, Learned
from app.core.actuals.record import StartRecord
from app.core.documents.comparison import ComparisonEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class StartEntry:
    """The last start of a deployment."""

    at: str
    compared: tuple[ComparisonEntry, ...]
    """Empty when another desk deployed it: then nothing was predicted here."""
    said: Mapping[str, float]
    """Every quantity that the engine printed, in bytes, tokens, seconds or a count."""
    chosen: Mapping[str, str]
    """What the engine said that it chose."""
    durations: Mapping[str, float]
    """Seconds by start-up phase."""
    simulated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionEntry:
    """What was learned under one engine, version range, GPU and model family."""

    id: str
    starts: int
    last_at: str
    quantities: tuple[Correction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActualsDocument:
    """A deployment's last start, or the corrections of this installation."""

    schema: Literal["pitwall.actuals/1"] = "pitwall.actuals/1"
    deployment: str | None = None
    start: StartEntry | None = None
    """``null`` when no start of this deployment was seen from here."""
    corrections: tuple[CorrectionEntry, ...] = ()
    reset: int | None = None
    """How many starts teach no more, after ``--reset``."""


def comparison_entry(row: Comparison) -> ComparisonEntry:
    """Return what is printed of one quantity."""
    return ComparisonEntry(
        quantity=row.quantity,
        unit=row.unit,
        predicted=row.predicted,
        low=row.low,
        high=row.high,
        actual=row.actual,
        difference=row.difference,
        verdict=row.verdict,
        corrected=row.corrected,
        why=None if row.why is None else row.why.en,
        why_zh_CN=None if row.why is None else row.why.zh_CN,
    )


def start_entry(record: StartRecord, compared: tuple[Comparison, ...]) -> StartEntry:
    """Return what is printed of a start."""
    return StartEntry(
        at=record.at,
        compared=tuple(map(comparison_entry, compared)),
        said={actual.quantity: actual.value for actual in record.actuals},
        chosen=record.chosen,
        durations=record.durations,
        simulated=record.simulated,
    )


def correction_entry(learned: Learned) -> CorrectionEntry:
    """Return what is printed of what was learned under one key."""
    return CorrectionEntry(
        id=learned.key.id,
        starts=learned.starts,
        last_at=learned.last_at,
        quantities=learned.corrections,
    )
