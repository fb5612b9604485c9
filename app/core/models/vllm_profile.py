"""vLLM's profiling run: what one forward pass with the largest batch holds beside the weights.

The widths are arithmetic over the architecture; how many copies are alive at the peak, and the
constants, are calibrated (``resources/memory/vllm.toml``). The peak is the largest of several
moments: inside a layer, while the compiler tries the embedding, while sampling, and for MLA while
room for the longest context is set aside.
"""

from dataclasses import dataclass
from math import ceil
from typing import Final

from app.core.models.architecture import Architecture
from app.core.models.calibration import BatchDefault, GraphCoefficients, Runner, VllmCalibration
from app.core.models.weights import padded_vocabulary
from app.core.units import GIB, MIB
from app.core.versions import in_loose_span

MLA_WORKSPACE_TOKENS: Final = 64 * 1024
"""Source: vLLM mla_attention.py, determine_chunked_prefill_workspace_size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The largest batch the engine is set up for."""

    tokens: int
    sequences: int
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """One quantity with the arithmetic behind it."""

    size_bytes: int
    formula: str


def runner_of(calibration: VllmCalibration, version: str, arch: Architecture) -> Runner:
    """Return the first runner of the table that takes this model in this version."""
    for runner in calibration.runner:
        takes = runner.experts if arch.experts is not None else runner.dense
        if arch.recurrent is not None and not runner.recurrent:
            continue
        if in_loose_span(version, runner.since, runner.until) and (
            takes or arch.name in runner.architectures
        ):
            return runner
    return calibration.runner[-1]


def batch_of(
    calibration: VllmCalibration,
    version: str,
    *,
    gpu: str,
    total_bytes: int,
    context_tokens: int,
    prefill_tokens: int | None,
    max_num_seqs: int | None,
    on_cpu: bool = False,
    workers: int = 1,
) -> Batch:
    """Return the batch limits: what is asked, else the version's defaults for this GPU."""
    for entry in calibration.batch_default:
        if not in_loose_span(version, entry.since, entry.until):
            continue
        if total_bytes < entry.memory_min_gib * GIB:
            continue
        if not _meant(entry, gpu.lower(), on_cpu=on_cpu):
            continue
        tokens = entry.max_num_batched_tokens
        if tokens == 0:
            short = context_tokens <= entry.chunked_above
            tokens = max(2048, context_tokens) if short else entry.chunked_tokens
        factor = workers if entry.on_cpu else 1
        return Batch(
            tokens=max(1, prefill_tokens or tokens * factor),
            sequences=max_num_seqs or entry.max_num_seqs * factor,
            source=entry.source,
        )
    return Batch(tokens=prefill_tokens or 2048, sequences=max_num_seqs or 256, source="")


def _meant(entry: BatchDefault, gpu: str, *, on_cpu: bool) -> bool:
    if entry.on_cpu and not on_cpu:
        return False
    if on_cpu and (entry.gpu_with or entry.memory_min_gib):
        return False
    return entry.gpu_with in gpu and not (entry.gpu_without and entry.gpu_without in gpu)


