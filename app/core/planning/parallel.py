"""Into how many parts a model's layers can be split (tensor parallelism)."""

from enum import StrEnum

from app.core.models.architecture import ModelInfo


class SplitProblem(StrEnum):
    """Why a model cannot be split that way; also the code of the sentence about it."""

    HEADS = "tp_heads"
    KV_HEADS = "tp_kv_heads"
    INTERMEDIATE = "tp_intermediate"
    GROUPS = "tp_groups"


def split_problem(model: ModelInfo, size: int) -> SplitProblem | None:
    """Tell why a tensor-parallel size is impossible, or ``None`` when it works.

    Attention heads have to divide; KV heads divide, or are repeated a whole number of times;
    the inner width divides, and each part is a whole number of quantization groups.

    Source: vLLM 0.33.0 config/model.py, layers/linear.py, fp8_utils.py; issues 13640, 21695.
    """
    if size == 1:
        return None
    architecture = model.architecture
    if architecture.heads % size:
        return SplitProblem.HEADS
    kv_heads = architecture.kv_heads
    is_mla = architecture.kv_lora_rank is not None
    if not is_mla and (kv_heads % size if kv_heads >= size else size % kv_heads):
        return SplitProblem.KV_HEADS
    widths = [
        width
        for width in (
            architecture.intermediate_size,
            architecture.moe_intermediate_size if architecture.experts else None,
        )
        if width is not None
    ]
    if any(width % size for width in widths):
        return SplitProblem.INTERMEDIATE
    unit = _quantization_unit(model)
    if unit is not None and any((width // size) % unit for width in widths):
        return SplitProblem.GROUPS
    return None


def possible_sizes(model: ModelInfo, limit: int) -> tuple[int, ...]:
    """Return all sizes up to ``limit`` that the model can be split into."""
    return tuple(size for size in range(1, limit + 1) if split_problem(model, size) is None)


def _quantization_unit(model: ModelInfo) -> int | None:
    quantization = model.quantization
    if quantization.block_shape:
        return max(quantization.block_shape)
    if quantization.method in ("awq", "gptq") and quantization.group_size:
        return quantization.group_size if quantization.group_size > 0 else None
    return None
