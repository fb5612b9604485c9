"""Does it fit in vLLM, what holds it back, and how sure is that."""

from dataclasses import dataclass

from app.core.models.architecture import ModelInfo
from app.core.models.calibration import MeasuredRange, VllmCalibration
from app.core.models.memory import Fits, Limit, limit
from app.core.models.paged import PagedCache
from app.core.models.parallelism import split_problem
from app.core.models.request import Device, EstimateOptions
from app.core.models.vllm_parts import VllmParts
from app.core.units import MIB
from app.core.versions import in_loose_span


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The answer with its limits, refusals first."""

    fits: Fits
    missing: int
    limits: tuple[str, ...]


def judge(
    model: ModelInfo,
    device: Device,
    options: EstimateOptions,
    parts: VllmParts,
    cache: PagedCache,
    *,
    left: int,
    usable: int,
    share: int,
) -> Verdict:
    """Say whether the model starts, what refuses it, and how many bytes are lacking.

    ``share`` is what has to be free at the start, ``usable`` what may be taken in all: they differ
    where the cache has a given size. ``left`` is below zero when that does not fit.
    """
    arch, refused, notes = model.architecture, [], []
    gpus = options.tensor_parallel_size * options.pipeline_parallel_size
    if gpus > device.count:
        refused.append(limit(Limit.TOO_FEW_GPUS, f"{gpus}>{device.count}"))
    uneven = split_problem(
        model, options.tensor_parallel_size, expert_parallel=options.expert_parallel
    )
    if uneven is not None:
        refused.append(limit(Limit.HEADS_NOT_DIVISIBLE, uneven))
    if arch.is_multimodal:
        notes.append(str(Limit.VISION_NOT_COUNTED))
    if parts.context is None:
        notes.append(str(Limit.CONTEXT_UNKNOWN))
    elif arch.max_context is not None and parts.context > arch.max_context:
        notes.append(limit(Limit.CONTEXT_ABOVE_MODEL, f"{parts.context}>{arch.max_context}"))
    if parts.total is None:
        notes.append(str(Limit.MEMORY_UNKNOWN))
        return Verdict(fits=False if refused else "unknown", missing=0, limits=(*refused, *notes))
    missing = max(
        _share_missing(device, parts, share, refused),
        _cache_missing(options, parts, cache, refused, left=left, usable=usable),
    )
    graphs = _graphs_beside(parts, usable)
    if not refused and graphs > 0:
        if parts.graphs_seen:
            refused.append(limit(Limit.GRAPHS_DO_NOT_FIT, graphs))
            missing = graphs
        else:
            notes.append(limit(Limit.GRAPHS_TIGHT, graphs))
    wanted = options.concurrency
    if not refused and wanted is not None and cache.max_concurrency < wanted:
        notes.append(limit(Limit.CONCURRENCY_QUEUES, f"{cache.max_concurrency:.1f}<{wanted}"))
    return Verdict(fits=not refused, missing=missing, limits=(*refused, *notes))


def _share_missing(device: Device, parts: VllmParts, share: int, refused: list[str]) -> int:
    """Return how many bytes of the share others hold; add that it is refused."""
    total = parts.total.total_bytes if parts.total else 0
    free = total - device.used_bytes - parts.context_memory
    if not device.used_bytes or free >= share:
        return 0
    refused.append(limit(Limit.MEMORY_IN_USE, device.used_bytes))
    return share - free


def _cache_missing(
    options: EstimateOptions,
    parts: VllmParts,
    cache: PagedCache,
    refused: list[str],
    *,
    left: int,
    usable: int,
) -> int:
    """Return how many bytes the cache lacks for one request; add what refuses it."""
    needed = one_request(parts, cache)
    if options.kv_cache_bytes is not None and left < 0:
        needed = 0  # it is the given cache itself that does not fit
    if left >= needed:
        return 0
    if parts.weights_bytes >= usable:
        refused.append(str(Limit.WEIGHTS_TOO_LARGE))
    elif left <= 0:
        refused.append(str(Limit.NO_ROOM_FOR_KV))
    else:
        refused.append(limit(Limit.CONTEXT_TOO_LONG, f"{parts.context}>{cache.tokens}"))
    return needed - left


def one_request(parts: VllmParts, cache: PagedCache) -> int:
    """Return the bytes of cache that one request of full context takes."""
    return cache.blocks_per_request * cache.block_bytes if parts.layout.keeps_anything else 0


def _graphs_beside(parts: VllmParts, usable: int) -> int:
    """Return how many bytes of CUDA graphs find no room outside the engine's fraction."""
    total = parts.total.total_bytes if parts.total else 0
    outside = max(0, total - usable - parts.context_memory)
    return parts.graphs.size_bytes - parts.counted_graphs - outside


