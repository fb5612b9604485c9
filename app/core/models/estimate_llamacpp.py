"""llama.cpp's memory (and Ollama's, which runs it): layers, slots, compute buffer.

Nothing is a fraction: weights of the layers on the GPU, the KV cache of the whole context over
all slots, and one compute buffer must fit into what is free. The token embedding stays in main
memory. On a CPU everything is in main memory.
Source: llama.cpp src/llama-kv-cache.cpp, src/llama-context.cpp.
"""

import itertools
from dataclasses import dataclass, replace
from typing import Final

from app.core.models.architecture import Architecture, ModelInfo, WeightBreakdown
from app.core.models.calibration import Calibration
from app.core.models.cuda_total import cuda_total
from app.core.models.kv import KvLayout, kv_layout
from app.core.models.llamacpp_basis import WeightsText, default_context, llamacpp_basis
from app.core.models.llamacpp_buffers import LlamaBatch, compute_buffer, kv_total, padded
from app.core.models.memory import Basis, Fits, Limit, MemoryEstimate, limit
from app.core.models.request import Device, EstimateOptions
from app.core.models.weights import parameter_count, weights_per_gpu
from app.core.units import MIB

_EXPERT_TENSORS: Final = 3
"""Gate, up and down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Split:
    """What lies on one GPU and what in main memory."""

    gpus: int
    gpu_layers_each: int
    gpu_weights: int
    ram_weights: int
    source: str
    formula: str
    expert_tensor_bytes: int = 0
    """The largest tensor of experts in main memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Need:
    """Bytes one GPU (or main memory on a CPU) must give."""

    kv: int
    compute: int
    context: int
    ram_kv: int
    prompt_cache: int
    """What the server may keep in main memory on top, by its own limit."""

    @property
    def beside_weights(self) -> int:
        return self.kv + self.compute + self.context


