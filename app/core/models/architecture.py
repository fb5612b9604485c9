"""What a model is, read from its headers only: architecture numbers, files, quantization."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class ModelFormat(StrEnum):
    """How the weights are stored."""

    SAFETENSORS = "safetensors"
    GGUF = "gguf"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """Numbers that decide memory and parallelism. ``None`` means the config does not say."""

    name: str
    """Class name such as ``Qwen2ForCausalLM``, or the GGUF architecture such as ``qwen2``."""
    model_type: str
    layers: int
    hidden_size: int
    intermediate_size: int | None = None
    heads: int
    kv_heads: int
    head_dim: int
    v_head_dim: int | None = None
    vocab_size: int
    max_context: int | None = None
    tie_embeddings: bool = False
    attention_layers: int | None = None
    """Layers that keep a KV cache; ``None`` means all."""
    sliding_window: int | None = None
    sliding_layers: int = 0
    """How many layers keep only ``sliding_window`` tokens."""
    kv_lora_rank: int | None = None
    """MLA: compressed KV width per token and layer."""
    qk_rope_head_dim: int | None = None
    q_lora_rank: int | None = None
    qk_nope_head_dim: int | None = None
    experts: int | None = None
    experts_per_token: int | None = None
    moe_intermediate_size: int | None = None
    shared_experts: int = 0
    shared_expert_intermediate_size: int | None = None
    dense_layers: int = 0
    """Leading layers without experts in a mixture-of-experts model."""
    attention_bias: bool = False
    gated_mlp: bool = True
    is_multimodal: bool = False
    is_encoder: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantization:
    """How the weights are quantized, in their authors' words."""

    method: str
    """``none``, ``awq``, ``gptq``, ``fp8``, ``compressed-tensors``, ``gguf``, …"""
    bits: int | None = None
    group_size: int | None = None
    label: str = ""
    """For example ``Q4_K_M`` or ``W8A8``."""
    block_shape: tuple[int, ...] = ()
    unquantized: tuple[str, ...] = ()
    """Module patterns left in the original dtype."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightBreakdown:
    """Where a GGUF's tensor bytes lie, for splitting layers between GPU and main memory."""

    embedding_bytes: int
    """Token embedding: stays in main memory."""
    output_bytes: int
    """Head and final norm; 0 when the embedding serves as head."""
    layer_bytes: tuple[int, ...]
    """Each layer's tensors, first layer first."""
    other_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """One file of a model folder."""

    name: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """A model as found: where, what, how large, what is missing."""

    name: str
    path: str | None
    """Absolute path on the host of the folder (or of the GGUF file); ``None`` for a bare config."""
    format: ModelFormat
    architecture: Architecture
    quantization: Quantization
    dtype: str
    """Dtype of the unquantized weights: ``bfloat16``, ``float16``, ``float32``."""
    weights_bytes: int | None = None
    """Sum of the weight tensors from the file headers; ``None`` when only the config was read."""
    breakdown: WeightBreakdown | None = None
    """Only where the headers told every tensor (GGUF)."""
    files: tuple[ModelFile, ...] = ()
    has_tokenizer: bool | None = None
    has_chat_template: bool | None = None
    warnings: tuple[str, ...] = ()
    """What is missing or contradicts itself, in English sentences."""
    raw_config: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
