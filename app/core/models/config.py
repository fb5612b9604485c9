"""From a Hugging Face ``config.json`` to `ModelInfo`: what the model is, nothing about memory.

Dense, GQA, MLA, mixture-of-experts, sliding, hybrid and recurrent layers, vision-language models
with a nested ``text_config``. Encoders are recognised and said so. An architecture that the table
of families does not have is read by the usual names of its fields, and said to be.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.core.errors import ErrorCode, PlanError
from app.core.models.architecture import (
    Architecture,
    ExtraWeights,
    ModelFile,
    ModelFormat,
    ModelInfo,
)
from app.core.models.config_attention import Attention, read_attention
from app.core.models.config_extras import Frame, read_extras, read_mtp
from app.core.models.config_fields import Fields, as_mapping, broken
from app.core.models.config_layers import Kinds, count_layers, read_kinds, recurrent_kind
from app.core.models.config_moe import Experts, layer_counts, read_experts
from app.core.models.config_quantization import read_quantization
from app.core.models.config_recurrent import read_recurrent
from app.core.models.config_rope import read_context, read_rotary_dim
from app.core.models.config_text import text_part
from app.core.models.config_vision import read_towers
from app.core.models.families import Family, ModelKind, family_of

_DTYPES: Final = {
    "bfloat16": "bfloat16", "bf16": "bfloat16",
    "float16": "float16", "fp16": "float16", "half": "float16",
    "float32": "float32", "fp32": "float32", "float": "float32",
}  # fmt: skip
_PLAIN_ACTIVATIONS: Final = frozenset({"relu", "relu2", "gelu_new", "gelu_fast", "squared_relu"})
"""With these an unknown family is taken to have no gate in its MLP."""


@dataclass(frozen=True, slots=True)
class _Base:
    """What is read first, because the rest depends on it."""

    top: Fields
    fields: Fields
    name: str
    model_type: str
    family: Family
    is_known: bool
    is_multimodal: bool
    layers: int
    hidden: int
    kinds: Kinds | None


def parse_config_text(text: str) -> Mapping[str, object]:
    """Return the JSON object of a ``config.json``.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN when it is no JSON object, or contradicts itself.
    """
    try:
        value: object = json.loads(text, object_pairs_hook=_without_contradictions)
    except (ValueError, RecursionError) as exc:
        raise broken("file", f"is no JSON ({exc})") from exc
    return as_mapping(value, "file")


def _without_contradictions(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse a key with two values: readers differ in which one they take."""
    values = dict(pairs)
    if len(values) < len(pairs):
        for key, value in pairs:
            if values[key] != value:
                raise broken(key, f"stands there twice, as {value!r} and as {values[key]!r}")
    return values


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
    base = _base(config)
    experts = read_experts(
        base.fields, layers=base.layers, intermediate=_intermediate(base, needed=False)
    )
    intermediate = _intermediate(base, needed=not experts.experts)
    quantized = base.top if base.top.has(*_QUANTIZED) else base.fields
    quantization, quantization_warnings = read_quantization(quantized)
    dtype, dtype_warnings = _dtype(base.top, base.fields)
    attention = read_attention(
        base.fields, model_type=base.model_type, layers=base.layers, hidden=base.hidden,
        kinds=base.kinds, family=base.family,
    )  # fmt: skip
    architecture = _architecture(base, attention, experts, intermediate)
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
            *_uncounted(attention, architecture),
            *quantization_warnings,
            *dtype_warnings,
            *remarks(architecture),
        ),
        raw_config=MappingProxyType(dict(config)),
    )


_QUANTIZED: Final = ("quantization_config", "compression_config")


def _base(config: Mapping[str, object]) -> _Base:
    top = Fields(config)
    fields, is_multimodal = text_part(top)
    model_type = fields.text("model_type") or top.text("model_type") or ""
    names = top.texts("architectures") or fields.texts("architectures")
    if not names and not model_type:
        raise broken("architectures", "and model_type are missing")
    layers = count_layers(fields)
    known = family_of(model_type)
    family = known or Family(tied=False, gated=not _looks_plain(fields))
    return _Base(
        top=top,
        fields=fields,
        name=names[0] if names else model_type,
        model_type=model_type,
        family=family,
        is_known=known is not None,
        is_multimodal=is_multimodal,
        layers=layers,
        hidden=fields.count("hidden_size", "n_embd", "d_model", "dim"),
        kinds=read_kinds(fields, family, model_type, layers),
    )


def _looks_plain(fields: Fields) -> bool:
    acts = (fields.values.get(k) for k in ("hidden_act", "activation_function", "mlp_hidden_act"))
    return any(act in _PLAIN_ACTIVATIONS for act in acts if isinstance(act, str))


