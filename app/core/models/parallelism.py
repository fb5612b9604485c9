"""Over how many GPUs a model's layers can be divided (tensor parallelism)."""

from app.core.models.architecture import ModelInfo


def split_problem(model: ModelInfo, size: int) -> str | None:
    """Return what does not divide, for example ``28 heads / 3``; ``None`` when all does.

    Attention heads have to divide; KV heads divide, or are repeated a whole number of times;
    the inner width divides, and each part is a whole number of quantization groups.

    Source: vLLM 0.33.0 config/model.py, layers/linear.py, fp8_utils.py; issues 13640, 21695;
    other engines divide the same way.
    """
    if size <= 1:
        return None
    arch = model.architecture
    if arch.heads % size:
        return f"{arch.heads} heads / {size}"
    larger, smaller = max(arch.kv_heads, size), min(arch.kv_heads, size)
    if arch.kv_lora_rank is None and larger % smaller:
        return f"{arch.kv_heads} KV heads / {size}"
    return _width_problem(model, size)


def _width_problem(model: ModelInfo, size: int) -> str | None:
    arch, unit = model.architecture, _quantization_unit(model)
    for name, width in (
        ("intermediate", arch.intermediate_size),
        ("expert", arch.moe_intermediate_size if arch.experts else None),
    ):
        if width is None:
            continue
        if width % size:
            return f"{width} {name} columns / {size}"
        if unit is not None and (width // size) % unit:
            return f"{width} {name} columns / {size} in groups of {unit}"
    return None


def _quantization_unit(model: ModelInfo) -> int | None:
    quantization = model.quantization
    if quantization.block_shape:
        return max(quantization.block_shape)
    if quantization.method in ("awq", "gptq") and quantization.group_size:
        return quantization.group_size if quantization.group_size > 0 else None
    return None
