"""Each number of vLLM's memory picture with its formula, inputs and source."""

from app.core.models.architecture import ModelInfo
from app.core.models.basis import formula_basis, given, per_token_basis, weights_basis
from app.core.models.calibration import MeasuredRange, VllmCalibration
from app.core.models.memory import Basis, Input
from app.core.models.paged import PagedCache
from app.core.models.request import Device, EstimateOptions
from app.core.models.vllm_parts import VllmParts
from app.core.units import MIB

_WORKER = "vLLM v1/worker/gpu_worker.py"
_CACHE = "vLLM v1/core/kv_cache_utils.py"


def vllm_basis(
    model: ModelInfo,
    parts: VllmParts,
    cache: PagedCache,
    data: VllmCalibration,
    *,
    measured: MeasuredRange | None,
    device: Device,
    options: EstimateOptions,
    left: int,
    usable: int,
) -> tuple[Basis, ...]:
    """Return where each number comes from; ``left`` and ``usable`` are bytes of one GPU."""
    arch, asked = model.architecture, options.kv_cache_bytes
    found = [
        weights_basis(
            arch,
            parts.weights,
            engine="vllm",
            source=f"{data.weights.source}, {data.weights.checked}",
            gpus=options.tensor_parallel_size * options.pipeline_parallel_size,
            beside=parts.weights_bytes - parts.weights.bytes_per_gpu,
        ),
        per_token_basis(
            arch,
            parts.layout,
            engine="vllm",
            source="architecture; vLLM v1/kv_cache_interface.py",
            kv_dtype=options.kv_dtype,
        ),
        _activation(model, parts, measured, data),
        _graphs(model, parts),
        _non_torch(parts, data, device),
        _usable(parts, asked, device),
        _cache_bytes(parts, asked, left=left, usable=usable),
        *_capacity(parts, cache, left),
    ]
    return (*found, parts.total.basis) if parts.total is not None else tuple(found)


def range_text(measured: MeasuredRange | None, data: VllmCalibration) -> str:
    """Say for what a calibration holds, or that nothing was measured there."""
    if measured is None:
        return data.outside_source
    kinds = "with experts" if measured.mixture_of_experts else "without experts"
    return (
        f"{measured.samples} samples: {measured.gpu}, vLLM {measured.version_since} to "
        f"{measured.version_until}, TP ≤ {measured.tensor_parallel_max}, "
        f"{measured.prefill_tokens_min} to {measured.prefill_tokens_max} tokens a batch, {kinds}, "
        f"{'/'.join(measured.quantizations)}; {measured.source}, {measured.checked}"
    )


def _activation(
    model: ModelInfo, parts: VllmParts, measured: MeasuredRange | None, data: VllmCalibration
) -> Basis:
    arch = model.architecture
    inputs = given(
        {"tokens": parts.batch.tokens, "sequences": parts.batch.sequences}, "", parts.batch.source
    )
    inputs += given(
        {
            "hidden_size": arch.hidden_size,
            "intermediate_size": arch.intermediate_size,
            "vocab_size": arch.vocab_size,
            "experts_per_token": arch.experts_per_token if arch.experts else None,
            "expert_width": arch.moe_intermediate_size if arch.experts else None,
        },
        "",
        "config.json",
    )
    runner = parts.runner
    inputs += given({"runner": runner.name}, "", f"{runner.source}, {runner.checked}")
    return formula_basis(
        "vllm.activation",
        "activation_bytes",
        parts.activation.formula,
        inputs,
        source=f"{runner.source}, {runner.checked}; {range_text(measured, data)}",
        method="calibrated",
    )


def _graphs(model: ModelInfo, parts: VllmParts) -> Basis:
    arch = model.architecture
    inputs = given({"layers": arch.layers, "hidden_size": arch.hidden_size}, "", "config.json")
    inputs += given({"sequences": parts.batch.sequences}, "", parts.batch.source)
    return formula_basis(
        "vllm.cuda_graphs",
        "cuda_graph_bytes",
        parts.graphs.formula,
        inputs if parts.graphs.size_bytes else (),
        source=parts.graph_source,
        method="calibrated",
    )


