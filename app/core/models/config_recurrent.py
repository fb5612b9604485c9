"""Recurrent layers of a ``config.json``: their weights and the state each sequence keeps.

Source: transformers 5.19.0, modeling files of jamba, bamba, mamba2, qwen3_next, kimi_linear,
minimax, lfm2, recurrent_gemma and rwkv (checked 2026-11-30).
"""

from dataclasses import dataclass
from typing import Final

from app.core.models.architecture import RecurrentKind, RecurrentLayers
from app.core.models.config_fields import Fields


@dataclass(frozen=True, slots=True)
class _Mixer:
    """Weights, state and convolution window of one layer, in elements.

    ``width`` is what one token holds while the mixer is computed: its projections, and as many
    copies as two starts of vLLM 0.26 took (Granite 4, Qwen3-Next); 0 where none was seen.
    """

    parameters: int
    state: int
    conv: int = 0
    width: int = 0


def read_recurrent(
    fields: Fields, kind: RecurrentKind | None, *, layers: int, hidden: int
) -> RecurrentLayers | None:
    """Return a model's recurrent layers; ``None`` when it has none or tells no sizes of theirs.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN naming the field.

    Example (Mamba 2 of Bamba-9B: 128 heads of 64 with a state of 128, width 4096):
        >>> bamba = Fields({"mamba_n_heads": 128, "mamba_d_head": 64, "mamba_d_state": 128,
        ...     "mamba_n_groups": 1, "mamba_d_conv": 4})
        >>> found = read_recurrent(bamba, RecurrentKind.MAMBA2, layers=29, hidden=4096)
        >>> found.state_elements, found.conv_elements
        (1048576, 25344)
    """
    if not layers or kind is None:
        return None
    mixer = _READERS[kind](fields, hidden)
    return RecurrentLayers(
        kind=kind,
        layers=layers,
        parameters=mixer.parameters,
        state_elements=mixer.state,
        conv_elements=mixer.conv,
        width=mixer.width,
        state_dtype=fields.text("mamba_ssm_cache_dtype") or fields.text("mamba_ssm_dtype"),
    )


def _mamba1(fields: Fields, hidden: int) -> _Mixer:
    inner = fields.optional_count("intermediate_size") if fields.has("state_size") else None
    inner = inner or (fields.optional_count("mamba_expand", "expand") or 2) * hidden
    state = fields.count("mamba_d_state", "state_size")
    kernel = fields.count("mamba_d_conv", "conv_kernel")
    rank = _time_step_rank(fields, hidden)
    conv = inner * (kernel + 1)
    steps = inner * (rank + 2 * state) + rank * inner + inner
    inside = inner * state + inner + rank + 2 * state
    return _Mixer(3 * hidden * inner + conv + steps + inside, inner * state, inner * (kernel - 1),
                  4 * inner)  # fmt: skip


def _time_step_rank(fields: Fields, hidden: int) -> int:
    for key in ("mamba_dt_rank", "time_step_rank"):
        if fields.has(key) and fields.values[key] != "auto":
            return fields.count(key)
    return -(-hidden // 16)


def _mamba2(fields: Fields, hidden: int) -> _Mixer:
    heads = fields.count("mamba_n_heads", "mamba_num_heads", "n_mamba_heads", "num_heads")
    size = _head_size(fields, heads, hidden)
    inner = heads * size
    state = fields.count("mamba_d_state", "ssm_state_size", "mamba_state_dim", "state_size")
    groups = fields.optional_count("mamba_n_groups", "mamba_ngroups", "n_groups") or 1
    kernel = fields.optional_count("mamba_d_conv", "conv_kernel") or 4
    conv = inner + 2 * groups * state
    weights = hidden * (inner + conv + heads) + inner * hidden + conv * (kernel + 1)
    return _Mixer(weights + 3 * heads + inner, inner * state, conv * (kernel - 1),
                  3 * inner + conv + heads)  # fmt: skip


def _head_size(fields: Fields, heads: int, hidden: int) -> int:
    names = ("mamba_d_head", "mamba_head_dim", "mamba_headdim", "head_dim")
    for name in names:
        if fields.has(name) and fields.values[name] != "auto":
            return fields.count(name)
    inner = fields.optional_count("mamba_d_ssm")
    inner = inner or (fields.optional_count("mamba_expand", "expand") or 2) * hidden
    return max(1, inner // heads)


def _gated_delta(fields: Fields, hidden: int) -> _Mixer:
    heads = fields.count("linear_num_value_heads")
    key_size, value_size = (
        fields.count("linear_key_head_dim"),
        fields.count("linear_value_head_dim"),
    )
    keys, values = fields.count("linear_num_key_heads") * key_size, heads * value_size
    kernel = fields.optional_count("linear_conv_kernel_dim") or 4
    conv = 2 * keys + values
    weights = hidden * (2 * keys + 3 * values + 2 * heads) + conv * kernel
    return _Mixer(weights + 2 * heads + value_size, heads * key_size * value_size,
                  conv * (kernel - 1), 3 * keys + 9 * values)  # fmt: skip


def _kimi_delta(fields: Fields, hidden: int) -> _Mixer:
    part = fields.section("linear_attn_config") or fields
    heads, size = part.count("num_heads", "linear_num_heads"), part.count("head_dim")
    if part is fields:
        size = fields.count("linear_head_dim")
    kernel = part.optional_count("short_conv_kernel_size", "linear_conv_kernel_dim") or 4
    width = heads * size
    gates = 2 * (hidden * size + size * width) + hidden * heads
    weights = 4 * hidden * width + gates + 3 * width * kernel
    return _Mixer(weights + 2 * width + size, heads * size * size, 3 * width * (kernel - 1))


def _lightning(fields: Fields, hidden: int) -> _Mixer:
    heads = fields.count("num_attention_heads")
    size = fields.optional_count("head_dim") or max(1, hidden // heads)
    width = heads * size
    return _Mixer(5 * hidden * width + width, heads * size * size)


def _short_conv(fields: Fields, hidden: int) -> _Mixer:
    kernel = fields.count("conv_L_cache")
    return _Mixer(4 * hidden * hidden + hidden * kernel, 0, hidden * (kernel - 1))


def _rg_lru(fields: Fields, hidden: int) -> _Mixer:
    width = fields.optional_count("lru_width") or hidden
    blocks = fields.count("num_attention_heads")
    kernel = fields.optional_count("conv1d_width") or 4
    gates = 2 * (width * width // blocks + width) + width
    weights = 3 * hidden * width + 2 * width + hidden + gates + width * (kernel + 1)
    return _Mixer(weights, width, width * (kernel - 1))


def _rwkv(fields: Fields, hidden: int) -> _Mixer:
    width = fields.optional_count("attention_hidden_size") or hidden
    return _Mixer(4 * hidden * width + hidden * hidden + 7 * hidden, 5 * width)


_READERS: Final = {
    RecurrentKind.MAMBA1: _mamba1,
    RecurrentKind.MAMBA2: _mamba2,
    RecurrentKind.GATED_DELTA: _gated_delta,
    RecurrentKind.KIMI_DELTA: _kimi_delta,
    RecurrentKind.LIGHTNING: _lightning,
    RecurrentKind.SHORT_CONV: _short_conv,
    RecurrentKind.RG_LRU: _rg_lru,
    RecurrentKind.RWKV: _rwkv,
}
