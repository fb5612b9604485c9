"""Weights of vision and audio towers and their projectors, from their part of the config.

A tower is a plain transformer encoder; families differ in the shape of the MLP and in how patches
are merged before they enter the language model. Source: modeling files of transformers 5.19.0
(checked 2026-11-30).
"""

from dataclasses import dataclass
from typing import Final

from app.core.models.architecture import ExtraWeights
from app.core.models.config_fields import Fields

_GATED: Final = ("pixtral", "mistral3", "qwen2_5_vl", "qwen2_5_omni", "glm4v", "glm_ocr",
                 "lighton_ocr", "glm46v")  # fmt: skip
_MERGING: Final = ("qwen2_vl", "qwen2_5", "qwen3_vl", "qwen3_5", "qwen3_omni", "kimi_vl",
                   "kimi_k25")  # fmt: skip

_ONE_LAYER: Final = (
    "gemma", "paligemma", "mllama", "llama4", "qwen2_audio", "idefics3", "smolvlm",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Tower:
    """The sizes of an encoder."""

    width: int
    layers: int
    inner: int
    gated: bool
    merged: int
    """Patches (or frames) that become one token."""


def read_towers(top: Fields, model_type: str, hidden: int) -> tuple[ExtraWeights, ...]:
    """Return the weights beside the language model; empty where the config gives no sizes.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN naming the field.
    """
    source = top.section("thinker_config") or top
    found = []
    for name, keys in (
        ("vision", ("vision_config", "vision_model_config", "visual")),
        ("audio", ("audio_config", "encoder_config")),
    ):
        part = source.section(*keys)
        tower = _tower(part, model_type, name) if part is not None else None
        if part is None or tower is None:
            continue
        size = _encoder(tower) + _embeddings(part, tower, name)
        found.append(ExtraWeights(name=name, parameters=size))
        projector = _projector(source, part, tower, model_type, hidden)
        found.append(ExtraWeights(name=f"projector_{name}", parameters=projector))
    return tuple(found)


def _tower(part: Fields, model_type: str, name: str) -> _Tower | None:
    width = part.optional_count("embed_dim", "d_model", "hidden_size", "width")
    layers = part.optional_count("depth", "num_hidden_layers", "encoder_layers", "layers")
    if width is None or layers is None:
        return None
    glm = model_type.startswith(("glm4v", "glm46v"))
    inner = part.optional_count("intermediate_size", "encoder_ffn_dim")
    if glm:
        inner = part.optional_count("out_hidden_size") or inner
    if inner is None:
        ratio = part.values.get("mlp_ratio")
        inner = (
            int(width * ratio) if isinstance(ratio, int | float) and 0 < ratio < 64 else 4 * width
        )
    layers += part.optional_count("num_global_layers", least=0) or 0
    side = part.optional_count("spatial_merge_size") or 1
    kernel = part.counts("merge_kernel_size")
    merged = kernel[0] * kernel[1] if len(kernel) == 2 else side * side
    gated = name == "vision" and model_type.startswith(_GATED)
    return _Tower(width, layers, inner, gated, max(1, merged))


def _encoder(tower: _Tower) -> int:
    mlp = (3 if tower.gated else 2) * tower.width * tower.inner
    small = 9 * tower.width + tower.inner
    return tower.layers * (4 * tower.width * tower.width + mlp + small)


def _embeddings(part: Fields, tower: _Tower, name: str) -> int:
    if name == "audio":
        bins = part.optional_count("num_mel_bins") or 128
        frames = part.optional_count("max_source_positions", least=0) or 0
        return tower.width * (3 * bins + 3 * tower.width + frames)
    patch = _side(part, "patch_size") or 14
    times = part.optional_count("temporal_patch_size") or 1
    image = _side(part, "image_size")
    positions = part.optional_count("num_position_embeddings") or 0
    if not positions and image and times == 1:
        positions = (image // patch) ** 2
    tiles = part.optional_count("max_num_tiles")
    if tiles is not None:  # Mllama: one table for each shape that tiles can be laid in.
        shapes = part.values.get("supported_aspect_ratios")
        positions *= tiles * ((len(shapes) if isinstance(shapes, list | tuple) else 0) + 1)
    return tower.width * (3 * patch * patch * times + positions)


def _side(part: Fields, key: str) -> int | None:
    value = part.values.get(key)
    if isinstance(value, list | tuple):
        sides = part.counts(key)
        return max(sides, default=0) or None
    return part.optional_count(key)


def _projector(top: Fields, part: Fields, tower: _Tower, model_type: str, hidden: int) -> int:
    wide = tower.width * tower.merged
    if model_type.startswith("glm4v"):
        between, out = part.count("intermediate_size"), part.optional_count("out_hidden_size")
        out = out or hidden
        return out * out + 3 * out * between + wide * out
    if model_type.startswith(_MERGING):
        out = part.optional_count("out_hidden_size") or hidden
        deep = part.values.get("deepstack_visual_indexes")
        mergers = 1 + (len(deep) if isinstance(deep, list | tuple) else 0)
        return mergers * wide * (wide + out)
    if part.has("vision_output_dim"):
        return part.count("vision_output_dim") * hidden
    if model_type.startswith("mistral3"):
        side = top.optional_count("spatial_merge_size") or 1
        return side * side * tower.width**2 + tower.width * hidden + hidden * hidden
    return _dense_projector(top, tower, model_type, hidden)


def _dense_projector(top: Fields, tower: _Tower, model_type: str, hidden: int) -> int:
    """Return the weights of one or two dense layers from the merged patches to the model."""
    merged = tower.merged
    if model_type.startswith("internvl"):
        scale = top.values.get("downsample_ratio")
        merged = round(1 / scale**2) if isinstance(scale, float) and 0.1 < scale < 1 else 4
    if model_type.startswith(("idefics3", "smolvlm")):
        merged = (top.optional_count("scale_factor") or 2) ** 2
    second = 0 if model_type.startswith(_ONE_LAYER) else hidden * hidden
    return tower.width * merged * hidden + second
