"""The KV cache: bytes per token on one GPU, and how much of it a request holds.

Exact arithmetic over the architecture: GQA, MLA, KV dtype, replicated heads, pipeline stages,
sliding windows and hybrid layers.
Source: vLLM v1/kv_cache_interface.py and llama.cpp src/llama-kv-cache.cpp (checked 2026-11-29).
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from app.core.errors import ErrorCode, PlanError
from app.core.models.architecture import Architecture, sliding_shape

_BYTES: Final = {
    "auto": Fraction(2), "float16": Fraction(2), "fp16": Fraction(2), "f16": Fraction(2),
    "half": Fraction(2), "bfloat16": Fraction(2), "bf16": Fraction(2),
    "float32": Fraction(4), "f32": Fraction(4),
    "fp8": Fraction(1), "fp8_e4m3": Fraction(1), "fp8_e5m2": Fraction(1), "fp8_inc": Fraction(1),
    "int8": Fraction(1), "q8_0": Fraction(17, 16), "q5_1": Fraction(3, 4),
    "q5_0": Fraction(11, 16), "q4_1": Fraction(5, 8), "q4_0": Fraction(9, 16),
    "iq4_nl": Fraction(9, 16), "nvfp4": Fraction(9, 16),
}  # fmt: skip
"""Bytes per element with its share of scales. Source: vLLM 0.33 and ggml block sizes."""

_DS_MLA_BYTES: Final = 656
"""Bytes per token and layer of vLLM's ``fp8_ds_mla``. Source: vLLM 0.33, DeepSeek V3.2 layout."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KvLayout:
    """What one GPU keeps per token."""

    bytes_per_token: int
    """Over all layers of one GPU that keep a cache, as if none slid."""
    bytes_per_layer: Fraction
    layers: int
    """Layers with a cache on one GPU."""
    sliding_layers: int
    window: int | None
    formula: str

    @property
    def full_layers(self) -> int:
        """Layers that keep the whole context."""
        return self.layers - self.sliding_layers


def element_bytes(dtype: str, model_dtype: str = "bfloat16") -> Fraction:
    """Return the size of one cached value.

    Raises:
        PlanError: UNSUPPORTED_COMBINATION for a dtype that is not known.
    """
    name = dtype.lower()
    if name == "auto":
        return Fraction(4) if model_dtype == "float32" else Fraction(2)
    size = _BYTES.get(name)
    if size is None:
        raise PlanError(
            ErrorCode.UNSUPPORTED_COMBINATION,
            {"field": "kv_dtype", "value": dtype},
            cause=f"The KV cache dtype “{dtype}” is not known.",
            remedy=f"Use one of {', '.join(sorted(_BYTES))}.",
        )
    return size


def split_kv_dtype(kv_dtype: str) -> tuple[str, str]:
    """Return the dtypes of keys and values: ``q8_0/f16`` names both, one word means both."""
    keys, slash, values = kv_dtype.partition("/")
    return (keys, values) if slash else (keys, keys)