def _architecture(
    base: _Base, attention: Attention, experts: Experts, intermediate: int | None
) -> Architecture:
    fields, family = base.fields, base.family
    context, scaling = read_context(fields, base.model_type)
    vocab = fields.count("vocab_size", "padded_vocab_size")
    dense_mlps, sparse = layer_counts(base.kinds, experts, base.layers)
    if base.model_type == "longcat_flash":
        dense_mlps = 2 * base.layers
    elif base.model_type.startswith("zamba"):
        dense_mlps = 0  # Only the shared blocks have one.
    gated = _gated(fields, family)
    frame = Frame(
        fields=fields, family=family, model_type=base.model_type, layers=base.layers,
        hidden=base.hidden, intermediate=intermediate, vocab=vocab, context=context,
        attention=attention, experts=experts, gated=gated,
    )  # fmt: skip
    return Architecture(
        name=base.name,
        model_type=base.model_type,
        layers=base.layers,
        hidden_size=base.hidden,
        intermediate_size=intermediate,
        heads=attention.heads,
        kv_heads=attention.kv_heads,
        head_dim=attention.head_dim,
        v_head_dim=attention.v_head_dim,
        vocab_size=vocab,
        max_context=context,
        tie_embeddings=_tied(base),
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
        gated_mlp=gated,
        is_multimodal=base.is_multimodal,
        is_encoder=_is_encoder(base),
        is_encoder_decoder=family.kind is ModelKind.ENCODER_DECODER
        or base.top.values.get("is_encoder_decoder") is True,
        is_generic=not base.is_known,
        attention_weight_layers=attention.weight_layers,
        dense_mlp_layers=dense_mlps,
        sparse_layers=sparse,
        query_gate=family.query_gate,
        values_are_keys=attention.values_are_keys,
        sliding_heads=attention.sliding_heads,
        sliding_kv_heads=attention.sliding_kv_heads,
        sliding_head_dim=attention.sliding_head_dim,
        sliding_v_head_dim=attention.sliding_v_head_dim,
        norms_per_layer=family.norms,
        recurrent=read_recurrent(
            fields, recurrent_kind(fields, family),
            layers=attention.recurrent_layers, hidden=base.hidden,
        ),
        extras=(*read_extras(frame), *_towers(base)),
        index_head_dim=fields.optional_count("index_head_dim"),
        mtp_layers=read_mtp(fields),
        rope_scaling=scaling,
        rotary_dim=read_rotary_dim(fields, base.model_type, attention.head_dim),
    )  # fmt: skip


def _uncounted(attention: Attention, architecture: Architecture) -> tuple[str, ...]:
    if not attention.recurrent_layers or architecture.recurrent is not None:
        return ()
    return (
        (
            f"{attention.recurrent_layers} layers are recurrent, but the config tells no sizes of"
            " theirs: their weights and state are not counted."
        ),
    )


def _towers(base: _Base) -> tuple[ExtraWeights, ...]:
    if not base.is_multimodal:
        return ()
    return read_towers(base.top, base.top.text("model_type") or "", base.hidden)


def _tied(base: _Base) -> bool:
    for part in (base.top, base.fields):
        if part.has("tie_word_embeddings"):
            return part.flag("tie_word_embeddings")
    return base.family.tied


def _gated(fields: Fields, family: Family) -> bool:
    text = fields.values.get("feed_forward_proj")
    if isinstance(text, str):
        return text.startswith("gated")
    return family.gated


def _intermediate(base: _Base, *, needed: bool) -> int | None:
    """Return the width of the dense MLP; ``None`` where only experts have one."""
    fields, model_type = base.fields, base.model_type
    given = fields.optional_count(
        "intermediate_size_mlp", "block_ff_dim", "intermediate_size", "ffn_hidden_size", "n_inner",
        "ffn_dim", "decoder_ffn_dim", "d_ff", "shared_intermediate_size",
    )  # fmt: skip
    if given is None:
        return _default_width(base, needed=needed)
    if model_type in {"qwen", "recurrent_gemma"}:
        return max(1, given // 2)  # They name the width of gate and up together.
    if model_type == "granitemoehybrid" and not fields.values.get("num_local_experts"):
        return fields.optional_count("shared_intermediate_size") or given
    if model_type in {"mamba", "mamba2", "falcon_mamba"}:
        return None
    if model_type.startswith("lfm2") and fields.values.get("block_auto_adjust_ff_dim") is True:
        unit = fields.optional_count("block_multiple_of") or 256
        return -(-(2 * given // 3) // unit) * unit
    return given


def _default_width(base: _Base, *, needed: bool) -> int | None:
    fields = base.fields
    ratio = fields.values.get("expansion_ratio", 4)
    if not base.family.gated and isinstance(ratio, int) and 0 < ratio <= 64:
        no_mlp = base.family.recurrent is not None and not base.model_type.startswith("rwkv")
        return None if no_mlp else ratio * base.hidden
    if base.family.recurrent is not None and base.family.norms == 1:
        return None
    if needed and not fields.has("moe_intermediate_size", "ffn_config"):
        raise broken(fields.prefix + "intermediate_size", "is missing")
    return None


def _is_encoder(base: _Base) -> bool:
    if base.family.kind is not ModelKind.DECODER:
        return True
    if base.top.values.get("is_encoder_decoder") is True:
        return True
    generating = ("ForCausalLM", "ForConditionalGeneration", "LMHeadModel")
    encoding = ("ForMaskedLM", "ForSequenceClassification", "ForTokenClassification")
    return base.name.endswith(encoding) and not base.name.endswith(generating)


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


def remarks(arch: Architecture) -> tuple[str, ...]:
    """Return what a reader of the numbers must know, in English sentences."""
    found = []
    if arch.is_generic:
        found.append(
            f"The architecture “{arch.name}” is not known: it is read by the usual names of its"
            " fields, so sizes may be off."
        )
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
