"""From a Hugging Face ``config.json`` to `ModelInfo`: what the model is, nothing about memory.

Dense, GQA, MLA, mixture-of-experts, sliding and hybrid attention, and vision-language models with
a nested ``text_config``. Encoders are recognised and said so.
"""

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from app.core.errors import ErrorCode, PlanError
from app.core.models.architecture import Architecture, ModelFile, ModelFormat, ModelInfo
from app.core.models.config_attention import Attention, read_attention
from app.core.models.config_fields import Fields, as_mapping, broken
from app.core.models.config_moe import Experts, read_experts
from app.core.models.config_quantization import read_quantization

_NESTED: Final = ("text_config", "llm_config", "language_config", "thinker_config")
_DTYPES: Final = {
    "bfloat16": "bfloat16", "bf16": "bfloat16",
    "float16": "float16", "fp16": "float16", "half": "float16",
    "float32": "float32", "fp32": "float32", "float": "float32",
}  # fmt: skip
_ENCODER_TYPES: Final = frozenset(
    {"bert", "roberta", "xlm-roberta", "distilbert", "electra", "deberta", "deberta-v2", "mpnet",
     "modernbert", "nomic_bert", "t5", "mt5", "bart", "mbart", "whisper", "clip", "siglip"}
)  # fmt: skip
_PLAIN_MLP: Final = frozenset(
    {"gpt2", "gpt_neox", "opt", "bloom", "falcon", "phi", "gpt_bigcode", "starcoder2", "mpt",
     "codegen", "gptj", "stablelm_alpha"}
)  # fmt: skip
_TIED_BY_DEFAULT: Final = ("gemma", "gpt2", "bloom", "falcon", "cohere", "starcoder2")


def parse_config_text(text: str) -> Mapping[str, object]:
    """Return the JSON object of a ``config.json``.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN when it is no JSON object.
    """
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise broken("file", f"is no JSON ({exc})") from exc
    return as_mapping(value, "file")


def read_config(
    config: Mapping[str, object],
    *,
    name: str,
    path: str | None = None,
    files: Sequence[ModelFile] = (),
    weights_bytes: int | None = None,
    model_format: ModelFormat = ModelFormat.UNKNOWN,
    has_tokenizer: bool | None = None,
    has_chat_template: bool | None = None,
    warnings: Sequence[str] = (),
) -> ModelInfo:
    """Return what a config says about a model.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN naming field and reason.

    Example:
        >>> info = read_config({
        ...     "architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2",
        ...     "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
        ...     "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064,
        ...     "torch_dtype": "bfloat16"}, name="qwen2.5-7b")
        >>> info.architecture.head_dim, info.dtype, info.quantization.method
        (128, 'bfloat16', 'none')
    """
    top = Fields(config)
    fields, is_multimodal = _text_part(top)
    model_type = fields.text("model_type") or top.text("model_type") or ""
    names = top.texts("architectures") or fields.texts("architectures")
    if not names and not model_type:
        raise broken("architectures", "and model_type are missing")
    layers = fields.count("num_hidden_layers", "n_layer", "n_layers", "num_layers")
    hidden = fields.count("hidden_size", "n_embd", "d_model", "dim")
    attention = read_attention(fields, model_type=model_type, layers=layers, hidden=hidden)
    intermediate = _intermediate(fields, model_type, hidden)
    experts = read_experts(fields, layers=layers, intermediate=intermediate)
    quantized = top if top.has("quantization_config", "compression_config") else fields
    quantization, quantization_warnings = read_quantization(quantized)
    dtype, dtype_warnings = _dtype(top, fields)
    architecture = _architecture(
        top, fields, attention, experts,
        name=names[0] if names else model_type, model_type=model_type, layers=layers,
        hidden=hidden, intermediate=intermediate, is_multimodal=is_multimodal,
    )  # fmt: skip
    return ModelInfo(
        name=name,
        path=path,
        format=model_format,
        architecture=architecture,
        quantization=quantization,
        dtype=dtype,
        weights_bytes=weights_bytes,
        files=tuple(files),
        has_tokenizer=has_tokenizer,
        has_chat_template=has_chat_template,
        warnings=(
            *warnings,
            *attention.warnings,
            *quantization_warnings,
            *dtype_warnings,
            *_contradictions(architecture),
        ),
        raw_config=MappingProxyType(dict(config)),
    )


