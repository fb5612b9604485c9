"""The mixture-of-experts part of a ``config.json``: Mixtral, Qwen, DeepSeek, gpt-oss and kin."""

from dataclasses import dataclass

from app.core.models.config_fields import Fields, broken


@dataclass(frozen=True, slots=True, kw_only=True)
class Experts:
    """The experts; all ``None`` and 0 for a dense model."""

    experts: int | None = None
    experts_per_token: int | None = None
    moe_intermediate_size: int | None = None
    shared_experts: int = 0
    shared_expert_intermediate_size: int | None = None
    dense_layers: int = 0


def read_experts(fields: Fields, *, layers: int, intermediate: int | None) -> Experts:
    """Read the experts' numbers.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN naming the field.
    """
    experts = fields.optional_count(
        "n_routed_experts", "num_experts", "num_local_experts", "moe_num_experts", least=0
    )
    if not experts or experts == 1:
        return Experts()
    per_token = fields.optional_count(
        "num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_top_k", "moe_k"
    )
    if per_token is None:
        raise broken(fields.prefix + "num_experts_per_tok", "is missing beside the experts")
    if per_token > experts:
        raise broken(
            fields.prefix + "num_experts_per_tok", f"is {per_token} of only {experts} experts"
        )
    width = fields.optional_count("moe_intermediate_size", "expert_ffn_hidden_size") or intermediate
    if width is None:
        raise broken(fields.prefix + "moe_intermediate_size", "is missing beside the experts")
    shared, shared_width = _shared(fields, width)
    return Experts(
        experts=experts,
        experts_per_token=per_token,
        moe_intermediate_size=width,
        shared_experts=shared,
        shared_expert_intermediate_size=shared_width,
        dense_layers=_dense_layers(fields, layers),
    )


def _shared(fields: Fields, width: int) -> tuple[int, int | None]:
    """Return how many shared experts there are and how wide one is."""
    own_width = fields.optional_count("shared_expert_intermediate_size", least=0)
    count = fields.optional_count("n_shared_experts", "num_shared_experts", least=0) or 0
    if count:
        return count, own_width or width
    return (1, own_width) if own_width else (0, None)


def _dense_layers(fields: Fields, layers: int) -> int:
    leading = fields.optional_count("first_k_dense_replace", "num_dense_layers", least=0) or 0
    named = len({index for index in fields.counts("mlp_only_layers") if index < layers})
    step = fields.optional_count(
        "decoder_sparse_step", "moe_layer_freq", "interleave_moe_layer_step"
    )
    skipped = layers - layers // step if step is not None and step > 1 else 0
    return min(layers, max(leading, named, skipped))
