"""Everything vLLM's estimate is made of, before anything is judged."""

from dataclasses import dataclass
from typing import Final

from app.core.models.allocation import Allocation
from app.core.models.architecture import Architecture, ModelInfo
from app.core.models.calibration import Calibration, Runner, VllmCalibration
from app.core.models.cuda_total import Total, cuda_total
from app.core.models.kv import KvLayout, kv_layout, split_kv_dtype
from app.core.models.memory import Basis
from app.core.models.request import Device, EstimateOptions
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
    latent_copies_bytes,
    weights_per_gpu,
)
from app.core.units import MIB
from app.core.versions import in_loose_span

_BLOCK: Final = 16
_TWO_ROTARY_TABLES: Final = ("gemma3", "gemma4")
"""Model types whose sliding layers turn by a frequency of their own."""
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
    block_size: int


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
            scale_copies=data.weights.repacked_scale_copies,
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
        quantization=weights.quantization.method,
        context_tokens=context or 0,
    )
    graphs, graph_source, graphs_seen = _graphs(
        model=model, data=data, version=version, batch=batch, options=options, device=device
    )
    counts = runner.counts_cuda_graphs_since
    counted = 0
    if counts and in_loose_span(version, counts, ""):
        counted = int(graphs.size_bytes * runner.graph_estimate_share)
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
        non_torch=_profiled_mib(data, device, several=several) * MIB,
        context_memory=_context_mib(data, device, several=several) * MIB,
        layout=layout,
        block_size=options.block_size or _block_size(arch, device),
    )


def _profiled_mib(data: VllmCalibration, device: Device, *, several: bool) -> int:
    if device.is_cpu:
        return data.non_torch.cpu_mib
    return data.non_torch.profiled_tensor_parallel_mib if several else data.non_torch.profiled_mib


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


def _fraction(data: VllmCalibration, version: str, options: EstimateOptions) -> tuple[float, str]:
    if options.memory_fraction is not None:
        return min(1.0, max(0.0, options.memory_fraction)), "asked for"
    entry = next(
        (one for one in data.fraction_default if in_loose_span(version, one.since, one.until)),
        data.fraction_default[-1],
    )
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
    rotary = arch.qk_rope_head_dim or arch.head_dim
    if arch.sliding_layers and arch.model_type.startswith(_TWO_ROTARY_TABLES):
        rotary *= 2
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
