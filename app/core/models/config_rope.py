"""How long a model's context is, with the ways positions are stretched.

Source: vLLM 0.26 config/model.py, _get_and_verify_max_len: only some kinds of scaling make the
context longer than ``max_position_embeddings`` (checked 2026-11-30).
"""

from collections.abc import Mapping
from typing import Final

from app.core.models.architecture import RopeScaling
from app.core.models.config_fields import Fields, as_mapping, broken

_KEYS: Final = (
    "max_position_embeddings", "n_positions", "max_sequence_length", "max_seq_len", "seq_length",
    "model_max_length", "max_target_positions", "context_length", "n_ctx",
)  # fmt: skip
_NOT_LONGER: Final = frozenset({"default", "su", "longrope", "llama3", "mrope", "proportional"})
"""These are part of the model already: ``max_position_embeddings`` includes them."""

_WITHOUT: Final = frozenset({"jamba", "nemotron_h", "mamba", "mamba2", "falcon_mamba", "rwkv"})
"""Their attention, if any, knows no positions. Source: vLLM 0.26.0 model files."""


def read_context(fields: Fields, model_type: str = "") -> tuple[int | None, RopeScaling | None]:
    """Return the longest context and how it is reached.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN naming the field.

    Example (YaRN: four times the length it was trained on):
        >>> read_context(Fields({"max_position_embeddings": 40960, "rope_scaling": {
        ...     "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}}))[0]
        131072
    """
    length = fields.optional_count(*_KEYS)
    scaling = _scaling(fields)
    if scaling is None or length is None:
        return length, scaling
    if scaling.kind in _NOT_LONGER or scaling.factor is None or model_type.startswith("gemma3"):
        return length, scaling
    if scaling.kind == "yarn" and scaling.original_context:
        length = scaling.original_context
    return max(1, int(length * scaling.factor)), scaling


def read_rotary_dim(fields: Fields, model_type: str, head_dim: int) -> int | None:
    """Return how many values of a head turn with the position; ``None``: all, as far as is said.

    Example:
        >>> read_rotary_dim(Fields({"partial_rotary_factor": 0.25}), "qwen3_next", 256)
        64
    """
    if model_type in _WITHOUT or fields.text("position_embedding_type") in {"nope", "alibi"}:
        return 0
    given = fields.optional_count("rotary_dim", "rotary_emb_dim")
    if given is not None:
        return given
    sections = [
        Fields(as_mapping(fields.values[key], fields.prefix + key))
        for key in ("rope_parameters", "rope_scaling")
        if isinstance(fields.values.get(key), Mapping)
    ]
    for section in (fields, *sections):
        for key in ("partial_rotary_factor", "rotary_pct"):
            share = section.values.get(key)
            if isinstance(share, int | float) and not isinstance(share, bool) and 0 <= share <= 1:
                return int(head_dim * share)
    return None


def _scaling(fields: Fields) -> RopeScaling | None:
    for key in ("rope_scaling", "rope_parameters"):
        value = fields.values.get(key)
        if value is None:
            continue
        path = fields.prefix + key
        section = as_mapping(value, path)
        if all(isinstance(item, Mapping) for item in section.values()) and section:
            continue  # One entry per kind of layer (Gemma 3): none of them makes it longer.
        found = _one(Fields(section, path + "."))
        if found is not None and found.kind != "default":
            return found
    return None


def _one(section: Fields) -> RopeScaling | None:
    kind = section.text("rope_type") or section.text("type")
    if kind is None:
        return None
    factor = section.values.get("factor")
    if factor is not None and (
        isinstance(factor, bool) or not isinstance(factor, int | float) or not 0 < factor <= 4096
    ):
        raise broken(section.prefix + "factor", "is no factor between 0 and 4096")
    return RopeScaling(
        kind=kind,
        factor=float(factor) if factor is not None else None,
        original_context=section.optional_count("original_max_position_embeddings"),
    )
