"""LoRA adapters: what an ``adapter_config.json`` or an adapter's GGUF header says, and their size.

Source: peft 0.17 tuners/lora/config.py, llama.cpp convert_lora_to_gguf.py and vLLM 0.26
lora/layers (checked 2026-11-30).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.core.models.architecture import Architecture, ExtraWeights, ModelInfo
from app.core.models.config_fields import Fields, broken
from app.core.models.quantized_size import DTYPE_BYTES

ADAPTER_CONFIG: Final = "adapter_config.json"
ADAPTER_WEIGHTS: Final = ("adapter_model.safetensors", "adapter_model.bin")
_MOST_RANK: Final = 4096
_ALL: Final = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
_ROW: Final = frozenset({"o_proj", "down_proj"})
"""Tensor parallelism divides their input, and the output of the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoraAdapter:
    """One adapter as found on a host."""

    name: str
    """What clients put into ``model``."""
    path: str
    is_gguf: bool = False
    rank: int | None = None
    """``None`` where only tensors would tell it (GGUF)."""
    alpha: float | None = None
    target_modules: tuple[str, ...] = ()
    base_model: str = ""
    size_bytes: int | None = None
    uses_dora: bool = False
    extra_modules: tuple[str, ...] = ()
    """Whole modules that were trained too (``modules_to_save``)."""


def read_adapter(
    config: Mapping[str, object], *, name: str, path: str, size_bytes: int | None = None
) -> LoraAdapter:
    """Return what an ``adapter_config.json`` says.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN naming field and reason.

    Example:
        >>> read_adapter({"peft_type": "LORA", "r": 16, "lora_alpha": 32,
        ...     "target_modules": ["q_proj", "v_proj"]}, name="law", path="/a/law").rank
        16
    """
    fields = Fields(config, file=ADAPTER_CONFIG)
    kind = (fields.text("peft_type") or "").upper()
    if kind != "LORA":
        raise _broken("peft_type", f"is “{kind}”: only LORA adapters can be served")
    rank = fields.optional_count("r")
    if rank is None:
        raise _broken("r", "is missing")
    if rank > _MOST_RANK:
        raise _broken("r", f"is {rank}, more than {_MOST_RANK}")
    patterns = config.get("rank_pattern")
    ranks = [rank, *(r for r in _values(patterns) if isinstance(r, int) and 0 < r <= _MOST_RANK)]
    return LoraAdapter(
        name=name,
        path=path,
        rank=max(ranks),
        alpha=_alpha(config.get("lora_alpha")),
        target_modules=_modules(fields),
        base_model=fields.text("base_model_name_or_path") or "",
        size_bytes=size_bytes,
        uses_dora=fields.flag("use_dora"),
        extra_modules=fields.texts("modules_to_save"),
    )


def _broken(field: str, reason: str) -> Exception:
    return broken(field, reason, file=ADAPTER_CONFIG)


def _values(value: object) -> Iterable[object]:
    return value.values() if isinstance(value, Mapping) else ()


def _alpha(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def _modules(fields: Fields) -> tuple[str, ...]:
    value = fields.values.get("target_modules")
    if isinstance(value, str):
        return (value,)  # “all-linear”, or a pattern that only the weights spell out
    return tuple(name.rsplit(".", maxsplit=1)[-1] for name in fields.texts("target_modules"))


def module_shapes(arch: Architecture) -> Mapping[str, tuple[int, int]]:
    """Return input and output width of the linear layers that adapters usually target."""
    hidden, inner = arch.hidden_size, arch.intermediate_size or arch.moe_intermediate_size or 0
    keys = arch.kv_heads * arch.head_dim
    values = arch.kv_heads * (arch.v_head_dim or arch.head_dim)
    return {
        "q_proj": (hidden, arch.heads * arch.head_dim),
        "k_proj": (hidden, keys),
        "v_proj": (hidden, values),
        "o_proj": (arch.heads * (arch.v_head_dim or arch.head_dim), hidden),
        "gate_proj": (hidden, inner),
        "up_proj": (hidden, inner),
        "down_proj": (inner, hidden),
    }


def adapter_weights(
    arch: Architecture, *, rank: int, slots: int, modules: Sequence[str] = ()
) -> tuple[ExtraWeights, ...]:
    """Return the buffers an engine sets aside for adapters; no modules means all linear ones.

    Args:
        arch: The base model.
        rank: Largest rank that is served.
        slots: Adapters that are on the GPU at once.
        modules: Names of the targeted modules.

    Example (Llama 3.1 8B, rank 16, one slot: 41.9 million weights):
        >>> llama = Architecture(name="LlamaForCausalLM", model_type="llama", layers=32,
        ...     hidden_size=4096, intermediate_size=14336, heads=32, kv_heads=8, head_dim=128,
        ...     vocab_size=128256)
        >>> sum(e.parameters for e in adapter_weights(llama, rank=16, slots=1))
        41943040
    """
    shapes = module_shapes(arch)
    wanted = [name for name in modules if name in shapes] or list(_ALL)
    whole = divided = 0
    for name in wanted:
        into, out = shapes[name]
        side, other = (out, into) if name in _ROW else (into, out)
        whole += side
        divided += other
    scale = rank * slots * arch.layers
    return (
        ExtraWeights(name="lora_whole", parameters=whole * scale),
        ExtraWeights(name="lora_divided", parameters=divided * scale, sharded=True),
    )


def with_adapters(
    model: ModelInfo, *, rank: int, slots: int, modules: Sequence[str] = ()
) -> ModelInfo:
    """Return the model as it is in memory with room for adapters."""
    found = adapter_weights(model.architecture, rank=rank, slots=slots, modules=modules)
    added = sum(extra.parameters for extra in found) * DTYPE_BYTES[model.dtype]
    return replace(
        model,
        architecture=replace(model.architecture, extras=(*model.architecture.extras, *found)),
        weights_bytes=None if model.weights_bytes is None else model.weights_bytes + added,
    )


def base_differs(adapter: LoraAdapter, model: ModelInfo) -> bool:
    """Tell whether an adapter names another base model; unnamed ones are not judged."""

    def last(name: str) -> str:
        return name.rstrip("/").rsplit("/", maxsplit=1)[-1].lower()

    return bool(adapter.base_model) and last(adapter.base_model) != last(model.name)