def measured_range(
    *,
    data: VllmCalibration,
    version: str,
    device: Device,
    options: EstimateOptions,
    parts: VllmParts,
    model: ModelInfo,
) -> tuple[MeasuredRange | None, tuple[str, ...]]:
    """Return the measured range this case lies in, or what lies outside the nearest one."""
    arch = model.architecture
    nearest: tuple[str, ...] | None = None
    # Ranges of the same kind of model first: they are the ones worth naming.
    ranges = sorted(
        data.range,
        key=lambda entry: (
            entry.latent_attention != (arch.kv_lora_rank is not None),
            entry.mixture_of_experts != (arch.experts is not None),
        ),
    )
    for entry in ranges:
        outside = _outside(entry, version, device, options, parts)
        if entry.mixture_of_experts != (arch.experts is not None):
            outside += ("experts",)
        if entry.latent_attention != (arch.kv_lora_rank is not None):
            outside += ("latent_attention",)
        if arch.sliding_layers and not entry.sliding_window:
            outside += ("sliding_window",)
        if arch.recurrent is not None and not entry.recurrent:
            outside += ("recurrent",)
        if arch.is_generic:
            outside += ("architecture",)
        if not outside:
            return entry, ()
        if nearest is None:
            nearest = outside
    return None, nearest or ()


def _outside(
    entry: MeasuredRange, version: str, device: Device, options: EstimateOptions, parts: VllmParts
) -> tuple[str, ...]:
    checks = {
        "gpu": entry.gpu in device.name.lower(),
        "version": in_loose_span(version, entry.version_since, entry.version_until),
        "tensor_parallel": options.tensor_parallel_size <= entry.tensor_parallel_max,
        "pipeline_parallel": options.pipeline_parallel_size == 1,
        "prefill_tokens": entry.prefill_tokens_min
        <= parts.batch.tokens
        <= entry.prefill_tokens_max,
        "quantization": parts.weights.quantization.method in entry.quantizations,
    }
    return tuple(name for name, inside in checks.items() if not inside)


def uncertain_bytes(
    data: VllmCalibration, measured: MeasuredRange | None, parts: VllmParts
) -> float:
    """Return how far off what is taken from the GPU may be; what is left inherits it."""
    weights = measured.weights_error if measured else data.outside_weights_error
    activation = measured.activation_error if measured else data.outside_activation_error
    wrong = weights * parts.weights_bytes + activation * parts.activation.size_bytes
    wrong += _graph_error(data, measured) * parts.counted_graphs
    return wrong + (0 if measured else data.outside_other_mib * MIB)


def _graph_error(data: VllmCalibration, measured: MeasuredRange | None) -> float:
    return measured.cuda_graph_error if measured else data.outside_activation_error


def error_band(
    data: VllmCalibration,
    measured: MeasuredRange | None,
    parts: VllmParts,
    left: int,
    *,
    given: int | None = None,
) -> dict[str, float]:
    """Return the relative error to expect of each quantity; a cache of a given size has none."""
    weights = measured.weights_error if measured else data.outside_weights_error
    activation = measured.activation_error if measured else data.outside_activation_error
    graph = _graph_error(data, measured)
    floor = measured.kv_error if measured else 0.0
    kv = data.outside_kv_error
    if left > 0:
        kv = max(floor, uncertain_bytes(data, measured, parts) / left)
    if given is not None and left == given:
        kv = 0.0
    return {
        "weights_bytes_per_gpu": weights,
        "kv_bytes_per_token_per_gpu": 0.0,
        "activation_bytes": activation,
        "cuda_graph_bytes": graph,
        "kv_cache_bytes_per_gpu": kv,
        "kv_tokens": kv,
    }
