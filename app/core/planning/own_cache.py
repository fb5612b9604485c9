"""A KV cache of a size that the user set outright: the engine's share of the memory is ignored.

Source: vLLM 0.33.0, --kv-cache-memory-bytes: “ignores gpu-memory-utilization and skips profiling”.
"""

from dataclasses import replace

from app.core.models.memory import Limit, MemoryEstimate, limit
from app.core.models.request import Device, EstimateOptions


def with_own_cache(
    estimate: MemoryEstimate, size: int, *, device: Device, options: EstimateOptions
) -> MemoryEstimate:
    """Return the picture with a cache of ``size`` bytes per GPU instead of what a share leaves."""
    held = (
        estimate.weights_bytes_per_gpu
        + estimate.activation_bytes
        + estimate.cuda_graph_bytes
        + estimate.non_torch_bytes
    )
    free = estimate.total_bytes_per_gpu - device.used_bytes
    tokens = size // max(1, estimate.kv_bytes_per_token_per_gpu)
    context = options.context_tokens or 1
    missing = max(0, held + size - free) if estimate.total_bytes_per_gpu else 0
    limits = [limit(Limit.NO_ROOM_FOR_KV)] if missing else []
    if tokens < context:
        limits.append(limit(Limit.CONTEXT_TOO_LONG, tokens))
    kept = [each for each in estimate.limits if each.partition(":")[0] not in _BY_SHARE]
    return replace(
        estimate,
        kv_cache_bytes_per_gpu=size,
        kv_tokens=tokens,
        max_concurrency=tokens / context,
        usable_bytes_per_gpu=free,
        missing_bytes=missing or max(0, context - tokens) * estimate.kv_bytes_per_token_per_gpu,
        fits=estimate.fits if estimate.fits == "unknown" else not limits,
        limits=(*limits, *kept),
    )


_BY_SHARE = frozenset(
    {
        Limit.NO_ROOM_FOR_KV,
        Limit.CONTEXT_TOO_LONG,
        Limit.CONCURRENCY_QUEUES,
        Limit.MEMORY_IN_USE,
        Limit.WEIGHTS_TOO_LARGE,
    }
)
"""Limits that come from the share alone."""
