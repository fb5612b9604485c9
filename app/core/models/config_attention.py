"""The attention part of a ``config.json``: heads, GQA, MLA, sliding and hybrid layers."""

from dataclasses import dataclass
from typing import Final

from app.core.models.config_fields import Fields, broken
from app.core.models.config_layers import Kinds, LayerKind
from app.core.models.families import Family

_SLIDING_OFTEN: Final = {"gemma3": 6, "gemma2": 2, "gpt_oss": 2, "cohere2": 4, "gemma4": 6}
"""Every n-th layer sees the whole context. Source: transformers 5.19.0 configuration files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """What the KV cache depends on."""

    heads: int
    kv_heads: int
    head_dim: int
    v_head_dim: int | None
    attention_layers: int | None
    weight_layers: int | None
    sliding_window: int | None
    sliding_layers: int
    sliding_heads: int | None
    sliding_kv_heads: int | None
    sliding_head_dim: int | None
    sliding_v_head_dim: int | None
    kv_lora_rank: int | None
    qk_rope_head_dim: int | None
    qk_nope_head_dim: int | None
    q_lora_rank: int | None
    bias: bool
    values_are_keys: bool
    recurrent_layers: int
    warnings: tuple[str, ...] = ()


def read_attention(
    fields: Fields,
    *,
    model_type: str,
    layers: int,
    hidden: int,
    kinds: Kinds | None = None,
    family: Family | None = None,
) -> Attention:
    """Read the attention's numbers.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN naming the field.
    """
    family = family or Family()
    recurrent = sum(kind in {LayerKind.RECURRENT, LayerKind.BOTH} for kind in kinds or ())
    heads = _heads(fields, hidden, attention_free=recurrent == layers and not _has_both(kinds))
    kv_heads = _kv_heads(fields, heads)
    mla = fields.optional_count("kv_lora_rank")
    rope = fields.optional_count("qk_rope_head_dim")
    if mla is not None and rope is None:
        raise broken(fields.prefix + "qk_rope_head_dim", "is missing beside kv_lora_rank")
    nope = fields.optional_count("qk_nope_head_dim")
    window, sliding, with_kv, warnings = _caches(fields, model_type, layers, kinds)
    shared = fields.optional_count("num_kv_shared_layers", least=0) or 0
    if shared >= layers:
        raise broken(fields.prefix + "num_kv_shared_layers", f"is {shared} of {layers} layers")
    own = _head_dim(fields, heads, hidden, nope, rope)
    head_dim = fields.optional_count("global_head_dim") or _listed_head_dim(fields) or own
    kv_full = fields.optional_count("num_global_key_value_heads") or kv_heads
    sliding_kv = fields.optional_count("swa_num_key_value_heads") or kv_heads
    sliding_dim = fields.optional_count("swa_head_dim") or own
    sliding_values = fields.optional_count("swa_v_head_dim")
    if shared:
        with_kv, sliding = _without_shared(layers, shared, kinds, sliding)
    cross = len({index for index in fields.counts("cross_attention_layers") if index < layers})
    if cross:
        with_kv = layers - cross  # Those attend to the image, not to the tokens (Mllama).
    weight_layers = (with_kv if with_kv is not None else layers) if kinds and not shared else None
    if model_type.startswith("zamba"):
        weight_layers = 0  # All attention layers use the weights of the shared blocks.
    if model_type == "deepseek_v4":
        weight_layers = 0  # Its attention has projections of its own: see the extra weights.
    if model_type == "longcat_flash":
        with_kv = weight_layers = 2 * layers  # Each of its layers attends twice.
    return Attention(
        heads=heads,
        kv_heads=kv_full,
        head_dim=head_dim,
        v_head_dim=fields.optional_count("v_head_dim"),
        attention_layers=with_kv,
        weight_layers=weight_layers,
        sliding_window=window,
        sliding_layers=sliding,
        sliding_heads=_other(fields.optional_count("swa_num_attention_heads"), heads, sliding),
        sliding_kv_heads=_other(sliding_kv, kv_full, sliding),
        sliding_head_dim=_other(sliding_dim, head_dim, sliding),
        sliding_v_head_dim=sliding_values if sliding else None,
        kv_lora_rank=mla,
        qk_rope_head_dim=rope,
        qk_nope_head_dim=nope,
        q_lora_rank=fields.optional_count("q_lora_rank"),
        bias=_bias(fields, family),
        values_are_keys=fields.flag("attention_k_eq_v"),
        recurrent_layers=recurrent,
        warnings=warnings,
    )


def _has_both(kinds: Kinds | None) -> bool:
    return LayerKind.BOTH in (kinds or ())


def _other(value: int | None, usual: int, sliding: int) -> int | None:
    return value if sliding and value is not None and value != usual else None


def _bias(fields: Fields, family: Family) -> bool:
    for name in ("attention_bias", "qkv_bias", "add_qkv_bias", "use_qkv_bias", "bias"):
        if isinstance(fields.values.get(name), bool):
            return fields.flag(name) or (family.qkv_bias and name == "bias")
    if fields.has("attention_bias"):
        return fields.flag("attention_bias")
    return family.qkv_bias


def _heads(fields: Fields, hidden: int, *, attention_free: bool) -> int:
    """Return the heads; a model without attention has those its state is divided by."""
    names = ("num_attention_heads", "n_head", "n_heads", "num_heads", "attention_heads",
             "decoder_attention_heads")  # fmt: skip
    if attention_free and not fields.has(*names[:3]):
        given = fields.optional_count("num_heads", "mamba_num_heads")
        return given or max(1, hidden & -hidden if hidden % 128 else 128)
    return fields.count(*names)


def _kv_heads(fields: Fields, heads: int) -> int:
    names: tuple[str, ...] = (
        "num_key_value_heads", "multi_query_group_num", "num_kv_heads", "n_head_kv", "n_kv_heads",
        "num_attention_groups", "kv_n_heads",
    )  # fmt: skip
    if fields.values.get("new_decoder_architecture") is False and fields.has("multi_query"):
        names = ()  # Falcon-7B names num_kv_heads but uses one head for all.
    if fields.values.get("multi_query_attention") is False:
        names = ()  # ChatGLM names multi_query_group_num without using it.
    kv_heads = fields.optional_count(*names)
    apart = fields.section("attn_config")  # DBRX and MPT keep it there.
    if kv_heads is None and apart is not None:
        kv_heads = apart.optional_count("kv_n_heads")
    if kv_heads is None:
        kv_heads = 1 if fields.values.get("multi_query") is True else heads
    if heads % kv_heads:
        raise broken(
            fields.prefix + "num_key_value_heads",
            f"is {kv_heads}, which does not divide num_attention_heads ({heads})",
        )
    return kv_heads


def _head_dim(fields: Fields, heads: int, hidden: int, nope: int | None, rope: int | None) -> int:
    if nope is not None and rope is not None:
        return nope + rope
    given = fields.optional_count(
        "attention_head_dim", "head_dim", "kv_channels", "d_kv", "size_per_head"
    )
    if given is not None:
        return given
    if hidden % heads:
        raise broken(
            fields.prefix + "head_dim",
            f"is missing and hidden_size ({hidden}) is no multiple of {heads} heads",
        )
    return hidden // heads


def _listed_head_dim(fields: Fields) -> int | None:
    """Return the head size that Gemma 4 lists for each layer with full attention."""
    listed = fields.section("per_layer_config")
    if listed is None:
        return None
    sizes = {
        one.optional_count("head_dim")
        for key in listed.values
        if (one := listed.section(key)) is not None
    }
    return sizes.pop() if len(sizes) == 1 else None


def _caches(
    fields: Fields, model_type: str, layers: int, kinds: Kinds | None
) -> tuple[int | None, int, int | None, tuple[str, ...]]:
    """Return window, sliding layers, layers with a KV cache (``None``: all) and warnings."""
    window = fields.optional_count("sliding_window", "sliding_window_size", least=0) or None
    window = window or fields.optional_count("attention_window_size")
    if fields.values.get("use_sliding_window") is False:
        window = None
    if kinds is not None:
        return _from_kinds(fields, kinds, layers, window)
    if window is None:
        return None, 0, None, ()
    sliding = _sliding_layers(fields, model_type, layers)
    return window, sliding, None, ()


def _from_kinds(
    fields: Fields, kinds: Kinds, layers: int, window: int | None
) -> tuple[int | None, int, int | None, tuple[str, ...]]:
    sliding = sum(kind is LayerKind.SLIDING for kind in kinds)
    caching = {LayerKind.FULL, LayerKind.SLIDING, LayerKind.BOTH}
    with_kv = sum(kind in caching for kind in kinds)
    if fields.has("attention_window_size"):
        sliding = with_kv  # RecurrentGemma: all its attention is local.
    if sliding and window is None:
        window = fields.optional_count("attention_chunk_size")
    warnings: tuple[str, ...] = ()
    if sliding and window is None:
        sliding = 0
        warnings = (
            "layer_types names sliding layers without a sliding_window: all count in full.",
        )
    return (
        window if sliding else None,
        sliding,
        None if with_kv == layers else with_kv,
        warnings,
    )


def _without_shared(layers: int, shared: int, kinds: Kinds | None, sliding: int) -> tuple[int, int]:
    """Leave out the last layers, which read the cache of an earlier one (Gemma 3n)."""
    own = layers - shared
    if kinds is not None:
        sliding = min(sliding, sum(kind is LayerKind.SLIDING for kind in kinds[:own]))
    return own, min(sliding, own)


def _sliding_layers(fields: Fields, model_type: str, layers: int) -> int:
    """Count sliding layers of families that say so by pattern instead of by list."""
    pattern = fields.optional_count("sliding_window_pattern", "_sliding_window_pattern")
    if pattern is None and model_type.startswith("qwen"):
        full_first = fields.optional_count("max_window_layers", least=0)
        return max(0, layers - (layers if full_first is None else full_first))
    return sliding_by_pattern(model_type, layers, pattern)


def sliding_by_pattern(model_type: str, layers: int, pattern: int | None) -> int:
    """Return how many layers slide when every ``pattern``-th sees the whole context.

    Without a pattern the family's own holds: Gemma 3 one in six, Gemma 2 and gpt-oss one in two,
    others (Mistral) slide in all layers.

    Example:
        >>> sliding_by_pattern("gemma2", 42, None), sliding_by_pattern("mistral", 32, None)
        (21, 32)
    """
    family = model_type.replace("-", "_")
    if pattern is None:
        pattern = next((n for name, n in _SLIDING_OFTEN.items() if family.startswith(name)), None)
    return layers if pattern is None else layers - layers // pattern
