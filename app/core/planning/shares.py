"""The memory fraction of a plan, in its engine's own meaning of it.

The engine's default, unless others hold memory, the user set a limit per GPU, or little memory is
the goal: then just what the wanted requests need.
"""

import math
from dataclasses import dataclass, replace
from typing import Final

from app.core.engines.spec import FractionMeaning, FractionRule, PlanField
from app.core.hardware.fingerprint import Gpu
from app.core.models.memory import Limit, MemoryEstimate
from app.core.planning.host_view import GpuChoice
from app.core.planning.plan import GoalKind
from app.core.planning.sizing import Case, gib
from app.core.texts import Reason, sourced
from app.core.units import MIB
from app.core.versions import in_span

_SPARE_MIB: Final = 1024
"""Left beside other processes for the CUDA context of the engine's own."""

_MARGIN: Final = 1.03
"""Room above what little memory needs: an estimate that is 3 % low must still start."""

_LEAST: Final = 0.01
_MOST: Final = 0.99
"""Shares an engine is started with at all."""

_OWN_GUESS: Final = 0.8
"""Weights above this share of the free memory may not fit into what SGLang works out (0.8 to 0.9).

Source: SGLang 0.5.23, server_args, default of the static fraction.
"""

_TOO_FULL: Final = 0.92
"""Weights above this leave too little for requests: more GPUs are the way, not a higher share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A fraction and why; ``None`` leaves it to an engine that works it out by itself."""

    value: float | None
    code: str
    cap_bytes: int | None = None
    is_own: bool = False
    """The user's own flag says so: it is neither raised nor lowered."""


def first_share(case: Case, choice: GpuChoice) -> Share:
    """Return the user's own, else the engine's default; less where others hold memory."""
    if (own := case.own.share(PlanField.MEMORY_FRACTION)) is not None:
        return Share(value=own, code="own_value", is_own=True)
    default = default_fraction(case)
    if default is None:
        return Share(value=None, code="fraction_by_engine")
    if default.meaning is not FractionMeaning.OF_TOTAL:
        return Share(value=default.value, code=f"fraction_{default.meaning.value}")
    free = min(_free_share(gpu) for gpu in choice.gpus)
    if free < default.value:
        return Share(value=free, code="fraction_shared")
    return Share(value=default.value, code="fraction_default")


def spared_share(share: Share, estimate: MemoryEstimate) -> Share:
    """Return a share that others leave free, where the first took more than that."""
    in_use = any(limit.startswith(Limit.MEMORY_IN_USE) for limit in estimate.limits)
    if not in_use or share.value is None or not estimate.total_bytes_per_gpu:
        return share
    value = share.value - estimate.missing_bytes / estimate.total_bytes_per_gpu
    return Share(value=max(0.01, math.floor(value * 100) / 100), code="fraction_shared")


def raised_share(share: Share, choice: GpuChoice, estimate: MemoryEstimate) -> Share:
    """Return a share for weights that take most of the GPU, instead of the engine's guess.

    The share an engine works out by itself knows nothing of the weights: it can lie below them.
    """
    total = estimate.total_bytes_per_gpu
    if share.value is not None or not total:
        return share
    free = total - max((gpu.memory_used_mib or 0) for gpu in choice.gpus) * MIB
    least = estimate.weights_bytes_per_gpu / max(1, free)
    most = 1 - (estimate.activation_bytes + estimate.non_torch_bytes) / max(1, free)
    if not _OWN_GUESS < least < _TOO_FULL or most <= least:
        return share
    # Nearer to the upper end: a little of the pool must be left for requests.
    value = math.floor(100 * (least + 0.75 * (most - least))) / 100
    return Share(value=value, code="fraction_weights", cap_bytes=estimate.weights_bytes_per_gpu)