def _non_torch(parts: VllmParts, data: VllmCalibration, device: Device) -> Basis:
    found = data.non_torch
    source = found.cpu_source if device.is_cpu else found.source
    return formula_basis(
        "vllm.non_torch",
        "non_torch_bytes",
        f"{parts.non_torch // MIB} MiB",
        given({"inside_budget": parts.non_torch // MIB}, "MiB", f"{source}, {found.checked}"),
        source=f"{source}, {found.checked}",
        method="calibrated",
    )


def _total(parts: VllmParts) -> tuple[Input, ...]:
    total = parts.total.total_bytes if parts.total else None
    source = parts.total.basis.source if parts.total else ""
    return given({"total": total}, "B", source)


def _usable(parts: VllmParts, asked: int | None, device: Device) -> Basis:
    if asked is not None and not device.is_cpu:
        held = {"used": device.used_bytes, "cuda_context": parts.context_memory}
        return formula_basis(
            "vllm.usable",
            "usable_bytes_per_gpu",
            "total − used by others − CUDA context: a given KV cache is not bound to the fraction",
            (*_total(parts), *given(held, "B", "this estimate")),
            source=_WORKER,
        )
    if asked is not None:
        return formula_basis(
            "vllm.usable",
            "usable_bytes_per_gpu",
            "total: a given KV cache makes the fraction meaningless",
            _total(parts),
            source="asked for",
        )
    inputs = (*_total(parts), *given({"fraction": parts.fraction}, "", parts.fraction_source))
    return formula_basis(
        "vllm.usable",
        "usable_bytes_per_gpu",
        f"total × {parts.fraction:g}, rounded up",
        inputs,
        source=parts.fraction_source,
    )


def _cache_bytes(parts: VllmParts, asked: int | None, *, left: int, usable: int) -> Basis:
    if asked is not None:
        inputs = given({"kv_cache": left}, "B", "asked for")
        formula = f"{asked} B, as asked for"
    else:
        inputs = given(
            {
                "usable": usable,
                "weights": parts.weights_bytes,
                "activation": parts.activation.size_bytes,
                "non_torch": parts.non_torch,
                "graphs_counted": parts.counted_graphs or None,
            },
            "B",
            "this estimate",
        )
        graphs = f" − CUDA graphs {parts.counted_graphs} B" if parts.counted_graphs else ""
        formula = f"usable − weights − activation − non-torch{graphs}"
    return formula_basis("vllm.kv_cache", "kv_cache_bytes_per_gpu", formula, inputs, source=_WORKER)


def _capacity(parts: VllmParts, cache: PagedCache, left: int) -> tuple[Basis, ...]:
    inputs = given({"kv_cache": max(0, left), "block": cache.block_bytes}, "B", "this estimate")
    inputs += given({"blocks": cache.blocks}, "", "this estimate")
    inputs += given({"block_tokens": cache.block_size}, "tokens", "options, else the engine's own")
    requests = given({"context": parts.context}, "tokens", "options, else config.json")
    requests += given({"blocks_per_request": cache.blocks_per_request}, "", _CACHE)
    formula = "⌊KV cache / block⌋"
    if parts.paging.tokens_from_requests:
        tokens = f"{formula} / blocks per request × context; {cache.text}"
    else:
        tokens = f"{formula} over the groups × tokens of a block; {cache.text}"
    return (
        formula_basis("vllm.kv_tokens", "kv_tokens", tokens, (*inputs, *requests), source=_CACHE),
        formula_basis(
            "vllm.concurrency",
            "max_concurrency",
            f"{formula} / blocks per request",
            (*inputs, *requests),
            source=_CACHE,
        ),
    )
