"""The mixture-of-experts part of a ``config.json``: Mixtral, Qwen, DeepSeek, gpt-oss and kin."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.core.models.config_fields import Fields, broken
from app.core.models.config_layers import Kinds, LayerKind

_PER_TOKEN: Final = (
    "num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_topk", "moe_top_k",
    "moe_k", "num_experts_per_layer",
)  # fmt: skip
_WIDTHS: Final = ("moe_intermediate_size", "expert_ffn_hidden_size", "moe_ffn_hidden_size")


@dataclass(frozen=True, slots=True, kw_only=True)
class Experts:
    """The experts; all ``None`` and 0 for a dense model."""

    experts: int | None = None
    experts_per_token: int | None = None
    moe_intermediate_size: int | None = None
    shared_experts: int = 0
    shared_expert_intermediate_size: int | None = None
    dense_layers: int = 0
    """Layers without experts, wherever they stand."""


def read_experts(fields: Fields, *, layers: int, intermediate: int | None) -> Experts:
    """Read the experts' numbers.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN naming the field.
    """
    part = fields.section("ffn_config") or fields  # DBRX keeps them apart.
    if fields.values.get("is_moe") is False or fields.values.get("enable_moe_block") is False:
        return _no_experts(part)
    experts = part.optional_count(
        "n_routed_experts", "num_experts", "num_local_experts", "moe_num_experts", least=0
    )
    if not experts or experts == 1:
        return _no_experts(part)
    per_token = part.optional_count(*_PER_TOKEN)
    if per_token is None:
        raise broken(fields.prefix + "num_experts_per_tok", "is missing beside the experts")
    if per_token > experts:
        raise broken(
            fields.prefix + "num_experts_per_tok", f"is {per_token} of only {experts} experts"
        )
    width = part.optional_count(*_WIDTHS, "ffn_hidden_size", "intermediate_size") or intermediate
    if width is None:
        raise broken(fields.prefix + "moe_intermediate_size", "is missing beside the experts")
    shared, shared_width = _shared(fields, width)
    return Experts(
        experts=experts,
        experts_per_token=per_token,
        moe_intermediate_size=width,
        shared_experts=shared,
        shared_expert_intermediate_size=shared_width,
        dense_layers=dense_layers(fields, layers),
    )


def _no_experts(part: Fields) -> Experts:
    """Say that there are none, once what else is told of them can be read."""
    for names in (_PER_TOKEN, _WIDTHS):
        part.optional_count(*names, least=0)
    return Experts()


def _shared(fields: Fields, width: int) -> tuple[int, int | None]:
    """Return how many shared experts there are and how wide one is."""
    own_width = fields.optional_count(
        "shared_expert_intermediate_size", "moe_shared_expert_intermediate_size",
        "shared_intermediate_size", "share_expert_dim", least=0,
    )  # fmt: skip
    count = (
        fields.optional_count(
            "n_shared_experts", "num_shared_experts", "moe_num_shared_experts",
            "num_shared_expert", least=0,
        )
        or 0
    )  # fmt: skip
    if count:
        return count, own_width or width
    if fields.has("intermediate_size_mlp"):
        return 1, width  # Llama 4: one beside the routed ones, as wide as they are.
    return (1, own_width) if own_width else (0, None)


def dense_layers(fields: Fields, layers: int) -> int:
    """Return how many layers have no experts.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN naming the field.
    """
    listed = _listed(fields, layers)
    if listed is not None:
        return listed
    leading = (
        fields.optional_count(
            "first_k_dense_replace", "num_dense_layers", "moe_layer_start_index", least=0
        )
        or 0
    )
    if leading > layers:
        raise broken(
            fields.prefix + "first_k_dense_replace", f"is {leading} of only {layers} layers"
        )
    named = len({index for index in fields.counts("mlp_only_layers") if index < layers})
    step = fields.optional_count(
        "decoder_sparse_step", "moe_layer_freq", "interleave_moe_layer_step",
        "expert_layer_period", "moe_layer_interval",
    )  # fmt: skip
    skipped = 0
    if step is not None and step > 1:
        offset = fields.optional_count("expert_layer_offset", least=0)
        sparse = (
            layers // step
            if offset is None
            else sum(index % step == offset % step for index in range(layers))
        )
        skipped = layers - sparse
    return min(layers, max(leading, named, skipped))


def _listed(fields: Fields, layers: int) -> int | None:
    """Count dense layers where the config lists every layer or every sparse one."""
    names = fields.values.get("mlp_layer_types")
    if isinstance(names, Sequence) and not isinstance(names, str) and names:
        return int(sum(name == "dense" for name in names[:layers]))
    for key in ("moe_layer_freq", "moe_layer_pattern", "is_moe_layer"):
        ones = fields.values.get(key)
        if isinstance(ones, Sequence) and not isinstance(ones, str) and ones:
            return int(sum(not one for one in ones[:layers]))
    indices = fields.values.get("moe_layers")
    if isinstance(indices, Sequence) and not isinstance(indices, str) and indices:
        return layers - len({i for i in fields.counts("moe_layers") if i < layers})
    text = fields.values.get("moe_layers_enum")
    if isinstance(text, str) and text:
        return max(0, layers - len(text.split(",")))
    return None


def layer_counts(
    kinds: Kinds | None, experts: Experts, layers: int
) -> tuple[int | None, int | None]:
    """Return layers with a dense MLP and with experts; ``None`` for both: as the experts say.

    Only where a layer is either a mixer or an MLP (Nemotron-H) do the kinds decide.
    """
    if kinds is None or not {LayerKind.MLP, LayerKind.SPARSE} & set(kinds):
        return None, (layers - experts.dense_layers) if experts.experts else None
    return (
        sum(kind is LayerKind.MLP for kind in kinds),
        sum(kind is LayerKind.SPARSE for kind in kinds) if experts.experts else None,
    )
