"""Everything vLLM's estimate is made of, before anything is judged."""

from dataclasses import dataclass
from typing import Final, TypeVar

from app.core.models.allocation import Allocation
from app.core.models.architecture import Architecture, ModelInfo
from app.core.models.calibration import (
    Calibration,
    FractionDefault,
    Paging,
    Runner,
    VllmCalibration,
)
from app.core.models.cuda_total import Total, cuda_total
from app.core.models.kv import KvLayout, kv_layout, split_kv_dtype
from app.core.models.memory import Basis
from app.core.models.paged import PagingRules
from app.core.models.request import Device, EstimateOptions
from app.core.models.vllm_profile import (
    Batch,
    Peak,
    activation_peak,
    batch_of,
    graph_estimate,
    graph_memory,
    runner_of,
)
from app.core.models.weights import (
    Weights,
    latent_copies_bytes,
    padded_scales_bytes,
    padded_vocabulary,
    weights_per_gpu,
)
from app.core.units import MIB
from app.core.versions import capability_at_least, in_loose_span

Dated = TypeVar("Dated", Paging, FractionDefault)

_BLOCK: Final = 16
_TWO_ROTARY_TABLES: Final = ("gemma3", "gemma4")
"""Model types whose sliding layers turn by a frequency of their own."""
_MROPE_ROWS: Final = 4
"""Source: vLLM 0.26.0 rotary_embedding/mrope.py, cache_max_position_num."""
_HEAD_APART: Final = ("jamba",)
"""Model types whose output head vLLM holds beside the embedding even where they are tied."""
_FULL_STATES: Final = ("nemotron_h",)
_ASKED_STATES: Final = ("qwen3_5",)
"""Model types whose config decides the dtype of recurrent states; others keep the model's.

Source: vLLM 0.26.0 model_executor/models/config.py.
"""
_CPU_BLOCK: Final = 128
"""Source: vLLM 0.32.0 platforms/cpu.py."""
_MLA_BLOCK: Final = 64
"""FlashMLA's block. Source: vLLM --block-size, per backend."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VllmParts:
    """Sizes and settings of one start; see `gather_parts`."""

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
    paging: PagingRules


def gather_parts(
    model: ModelInfo,
    version: str,
    device: Device,
    options: EstimateOptions,
    calibration: Calibration,
) -> VllmParts:
    """Compute sizes and settings of one start.

    Raises:
        PlanError: UNSUPPORTED_COMBINATION for an unknown KV dtype.
    """
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
        on_cpu=device.is_cpu,
        workers=tp * pp,
    )
    weights = weights_per_gpu(
        model,
        tp=tp,
        pp=pp,
        dtype=options.dtype,
        quantization=options.quantization,
        compute_cap=device.compute_cap,
        weights_bytes=options.weights_bytes,
        allocation=Allocation(
            unit_bytes=data.weights.allocation_unit_mib * MIB,
            from_bytes=data.weights.allocation_from_mib * MIB,
            zero_point_copies=data.weights.repacked_zero_point_copies,
            repacked_bytes=data.weights.repacked_bytes_per_tensor,
        ),
    )
    layout = kv_layout(
        arch,
        tensor_parallel_size=tp,
        pipeline_parallel_size=pp,
        kv_dtype=options.kv_dtype,
        model_dtype=model.dtype if options.dtype == "auto" else options.dtype,
        state_dtype=_state_dtype(arch),
    )
    activation = activation_peak(
        arch,
        runner,
        batch,
        tp=tp,
        eager=options.enforce_eager or device.is_cpu,
        dtype_bytes=weights.dtype_bytes,
        quantization=weights.quantization.method,
        context_tokens=context or 0,
    )
    graphs, graph_source, graphs_seen = _graphs(
        model=model, data=data, version=version, batch=batch, options=options, device=device
    )
    counts = runner.counts_cuda_graphs_since
    counted = 0
    if counts and graphs.size_bytes and in_loose_span(version, counts, ""):
        counted = graph_estimate(
            arch, data.graphs, batch.sequences, quantization=weights.quantization.method
        )
    several = tp * pp > 1
    return VllmParts(
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
        non_torch=_profiled_bytes(data, version, device, several=several),
        context_memory=_context_mib(data, device, several=several) * MIB,
        layout=layout,
        paging=_paging(
            _first(data.paging, version),
            runner,
            batch,
            stages=pp,
            block_size=options.block_size or _block_size(arch, device),
        ),
    )


def _paging(
    rule: Paging, runner: Runner, batch: Batch, *, stages: int, block_size: int
) -> PagingRules:
    """Return how this version divides its cache."""
    batches = 1
    if rule.batches_overlap:
        batches = stages + 1 if stages == 1 or runner.overlaps_stages else stages
    return PagingRules(
        block_size=block_size,
        in_flight_tokens=batch.tokens * batches,
        windows_are_freed=rule.windows_are_freed,
        tokens_from_requests=rule.tokens_from_requests,
        states_per_request=rule.states_per_request,
    )


def _state_dtype(arch: Architecture) -> str:
    """Return the dtype of recurrent states: what the config asks for where vLLM heeds it."""
    asked = arch.recurrent.state_dtype if arch.recurrent else None
    if arch.model_type.startswith(_FULL_STATES):
        return asked or "float32"
    return asked or "auto" if arch.model_type.startswith(_ASKED_STATES) else "auto"


def _profiled_bytes(data: VllmCalibration, version: str, device: Device, *, several: bool) -> int:
    """Return what lies inside the budget but outside PyTorch."""
    found = data.non_torch
    if device.is_cpu:
        return found.cpu_mib * MIB
    inside = (found.profiled_tensor_parallel_mib if several else found.profiled_mib) * MIB
    if in_loose_span(version, found.context_counted_since, found.context_counted_until):
        # What several GPUs add was measured on Hopper with NVLink; others are taken to add none.
        linked = several and capability_at_least(device.compute_cap, "9.0") is True
        return inside + _context_mib(data, device, several=linked) * MIB + device.used_bytes
    return inside


def _context_mib(data: VllmCalibration, device: Device, *, several: bool) -> int:
    if device.is_cpu:
        return 0
    return data.non_torch.context_tensor_parallel_mib if several else data.non_torch.context_mib


def _block_size(arch: Architecture, device: Device) -> int:
    if arch.kv_lora_rank:
        return _MLA_BLOCK
    return _CPU_BLOCK if device.is_cpu else _BLOCK


def _total(device: Device, calibration: Calibration) -> Total | None:
    if not device.is_cpu:
        return cuda_total(device, calibration.devices)
    if device.ram_bytes is None:
        return None
    basis = Basis(quantity="total_bytes_per_gpu", source="main memory", method="measured")
    return Total(total_bytes=device.ram_bytes, basis=basis)


def _first(entries: tuple[Dated, ...], version: str) -> Dated:
    """Return the first entry for a version; the last one is for all that are left."""
    matching = (one for one in entries if in_loose_span(version, one.since, one.until))
    return next(matching, entries[-1])


def _fraction(data: VllmCalibration, version: str, options: EstimateOptions) -> tuple[float, str]:
    if options.memory_fraction is not None:
        return min(1.0, max(0.0, options.memory_fraction)), "asked for"
    entry = _first(data.fraction_default, version)
    return entry.fraction, f"{entry.source}, {entry.checked}"


def _loading_bytes(
    model: ModelInfo,
    data: VllmCalibration,
    options: EstimateOptions,
    weights: Weights,
    context: int | None,
) -> int:
    """Return what loading keeps beside the tensors: rotary table, scales, reduce buffers."""
    arch, coefficients = model.architecture, data.weights
    positions = max(arch.max_context or 0, context or 0)
    rows, rotary = _rotary_rows(arch, positions), _rotary_values(arch)
    size = rows * rotary * weights.dtype_bytes
    if rotary:
        size += positions * coefficients.position_bytes
    if arch.tie_embeddings and arch.model_type in _HEAD_APART:
        words = padded_vocabulary(arch.vocab_size, options.tensor_parallel_size)
        size += words * arch.hidden_size * weights.dtype_bytes
    if split_kv_dtype(options.kv_dtype)[0].startswith("fp8"):
        size += coefficients.fp8_kv_mib * MIB
    if options.tensor_parallel_size > 1:
        size += coefficients.tensor_parallel_mib * MIB
    gpus = (options.tensor_parallel_size, options.pipeline_parallel_size)
    size += latent_copies_bytes(arch, weights.quantization, *gpus)
    return size + padded_scales_bytes(arch, weights.quantization, *gpus)


def _rotary_values(arch: Architecture) -> int:
    """Return the values per position of the rotary tables."""
    if arch.qk_rope_head_dim:
        return arch.qk_rope_head_dim
    return arch.head_dim if arch.rotary_dim is None else arch.rotary_dim


def _rotary_rows(arch: Architecture, positions: int) -> int:
    """Return the rows of the rotary tables, of all tables together."""
    scaling = arch.rope_scaling
    if arch.sliding_layers and arch.model_type.startswith(_TWO_ROTARY_TABLES):
        # Their context is the stretched one already, yet the table is stretched once more.
        factor = scaling.factor if scaling and scaling.kind == "linear" else None
        return positions + int(positions * (factor or 1.0))
    if scaling is None:
        return positions
    if scaling.kind == "longrope" and scaling.original_context:
        return positions + scaling.original_context
    return positions * (_MROPE_ROWS if scaling.kind == "mrope" else 1)


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
        if seen.architecture == model.architecture.name and in_loose_span(
            version, seen.since, seen.until
        ):
            size = seen.graph_mib * MIB
            peak = Peak(size_bytes=size, formula=f"{seen.graph_mib} MiB observed")
            return peak, f"{seen.source}, {seen.checked}", True
    peak = graph_memory(
        model.architecture, data.graphs, batch.sequences, tp=options.tensor_parallel_size
    )
    return peak, f"{data.graphs.source}, {data.graphs.checked}", False
