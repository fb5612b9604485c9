"""Engines of which only the meaning of the memory fraction is known: nothing was measured here.

The band is wide and every answer says ``engine_not_measured``.
"""

from dataclasses import dataclass

from app.core.models.architecture import ModelInfo
from app.core.models.basis import formula_basis, given, per_token_basis, weights_basis
from app.core.models.calibration import Calibration, EngineFraction, OtherEngines
from app.core.models.cuda_total import Total, cuda_total
from app.core.models.kv import KvLayout, kv_layout
from app.core.models.memory import Basis, Fits, Limit, MemoryEstimate, limit
from app.core.models.other_defaults import Chosen, chosen
from app.core.models.paged import NO_CACHE, PagedCache, PagingRules, paged_cache
from app.core.models.parallelism import split_problem
from app.core.models.request import Device, EstimateOptions
from app.core.models.vllm_profile import layer_width
from app.core.models.weights import Weights, weights_per_gpu
from app.core.units import MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sizes:
    """Bytes of one GPU."""

    total: int
    usable: int
    activation: int
    runtime: int
    left: int


def estimate_other(
    *,
    model: ModelInfo,
    entry: EngineFraction,
    version: str,
    device: Device,
    options: EstimateOptions,
    calibration: Calibration,
) -> MemoryEstimate:
    """Return the picture from the engine's meaning of its fraction."""
    data, arch = calibration.other_engines, model.architecture
    tp, pp = options.tensor_parallel_size, options.pipeline_parallel_size
    total = None if device.is_cpu else cuda_total(device, calibration.devices)
    setting = chosen(entry, data, version=version, arch=arch, device=device, options=options)
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
    per_token = layer_width(arch, tp) + 3 * arch.hidden_size
    sizes = _sizes(
        entry,
        data,
        setting,
        total=total,
        used=device.used_bytes,
        weights=weights.bytes_per_gpu,
        activation=setting.prefill_tokens * per_token * weights.dtype_bytes,
        gpus=tp * pp,
    )
    context = options.context_tokens or arch.max_context or entry.block_size
    block = options.block_size or entry.block_size
    cache = _cache(layout, entry, sizes.left, context=context, block=block)
    needed = cache.blocks_per_request * cache.block_bytes if layout.keeps_anything else 0
    fits, missing, limits = _verdict(
        model, device, options, known=total is not None, left=sizes.left, needed=needed
    )
    return MemoryEstimate(
        weights_bytes_per_gpu=weights.bytes_per_gpu,
        kv_bytes_per_token_per_gpu=layout.bytes_per_token,
        activation_bytes=sizes.activation,
        cuda_graph_bytes=0,
        non_torch_bytes=sizes.runtime,
        total_bytes_per_gpu=sizes.total,
        usable_bytes_per_gpu=max(0, sizes.usable),
        kv_cache_bytes_per_gpu=max(0, sizes.left),
        kv_tokens=cache.tokens,
        max_concurrency=cache.max_concurrency,
        fits=fits,
        missing_bytes=missing,
        margin_bytes=sizes.left - needed if total else None,
        # Rules of thumb may be off by all that they say.
        uncertain_bytes=round(data.weights_error * weights.bytes_per_gpu)
        + sizes.activation
        + sizes.runtime,
        limits=limits,
        basis=(
            weights_basis(arch, weights, engine=entry.engine, source="", gpus=tp * pp),
            per_token_basis(
                arch,
                layout,
                engine=entry.engine,
                source="architecture",
                kv_dtype=options.kv_dtype,
            ),
            *_basis(
                entry,
                data,
                setting,
                sizes,
                cache,
                weights=weights,
                per_token=per_token,
                context=context,
            ),
            *((total.basis,) if total else ()),
        ),
        error_band={
            "weights_bytes_per_gpu": data.weights_error,
            "kv_bytes_per_token_per_gpu": 0.0,
            "kv_cache_bytes_per_gpu": data.kv_error,
            "kv_tokens": data.kv_error,
        },
        gpu_count=tp * pp,
        on_cpu=device.is_cpu,
    )


