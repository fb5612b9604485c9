"""Which kind each layer of a model is: full or sliding attention, recurrent or an MLP alone.

Configs say it in a dozen ways: a list of names, a pattern of letters, a period with an offset, or
lists of the layers that differ. Everything comes down to one kind per layer.
"""

from enum import StrEnum
from typing import Final

from app.core.models.architecture import RecurrentKind
from app.core.models.config_fields import Fields, broken
from app.core.models.families import Family

MAX_LAYERS: Final = 4096
"""No model has more; a larger number is a broken file."""


class LayerKind(StrEnum):
    """What a layer mixes tokens with."""

    FULL = "full"
    SLIDING = "sliding"
    RECURRENT = "recurrent"
    BOTH = "both"
    """Attention and a recurrent mixer in one layer (Falcon-H1, Zamba)."""
    MLP = "mlp"
    """No mixer, only a dense MLP (Nemotron-H)."""
    SPARSE = "sparse"
    """No mixer, only experts (Nemotron-H)."""


_NAMES: Final = {
    "full_attention": LayerKind.FULL, "attention": LayerKind.FULL,
    "global_attention": LayerKind.FULL, "global": LayerKind.FULL, "mla": LayerKind.FULL,
    "indexed_attention": LayerKind.FULL,
    "compressed_sparse_attention": LayerKind.FULL, "heavily_compressed_attention": LayerKind.FULL,
    "sliding_attention": LayerKind.SLIDING, "chunked_attention": LayerKind.SLIDING,
    "local_attention": LayerKind.SLIDING, "local": LayerKind.SLIDING, "swa": LayerKind.SLIDING,
    "linear_attention": LayerKind.RECURRENT, "mamba": LayerKind.RECURRENT,
    "mamba2": LayerKind.RECURRENT, "recurrent": LayerKind.RECURRENT, "conv": LayerKind.RECURRENT,
    "lightning": LayerKind.RECURRENT, "kda": LayerKind.RECURRENT,
    "hybrid": LayerKind.BOTH, "mlp": LayerKind.MLP, "moe": LayerKind.SPARSE,
}  # fmt: skip
_LETTERS: Final = {
    "M": LayerKind.RECURRENT, "*": LayerKind.FULL, "-": LayerKind.MLP, "E": LayerKind.SPARSE,
}  # fmt: skip

Kinds = tuple[LayerKind, ...]


def read_kinds(fields: Fields, family: Family, model_type: str, layers: int) -> Kinds | None:
    """Return the kind of each layer where the config says it layer by layer, else ``None``.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN naming the field.
    """
    if layers > MAX_LAYERS:
        raise broken(fields.prefix + "num_hidden_layers", f"is {layers}, more than {MAX_LAYERS}")
    for read in (_by_pattern, _by_name, _by_numbers, _by_indices, _by_period):
        found = read(fields, layers)
        if found is not None:
            return found
    if family.recurrent is not None:
        both = model_type in {"falcon_h1", "plamo2"}
        return (LayerKind.BOTH if both else LayerKind.RECURRENT,) * layers
    return None


def count_layers(fields: Fields) -> int:
    """Return how many layers there are; a list with one entry per layer says it too.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN naming the field.
    """
    given = fields.optional_count(
        "num_hidden_layers", "n_layer", "n_layers", "num_decoder_layers", "decoder_layers",
        "num_layers",
    )  # fmt: skip
    if given is not None:
        return given
    pattern = fields.values.get("hybrid_override_pattern")
    listed = len(pattern) if isinstance(pattern, str) else len(fields.texts("layers_block_type"))
    return listed or fields.count("num_hidden_layers")


def _by_pattern(fields: Fields, layers: int) -> Kinds | None:
    """Letters, one a layer: Nemotron-H (``M-M*E``), EXAONE 4 (``LLLG``, repeated)."""
    text = fields.values.get("hybrid_override_pattern")
    if isinstance(text, str) and text:
        unknown = set(text) - set(_LETTERS)
        if unknown:
            raise broken(
                fields.prefix + "hybrid_override_pattern",
                f"has letters that are not known: {', '.join(sorted(unknown))}",
            )
        return _as_long("hybrid_override_pattern", fields, [_LETTERS[c] for c in text], layers)
    text = fields.values.get("sliding_window_pattern")
    if isinstance(text, str) and text and set(text) <= {"L", "G"} and not fields.has("layer_types"):
        kinds = [LayerKind.SLIDING if c == "L" else LayerKind.FULL for c in text]
        return tuple(kinds[index % len(kinds)] for index in range(layers))
    return None


def _by_name(fields: Fields, layers: int) -> Kinds | None:
    for key in ("layer_types", "layers_block_type", "block_types", "_block_types"):
        names = fields.texts(key)
        if not names:
            continue
        repeated = key.endswith("block_types")
        kinds = [_named(fields, key, name) for name in names]
        if repeated:
            return tuple(kinds[index % len(kinds)] for index in range(layers))
        return _as_long(key, fields, kinds, layers)
    return None


