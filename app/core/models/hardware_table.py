"""What hardware would do: one row per candidate, and the smallest that meets a goal."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from app.core.errors import AppError
from app.core.models.inverse import Ask, spread
from app.core.models.memory import Fits, MemoryEstimate
from app.core.models.request import Device, EstimateOptions
from app.core.texts import Reason
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
    architecture: str | None = None
    """Of the host's CPU as ``uname -m`` says; ``None`` where it is not known."""
    driver: str | None = None
    is_data_centre: bool = False
    """Whether its GPUs may run images made for newer drivers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suitability:
    """Whether the engine runs the model on a candidate at all, however much memory it has."""

    refused: Reason | None = None
    """Why it does not."""
    dtype: str = ""
    """Type of the weights that has to be taken there; empty: as asked."""


Judge = Callable[[Candidate], Suitability]


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
    """It runs there, fits and holds as many requests of full length as wanted."""
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
    refused: Reason | None = None
    """Why the engine does not run the model there; its memory is counted all the same."""
    dtype: str = ""
    """Type of the weights that has to be taken there; empty: as asked."""


def runs_everywhere(_candidate: Candidate) -> Suitability:
    """Judge by memory alone."""
    return Suitability()


def hardware_table(
    candidates: Iterable[Candidate],
    ask: Ask,
    options: EstimateOptions,
    judge: Judge = runs_everywhere,
) -> tuple[HardwareRow, ...]:
    """Return a row for each candidate: owned hosts first, then smallest memory first.

    ``options`` hold the goal: ``context_tokens`` and ``concurrency`` (by default one request).
    At most one row is marked as the smallest that is enough. Candidates that the engine cannot be
    asked about are left out.
    """
    rows = []
    plain = replace(options, with_basis=False)
    for candidate in candidates:
        suitable = judge(candidate)
        wanted = replace(plain, dtype=suitable.dtype) if suitable.dtype else plain
        try:
            found = ask(candidate.device, spread(wanted, candidate.used))
        except AppError:
            continue
        rows.append(_row(candidate, found, suitable, options.concurrency or 1))
    rows.sort(key=lambda row: (not row.owned_by, row.memory_bytes, row.gpu_count, row.gpu))
    best = next((row for row in rows if row.meets), None)
    return tuple(replace(row, smallest=row is best) for row in rows)


def _row(
    candidate: Candidate, found: MemoryEstimate, suitable: Suitability, concurrency: int
) -> HardwareRow:
    device = candidate.device
    return HardwareRow(
        gpu=device.name,
        gpu_count=candidate.used,
        owned_by=candidate.owned_by,
        memory_bytes=(device.memory_total_mib or 0) * MIB * candidate.used,
        fits=found.fits,
        meets=suitable.refused is None
        and found.fits is True
        and found.max_concurrency >= concurrency,
        kv_tokens=found.kv_tokens,
        max_concurrency=found.max_concurrency,
        limits=found.limits,
        kv_error=found.error_band.get("kv_tokens", 0.0),
        used_bytes=device.used_bytes,
        seen_at=candidate.seen_at,
        refused=suitable.refused,
        dtype=suitable.dtype,
    )
