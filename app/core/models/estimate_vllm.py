"""vLLM's memory: a fraction of the GPU's total, less weights, profiling peak and the rest.

``kv = ⌈total × fraction⌉ − weights − activation peak − non-torch − CUDA graphs`` where the
version takes graphs off. Source: vLLM v1/worker/gpu_worker.py.
"""

import math
from dataclasses import dataclass
from typing import Final

from app.core.models.architecture import ModelInfo
from app.core.models.calibration import Calibration, MeasuredRange, Runner, VllmCalibration
from app.core.models.cuda_total import Total, cuda_total
from app.core.models.kv import KvLayout, PagedCache, kv_layout, paged_cache, split_kv_dtype
from app.core.models.memory import Basis, Fits, Limit, MemoryEstimate, Method, limit
from app.core.models.parallelism import tensor_parallel_problem
from app.core.models.request import Device, EstimateOptions
from app.core.models.versions import in_range
from app.core.models.vllm_profile import (
    Batch,
    Peak,
    activation_peak,
    batch_of,
    graph_memory,
    runner_of,
)
from app.core.models.weights import (
    Weights,
    allocation_of,
    latent_copies_bytes,
    weights_per_gpu,
)
from app.core.units import MIB

_BLOCK: Final = 16
_MLA_BLOCK: Final = 64
"""FlashMLA's block. Source: vLLM --block-size, per backend."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """Everything that is computed before the verdict."""

    total: Total | None
    fraction: float
    fraction_source: str
    context: int | None
    runner: Runner
    batch: Batch
    weights: Weights
    weights_bytes: int
    activation: Peak
    graphs: Peak
    graph_source: str
    graphs_seen: bool
    """The size was observed for this architecture, not computed."""
    counted_graphs: int
    non_torch: int
    context_memory: int
    layout: KvLayout
    block_size: int


def estimate_vllm(
    *,
    model: ModelInfo,
    version: str,
    device: Device,
    options: EstimateOptions,
    calibration: Calibration,
) -> MemoryEstimate:
    """Return vLLM's memory picture; `app.core.models.estimate.estimate_memory` is the entry."""
    parts = _parts(model, version, device, options, calibration)
    total_bytes = parts.total.total_bytes if parts.total else 0
    usable = math.ceil(total_bytes * parts.fraction)
    left = (
        usable
        - parts.weights_bytes
        - parts.activation.size_bytes
        - parts.non_torch
        - parts.counted_graphs
    )
    cache = _cache(parts, left, options)
    verdict = _verdict(model, device, options, parts, cache, left=left, usable=usable)
    measured, outside = _measured(
        data=calibration.vllm,
        version=version,
        device=device,
        options=options,
        parts=parts,
        model=model,
    )
    return MemoryEstimate(
        weights_bytes_per_gpu=parts.weights_bytes,
        kv_bytes_per_token_per_gpu=parts.layout.bytes_per_token,
        activation_bytes=parts.activation.size_bytes,
        cuda_graph_bytes=parts.graphs.size_bytes,
        non_torch_bytes=parts.non_torch,
        total_bytes_per_gpu=total_bytes,
        usable_bytes_per_gpu=usable,
        kv_cache_bytes_per_gpu=max(0, left),
        kv_tokens=cache.tokens,
        max_concurrency=cache.max_concurrency,
        fits=verdict.fits,
        missing_bytes=verdict.missing,
        limits=(*verdict.limits, *(limit(Limit.OUTSIDE_CALIBRATION, what) for what in outside)),
        basis=_basis(parts, calibration.vllm, measured),
        error_band=_band(calibration.vllm, measured, parts, left),
        gpu_count=options.tensor_parallel_size * options.pipeline_parallel_size,
        on_cpu=device.is_cpu,
    )