def _named(fields: Fields, key: str, name: str) -> LayerKind:
    kind = _NAMES.get(name)
    if kind is None and name.startswith("hybrid"):
        return LayerKind.SLIDING if "sliding" in name else LayerKind.FULL
    if kind is None:
        raise broken(fields.prefix + key, f"names the kind of layer “{name}”, which is not known")
    if kind is LayerKind.BOTH and fields.has("cca_time0"):
        return LayerKind.FULL
    return kind


def _by_numbers(fields: Fields, layers: int) -> Kinds | None:
    """One number a layer: MiniMax (0 linear, 1 full), MiMo V2 (0 full, 1 sliding), Llama 4."""
    for key, zero, one in (
        ("attn_type_list", LayerKind.RECURRENT, LayerKind.FULL),
        ("hybrid_layer_pattern", LayerKind.FULL, LayerKind.SLIDING),
        ("no_rope_layers", LayerKind.FULL, LayerKind.SLIDING),
    ):
        if key == "no_rope_layers" and not fields.has("attention_chunk_size"):
            continue
        numbers = fields.counts(key)
        if numbers:
            return _as_long(key, fields, [one if n else zero for n in numbers], layers)
    return None


def _by_indices(fields: Fields, layers: int) -> Kinds | None:
    """Lists of the layers that are different: Bamba, LFM2, Zamba2, Kimi Linear."""
    linear = fields.section("linear_attn_config")
    if linear is not None and linear.has("full_attn_layers"):
        full = {index - 1 for index in linear.counts("full_attn_layers")}
        return _at(full, LayerKind.FULL, layers)
    for key, kind in (
        ("attn_layer_indices", LayerKind.FULL),
        ("full_attn_idxs", LayerKind.FULL),
        ("hybrid_layer_ids", LayerKind.BOTH),
    ):
        indices = fields.counts(key)
        if indices:
            if max(indices) >= layers:
                raise broken(
                    fields.prefix + key, f"names layer {max(indices)} of {layers} (counted from 0)"
                )
            return _at(set(indices), kind, layers)
    return None


def _at(indices: set[int], kind: LayerKind, layers: int) -> Kinds:
    return tuple(kind if index in indices else LayerKind.RECURRENT for index in range(layers))


def _by_period(fields: Fields, layers: int) -> Kinds | None:
    """Every n-th layer is different: Jamba, Zamba, Qwen3-Next, Llama 4."""
    period = fields.optional_count("attn_layer_period")
    if period is not None:
        offset = fields.optional_count("attn_layer_offset", least=0) or 0
        zamba = fields.has("attention_hidden_size")
        kind = LayerKind.BOTH if zamba else LayerKind.FULL
        return _at({i for i in range(layers) if i % period == offset % period}, kind, layers)
    interval = fields.optional_count("full_attention_interval")
    if interval is not None and fields.has("linear_num_value_heads"):
        full = {index for index in range(layers) if (index + 1) % interval == 0}
        return _at(full, LayerKind.FULL, layers)
    if fields.has("attention_chunk_size") and fields.has("interleave_moe_layer_step"):
        step = fields.optional_count("no_rope_layer_interval") or 4
        return tuple(
            LayerKind.FULL if (index + 1) % step == 0 else LayerKind.SLIDING
            for index in range(layers)
        )
    return None


def _as_long(key: str, fields: Fields, kinds: list[LayerKind], layers: int) -> Kinds:
    """Return exactly one kind per layer; entries of further prediction layers are left out."""
    further = fields.optional_count("num_nextn_predict_layers", least=0) or 0
    if not layers <= len(kinds) <= layers + further:
        raise broken(
            fields.prefix + key,
            f"has {len(kinds)} entries for {layers} layers (num_hidden_layers)",
        )
    return tuple(kinds[:layers])


def recurrent_kind(fields: Fields, family: Family) -> RecurrentKind | None:
    """Return which recurrent layers these are, by the family or by the names of the fields."""
    if family.recurrent is not None:
        return family.recurrent
    for key, kind in (
        ("linear_num_value_heads", RecurrentKind.GATED_DELTA),
        ("linear_attn_config", RecurrentKind.KIMI_DELTA),
        ("mamba_n_heads", RecurrentKind.MAMBA2),
        ("mamba_num_heads", RecurrentKind.MAMBA2),
        ("n_mamba_heads", RecurrentKind.MAMBA2),
        ("mamba_d_state", RecurrentKind.MAMBA1),
        ("conv_L_cache", RecurrentKind.SHORT_CONV),
        ("lru_width", RecurrentKind.RG_LRU),
    ):
        if fields.has(key):
            return kind
    return None
