"""Over how many GPUs a model's layers can be divided (tensor and expert parallelism)."""

from app.core.models.architecture import ModelInfo


def split_problem(model: ModelInfo, size: int, *, expert_parallel: bool = False) -> str | None:
    """Return what does not divide, for example ``28 heads / 3``; ``None`` when all does.

    Attention heads have to divide; KV heads divide, or are repeated a whole number of times;
    the inner width divides, and each part is a whole number of quantization groups. With expert
    parallelism whole experts are dealt out instead of each being cut. The vocabulary is padded
    and never stands in the way.

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
    if expert_parallel and arch.experts and arch.experts % size:
        return f"{arch.experts} experts / {size}"
    return _width_problem(model, size, expert_parallel=expert_parallel)


def _width_problem(model: ModelInfo, size: int, *, expert_parallel: bool) -> str | None:
    arch, unit = model.architecture, _quantization_unit(model)
    cut_experts = arch.experts and not expert_parallel
    for name, width in (
        ("intermediate", _dense_width(model)),
        ("expert", arch.moe_intermediate_size if cut_experts else None),
        ("shared expert", arch.shared_expert_intermediate_size if arch.shared_experts else None),
    ):
        if width is None:
            continue
        if width % size:
            return f"{width} {name} columns / {size}"
        if unit is not None and (width // size) % unit:
            return f"{width} {name} columns / {size} in groups of {unit}"
    return None


def _dense_width(model: ModelInfo) -> int | None:
    """Return the width of layers without experts; a model of experts only has none."""
    arch = model.architecture
    if arch.experts and not arch.dense_layers:
        return None
    return arch.intermediate_size


def _quantization_unit(model: ModelInfo) -> int | None:
    quantization = model.quantization
    if quantization.block_shape:
        return max(quantization.block_shape)
    if quantization.method in ("awq", "gptq") and quantization.group_size:
        return quantization.group_size if quantization.group_size > 0 else None
    return None


def shard_text(problem: str) -> str:
    """Add the size of one part to a problem: ``3072 expert columns / 16 = 192 …``.

    Example:
        >>> shard_text("3072 expert columns / 16 in groups of 128")
        '3072 expert columns / 16 = 192, no multiple of 128'
    """
    division, is_grouped, unit = problem.partition(" in groups of ")
    whole, _, size = division.partition(" / ")
    count = int(whole.split()[0])
    if is_grouped:
        return f"{division} = {count // int(size)}, no multiple of {unit}"
    return f"{division} = {count / int(size):.1f}"
