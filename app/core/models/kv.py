"""The KV cache: bytes per token on one GPU, and the state that recurrent layers keep.

Exact arithmetic over the architecture: GQA, MLA, KV dtype, replicated heads, pipeline stages,
sliding windows, recurrent layers and the index of sparse attention.
Source: vLLM v1/kv_cache_interface.py and llama.cpp src/llama-kv-cache.cpp (checked 2026-11-29).
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from app.core.errors import ErrorCode, PlanError
from app.core.models.architecture import Architecture, RecurrentKind, sliding_shape

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

_INDEX_GROUP: Final = 128
"""Values with one scale. Source: vLLM 0.26.0 models/deepseek_v2.py; SGLang memory_pool.py alike."""

_STATE_ALWAYS: Final = {RecurrentKind.KIMI_DELTA: "float32"}
"""States whose dtype cannot be chosen. Source: vLLM 0.26.0 mamba_utils.py."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KvLayout:
    """What one GPU keeps per token."""

    bytes_per_token: int
    """Over all layers of one GPU that keep a cache, as if none slid."""
    full_bytes: Fraction
    """Per token of one layer with full attention, without its index."""
    sliding_bytes: Fraction
    """Per token of one sliding layer."""
    layers: int
    """Layers with a cache on one GPU."""
    sliding_layers: int
    window: int | None
    formula: str
    index_bytes: int = 0
    """Per token and layer, of the keys by which sparse attention chooses (DeepSeek V3.2)."""
    state_layers: int = 0
    """Recurrent layers on one GPU."""
    state_bytes: int = 0
    """Of one sequence in one recurrent layer, whatever its length."""

    @property
    def full_layers(self) -> int:
        """Layers that keep the whole context."""
        return self.layers - self.sliding_layers

    @property
    def keeps_anything(self) -> bool:
        """Whether a sequence takes memory of its own."""
        return self.layers > 0 or self.state_layers > 0

    def sequence_bytes(self, full_tokens: int, sliding_tokens: int) -> int:
        """Return what one sequence takes, without its recurrent state."""
        full = (self.full_bytes + self.index_bytes) * self.full_layers * full_tokens
        return int(full + self.sliding_bytes * self.sliding_layers * sliding_tokens)


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
    state_dtype: str = "auto",
) -> KvLayout:
    """Return what one GPU caches per token.

    ``state_dtype`` is that of recurrent states; ``f32/f32`` names that of their convolution
    windows first, which are otherwise as the model.

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
    full, other, formula = layers - sliding, per_layer, f"{layers} layers × {text}"
    if sliding and arch.other_sliding_shape:
        other, other_text = _per_layer(
            sliding_shape(arch), tensor_parallel_size, keys, values, model_dtype
        )
        formula = f"{full} layers × {text} + {sliding} sliding layers × {other_text}"
    index = _index_bytes(arch) if full else 0
    if index:
        formula += f" + {full} × {index} B index"
    return KvLayout(
        bytes_per_token=_ceil((per_layer + index) * full + other * sliding),
        full_bytes=per_layer,
        sliding_bytes=other,
        layers=layers,
        sliding_layers=sliding,
        window=arch.sliding_window if sliding else None,
        formula=formula,
        index_bytes=index,
        state_layers=-(-arch.recurrent.layers // stages) if arch.recurrent else 0,
        state_bytes=_state_bytes(arch, tensor_parallel_size, model_dtype, state_dtype),
    )


def _index_bytes(arch: Architecture) -> int:
    """Return the index keys of one token and layer: 8 bits each, a 4 byte scale for 128 of them."""
    size = arch.index_head_dim
    return size + size // _INDEX_GROUP * 4 if size else 0


def _state_bytes(arch: Architecture, tp: int, model_dtype: str, state_dtype: str) -> int:
    """Return the state and convolution window of one sequence in one recurrent layer."""
    found = arch.recurrent
    if found is None:
        return 0
    window, slash, state = state_dtype.partition("/")
    state = _STATE_ALWAYS.get(found.kind, state if slash else window)
    window_size = element_bytes(window if slash else "auto", model_dtype)
    state_size = element_bytes(state, model_dtype)
    windows, states = (-(-n // max(1, tp)) for n in (found.conv_elements, found.state_elements))
    return _ceil(windows * window_size + states * state_size)


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