def _parts(
    model: ModelInfo,
    version: str,
    device: Device,
    options: EstimateOptions,
    calibration: Calibration,
) -> _Parts:
    data, arch = calibration.vllm, model.architecture
    tp, pp = options.tensor_parallel_size, options.pipeline_parallel_size
    total = _total(device, calibration)
    context = options.context_tokens or arch.max_context
    fraction, fraction_source = _fraction(data, version, options)
    runner = runner_of(data, version, arch)
    batch = batch_of(
        data,
        version,
        gpu=device.name,
        total_bytes=total.total_bytes if total else 0,
        context_tokens=context or 0,
        prefill_tokens=options.prefill_tokens,
        max_num_seqs=options.max_num_seqs,
    )
    weights = weights_per_gpu(
        model,
        tp=tp,
        pp=pp,
        dtype=options.dtype,
        quantization=options.quantization,
        compute_cap=device.compute_cap,
        weights_bytes=options.weights_bytes,
        allocation=allocation_of(
            data.weights.allocation_unit_mib, data.weights.allocation_from_mib
        ),
    )
    layout = kv_layout(
        arch,
        tensor_parallel_size=tp,
        pipeline_parallel_size=pp,
        kv_dtype=options.kv_dtype,
        model_dtype=model.dtype if options.dtype == "auto" else options.dtype,
    )
    activation = activation_peak(
        arch,
        runner,
        batch,
        tp=tp,
        eager=options.enforce_eager or device.is_cpu,
        dtype_bytes=weights.dtype_bytes,
        fp8_activations=weights.quantization.method == "fp8",
        context_tokens=context or 0,
    )
    graphs, graph_source, graphs_seen = _graphs(
        model=model, data=data, version=version, batch=batch, options=options, device=device
    )
    counts = runner.counts_cuda_graphs_since
    counted = 0
    if counts is not None and in_range(version, counts, None):
        counted = int(graphs.size_bytes * runner.graph_estimate_share)
    several = tp * pp > 1
    return _Parts(
        total=total,
        fraction=fraction,
        fraction_source=fraction_source,
        context=context,
        runner=runner,
        batch=batch,
        weights=weights,
        weights_bytes=weights.bytes_per_gpu
        + _loading_bytes(model, data, options, weights, context),
        activation=activation,
        graphs=graphs,
        graph_source=graph_source,
        graphs_seen=graphs_seen,
        counted_graphs=counted,
        non_torch=_mib(
            data.non_torch.profiled_tensor_parallel_mib if several else data.non_torch.profiled_mib,
            device,
        ),
        context_memory=_mib(
            data.non_torch.context_tensor_parallel_mib if several else data.non_torch.context_mib,
            device,
        ),
        layout=layout,
        block_size=options.block_size or (_MLA_BLOCK if arch.kv_lora_rank else _BLOCK),
    )


def _mib(amount: int, device: Device) -> int:
    return 0 if device.is_cpu else amount * MIB


def _total(device: Device, calibration: Calibration) -> Total | None:
    if not device.is_cpu:
        return cuda_total(device, calibration.devices)
    if device.ram_bytes is None:
        return None
    basis = Basis(quantity="total_bytes_per_gpu", source="main memory", method="measured")
    return Total(total_bytes=device.ram_bytes, basis=basis)


def _fraction(data: VllmCalibration, version: str, options: EstimateOptions) -> tuple[float, str]:
    if options.memory_fraction is not None:
        return min(1.0, max(0.0, options.memory_fraction)), "asked for"
    for entry in data.fraction_default:
        if in_range(version, entry.since, entry.until):
            return entry.fraction, f"{entry.source}, {entry.checked}"
    return 0.9, "engine default"


def _loading_bytes(
    model: ModelInfo,
    data: VllmCalibration,
    options: EstimateOptions,
    weights: Weights,
    context: int | None,
) -> int:
    """Return what loading keeps beside the tensors: rotary table, scales, reduce buffers."""
    arch, coefficients = model.architecture, data.weights
    rotary = arch.qk_rope_head_dim or arch.head_dim
    positions = max(arch.max_context or 0, context or 0)
    size = positions * (rotary * weights.dtype_bytes + coefficients.position_bytes)
    if split_kv_dtype(options.kv_dtype)[0].startswith("fp8"):
        size += coefficients.fp8_kv_mib * MIB
    if options.tensor_parallel_size > 1:
        size += coefficients.tensor_parallel_mib * MIB
    return size + latent_copies_bytes(
        arch,
        weights.quantization,
        options.tensor_parallel_size,
        options.pipeline_parallel_size,
    )