def _sizes(
    entry: EngineFraction,
    data: OtherEngines,
    setting: Chosen,
    *,
    total: Total | None,
    used: int,
    weights: int,
    activation: int,
    gpus: int,
) -> _Sizes:
    """Divide a GPU as the engine means its fraction."""
    total_bytes = total.total_bytes if total else 0
    free, runtime = max(0, total_bytes - used), data.runtime_mib * MIB
    held = weights + activation + runtime
    context = (data.context_tensor_parallel_mib if gpus > 1 else data.context_mib) * MIB
    match entry.meaning:
        case "of_free_before_load":
            usable = int(max(0, free - context) * setting.fraction)
            left = usable - weights
        case "of_free_after_load":
            left = int((free - held) * setting.fraction)
            usable = min(free, held + max(0, left))
        case "of_free_after_weights":
            left = int((free - weights - context) * setting.fraction)
            usable = min(free, weights + context + max(0, left))
        case _:
            usable = int(total_bytes * setting.fraction) - used
            left = usable - held
    # Whatever the fraction promises, the runtime and one prefill must fit beside it.
    return _Sizes(
        total=total_bytes,
        usable=usable,
        activation=activation,
        runtime=runtime,
        left=min(left, free - held),
    )


def _cache(
    layout: KvLayout, entry: EngineFraction, left: int, *, context: int, block: int
) -> PagedCache:
    """Return what the memory holds: one pool, or pools of their own for windows and states."""
    pools = entry.sliding_share is not None and layout.sliding_layers and layout.full_layers
    if not pools and not layout.state_layers:
        rules = PagingRules(block_size=block, windows_are_freed=False)
        return paged_cache(layout, available_bytes=left, context_tokens=context, rules=rules)
    if not layout.keeps_anything:
        return NO_CACHE
    share = (entry.sliding_share if pools else None) or 1.0
    token = float((layout.full_bytes + layout.index_bytes) * layout.full_layers)
    token += float(layout.sliding_bytes * layout.sliding_layers) * share
    state = layout.state_layers * layout.state_bytes
    room = max(0, left)
    if state and entry.state_share is not None:
        # Both pools are cut before the first request is seen.
        cached = int(room / (1 + entry.state_share))
        requests = (room - cached) // state
        tokens = int(cached / token) if token else requests * context
    else:
        tokens = int(room / (token * context + state) * context)
        requests = tokens
    concurrency = min(tokens / context, requests)
    one = int(token * context) + state
    return PagedCache(
        blocks=tokens,
        blocks_per_request=1,
        block_bytes=max(1, one),
        max_concurrency=concurrency,
        tokens=tokens,
        block_size=block,
        text=f"{token:.0f} B per token" + (f", {state} B of states per request" if state else ""),
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


_LEFT = {
    "of_total": "usable − weights − activation − runtime",
    "of_free_before_load": "usable − weights",
    "of_free_after_load": "(free − weights − activation − runtime) × fraction",
    "of_free_after_weights": "(free − weights − context) × fraction",
}


def _basis(
    entry: EngineFraction,
    data: OtherEngines,
    setting: Chosen,
    sizes: _Sizes,
    cache: PagedCache,
    *,
    weights: Weights,
    per_token: int,
    context: int,
) -> tuple[Basis, ...]:
    name, source = entry.engine, f"{entry.source}; versions {entry.versions}, {entry.checked}"
    rough = f"{data.source}, {data.checked}"
    bytes_in = given(
        {"usable": sizes.usable, "weights": weights.bytes_per_gpu}, "B", "this estimate"
    )
    bytes_in += given({"activation": sizes.activation, "runtime": sizes.runtime}, "B", rough)
    tokens = given({"kv_cache": max(0, sizes.left)}, "B", "this estimate")
    tokens += given({"context": context, "block_tokens": cache.block_size}, "tokens", "options")
    return (
        formula_basis(
            f"{name}.activation",
            "activation_bytes",
            f"{setting.prefill_tokens} tokens × {per_token} × {weights.dtype_bytes} B",
            given({"tokens": setting.prefill_tokens}, "", setting.fraction_source),
            source=rough,
        ),
        formula_basis(
            f"{name}.usable",
            "usable_bytes_per_gpu",
            f"{setting.fraction_text} {entry.meaning.replace('_', ' ')}",
            given({"fraction": setting.fraction}, "", setting.fraction_source),
            source=source,
        ),
        formula_basis(
            f"{name}.runtime",
            "non_torch_bytes",
            f"{data.runtime_mib} MiB",
            given({"runtime": data.runtime_mib}, "MiB", rough),
            source=rough,
        ),
        formula_basis(
            f"{name}.kv_cache",
            "kv_cache_bytes_per_gpu",
            f"{_LEFT[entry.meaning]}, at most what is free beside runtime and prefill",
            bytes_in,
            source=source,
        ),
        formula_basis(f"{name}.kv_tokens", "kv_tokens", cache.text, tokens, source=source),
        formula_basis(
            f"{name}.concurrency",
            "max_concurrency",
            "tokens in the KV cache / context",
            tokens,
            source=source,
        ),
    )