def estimate_llamacpp(
    *,
    model: ModelInfo,
    engine: str,
    version: str,
    device: Device,
    options: EstimateOptions,
    calibration: Calibration,
) -> MemoryEstimate:
    """Return llama.cpp's memory picture; `app.core.models.estimate.estimate_memory` is the entry.

    ``options.context_tokens`` is what one slot gets: the engine's ``--ctx-size`` is that times
    ``options.concurrency``. Without a concurrency the slots share one context.
    """
    data, arch = calibration.llamacpp, model.architecture
    slots = options.concurrency or 1
    tokens = options.context_tokens or default_context(
        calibration.other_engines.context_default, engine, version, device, arch.max_context
    )
    context = padded(tokens, data.context_padding)
    split = _split(model, device, options)
    layout = kv_layout(
        arch, kv_dtype=_kv_dtype(options), model_dtype="float16", state_dtype="f32/f32"
    )
    batch = LlamaBatch(
        tokens=min(options.prefill_tokens or data.ubatch_default, context * slots),
        context=context,
        slots=slots,
        on_gpu=split.gpus > 0,
        kv_dtype=_kv_dtype(options),
        expert_tensor_bytes=split.expert_tensor_bytes,
    )
    kv_all = kv_total(layout, batch=batch, data=data)
    compute, compute_text = compute_buffer(arch, data, batch)
    share = _kv_share(kv_all, split, arch)
    need = _Need(
        kv=share if split.gpus else kv_all,
        compute=compute,
        context=0 if device.is_cpu or not split.gpus else data.cuda_context_mib * MIB,
        ram_kv=kv_all - share * split.gpus if split.gpus else 0,
        prompt_cache=data.prompt_cache_mib * MIB,
    )
    total, total_basis = _total(device, split, calibration)
    usable = max(0, total - (0 if not split.gpus else device.used_bytes))
    weights = split.gpu_weights if split.gpus else split.ram_weights
    room = usable - weights - need.compute - need.context
    per_slot = max(1, need.kv // slots)
    fits, missing, limits = _verdict(
        model, device, options, split, need, total=total, usable=usable, weights=weights
    )
    concurrency = float(slots) if fits is True else float(max(0, room) // per_slot)
    return MemoryEstimate(
        weights_bytes_per_gpu=weights,
        kv_bytes_per_token_per_gpu=_per_token(layout, split),
        activation_bytes=compute,
        cuda_graph_bytes=0,
        non_torch_bytes=need.context,
        total_bytes_per_gpu=total,
        usable_bytes_per_gpu=usable,
        kv_cache_bytes_per_gpu=need.kv,
        kv_tokens=context * slots if layout.keeps_anything else 0,
        max_concurrency=concurrency if layout.keeps_anything else 0.0,
        fits=fits,
        missing_bytes=missing,
        limits=limits,
        basis=(
            *llamacpp_basis(
                model.architecture,
                layout,
                batch,
                data,
                engine=engine,
                kv_dtype=_kv_dtype(options),
                weights=WeightsText(
                    formula=split.formula,
                    source=split.source,
                    gpus=split.gpus,
                    ram=split.ram_weights,
                ),
                compute_text=compute_text,
                context_bytes=need.context,
                used_bytes=device.used_bytes if split.gpus else 0,
                room=max(0, room),
            ),
            *total_basis,
        ),
        error_band={
            "weights_bytes_per_gpu": data.weights_error if model.breakdown else 0.05,
            "kv_bytes_per_token_per_gpu": 0.0,
            "kv_cache_bytes_per_gpu": data.kv_error,
            "kv_tokens": 0.0,
            "activation_bytes": data.gpu_compute_error if split.gpus else data.compute_error,
        },
        gpu_count=split.gpus,
        on_cpu=split.gpus == 0,
    )


def _kv_dtype(options: EstimateOptions) -> str:
    """Return the cache's type; what the planner calls fp8 is ``q8_0`` here: 34 B for 32 values."""
    given = "f16" if options.kv_dtype == "auto" else options.kv_dtype
    return given.replace("fp8", "q8_0")


def _split(model: ModelInfo, device: Device, options: EstimateOptions) -> _Split:
    arch = model.architecture
    layers = arch.layers + 1
    on_gpu = layers if options.gpu_layers is None else min(layers, max(0, options.gpu_layers))
    gpus = max(1, options.tensor_parallel_size * options.pipeline_parallel_size)
    if device.is_cpu or on_gpu == 0:
        on_gpu, gpus = 0, 0
    whole, source = _parts(model, options)
    parts = _without_experts(whole, arch, options.cpu_moe_layers)
    # The output counts as one of the layers and goes first (llama.cpp #18148, December 2025).
    repeating = max(0, min(arch.layers, on_gpu - 1))
    output = parts.output_bytes or parts.embedding_bytes if on_gpu else 0
    placed = parts.layer_bytes[len(parts.layer_bytes) - repeating :]
    gpu_weights = sum(placed) + output
    everything = (
        sum(parts.layer_bytes) + parts.embedding_bytes + parts.output_bytes + parts.other_bytes
    )
    each = -(-on_gpu // gpus) if gpus else 0
    per_gpu = gpu_weights
    if gpus > 1:
        # Layers, then the output, are dealt out in equal runs; the fullest GPU is what must fit.
        dealt = (*placed, output)
        runs = options.tensor_split or (each,) * gpus
        ends = tuple(itertools.accumulate(runs))
        each = max(runs)
        per_gpu = max(sum(dealt[end - run : end]) for run, end in zip(runs, ends, strict=True))
    ram = everything - gpu_weights
    if on_gpu and not parts.output_bytes:
        ram += parts.embedding_bytes
    moved = [full - kept for full, kept in zip(whole.layer_bytes, parts.layer_bytes, strict=True)]
    return _Split(
        gpus=gpus,
        gpu_layers_each=min(each, repeating),
        gpu_weights=per_gpu,
        ram_weights=max(0, ram),
        source=source,
        formula=f"{on_gpu} of {layers} layers on {gpus} GPUs, {everything} B in all",
        expert_tensor_bytes=max(moved, default=0) // _EXPERT_TENSORS,
    )


def _parts(model: ModelInfo, options: EstimateOptions) -> tuple[WeightBreakdown, str]:
    """Return the weights by place: from the headers, else from the architecture."""
    given = options.weights_bytes
    if model.breakdown is not None and given is None:
        return model.breakdown, "GGUF headers"
    size = given if given is not None else model.weights_bytes
    source = "the file's size" if size is not None else "architecture (config.json)"
    if size is None:
        size = weights_per_gpu(model, dtype=options.dtype).bytes_per_gpu
    arch = model.architecture
    table = arch.vocab_size * arch.hidden_size
    share = size * table // max(1, parameter_count(arch))
    output = 0 if arch.tie_embeddings else share
    per_layer = max(0, size - share - output) // max(1, arch.layers)
    return (
        WeightBreakdown(
            embedding_bytes=share, output_bytes=output, layer_bytes=(per_layer,) * arch.layers
        ),
        source,
    )


def even_runs(model: ModelInfo, options: EstimateOptions, gpus: int) -> tuple[int, ...]:
    """Return how many layers (the output counts as one) each GPU takes so that bytes are even.

    What llama.cpp does by itself counts layers, though those without experts are far smaller.
    """
    parts, _ = _parts(model, options)
    parts = _without_experts(parts, model.architecture, options.cpu_moe_layers)
    sizes = (*parts.layer_bytes, parts.output_bytes or parts.embedding_bytes)
    low, high = max(sizes), sum(sizes)
    while low < high:
        middle = (low + high) // 2
        if len(_runs(sizes, middle)) <= gpus:
            high = middle
        else:
            low = middle + 1
    runs = _runs(sizes, low)
    return (*runs, *(0,) * (gpus - len(runs)))


def _runs(sizes: tuple[int, ...], most: int) -> tuple[int, ...]:
    counts, held = [0], 0
    for size in sizes:
        if held + size > most and counts[-1]:
            counts.append(0)
            held = 0
        counts[-1] += 1
        held += size
    return tuple(counts)


def _without_experts(parts: WeightBreakdown, arch: Architecture, layers: int) -> WeightBreakdown:
    """Move the experts of the first layers into main memory (``--n-cpu-moe``)."""
    if not layers or not arch.experts or not arch.moe_intermediate_size:
        return parts
    told = parts.expert_bytes or _expert_bytes(parts, arch)
    moved = [size if index < layers else 0 for index, size in enumerate(told)]
    return replace(
        parts,
        layer_bytes=tuple(size - gone for size, gone in zip(parts.layer_bytes, moved, strict=True)),
        other_bytes=parts.other_bytes + sum(moved),
    )


def _expert_bytes(parts: WeightBreakdown, arch: Architecture) -> tuple[int, ...]:
    """Return the experts' part of each layer by the number of their values."""
    per_expert = _EXPERT_TENSORS * arch.hidden_size * (arch.moe_intermediate_size or 0)
    experts = (arch.experts or 0) * per_expert
    attention = (arch.heads * 2 + arch.kv_heads * 2) * arch.head_dim * arch.hidden_size
    return tuple(
        size * experts // (experts + attention) if index >= arch.dense_layers else 0
        for index, size in enumerate(parts.layer_bytes)
    )


def _kv_share(kv_all: int, split: _Split, arch: Architecture) -> int:
    """Return the KV cache on one GPU: it lies where the layers lie."""
    if not split.gpus:
        return 0
    return kv_all * split.gpu_layers_each // max(1, arch.layers)


def _per_token(layout: KvLayout, split: _Split) -> int:
    if split.gpus <= 1:
        return layout.bytes_per_token
    return -(-layout.bytes_per_token // split.gpus)


def _total(
    device: Device, split: _Split, calibration: Calibration
) -> tuple[int, tuple[Basis, ...]]:
    if not split.gpus:
        if device.ram_bytes is None:
            return 0, ()
        basis = Basis(quantity="total_bytes_per_gpu", source="main memory", method="measured")
        return device.ram_bytes, (basis,)
    total = cuda_total(device, calibration.devices)
    return (0, ()) if total is None else (total.total_bytes, (total.basis,))


def _verdict(
    model: ModelInfo,
    device: Device,
    options: EstimateOptions,
    split: _Split,
    need: _Need,
    *,
    total: int,
    usable: int,
    weights: int,
) -> tuple[Fits, int, tuple[str, ...]]:
    arch, refused, notes = model.architecture, [], []
    if split.gpus > device.count:
        refused.append(limit(Limit.TOO_FEW_GPUS, f"{split.gpus}>{device.count}"))
    asked = options.context_tokens
    if asked is not None and arch.max_context is not None and asked > arch.max_context:
        notes.append(limit(Limit.CONTEXT_ABOVE_MODEL, f"{asked}>{arch.max_context}"))
    if asked is None and arch.max_context is None:
        notes.append(str(Limit.CONTEXT_UNKNOWN))
    if not split.gpus:
        notes.append(limit(Limit.PROMPT_CACHE_RAM, need.prompt_cache))
    if total == 0:
        notes.append(str(Limit.MEMORY_UNKNOWN))
        return (False if refused else "unknown"), 0, (*refused, *notes)
    missing = weights + need.beside_weights - usable
    if missing > 0:
        refused.append(_what(device, weights, need, total=total, usable=usable))
    ram = split.ram_weights + need.ram_kv
    if split.gpus and device.ram_bytes is not None and ram > device.ram_bytes:
        missing = max(missing, ram - device.ram_bytes)
        refused.append(limit(Limit.RAM_TOO_SMALL, ram))
    return not refused, max(0, missing), (*refused, *notes)


def _what(device: Device, weights: int, need: _Need, *, total: int, usable: int) -> str:
    if weights + need.beside_weights <= total:
        return limit(Limit.MEMORY_IN_USE, device.used_bytes)
    if weights >= usable:
        return str(Limit.WEIGHTS_TOO_LARGE)
    return str(Limit.NO_ROOM_FOR_KV)