def _graphs(
    *,
    model: ModelInfo,
    data: VllmCalibration,
    version: str,
    batch: Batch,
    options: EstimateOptions,
    device: Device,
) -> tuple[Peak, str, bool]:
    if options.enforce_eager or device.is_cpu:
        return Peak(size_bytes=0, formula="no CUDA graphs"), "options", False
    for seen in data.graph_observation:
        if seen.architecture == model.architecture.name and in_range(
            version, seen.since, seen.until
        ):
            size = seen.graph_mib * MIB
            peak = Peak(size_bytes=size, formula=f"{seen.graph_mib} MiB observed")
            return peak, f"{seen.source}, {seen.checked}", True
    peak = graph_memory(
        model.architecture, data.graphs, batch.sequences, tp=options.tensor_parallel_size
    )
    return peak, f"{data.graphs.source}, {data.graphs.checked}", False


def _cache(parts: _Parts, left: int, options: EstimateOptions) -> PagedCache:
    if parts.layout.layers == 0:
        return PagedCache(
            blocks=0, blocks_per_request=1, block_bytes=1, max_concurrency=0.0, tokens=0
        )
    return paged_cache(
        parts.layout,
        available_bytes=left,
        context_tokens=parts.context or parts.block_size,
        block_size=parts.block_size,
        in_flight_tokens=parts.batch.tokens * (options.pipeline_parallel_size + 1),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Verdict:
    fits: Fits
    missing: int
    limits: tuple[str, ...]


def _verdict(
    model: ModelInfo,
    device: Device,
    options: EstimateOptions,
    parts: _Parts,
    cache: PagedCache,
    *,
    left: int,
    usable: int,
) -> _Verdict:
    arch, refused, notes = model.architecture, [], []
    gpus = options.tensor_parallel_size * options.pipeline_parallel_size
    if gpus > device.count:
        refused.append(limit(Limit.TOO_FEW_GPUS, f"{gpus}>{device.count}"))
    uneven = tensor_parallel_problem(arch, options.tensor_parallel_size)
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
        return _Verdict(fits=False if refused else "unknown", missing=0, limits=(*refused, *notes))
    missing = _memory_limits(device, parts, cache, refused, left=left, usable=usable)
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
    return _Verdict(fits=not refused, missing=missing, limits=(*refused, *notes))


def _memory_limits(
    device: Device,
    parts: _Parts,
    cache: PagedCache,
    refused: list[str],
    *,
    left: int,
    usable: int,
) -> int:
    """Add what the memory refuses and return how many bytes are lacking."""
    missing = 0
    total = parts.total.total_bytes if parts.total else 0
    free = total - device.used_bytes - parts.context_memory
    if device.used_bytes and free < usable:
        refused.append(limit(Limit.MEMORY_IN_USE, device.used_bytes))
        missing = usable - free
    needed = cache.blocks_per_request * cache.block_bytes if parts.layout.layers else 0
    if left < needed:
        missing = max(missing, needed - left)
        if parts.weights_bytes >= usable:
            refused.append(str(Limit.WEIGHTS_TOO_LARGE))
        elif left <= 0:
            refused.append(str(Limit.NO_ROOM_FOR_KV))
        else:
            refused.append(limit(Limit.CONTEXT_TOO_LONG, f"{parts.context}>{cache.tokens}"))
    return missing


def _graphs_beside(parts: _Parts, usable: int) -> int:
    """Return how many bytes of CUDA graphs find no room outside the engine's fraction."""
    total = parts.total.total_bytes if parts.total else 0
    outside = max(0, total - usable - parts.context_memory)
    return parts.graphs.size_bytes - parts.counted_graphs - outside


def _measured(
    *,
    data: VllmCalibration,
    version: str,
    device: Device,
    options: EstimateOptions,
    parts: _Parts,
    model: ModelInfo,
) -> tuple[MeasuredRange | None, tuple[str, ...]]:
    """Return the measured range this case lies in, or what lies outside the nearest one."""
    arch = model.architecture
    nearest: tuple[str, ...] | None = None
    # Ranges of the same kind of model first: they are the ones worth naming.
    ranges = sorted(
        data.range, key=lambda entry: entry.mixture_of_experts != (arch.experts is not None)
    )
    for entry in ranges:
        outside = _outside(entry, version, device, options, parts)
        if entry.mixture_of_experts != (arch.experts is not None):
            outside += ("experts",)
        if arch.kv_lora_rank is not None:
            outside += ("latent_attention",)
        if arch.sliding_layers:
            outside += ("sliding_window",)
        if not outside:
            return entry, ()
        if nearest is None:
            nearest = outside
    return None, nearest or ()


def _outside(
    entry: MeasuredRange, version: str, device: Device, options: EstimateOptions, parts: _Parts
) -> tuple[str, ...]:
    checks = {
        "gpu": entry.gpu in device.name.lower(),
        "version": in_range(version, entry.version_since, entry.version_until),
        "tensor_parallel": options.tensor_parallel_size <= entry.tensor_parallel_max,
        "pipeline_parallel": options.pipeline_parallel_size == 1,
        "prefill_tokens": entry.prefill_tokens_min
        <= parts.batch.tokens
        <= entry.prefill_tokens_max,
        "quantization": parts.weights.quantization.method in {"none", "fp8"},
    }
    return tuple(name for name, inside in checks.items() if not inside)


def _band(
    data: VllmCalibration, measured: MeasuredRange | None, parts: _Parts, left: int
) -> dict[str, float]:
    weights = measured.weights_error if measured else data.outside_weights_error
    activation = measured.activation_error if measured else data.outside_activation_error
    graph = measured.cuda_graph_error if measured else data.outside_activation_error
    floor = measured.kv_error if measured else 0.0
    kv = data.outside_kv_error
    if left > 0:
        # What is left inherits the absolute errors of what was taken off.
        wrong = weights * parts.weights_bytes + activation * parts.activation.size_bytes
        wrong += graph * parts.counted_graphs
        kv = max(floor, wrong / left)
    return {
        "weights_bytes_per_gpu": weights,
        "kv_bytes_per_token_per_gpu": 0.0,
        "activation_bytes": activation,
        "cuda_graph_bytes": graph,
        "kv_cache_bytes_per_gpu": kv,
        "kv_tokens": kv,
    }


def _basis(
    parts: _Parts, data: VllmCalibration, measured: MeasuredRange | None
) -> tuple[Basis, ...]:
    runner = f"{parts.runner.source}, {parts.runner.checked}"
    fitted: Method = "calibrated"
    samples = f"; {measured.samples} samples" if measured else f"; {data.outside_source}"
    beside = parts.weights_bytes - parts.weights.bytes_per_gpu
    found = [
        Basis(
            quantity="weights_bytes_per_gpu",
            source=f"{parts.weights.source}; {data.weights.source}, {data.weights.checked}",
            method="formula",
            formula=f"{parts.weights.formula}, + {beside} B beside the tensors",
        ),
        Basis(
            quantity="kv_bytes_per_token_per_gpu",
            source="architecture; vLLM v1/kv_cache_interface.py",
            method="formula",
            formula=parts.layout.formula,
        ),
        Basis(
            quantity="activation_bytes",
            source=runner + samples,
            method=fitted,
            formula=parts.activation.formula,
        ),
        Basis(
            quantity="cuda_graph_bytes",
            source=parts.graph_source,
            method=fitted,
            formula=parts.graphs.formula,
        ),
        Basis(
            quantity="non_torch_bytes",
            source=f"{data.non_torch.source}, {data.non_torch.checked}",
            method=fitted,
            formula=f"{parts.non_torch // MIB} MiB",
        ),
        Basis(
            quantity="usable_bytes_per_gpu",
            source=parts.fraction_source,
            method="formula",
            formula=f"total × {parts.fraction:g}, rounded up",
        ),
        Basis(
            quantity="kv_cache_bytes_per_gpu",
            source="vLLM v1/worker/gpu_worker.py",
            method="formula",
            formula="usable − weights − activation − non-torch"
            + (f" − CUDA graphs {parts.counted_graphs} B" if parts.counted_graphs else ""),
        ),
        Basis(
            quantity="kv_tokens",
            source="vLLM v1/core/kv_cache_utils.py",
            method="formula",
            formula=f"whole blocks of {parts.block_size} tokens",
        ),
    ]
    if parts.total is not None:
        found.append(parts.total.basis)
    return tuple(found)
