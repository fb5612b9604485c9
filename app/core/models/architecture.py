"""What a model is, read from its headers only: architecture numbers, files, quantization."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType


class ModelFormat(StrEnum):
    """How the weights are stored."""

    SAFETENSORS = "safetensors"
    GGUF = "gguf"
    UNKNOWN = "unknown"


class RecurrentKind(StrEnum):
    """Layers that keep a state of fixed size instead of a cache that grows."""

    MAMBA1 = "mamba1"
    MAMBA2 = "mamba2"
    GATED_DELTA = "gated_delta"
    """Gated DeltaNet: Qwen3-Next, Qwen3.5, OLMo-Hybrid."""
    KIMI_DELTA = "kimi_delta"
    LIGHTNING = "lightning"
    """Lightning attention: MiniMax-01."""
    SHORT_CONV = "short_conv"
    """Gated short convolution: LFM2. Only the convolution keeps a state."""
    RG_LRU = "rg_lru"
    """Griffin: RecurrentGemma."""
    RWKV = "rwkv"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecurrentLayers:
    """A model's recurrent layers, all alike; sizes are those of one layer."""

    kind: RecurrentKind
    layers: int
    parameters: int
    """Weights of one layer's mixer; tensor parallelism divides them by heads."""
    state_elements: int
    """Values of the state of one sequence in one layer."""
    conv_elements: int = 0
    """Values of the convolution's window of one sequence in one layer."""
    width: int = 0
    """Values that one token holds inside a mixer while it is computed."""
    state_dtype: str | None = None
    """The dtype the config asks for the state; ``None`` leaves it to the engine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraWeights:
    """Weights outside the usual layers: towers, learned positions, shared blocks and the like."""

    name: str
    parameters: int
    sharded: bool = False
    """Tensor parallelism divides them; otherwise every GPU holds them whole."""
    quantizable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RopeScaling:
    """How positions are stretched beyond what the model was trained on."""

    kind: str
    factor: float | None = None
    original_context: int | None = None


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
    is_encoder_decoder: bool = False
    """T5, BART, Whisper: not served as a plain language model."""
    is_generic: bool = False
    """The architecture is not in our table: read by the usual names of its fields."""
    attention_weight_layers: int | None = None
    """Layers with attention weights of their own; ``None`` means all."""
    dense_mlp_layers: int | None = None
    """Layers with a dense MLP; ``None`` means all that have no experts."""
    sparse_layers: int | None = None
    """Layers with experts; ``None`` means all after ``dense_layers``."""
    query_gate: bool = False
    """The query projection also makes an output gate (Qwen3-Next): twice as wide."""
    values_are_keys: bool = False
    """Layers with full attention use their keys as values: no value projection."""
    sliding_kv_heads: int | None = None
    """KV heads of sliding layers where they differ from ``kv_heads``."""
    sliding_heads: int | None = None
    sliding_head_dim: int | None = None
    """Head size of sliding layers where it differs from ``head_dim``."""
    sliding_v_head_dim: int | None = None
    norms_per_layer: int = 2
    recurrent: RecurrentLayers | None = None
    extras: tuple[ExtraWeights, ...] = ()
    index_head_dim: int | None = None
    """Sparse attention with an indexer (DeepSeek V3.2): width of its key per token and layer."""
    mtp_layers: int = 0
    """Layers that predict further tokens; loaded only for speculative decoding."""
    rope_scaling: RopeScaling | None = None
    rotary_dim: int | None = None
    """Values of a head that turn with the position; 0: none, ``None``: all of them."""

    @property
    def other_sliding_shape(self) -> bool:
        """Whether sliding layers have other heads than those with full attention."""
        shapes = (self.sliding_heads, self.sliding_kv_heads, self.sliding_head_dim)
        return any(shape is not None for shape in shapes)

    @property
    def vision_parameters(self) -> int:
        """Weights of the vision and audio parts with their projectors."""
        towers = ("vision", "audio", "projector")
        return sum(e.parameters for e in self.extras if e.name.startswith(towers))


def sliding_shape(arch: Architecture) -> Architecture:
    """Return the architecture as its sliding layers see it: with their heads."""
    own_values = None if arch.sliding_head_dim else arch.v_head_dim
    return replace(
        arch,
        heads=arch.sliding_heads or arch.heads,
        kv_heads=arch.sliding_kv_heads or arch.kv_heads,
        head_dim=arch.sliding_head_dim or arch.head_dim,
        v_head_dim=arch.sliding_v_head_dim or own_values,
        values_are_keys=False,
    )


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
    zero_points: bool | None = None
    """Whether each group has a zero point beside its scale; ``None``: as the method does it."""
    double_scales: bool = False
    """bitsandbytes: the scales are quantized too."""
    parts: tuple["QuantizedPart", ...] = ()
    """Modules packed another way than the rest; the first that matches holds."""
    unsupported: bool = False
    """A format that none of the known engines loads (EXL2, HQQ, …)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantizedPart:
    """Modules of a checkpoint that are packed in a way of their own."""

    targets: tuple[str, ...]
    """Module patterns, as in `Quantization.unquantized`."""
    scheme: Quantization


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightBreakdown:
    """Where a GGUF's tensor bytes lie, for splitting layers between GPU and main memory."""

    embedding_bytes: int
    """Token embedding: stays in main memory."""
    output_bytes: int
    """The head; 0 when the embedding serves as one."""
    layer_bytes: tuple[int, ...]
    """Each layer's tensors, first layer first."""
    expert_bytes: tuple[int, ...] = ()
    """What of them are experts, where the file tells."""
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
