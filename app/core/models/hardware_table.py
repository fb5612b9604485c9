"""What hardware would do: one row per candidate, and the smallest that meets a goal."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from app.core.errors import AppError
from app.core.models.inverse import Ask, spread
from app.core.models.memory import Fits, MemoryEstimate
from app.core.models.request import Device, EstimateOptions
from app.core.units import MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """GPUs that might be used: those of a host, or of a product in a count."""

    device: Device
    owned_by: str = ""
    """Name of the host that has them; empty for the catalogue."""
    used: int = 1
    """How many of them the model is divided over."""
    seen_at: str = ""
    """When the host's facts were taken (UTC); empty for the catalogue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HardwareRow:
    """What one candidate would give."""

    gpu: str
    gpu_count: int
    owned_by: str
    memory_bytes: int
    """Of all its GPUs together."""
    fits: Fits
    meets: bool
    """It fits and holds as many requests of full length as wanted."""
    kv_tokens: int
    max_concurrency: float
    limits: tuple[str, ...]
    kv_error: float
    smallest: bool = False
    """The least memory, then the fewest GPUs, of all that meet the goal; owned ones come first."""
    used_bytes: int = 0
    """Held by others on the fullest of its GPUs when the host's facts were taken."""
    seen_at: str = ""
    """When the host's facts were taken (UTC); empty for the catalogue."""


def hardware_table(
    candidates: Iterable[Candidate], ask: Ask, options: EstimateOptions
) -> tuple[HardwareRow, ...]:
    """Return a row for each candidate: owned hosts first, then smallest memory first.

    ``options`` hold the goal: ``context_tokens`` and ``concurrency`` (by default one request).
    At most one row is marked as the smallest that is enough. Candidates that the engine cannot be
    asked about are left out.
    """
    rows = []
    for candidate in candidates:
        try:
            found = ask(candidate.device, spread(options, candidate.used))
        except AppError:
            continue
        rows.append(_row(candidate, found, options.concurrency or 1))
    rows.sort(key=lambda row: (not row.owned_by, row.memory_bytes, row.gpu_count, row.gpu))
    best = next((row for row in rows if row.meets), None)
    return tuple(replace(row, smallest=row is best) for row in rows)


def _row(candidate: Candidate, found: MemoryEstimate, concurrency: int) -> HardwareRow:
    device = candidate.device
    return HardwareRow(
        gpu=device.name,
        gpu_count=candidate.used,
        owned_by=candidate.owned_by,
        memory_bytes=(device.memory_total_mib or 0) * MIB * candidate.used,
        fits=found.fits,
        meets=found.fits is True and found.max_concurrency >= concurrency,
        kv_tokens=found.kv_tokens,
        max_concurrency=found.max_concurrency,
        limits=found.limits,
        kv_error=found.error_band.get("kv_tokens", 0.0),
        used_bytes=device.used_bytes,
        seen_at=candidate.seen_at,
    )
