"""The memory picture of a plan: what each GPU holds, what is left, and where it comes from."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Literal

Fits = bool | Literal["unknown"]
Method = Literal["formula", "calibrated", "measured"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One value that goes into a formula."""

    name: str
    value: float | int | str
    unit: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """Where one quantity comes from."""

    quantity: str
    """Name of the field in `MemoryEstimate`."""
    source: str
    method: Method
    formula: str = ""
    """The arithmetic with its inputs, for example ``28 layers × 2 × 4 heads × 128 × 2 B``."""
    inputs: tuple[Input, ...] = ()
    """Values with unit and source."""
    id: str = ""
    """The formula's own name: engine and quantity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEstimate:
    """Bytes per GPU for one engine, model and set of parameters."""

    weights_bytes_per_gpu: int
    kv_bytes_per_token_per_gpu: int
    activation_bytes: int
    cuda_graph_bytes: int
    non_torch_bytes: int
    total_bytes_per_gpu: int
    """What the engine sees as the device's total (CUDA's, not NVML's), or host RAM on CPU."""
    usable_bytes_per_gpu: int
    """What the engine may use by its own meaning of its fraction."""
    kv_cache_bytes_per_gpu: int
    """Left for, or taken by, the KV cache; never negative."""
    kv_tokens: int
    max_concurrency: float
    """Requests of full context length that fit at once."""
    fits: Fits
    """The answer by these figures alone; `certain_fit` weighs it against what they may be off."""
    missing_bytes: int = 0
    """How much is lacking when ``fits`` is false."""
    margin_bytes: int | None = None
    """What one request of full context leaves over; below zero it lacks. ``None``: not known."""
    uncertain_bytes: int = 0
    """How far off the sum of weights, activation and the rest may be."""
    limits: tuple[str, ...] = ()
    basis: tuple[Basis, ...] = ()
    error_band: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Relative error per quantity: 0.01 means ±1 %."""
    corrections: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """What starts of this installation added to a quantity, in bytes; it is in the values."""
    gpu_count: int = 1
    on_cpu: bool = False


class Limit(StrEnum):
    """What holds an estimate back; ``MemoryEstimate.limits`` has ``code`` or ``code:detail``."""

    TOO_FEW_GPUS = "too_few_gpus"
    HEADS_NOT_DIVISIBLE = "heads_not_divisible"
    WEIGHTS_TOO_LARGE = "weights_too_large"
    NO_ROOM_FOR_KV = "no_room_for_kv"
    CONTEXT_TOO_LONG = "context_too_long"
    CONTEXT_ABOVE_MODEL = "context_above_model"
    CONTEXT_UNKNOWN = "context_unknown"
    CONCURRENCY_QUEUES = "concurrency_queues"
    """More requests are wanted than fit at full length: they wait or are preempted."""
    MEMORY_IN_USE = "memory_in_use"
    MEMORY_UNKNOWN = "memory_unknown"
    GRAPHS_DO_NOT_FIT = "graphs_do_not_fit"
    GRAPHS_TIGHT = "graphs_tight"
    """CUDA graphs come on top of the fraction and may not fit beside it: a warning."""
    RAM_TOO_SMALL = "ram_too_small"
    NO_GENERATION = "no_generation"
    WITHIN_ERROR = "within_error"
    """What is left or lacks is less than the figures may be off. Detail: that error in bytes."""
    OUTSIDE_CALIBRATION = "outside_calibration"
    """Detail: gpu, version, tensor_parallel, prefill_tokens, experts, latent_attention, …"""
    ENGINE_NOT_MEASURED = "engine_not_measured"
    VISION_NOT_COUNTED = "vision_not_counted"
    PROMPT_CACHE_RAM = "prompt_cache_ram"
    ARCHITECTURE_UNKNOWN = "architecture_unknown"
    """Read by the usual names of its fields."""
    QUANTIZATION_UNKNOWN = "quantization_unknown"
    """Neither the method nor its bits are known: weights are counted as if there were none."""


_ENOUGH_MEMORY: Final = frozenset(
    {Limit.WEIGHTS_TOO_LARGE, Limit.NO_ROOM_FOR_KV, Limit.CONTEXT_TOO_LONG}
)
"""Refusals that a little more memory would lift."""
_NOTES: Final = frozenset(
    {
        Limit.CONTEXT_ABOVE_MODEL,
        Limit.CONTEXT_UNKNOWN,
        Limit.CONCURRENCY_QUEUES,
        Limit.GRAPHS_TIGHT,
        Limit.OUTSIDE_CALIBRATION,
        Limit.ENGINE_NOT_MEASURED,
        Limit.VISION_NOT_COUNTED,
        Limit.ARCHITECTURE_UNKNOWN,
        Limit.QUANTIZATION_UNKNOWN,
    }
)
"""Limits that refuse nothing."""


def certain_fit(estimate: MemoryEstimate) -> MemoryEstimate:
    """Return the estimate with "unknown" for an answer that its own error may turn round.

    Planning stays with the figures: it proposes what fits by them and leaves its own reserve.
    """
    margin, uncertain = estimate.margin_bytes, estimate.uncertain_bytes
    codes = {each.partition(":")[0] for each in estimate.limits}
    if margin is None or estimate.fits == "unknown" or codes - _ENOUGH_MEMORY - _NOTES:
        return estimate
    if abs(margin) > uncertain:
        return estimate
    near = limit(Limit.WITHIN_ERROR, uncertain)
    return replace(estimate, fits="unknown", limits=(*estimate.limits, near))


def limit(code: Limit, detail: object = "") -> str:
    """Write a limit with its detail."""
    return f"{code}:{detail}" if detail != "" else str(code)
