"""Engines of which only the meaning of the memory fraction is known: nothing was measured here.

The band is wide and every answer says ``engine_not_measured``.
"""

from typing import Final

from app.core.models.architecture import ModelInfo
from app.core.models.calibration import Calibration, EngineFraction
from app.core.models.cuda_total import cuda_total
from app.core.models.kv import kv_layout
from app.core.models.memory import Basis, Fits, Limit, MemoryEstimate, limit
from app.core.models.paged import PagingRules, paged_cache
from app.core.models.parallelism import split_problem
from app.core.models.request import Device, EstimateOptions
from app.core.models.vllm_profile import layer_width
from app.core.models.weights import Weights, weights_per_gpu
from app.core.units import MIB

_BLOCK: Final = 16


def estimate_other(
    *,
    model: ModelInfo,
    entry: EngineFraction,
    device: Device,
    options: EstimateOptions,
    calibration: Calibration,
) -> MemoryEstimate:
    """Return the picture from the engine's meaning of its fraction."""
    data, arch = calibration.other_engines, model.architecture
    tp, pp = options.tensor_parallel_size, options.pipeline_parallel_size
    total = None if device.is_cpu else cuda_total(device, calibration.devices)
    total_bytes = total.total_bytes if total else 0
    weights = weights_per_gpu(
        model,
        tp=tp,
        pp=pp,
        dtype=options.dtype,
        quantization=options.quantization,
        compute_cap=device.compute_cap,
        weights_bytes=options.weights_bytes,
    )
    layout = kv_layout(
        arch,
        tensor_parallel_size=tp,
        pipeline_parallel_size=pp,
        kv_dtype=options.kv_dtype,
        model_dtype=model.dtype,
    )
    tokens = options.prefill_tokens or entry.prefill_tokens
    activation = tokens * (layer_width(arch, tp) + 3 * arch.hidden_size) * weights.dtype_bytes
    runtime = data.runtime_mib * MIB
    fraction = entry.fraction if options.memory_fraction is None else options.memory_fraction
    fraction = min(1.0, max(0.0, fraction))
    free = max(0, total_bytes - device.used_bytes)
    held = weights.bytes_per_gpu + activation + runtime
    match entry.meaning:
        case "of_free_before_load":
            usable = int(free * fraction)
            left = usable - weights.bytes_per_gpu
        case "of_free_after_load":
            left = int((free - held) * fraction)
            usable = min(free, held + max(0, left))
        case _:
            usable = int(total_bytes * fraction) - device.used_bytes
            left = usable - held
    # Whatever the fraction promises, the runtime and one prefill must fit beside it.
    left = min(left, free - held)
    context = options.context_tokens or arch.max_context
    cache = paged_cache(
        layout,
        available_bytes=left,
        context_tokens=context or _BLOCK,
        rules=PagingRules(block_size=options.block_size or _BLOCK, in_flight_tokens=tokens),
    )
    needed = cache.blocks_per_request * cache.block_bytes if layout.layers else 0
    fits, missing, limits = _verdict(
        model, device, options, known=total is not None, left=left, needed=needed
    )
    basis = _basis(weights, layout.formula, entry, calibration, fraction)
    return MemoryEstimate(
        weights_bytes_per_gpu=weights.bytes_per_gpu,
        kv_bytes_per_token_per_gpu=layout.bytes_per_token,
        activation_bytes=activation,
        cuda_graph_bytes=0,
        non_torch_bytes=runtime,
        total_bytes_per_gpu=total_bytes,
        usable_bytes_per_gpu=max(0, usable),
        kv_cache_bytes_per_gpu=max(0, left),
        kv_tokens=cache.tokens if layout.layers else 0,
        max_concurrency=cache.max_concurrency if layout.layers else 0.0,
        fits=fits,
        missing_bytes=missing,
        limits=limits,
        basis=(*basis, *((total.basis,) if total else ())),
        error_band={
            "weights_bytes_per_gpu": data.weights_error,
            "kv_bytes_per_token_per_gpu": 0.0,
            "kv_cache_bytes_per_gpu": data.kv_error,
            "kv_tokens": data.kv_error,
        },
        gpu_count=tp * pp,
        on_cpu=device.is_cpu,
    )


def _verdict(
    model: ModelInfo,
    device: Device,
    options: EstimateOptions,
    *,
    known: bool,
    left: int,
    needed: int,
) -> tuple[Fits, int, tuple[str, ...]]:
    gpus = options.tensor_parallel_size * options.pipeline_parallel_size
    refused = []
    notes = [str(Limit.ENGINE_NOT_MEASURED)]
    if gpus > device.count:
        refused.append(limit(Limit.TOO_FEW_GPUS, f"{gpus}>{device.count}"))
    uneven = split_problem(
        model, options.tensor_parallel_size, expert_parallel=options.expert_parallel
    )
    if uneven is not None:
        refused.append(limit(Limit.HEADS_NOT_DIVISIBLE, uneven))
    if not known:
        notes.append(str(Limit.MEMORY_UNKNOWN))
        return (False if refused else "unknown"), 0, (*refused, *notes)
    missing = max(0, needed - left)
    if missing:
        refused.append(str(Limit.NO_ROOM_FOR_KV if left <= 0 else Limit.CONTEXT_TOO_LONG))
    return not refused, missing, (*refused, *notes)


def _basis(
    weights: Weights,
    kv_formula: str,
    entry: EngineFraction,
    calibration: Calibration,
    fraction: float,
) -> tuple[Basis, ...]:
    data = calibration.other_engines
    return (
        Basis(
            quantity="weights_bytes_per_gpu",
            source=weights.source,
            method="formula",
            formula=weights.formula,
        ),
        Basis(
            quantity="kv_bytes_per_token_per_gpu",
            source="architecture",
            method="formula",
            formula=kv_formula,
        ),
        Basis(
            quantity="usable_bytes_per_gpu",
            source=f"{entry.source}, {entry.checked}",
            method="formula",
            formula=f"{fraction:g} {entry.meaning.replace('_', ' ')}",
        ),
        Basis(
            quantity="non_torch_bytes",
            source=f"{data.source}, {data.checked}",
            method="formula",
            formula=f"{data.runtime_mib} MiB",
        ),
    )
