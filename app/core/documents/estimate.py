"""Document of ``pitwall estimate``."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from app.core.documents.comparison import ComparisonEntry
from app.core.models.hardware_table import HardwareRow
from app.core.models.inverse import Solution
from app.core.models.memory import Basis, Fits, MemoryEstimate, certain_fit


@dataclass(frozen=True, slots=True, kw_only=True)
class SolvedDocument:
    """The best value of what was looked for."""

    wanted: str
    """``context`` (tokens), ``concurrency`` (requests) or ``tp`` (GPUs)."""
    value: int | None
    """``null``: none fits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateDocument:
    """The memory picture of one engine, model and GPU; all sizes in bytes per GPU."""

    schema: Literal["pitwall.estimate/1"] = "pitwall.estimate/1"
    model: str
    engine: str
    engine_version: str
    gpu: str
    gpu_count: int
    weights_bytes_per_gpu: int
    kv_bytes_per_token_per_gpu: int
    activation_bytes: int
    cuda_graph_bytes: int
    non_torch_bytes: int
    total_bytes_per_gpu: int
    usable_bytes_per_gpu: int
    kv_cache_bytes_per_gpu: int
    kv_tokens: int
    max_concurrency: float
    fits: Fits
    missing_bytes: int
    limits: tuple[str, ...]
    basis: tuple[Basis, ...]
    error_band: Mapping[str, float]
    solved: SolvedDocument | None = None
    """The best value, where one was looked for; the rest is the picture it leads to."""
    compared: tuple[ComparisonEntry, ...] = ()
    """Beside what a log says, where one was given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SizingDocument:
    """What hardware would do for a goal: owned hosts first, then smallest memory first."""

    schema: Literal["pitwall.sizing/1"] = "pitwall.sizing/1"
    model: str
    engine: str
    engine_version: str
    context_tokens: int | None
    concurrency: int
    rows: tuple[HardwareRow, ...]
    solved: SolvedDocument | None = None
    """The best value on the GPU that was named, where one was looked for."""
    unread: tuple[str, ...] = ()
    """Names of hosts whose stored facts could not be read."""


def sizing_document(
    rows: tuple[HardwareRow, ...],
    *,
    model: str,
    engine: str,
    engine_version: str,
    context_tokens: int | None,
    concurrency: int,
    solution: Solution | None = None,
    unread: tuple[str, ...] = (),
) -> SizingDocument:
    """Wrap a table of hardware with what it was asked for."""
    return SizingDocument(
        model=model,
        engine=engine,
        engine_version=engine_version,
        context_tokens=context_tokens,
        concurrency=concurrency,
        rows=rows,
        solved=_solved(solution),
        unread=unread,
    )


def _solved(solution: Solution | None) -> SolvedDocument | None:
    if solution is None:
        return None
    return SolvedDocument(wanted=solution.wanted.value, value=solution.value)


def estimate_document(
    estimate: MemoryEstimate,
    *,
    model: str,
    engine: str,
    engine_version: str,
    gpu: str,
    solution: Solution | None = None,
) -> EstimateDocument:
    """Wrap an estimate with what it was asked for; what its error may turn round is unknown."""
    estimate = certain_fit(estimate)
    return EstimateDocument(
        model=model,
        engine=engine,
        engine_version=engine_version,
        gpu=gpu,
        gpu_count=estimate.gpu_count,
        weights_bytes_per_gpu=estimate.weights_bytes_per_gpu,
        kv_bytes_per_token_per_gpu=estimate.kv_bytes_per_token_per_gpu,
        activation_bytes=estimate.activation_bytes,
        cuda_graph_bytes=estimate.cuda_graph_bytes,
        non_torch_bytes=estimate.non_torch_bytes,
        total_bytes_per_gpu=estimate.total_bytes_per_gpu,
        usable_bytes_per_gpu=estimate.usable_bytes_per_gpu,
        kv_cache_bytes_per_gpu=estimate.kv_cache_bytes_per_gpu,
        kv_tokens=estimate.kv_tokens,
        max_concurrency=estimate.max_concurrency,
        fits=estimate.fits,
        missing_bytes=estimate.missing_bytes,
        limits=estimate.limits,
        basis=estimate.basis,
        error_band=estimate.error_band,
        solved=_solved(solution),
    )