def activation_peak(
    arch: Architecture,
    runner: Runner,
    batch: Batch,
    *,
    tp: int,
    eager: bool,
    dtype_bytes: int,
    quantization: str,
    context_tokens: int,
) -> Peak:
    """Return the largest of the moments of the profiling run.

    ``quantization`` is the method of the weights.
    """
    room = expert_workspace(arch, batch, tp=tp, size=dtype_bytes, quantization=quantization)
    moments = [
        _layers(arch, runner, batch, tp=tp, eager=eager, size=dtype_bytes),
        _beside_experts(_sampling(arch, runner, batch, tp=tp, size=dtype_bytes), room),
    ]
    if runner.compiles and not eager:
        moments.append(
            _embedding(arch, runner, batch, tp=tp, size=dtype_bytes, fp8=quantization == "fp8")
        )
    if arch.kv_lora_rank is not None:
        latent = _latent(arch, runner, batch, tp=tp, size=dtype_bytes, context=context_tokens)
        moments.append(_beside_experts(latent, room))
    if arch.recurrent is not None and arch.recurrent.width:
        width = -(-arch.recurrent.width // tp)
        mixer = _layers(arch, runner, batch, tp=tp, eager=eager, size=dtype_bytes, width=width)
        moments.append(_beside_experts(mixer, room))
    if arch.shared_experts and room.size_bytes:
        inner = -(-arch.shared_experts * (arch.shared_expert_intermediate_size or 0) // tp)
        shared = _layers(arch, runner, batch, tp=tp, eager=eager, size=dtype_bytes, width=3 * inner)
        moments.append(_beside_experts(shared, room))
    if room.size_bytes:
        moments.append(_beside_experts(_between(arch, runner, batch, size=dtype_bytes), room))
    return max(moments, key=lambda moment: moment.size_bytes)


def expert_workspace(
    arch: Architecture, batch: Batch, *, tp: int, size: int, quantization: str
) -> Peak:
    """Return the two buffers of the fused experts, kept from the first such layer on.

    Source: vLLM fused_moe, TritonExperts.workspace_shapes (0.26.0). MXFP4 kernels need none.
    """
    if arch.experts is None or quantization == "mxfp4":
        return Peak(size_bytes=0, formula="")
    inner = -(-(arch.moe_intermediate_size or 0) // tp)
    chosen = arch.experts_per_token or 1
    width = max(inner, arch.hidden_size) + max(2 * inner, arch.hidden_size)
    return Peak(
        size_bytes=batch.tokens * chosen * width * size,
        formula=f"experts: {batch.tokens} tokens × {chosen} × {width} × {size} B",
    )


def _beside_experts(moment: Peak, room: Peak) -> Peak:
    if not room.size_bytes:
        return moment
    return Peak(
        size_bytes=moment.size_bytes + room.size_bytes,
        formula=f"{moment.formula} + {room.formula}",
    )


def _between(arch: Architecture, runner: Runner, batch: Batch, *, size: int) -> Peak:
    """Return what flows between the layers of experts."""
    per_token = int(runner.hidden_factor * arch.hidden_size) * size
    return Peak(
        size_bytes=batch.tokens * per_token + runner.constant_mib * MIB,
        formula=(
            f"between layers: {batch.tokens} tokens × {runner.hidden_factor:g} × "
            f"{arch.hidden_size} × {size} B + {runner.constant_mib} MiB"
        ),
    )


def _layers(
    arch: Architecture,
    runner: Runner,
    batch: Batch,
    *,
    tp: int,
    eager: bool,
    size: int,
    width: int | None = None,
) -> Peak:
    width = _dense_width(arch, tp) if width is None else width
    constant = (runner.eager_constant_mib if eager else runner.constant_mib) * MIB
    factor = runner.eager_hidden_factor if eager else runner.hidden_factor
    if tp > 1:
        factor += runner.eager_gathered_factor if eager else runner.gathered_factor
    per_token = (width + int(factor * arch.hidden_size)) * size
    return Peak(
        size_bytes=batch.tokens * per_token + constant,
        formula=(
            f"inside a layer: {batch.tokens} tokens × ({width} + {factor:g} × "
            f"{arch.hidden_size}) × {size} B + {constant // MIB} MiB"
        ),
    )


def layer_width(arch: Architecture, tp: int) -> int:
    """Return the widest intermediate values per token: gate, up and their product.

    With experts: the two buffers of the fused kernel, for each chosen expert.
    """
    sparse = 0
    if arch.experts is not None:
        inner = -(-(arch.moe_intermediate_size or 0) // tp)
        sparse = (arch.experts_per_token or 1) * (max(2 * inner, arch.hidden_size) + inner)
    return max(_dense_width(arch, tp), sparse)


def _dense_width(arch: Architecture, tp: int) -> int:
    if not arch.intermediate_size or (arch.experts is not None and not arch.dense_layers):
        return 0
    return (3 if arch.gated_mlp else 2) * -(-arch.intermediate_size // tp)


def _sampling(arch: Architecture, runner: Runner, batch: Batch, *, tp: int, size: int) -> Peak:
    rows = min(batch.sequences, batch.tokens)
    per_logit = float(runner.logits_bytes)
    if tp > 1 and runner.gathers_logits:
        # The gathered logits lie there twice, beside this GPU's own part.
        per_logit += size * (1 + 1 / tp)
    hidden = batch.tokens * arch.hidden_size * size
    total = int(rows * arch.vocab_size * per_logit) + hidden + runner.logits_constant_mib * MIB
    return Peak(
        size_bytes=total,
        formula=(
            f"sampling: {rows} sequences × {arch.vocab_size} logits × {per_logit:g} B + "
            f"{batch.tokens} tokens × {arch.hidden_size} × {size} B + "
            f"{runner.logits_constant_mib} MiB"
        ),
    )


def _embedding(
    arch: Architecture, runner: Runner, batch: Batch, *, tp: int, size: int, fp8: bool
) -> Peak:
    rows = padded_vocabulary(arch.vocab_size, tp)
    # A table that is divided is looked up under a mask, and the sum over GPUs is made in place.
    copies, constant = (2, 0) if tp == 1 else (1, runner.masked_embedding_mib)
    per_value = copies * size + (1 if fp8 else 0)
    return Peak(
        size_bytes=(rows * size + batch.tokens * per_value) * arch.hidden_size + constant * MIB,
        formula=(
            f"compiling the embedding: ({rows} rows × {size} B + {batch.tokens} tokens × "
            f"{per_value} B) × {arch.hidden_size}" + (f" + {constant} MiB" if constant else "")
        ),
    )


def _latent(
    arch: Architecture, runner: Runner, batch: Batch, *, tp: int, size: int, context: int
) -> Peak:
    nope, rope = arch.qk_nope_head_dim or 0, arch.qk_rope_head_dim or 0
    heads = -(-arch.heads // tp)
    width = heads * (nope + (arch.v_head_dim or nope))
    rows = max(min(8 * context, MLA_WORKSPACE_TOKENS), batch.sequences * 16)
    flowing = 2 * arch.hidden_size + heads * (nope + rope) + (arch.kv_lora_rank or 0) + rope
    return Peak(
        size_bytes=(rows * width + batch.tokens * flowing) * size + runner.eager_constant_mib * MIB,
        formula=(
            f"MLA workspace: {rows} tokens × {width} × {size} B + {batch.tokens} tokens × "
            f"{flowing} × {size} B + {runner.eager_constant_mib} MiB"
        ),
    )


def graph_sizes(max_num_seqs: int, size_limit: int) -> tuple[int, ...]:
    """Return the batch sizes vLLM captures: 1, 2, 4, then steps of 8, above 256 of 16.

    Source: vLLM config/vllm.py.

    Example:
        >>> len(graph_sizes(1024, 512)), len(graph_sizes(64, 512))
        (51, 19)
    """
    largest = min(2 * max_num_seqs, size_limit)
    sizes = [1, 2, 4, *range(8, 257, 8), *range(272, largest + 1, 16)]
    return tuple(size for size in sizes if size <= largest)


def graph_memory(
    arch: Architecture, coefficients: GraphCoefficients, sequences: int, *, tp: int
) -> Peak:
    """Return what capturing CUDA graphs takes."""
    sizes = graph_sizes(sequences, coefficients.size_limit)
    per_size = arch.layers * len(sizes) * coefficients.bytes_per_layer_and_size
    hidden = arch.hidden_size // tp
    per_token = int(sum(sizes) * hidden * coefficients.bytes_per_token_and_hidden)
    return Peak(
        size_bytes=per_size + per_token,
        formula=(
            f"{arch.layers} layers × {len(sizes)} sizes × "
            f"{coefficients.bytes_per_layer_and_size} B + {sum(sizes)} tokens × {hidden} × "
            f"{coefficients.bytes_per_token_and_hidden:g} B"
        ),
    )


def graph_estimate(
    arch: Architecture, data: GraphCoefficients, sequences: int, *, quantization: str
) -> int:
    """Return what the engine itself expects its graphs to take, and so takes off the KV cache.

    It captures the two largest graphs of each kind and counts the second for all others; the
    driver hands out whole steps. Source: vLLM 0.26.0 gpu_model_runner.py, profile_cudagraph_memory.
    """
    pieces = graph_sizes(sequences, data.size_limit)
    whole = [size for size in pieces if size <= sequences]
    per_layer = data.estimate_full_mib_per_layer
    if arch.kv_lora_rank is not None:
        per_layer = data.estimate_full_latent_mib_per_layer
    elif quantization == "mxfp4":
        per_layer = data.estimate_full_mxfp4_mib_per_layer
    given, states = arch.attention_weight_layers, arch.recurrent.layers if arch.recurrent else 0
    mixers = states + (arch.layers if given is None else given)
    steps = ceil(mixers * per_layer / data.estimate_unit_mib) * data.estimate_unit_mib
    return MIB * (
        data.estimate_first_mib
        + (len(pieces) - 1) * data.estimate_piece_mib
        + max(0, len(whole) - 1) * steps
    )
