"""The attention part of a ``config.json``: heads, GQA, MLA, sliding and hybrid layers."""

from dataclasses import dataclass
from typing import Final

from app.core.models.config_fields import Fields, broken

_BIASED: Final = frozenset({"qwen2", "qwen2_moe", "qwen2_vl", "qwen2_5_vl", "qwen", "gpt_oss"})
"""Families whose query, key and value projections have a bias without the config saying so."""

_SLIDING_TYPES: Final = frozenset({"sliding_attention", "chunked_attention", "local_attention"})
_FULL_TYPES: Final = frozenset({"full_attention", "attention", "global_attention"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """What the KV cache depends on."""

    heads: int
    kv_heads: int
    head_dim: int
    v_head_dim: int | None
    attention_layers: int | None
    sliding_window: int | None
    sliding_layers: int
    kv_lora_rank: int | None
    qk_rope_head_dim: int | None
    qk_nope_head_dim: int | None
    q_lora_rank: int | None
    bias: bool
    warnings: tuple[str, ...] = ()


def read_attention(fields: Fields, *, model_type: str, layers: int, hidden: int) -> Attention:
    """Read the attention's numbers.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN naming the field.
    """
    heads = fields.count("num_attention_heads", "n_head", "n_heads", "num_heads")
    kv_heads = _kv_heads(fields, heads)
    mla = fields.optional_count("kv_lora_rank")
    rope = fields.optional_count("qk_rope_head_dim")
    if mla is not None and rope is None:
        raise broken(fields.prefix + "qk_rope_head_dim", "is missing beside kv_lora_rank")
    nope = fields.optional_count("qk_nope_head_dim")
    window, sliding, with_kv, warnings = _layer_kinds(fields, model_type, layers)
    return Attention(
        heads=heads,
        kv_heads=kv_heads,
        head_dim=_head_dim(fields, heads, hidden, nope, rope),
        v_head_dim=fields.optional_count("v_head_dim"),
        attention_layers=with_kv,
        sliding_window=window,
        sliding_layers=sliding,
        kv_lora_rank=mla,
        qk_rope_head_dim=rope,
        qk_nope_head_dim=nope,
        q_lora_rank=fields.optional_count("q_lora_rank"),
        bias=fields.flag("attention_bias", default=model_type in _BIASED)
        or fields.flag("qkv_bias"),
        warnings=warnings,
    )


def _kv_heads(fields: Fields, heads: int) -> int:
    kv_heads = fields.optional_count(
        "num_key_value_heads", "multi_query_group_num", "num_kv_heads", "n_head_kv", "n_kv_heads"
    )
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
    given = fields.optional_count("head_dim", "kv_channels", "attention_head_dim")
    if given is not None:
        return given
    if hidden % heads:
        raise broken(
            fields.prefix + "head_dim",
            f"is missing and hidden_size ({hidden}) is no multiple of {heads} heads",
        )
    return hidden // heads


def _layer_kinds(
    fields: Fields, model_type: str, layers: int
) -> tuple[int | None, int, int | None, tuple[str, ...]]:
    """Return window, sliding layers, layers with a KV cache (``None``: all) and warnings."""
    window = fields.optional_count("sliding_window", least=0) or None
    if fields.values.get("use_sliding_window") is False:
        window = None
    kinds = fields.texts("layer_types") or fields.texts("layers_block_type")
    if kinds:
        return _from_layer_types(fields, kinds, layers, window)
    if window is None:
        return None, 0, None, ()
    sliding = _sliding_layers(fields, model_type, layers)
    return window, sliding, None, ()


def _from_layer_types(
    fields: Fields, kinds: tuple[str, ...], layers: int, window: int | None
) -> tuple[int | None, int, int | None, tuple[str, ...]]:
    if len(kinds) != layers:
        raise broken(
            fields.prefix + "layer_types",
            f"has {len(kinds)} entries for {layers} layers (num_hidden_layers)",
        )
    sliding = sum(kind in _SLIDING_TYPES for kind in kinds)
    with_kv = sliding + sum(kind in _FULL_TYPES for kind in kinds)
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
    if pattern is None and family.startswith("gemma3"):
        pattern = 6
    if pattern is None and (family.startswith("gemma2") or family == "gpt_oss"):
        pattern = 2
    return layers if pattern is None else layers - layers // pattern