def lowered_share(
    case: Case, choice: GpuChoice, estimate: MemoryEstimate, first: Share, requests: int
) -> Share:
    """Return a smaller share where a limit was set or little memory is wanted.

    Args:
        case: Gives goal and engine.
        choice: The GPUs.
        estimate: What the first share gives.
        first: The share it was made with.
        requests: How many of full length the cache has to hold for little memory.
    """
    limit, total = case.goal.memory_bytes_per_gpu, estimate.total_bytes_per_gpu
    if not total or (limit is None and case.goal.kind is not GoalKind.MEMORY):
        return first
    held = _held(estimate)
    per_request = estimate.kv_cache_bytes_per_gpu / max(estimate.max_concurrency, 0.01)
    wanted = int((held + per_request * requests) * _MARGIN)
    needed = math.ceil(_of_meaning(case, choice, estimate, first, wanted) * 100) / 100
    value, cap, code = needed, wanted, "fraction_needed"
    if limit is not None:
        inside = limit - _beside_share(case, estimate)
        most = _of_meaning(case, choice, estimate, first, inside)
        capped = max(_LEAST, math.floor(most * 1000) / 1000)
        if case.goal.kind is not GoalKind.MEMORY or capped < needed:
            value, cap, code = capped, limit, "fraction_limit"
    if first.value is not None and value >= first.value:
        return first
    return Share(value=value, code=code, cap_bytes=cap)


def within_limit(case: Case, estimate: MemoryEstimate) -> MemoryEstimate:
    """Return the picture as one that does not fit where it takes more than the goal allows.

    No share is small enough for weights above the limit: some are of what the weights leave.
    """
    limit = case.goal.memory_bytes_per_gpu
    held = _held(estimate) + estimate.kv_cache_bytes_per_gpu
    if limit is None or estimate.fits is False or held <= limit:
        return estimate
    return replace(estimate, fits=False, usable_bytes_per_gpu=limit, missing_bytes=held - limit)


def share_reason(case: Case, choice: GpuChoice, share: Share) -> Reason:
    """Return the sentence for a share."""
    default = default_fraction(case)
    reason = case.reason(
        share.code,
        "memory_fraction",
        value="" if share.value is None else f"{share.value:g}",
        default="" if default is None else f"{default.value:g}",
        used_mib=max(gpu.memory_used_mib or 0 for gpu in choice.gpus),
        cap_gib="" if share.cap_bytes is None else gib(share.cap_bytes),
    )
    if default is None:
        return reason
    return replace(reason, source=sourced(default.source, default.checked))


def meaning_of(case: Case) -> FractionMeaning:
    """Return what this engine's fraction is a share of; SGLang's own when it has no default."""
    default = default_fraction(case)
    return FractionMeaning.OF_FREE_BEFORE_LOAD if default is None else default.meaning


def default_fraction(case: Case) -> FractionRule | None:
    """Return the engine's default in this version; ``None`` when it works it out."""
    engine = case.engine.engine
    for rule in engine.memory_fraction:
        if in_span(case.image.version, rule.since, rule.until, engine.version_scheme):
            return rule
    return None


def _held(estimate: MemoryEstimate) -> int:
    return (
        estimate.weights_bytes_per_gpu
        + estimate.activation_bytes
        + estimate.cuda_graph_bytes
        + estimate.non_torch_bytes
    )


def _beside_share(case: Case, estimate: MemoryEstimate) -> int:
    """Return what an engine takes on top of a share of all memory: vLLM's CUDA graphs."""
    if meaning_of(case) is not FractionMeaning.OF_TOTAL:
        return 0
    taken = _held(estimate) + estimate.kv_cache_bytes_per_gpu
    return max(0, taken - estimate.usable_bytes_per_gpu)


def _of_meaning(
    case: Case, choice: GpuChoice, estimate: MemoryEstimate, first: Share, cap: int
) -> float:
    total = estimate.total_bytes_per_gpu
    free = total - max((gpu.memory_used_mib or 0) for gpu in choice.gpus) * MIB
    match meaning_of(case):
        case FractionMeaning.OF_TOTAL:
            share = cap / total
        case FractionMeaning.OF_FREE_BEFORE_LOAD:
            beside = estimate.activation_bytes + estimate.non_torch_bytes
            share = (cap - beside) / max(1, free)
        case FractionMeaning.OF_FREE_AFTER_LOAD:
            # What the first share gave tells what it is one of: LMDeploy keeps nothing back
            # for the runtime, TensorRT-LLM does.
            pool = estimate.kv_cache_bytes_per_gpu / (first.value or 1)
            share = (cap - _held(estimate)) / max(1, pool)
    return min(_MOST, max(_LEAST, share))


def _free_share(gpu: Gpu) -> float:
    """Return the share that is free; 1 when nobody holds memory or it is not known."""
    total, used = gpu.memory_total_mib, gpu.memory_used_mib
    if not total or not used:
        return 1.0
    visible = total - (gpu.memory_reserved_mib or 0)
    return max(0.01, math.floor(100 * (visible - used - _SPARE_MIB) / visible) / 100)
