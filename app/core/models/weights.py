"""Weights on one GPU: the tensors of the architecture, sharded, quantized and rounded.

Merged tensors (query, key and value; gate and up; all experts) as engines allocate them, because
rounding is per tensor. Where file headers gave the checkpoint's real size, the difference to the
formula (vision towers, extra heads) is added.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil

from app.core.models.allocation import Allocation, Requantized, unused_by_requantizing
from app.core.models.architecture import Architecture, ModelInfo, Quantization, sliding_shape
from app.core.models.quantized_modules import kept_layers
from app.core.models.quantized_size import (
    DTYPE_BYTES,
    bytes_per_weight,
    effective_quantization,
    load_dtype,
    scheme_of,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """One kind of weight tensor."""

    path: str
    count: int
    """How many of them one GPU holds."""
    elements: int
    """Of one of them, on one GPU."""
    quantizable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The weights of one GPU."""

    bytes_per_gpu: int
    formula: str
    source: str
    quantization: Quantization
    dtype_bytes: int


def padded_vocabulary(vocab_size: int, tensor_parallel_size: int) -> int:
    """Return the rows of the vocabulary one GPU holds: padded to 64, then divided.

    Source: vLLM vocab_parallel_embedding.py.

    Example:
        >>> padded_vocabulary(32003, 2)
        16032
    """
    return -(-(-(-vocab_size // 64) * 64) // max(1, tensor_parallel_size))


@lru_cache(maxsize=64)
def tensors(arch: Architecture, *, tp: int = 1, pp: int = 1) -> tuple[Tensor, ...]:
    """Return the tensors of the GPU that holds most: a stage's layers and an end of the model.

    With pipeline stages that is the larger of embedding and head beside ``⌈layers / pp⌉`` layers.
    Kept, because a table of hardware asks for the same few over and over.
    """
    vocabulary = padded_vocabulary(arch.vocab_size, tp) * arch.hidden_size
    ends = 1 if arch.tie_embeddings or pp > 1 else 2
    layers = -(-arch.layers // pp)
    sparse = _sparse_layers(arch, pp)
    dense = layers - sparse if arch.dense_mlp_layers is None else -(-arch.dense_mlp_layers // pp)
    found = [
        Tensor(path="embed_tokens", count=1, elements=vocabulary, quantizable=False),
        *_attention(arch, pp, tp),
        *_recurrent(arch, pp, tp),
        *_dense_mlp(arch, dense, tp),
        *_experts(arch, sparse, tp),
        Tensor(
            path="norm",
            count=layers * arch.norms_per_layer + 1,
            elements=arch.hidden_size,
            quantizable=False,
        ),
        *_extras(arch, tp),
    ]
    if ends == 2:
        found.append(Tensor(path="lm_head", count=1, elements=vocabulary, quantizable=False))
    return tuple(tensor for tensor in found if tensor.count and tensor.elements)


def _sparse_layers(arch: Architecture, pp: int) -> int:
    if arch.experts is None:
        return 0
    given = arch.sparse_layers
    return -(-(arch.layers - arch.dense_layers if given is None else given) // pp)


def _recurrent(arch: Architecture, pp: int, tp: int) -> tuple[Tensor, ...]:
    if arch.recurrent is None:
        return ()
    elements = -(-arch.recurrent.parameters // tp)
    count = -(-arch.recurrent.layers // pp)
    return (Tensor(path="mixer", count=count, elements=elements),)


def _extras(arch: Architecture, tp: int) -> tuple[Tensor, ...]:
    return tuple(
        Tensor(
            path=extra.name,
            count=1,
            elements=-(-extra.parameters // tp) if extra.sharded else extra.parameters,
            quantizable=extra.quantizable,
        )
        for extra in arch.extras
    )


def _attention(arch: Architecture, pp: int, tp: int) -> tuple[Tensor, ...]:
    given = arch.attention_weight_layers
    layers = -(-(arch.layers if given is None else given) // pp)
    if not arch.other_sliding_shape:
        return _attention_alike(arch, layers, tp)
    sliding = min(layers, -(-arch.sliding_layers // pp))
    return (
        *_attention_alike(arch, layers - sliding, tp),
        *_attention_alike(sliding_shape(arch), sliding, tp),
    )


def _attention_alike(arch: Architecture, layers: int, tp: int) -> tuple[Tensor, ...]:
    if layers <= 0:
        return ()
    hidden, heads = arch.hidden_size, -(-arch.heads // tp)
    value_dim = arch.v_head_dim or arch.head_dim
    output = Tensor(path="self_attn.o_proj", count=layers, elements=heads * value_dim * hidden)
    if arch.kv_lora_rank is not None:
        return (*_latent_attention(arch, layers, heads), output)
    kv_heads = max(1, arch.kv_heads // tp)
    queries = (2 if arch.query_gate else 1) * heads
    values = 0 if arch.values_are_keys else value_dim
    width = queries * arch.head_dim + kv_heads * (arch.head_dim + values)
    found = [Tensor(path="self_attn.qkv_proj", count=layers, elements=hidden * width), output]
    if arch.attention_bias:
        bias = Tensor(path="self_attn.bias", count=layers, elements=width, quantizable=False)
        found.append(bias)
    return tuple(found)


def _latent_attention(arch: Architecture, layers: int, heads: int) -> tuple[Tensor, ...]:
    hidden, lora, rope = arch.hidden_size, arch.kv_lora_rank or 0, arch.qk_rope_head_dim or 0
    nope = arch.qk_nope_head_dim or max(0, arch.head_dim - rope)
    value_dim = arch.v_head_dim or nope
    up = Tensor(
        path="self_attn.kv_b_proj", count=layers, elements=lora * heads * (nope + value_dim)
    )
    # The down projections are whole on every GPU.
    down = Tensor(path="self_attn.kv_a_proj", count=layers, elements=hidden * (lora + rope))
    if arch.q_lora_rank is None:
        query = Tensor(
            path="self_attn.q_proj", count=layers, elements=hidden * heads * (nope + rope)
        )
        return query, down, up
    return (
        Tensor(path="self_attn.q_a_proj", count=layers, elements=hidden * arch.q_lora_rank),
        Tensor(
            path="self_attn.q_b_proj",
            count=layers,
            elements=arch.q_lora_rank * heads * (nope + rope),
        ),
        down,
        up,
    )


def _dense_mlp(arch: Architecture, layers: int, tp: int) -> tuple[Tensor, ...]:
    if not arch.intermediate_size or layers <= 0:
        return ()
    inner = -(-arch.intermediate_size // tp)
    up = (2 if arch.gated_mlp else 1) * inner
    return (
        Tensor(path="mlp.gate_up_proj", count=layers, elements=arch.hidden_size * up),
        Tensor(path="mlp.down_proj", count=layers, elements=arch.hidden_size * inner),
    )


def _experts(arch: Architecture, layers: int, tp: int) -> tuple[Tensor, ...]:
    if arch.experts is None or layers <= 0:
        return ()
    hidden = arch.hidden_size
    inner = -(-(arch.moe_intermediate_size or 0) // tp)
    shared = arch.shared_experts * (arch.shared_expert_intermediate_size or 0)
    shared_inner = -(-shared // tp)
    ups = 2 if arch.gated_mlp else 1
    return (
        Tensor(path="mlp.experts.w13", count=layers, elements=arch.experts * hidden * ups * inner),
        Tensor(path="mlp.experts.w2", count=layers, elements=arch.experts * hidden * inner),
        Tensor(path="mlp.router", count=layers, elements=arch.experts * hidden, quantizable=False),
        Tensor(
            path="mlp.shared_experts.gate_up_proj",
            count=layers,
            elements=hidden * ups * shared_inner,
        ),
        Tensor(path="mlp.shared_experts.down_proj", count=layers, elements=hidden * shared_inner),
    )


def parameter_count(arch: Architecture) -> int:
    """Return the number of weights of the whole model.

    Example:
        >>> parameter_count(Architecture(name="LlamaForCausalLM", model_type="llama", layers=32,
        ...     hidden_size=4096, intermediate_size=14336, heads=32, kv_heads=8, head_dim=128,
        ...     vocab_size=128256))
        8030261248
    """
    return sum(tensor.count * tensor.elements for tensor in tensors(arch))


def weights_per_gpu(
    model: ModelInfo,
    *,
    tp: int = 1,
    pp: int = 1,
    dtype: str = "auto",
    quantization: str | None = None,
    compute_cap: str | None = None,
    weights_bytes: int | None = None,
    allocation: Allocation | None = None,
) -> Weights:
    """Return what the weights take on the fullest GPU.

    ``weights_bytes`` (or the model's own) is the checkpoint's size; it is set against the formula
    only where the engine keeps the weights as they are on disk.
    """
    arch = model.architecture
    kept_dtype = load_dtype(dtype, model.dtype, compute_cap)
    dtype_bytes = DTYPE_BYTES[kept_dtype]
    scheme = effective_quantization(model.quantization, quantization)
    split = (max(1, tp), max(1, pp))
    rounding = allocation or Allocation()
    size = _bytes(arch, split, scheme, dtype_bytes, rounding)
    if scheme != model.quantization:
        size += _unused(arch, split, scheme, dtype_bytes, rounding)
    formula = f"{_text(arch, scheme, kept_dtype, tp, pp)} = {size} B"
    checkpoint = weights_bytes if weights_bytes is not None else model.weights_bytes
    if checkpoint is None or scheme != model.quantization:
        return Weights(
            bytes_per_gpu=size, formula=formula, source="architecture (config.json)",
            quantization=scheme, dtype_bytes=dtype_bytes,
        )  # fmt: skip
    expected = _bytes(arch, (1, 1), scheme, DTYPE_BYTES[model.dtype], Allocation())
    extra = _extra(checkpoint, expected, size, arch=arch, gpus=max(1, tp) * max(1, pp))
    if scheme.method == "none":
        extra = extra * dtype_bytes // DTYPE_BYTES[model.dtype]
    return Weights(
        bytes_per_gpu=max(0, size + extra),
        formula=f"{formula}, {extra:+d} B by the checkpoint's {checkpoint} B",
        source="architecture and file headers",
        quantization=scheme,
        dtype_bytes=dtype_bytes,
    )


def _extra(checkpoint: int, expected: int, size: int, *, arch: Architecture, gpus: int) -> int:
    """Return one GPU's part of what the checkpoint holds more (or less) than the formula.

    What a vision tower adds may be whole on every GPU; other additions are divided; a smaller
    checkpoint shrinks every GPU's part alike.
    """
    difference = checkpoint - expected
    if difference < 0:
        return -(size * -difference // expected)
    return difference if arch.is_multimodal else difference // gpus


@lru_cache(maxsize=64)
def _bytes(
    arch: Architecture,
    split: tuple[int, int],
    scheme: Quantization,
    dtype_bytes: int,
    allocation: Allocation,
) -> int:
    total = 0
    for tensor in tensors(arch, tp=split[0], pp=split[1]):
        packed = _packed(tensor, scheme, arch.layers)
        per_weight = bytes_per_weight(scheme_of(tensor.path, scheme), dtype_bytes)
        total += packed * _packed_bytes(tensor, scheme, per_weight, allocation)
        total += (tensor.count - packed) * allocation.rounded(tensor.elements * dtype_bytes)
    return total


def _packed_bytes(
    tensor: Tensor, scheme: Quantization, per_weight: Fraction, allocation: Allocation
) -> int:
    """Return the size of one packed tensor: its weights, rounded, and its scales beside them."""
    values = min(Fraction(scheme.bits, 8), per_weight) if scheme.bits else per_weight
    scales = ceil(tensor.elements * (per_weight - values))
    # The copies were measured on linear layers; the experts' kernels keep their own form.
    linear = "experts" not in tensor.path
    if linear and scheme.method == "awq" and scheme.group_size and scheme.group_size > 0:
        zeros = tensor.elements * (scheme.bits or 4) // 8 // scheme.group_size
        scales += zeros * (allocation.zero_point_copies - 1) + allocation.repacked_bytes
    return allocation.rounded(ceil(tensor.elements * values)) + scales


def _unused(
    arch: Architecture,
    split: tuple[int, int],
    scheme: Quantization,
    dtype_bytes: int,
    allocation: Allocation,
) -> int:
    """Return what quantizing while loading leaves unused in blocks of the loaded tensors."""
    kinds = []
    for tensor in tensors(arch, tp=split[0], pp=split[1]):
        per_weight = bytes_per_weight(scheme_of(tensor.path, scheme), dtype_bytes)
        packed = _packed(tensor, scheme, arch.layers)
        if packed:
            kinds.append(
                Requantized(
                    layers=packed,
                    loaded_bytes=tensor.elements * dtype_bytes,
                    kept_bytes=ceil(tensor.elements * per_weight),
                )
            )
    return unused_by_requantizing(kinds, allocation)


def _packed(tensor: Tensor, scheme: Quantization, layers: int) -> int:
    """Return how many of these tensors are quantized: some stay as they are in a few layers."""
    if not tensor.quantizable:
        return 0
    if scheme.method in {"mxfp4", "experts_int8"} and "experts" not in tensor.path:
        return 0
    kept = kept_layers(tensor.path, scheme, layers)
    return 0 if kept >= layers else max(0, tensor.count - kept)


def _text(arch: Architecture, scheme: Quantization, dtype: str, tp: int, pp: int) -> str:
    share = f" / {tp * pp} GPUs" if tp * pp > 1 else ""
    kind = dtype if scheme.method == "none" else f"{scheme.label or scheme.method} over {dtype}"
    return f"{parameter_count(arch):,} weights as {kind}{share}, per tensor"


def latent_copies_bytes(arch: Architecture, scheme: Quantization, tp: int, pp: int) -> int:
    """Return what vLLM adds for MLA on quantized weights: ``kv_b_proj`` once more in 2 bytes.

    Source: vLLM mla_attention.py, process_weights_after_loading.
    """
    if arch.kv_lora_rank is None or scheme.method == "none":
        return 0
    copies = [t for t in tensors(arch, tp=tp, pp=pp) if t.path == "self_attn.kv_b_proj"]
    return sum(tensor.count * tensor.elements * 2 for tensor in copies)


def padded_scales_bytes(arch: Architecture, scheme: Quantization, tp: int, pp: int) -> int:
    """Return what vLLM pads the scales of MXFP4 experts with, and their biases in 4 bytes.

    A scale stands for 32 values; rows are filled up to 256, scales of a row to 8. Source: the
    layout of triton_kernels on Hopper, seen in two starts of gpt-oss with vLLM 0.26.0.
    """
    if scheme.method != "mxfp4" or arch.experts is None or not arch.moe_intermediate_size:
        return 0
    inner, hidden = -(-arch.moe_intermediate_size // tp), arch.hidden_size
    padding = 0
    for rows, columns in ((2 * inner, hidden), (hidden, inner)):
        groups = -(-columns // 32)
        padding += _up(rows, 256) * _up(groups, 8) - rows * groups + 2 * rows
    return _sparse_layers(arch, pp) * arch.experts * padding


def _up(size: int, unit: int) -> int:
    return -(-size // unit) * unit
