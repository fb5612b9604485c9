"""Find the language model's part in a config that describes more than a language model."""

from collections.abc import Mapping
from typing import Final

from app.core.models.config_fields import Fields
from app.core.models.families import NESTED_DEFAULTS

_NESTED: Final = (
    "text_config", "llm_config", "language_config", "thinker_config", "language_model_config",
    "decoder",
)  # fmt: skip
_OTHER_PARTS: Final = (
    "vision_config", "audio_config", "visual", "vision_tower", "mm_vision_tower", "encoder_config",
)  # fmt: skip
_SIZES: Final = ("hidden_size", "num_hidden_layers", "n_embd", "d_model", "dim")


def text_part(top: Fields) -> tuple[Fields, bool]:
    """Return the language model's fields and whether more than a language model is there.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN where a part is no object.
    """
    nested = top.section(*_NESTED)
    if nested is not None and nested.section("text_config") is not None:
        nested = nested.section("text_config")
    multimodal = top.has(*_OTHER_PARTS)
    if nested is None:
        return top, multimodal
    defaults = NESTED_DEFAULTS.get(nested.text("model_type") or "", {})
    if not nested.has(*_SIZES) and (not defaults or top.has(*_SIZES)):
        return top, multimodal
    # A nested part may lean on fields of the outer one (vocab_size, tie_word_embeddings).
    outer = {k: v for k, v in top.values.items() if not isinstance(v, Mapping) and v is not None}
    if nested.has("model_type"):
        outer.pop("model_type", None)
    given = {k: v for k, v in nested.values.items() if v is not None or k not in outer}
    return Fields({**defaults, **outer, **given}, nested.prefix), True