def kv_layout(
    arch: Architecture,
    *,
    tensor_parallel_size: int = 1,
    pipeline_parallel_size: int = 1,
    kv_dtype: str = "auto",
    model_dtype: str = "bfloat16",
) -> KvLayout:
    """Return what one GPU caches per token.

    Raises:
        PlanError: UNSUPPORTED_COMBINATION for an unknown KV dtype.

    Example (Qwen2.5-7B: 28 layers, 4 KV heads of 128, 2 bytes):
        >>> qwen = Architecture(name="Qwen2ForCausalLM", model_type="qwen2", layers=28,
        ...     hidden_size=3584, heads=28, kv_heads=4, head_dim=128, vocab_size=152064)
        >>> kv_layout(qwen).bytes_per_token
        57344
        >>> kv_layout(qwen, tensor_parallel_size=8).formula
        '28 layers × 1 KV heads × (128 + 128) × 2 B'
    """
    with_kv = arch.layers if arch.attention_layers is None else arch.attention_layers
    if arch.is_encoder:
        with_kv = 0
    stages = max(1, pipeline_parallel_size)
    layers = -(-with_kv // stages)
    sliding = min(layers, -(-arch.sliding_layers // stages)) if arch.sliding_window else 0
    keys, values = split_kv_dtype(kv_dtype)
    per_layer, text = _per_layer(arch, tensor_parallel_size, keys, values, model_dtype)
    total, formula = per_layer * layers, f"{layers} layers × {text}"
    if sliding and arch.other_sliding_shape:
        # Layers that slide have heads of their own: what one layer takes becomes a mean.
        other, other_text = _per_layer(
            sliding_shape(arch), tensor_parallel_size, keys, values, model_dtype
        )
        full = layers - sliding
        total = per_layer * full + other * sliding
        formula = f"{full} layers × {text} + {sliding} sliding layers × {other_text}"
        per_layer = total / layers
    return KvLayout(
        bytes_per_token=_ceil(total),
        bytes_per_layer=per_layer,
        layers=layers,
        sliding_layers=sliding,
        window=arch.sliding_window if sliding else None,
        formula=formula,
    )


def _per_layer(
    arch: Architecture, tp: int, keys: str, values: str, model_dtype: str
) -> tuple[Fraction, str]:
    if arch.kv_lora_rank is not None:
        if keys.lower() == "fp8_ds_mla":
            return Fraction(_DS_MLA_BYTES), f"{_DS_MLA_BYTES} B (fp8_ds_mla)"
        width = arch.kv_lora_rank + (arch.qk_rope_head_dim or 0)
        size = element_bytes(keys, model_dtype)
        text = f"({arch.kv_lora_rank} + {arch.qk_rope_head_dim or 0}) × {_number(size)} B"
        return width * size, text + " (MLA, whole on every GPU)"
    heads = max(1, arch.kv_heads // max(1, tp))
    value_dim = arch.v_head_dim or arch.head_dim
    key_size, value_size = element_bytes(keys, model_dtype), element_bytes(values, model_dtype)
    per_layer = heads * (arch.head_dim * key_size + value_dim * value_size)
    if key_size == value_size:
        return per_layer, (
            f"{heads} KV heads × ({arch.head_dim} + {value_dim}) × {_number(key_size)} B"
        )
    return per_layer, (
        f"{heads} KV heads × ({arch.head_dim} × {_number(key_size)} B"
        f" + {value_dim} × {_number(value_size)} B)"
    )


def _number(value: Fraction) -> str:
    return f"{float(value):g}"


def _ceil(value: Fraction) -> int:
    return -(-value.numerator // value.denominator)


@dataclass(frozen=True, slots=True, kw_only=True)
class PagedCache:
    """A paged KV cache of vLLM's kind: blocks, and what requests take of them."""

    blocks: int
    blocks_per_request: int
    block_bytes: int
    max_concurrency: float
    tokens: int


def paged_cache(
    layout: KvLayout,
    *,
    available_bytes: int,
    context_tokens: int,
    block_size: int,
    in_flight_tokens: int,
) -> PagedCache:
    """Divide memory into blocks and say how many requests of full length fit.

    Layers that slide form groups of equal size with those that do not; a block id covers one
    group. Source: vLLM v1/core/kv_cache_utils.py.
    """
    groups, group_layers = _groups(layout)
    block_bytes = max(1, _ceil(layout.bytes_per_layer * block_size) * group_layers)
    full = -(-context_tokens // block_size)
    per_request = 0
    for slides, count in groups:
        held = full
        if slides and layout.window is not None:
            tokens = min(layout.window - 1 + in_flight_tokens, context_tokens)
            held = -(-tokens // block_size) + 1
        per_request += held * count
    blocks = max(0, available_bytes) // block_bytes
    concurrency = blocks / per_request
    tokens = blocks * block_size if len(groups) == 1 else int(concurrency * context_tokens)
    return PagedCache(
        blocks=blocks,
        blocks_per_request=per_request,
        block_bytes=block_bytes,
        max_concurrency=concurrency,
        tokens=tokens,
    )


def _groups(layout: KvLayout) -> tuple[tuple[tuple[bool, int], ...], int]:
    """Return ``(slides, how many groups)`` and the layers of one group."""
    full, sliding = layout.full_layers, layout.sliding_layers
    if not full or not sliding:
        return ((bool(sliding), 1),), max(1, full + sliding)
    size, larger = min(full, sliding), max(full, sliding)
    if larger < 1.5 * size:
        size = larger
    return ((False, -(-full // size)), (True, -(-sliding // size))), size