def _text_part(top: Fields) -> tuple[Fields, bool]:
    """Return the language model's fields and whether more than a language model is there."""
    nested = top.section(*_NESTED)
    if nested is not None and nested.section("text_config") is not None:
        nested = nested.section("text_config")
    multimodal = top.has(
        "vision_config", "audio_config", "visual", "vision_tower", "mm_vision_tower"
    )
    if nested is None or not nested.has("hidden_size", "num_hidden_layers"):
        return top, multimodal
    # A nested part may lean on fields of the outer one (vocab_size, tie_word_embeddings).
    merged = {
        **{k: v for k, v in top.values.items() if not isinstance(v, Mapping)},
        **nested.values,
    }
    return Fields(merged, nested.prefix), True


def _architecture(
    top: Fields,
    fields: Fields,
    attention: Attention,
    experts: Experts,
    *,
    name: str,
    model_type: str,
    layers: int,
    hidden: int,
    intermediate: int | None,
    is_multimodal: bool,
) -> Architecture:
    tied = any(model_type.startswith(family) for family in _TIED_BY_DEFAULT)
    if top.has("tie_word_embeddings"):
        tied = top.flag("tie_word_embeddings")
    elif fields.has("tie_word_embeddings"):
        tied = fields.flag("tie_word_embeddings")
    return Architecture(
        name=name,
        model_type=model_type,
        layers=layers,
        hidden_size=hidden,
        intermediate_size=intermediate,
        heads=attention.heads,
        kv_heads=attention.kv_heads,
        head_dim=attention.head_dim,
        v_head_dim=attention.v_head_dim,
        vocab_size=fields.count("vocab_size", "padded_vocab_size"),
        max_context=_max_context(fields),
        tie_embeddings=tied,
        attention_layers=attention.attention_layers,
        sliding_window=attention.sliding_window,
        sliding_layers=attention.sliding_layers,
        kv_lora_rank=attention.kv_lora_rank,
        qk_rope_head_dim=attention.qk_rope_head_dim,
        q_lora_rank=attention.q_lora_rank,
        qk_nope_head_dim=attention.qk_nope_head_dim,
        experts=experts.experts,
        experts_per_token=experts.experts_per_token,
        moe_intermediate_size=experts.moe_intermediate_size,
        shared_experts=experts.shared_experts,
        shared_expert_intermediate_size=experts.shared_expert_intermediate_size,
        dense_layers=experts.dense_layers,
        attention_bias=attention.bias,
        gated_mlp=model_type not in _PLAIN_MLP,
        is_multimodal=is_multimodal,
        is_encoder=_is_encoder(name, model_type, top),
    )


def _intermediate(fields: Fields, model_type: str, hidden: int) -> int | None:
    given = fields.optional_count("intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim")
    if given is None and model_type in _PLAIN_MLP:
        return 4 * hidden
    if given is None and not fields.has("moe_intermediate_size"):
        raise broken(fields.prefix + "intermediate_size", "is missing")
    return given


def _max_context(fields: Fields) -> int | None:
    return fields.optional_count(
        "max_position_embeddings", "n_positions", "seq_length", "max_seq_len", "model_max_length"
    )


def _is_encoder(name: str, model_type: str, top: Fields) -> bool:
    if model_type in _ENCODER_TYPES or top.values.get("is_encoder_decoder") is True:
        return True
    generating = ("ForCausalLM", "ForConditionalGeneration", "LMHeadModel")
    encoding = ("ForMaskedLM", "ForSequenceClassification", "ForTokenClassification")
    return name.endswith(encoding) and not name.endswith(generating)


def _dtype(top: Fields, fields: Fields) -> tuple[str, tuple[str, ...]]:
    for part in (fields, top):
        for key in ("torch_dtype", "dtype"):
            text = part.text(key)
            if text is not None:
                known = _DTYPES.get(text.removeprefix("torch."))
                if known is None:
                    raise broken(part.prefix + key, f"is “{text}”, not a known dtype")
                return known, ()
    return "bfloat16", ("The config names no dtype: bfloat16 is assumed, 2 bytes a value.",)


def _contradictions(arch: Architecture) -> tuple[str, ...]:
    found = []
    if arch.max_context is None:
        found.append("The config names no context length.")
    if arch.sliding_window and arch.max_context and arch.sliding_window >= arch.max_context:
        found.append("The sliding window is no smaller than the context: it saves nothing.")
    if arch.is_encoder:
        found.append("This is an encoder: it keeps no KV cache and does not generate text.")
    return tuple(found)


def missing_config(name: str, folder: str) -> PlanError:
    """Return the error for a folder without a ``config.json``."""
    return PlanError(
        ErrorCode.MODEL_CONFIG_MISSING,
        {"model": name, "path": folder},
        cause=f"There is no config.json in {folder}.",
        remedy="Choose the folder that holds config.json and the weights, or a .gguf file.",
    )
