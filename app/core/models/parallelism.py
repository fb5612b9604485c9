"""Which tensor-parallel sizes a model allows.

Source: vLLM config/model.py and linear.py; other engines divide the same way.
"""

from app.core.models.architecture import Architecture


def tensor_parallel_problem(arch: Architecture, tensor_parallel_size: int) -> str | None:
    """Return what does not divide, for example ``28 heads / 3``; ``None`` when all does.

    Example:
        >>> qwen = Architecture(name="Qwen2ForCausalLM", model_type="qwen2", layers=28,
        ...     hidden_size=3584, heads=28, kv_heads=4, head_dim=128, vocab_size=152064,
        ...     intermediate_size=18944)
        >>> tensor_parallel_problem(qwen, 4), tensor_parallel_problem(qwen, 8)
        (None, '28 heads / 8')
    """
    tp = tensor_parallel_size
    if tp <= 1:
        return None
    if arch.heads % tp:
        return f"{arch.heads} heads / {tp}"
    if arch.kv_lora_rank is None:
        larger, smaller = max(arch.kv_heads, tp), min(arch.kv_heads, tp)
        if larger % smaller:
            return f"{arch.kv_heads} KV heads / {tp}"
    for name, width in (
        ("intermediate", arch.intermediate_size),
        ("expert", arch.moe_intermediate_size),
    ):
        if width is not None and width % tp:
            return f"{width} {name} columns / {tp}"
    return None


def allowed_tensor_parallel(arch: Architecture, gpu_count: int) -> tuple[int, ...]:
    """Return the sizes up to ``gpu_count`` that divide the model, smallest first."""
    return tuple(
        size for size in range(1, gpu_count + 1) if tensor_parallel_problem(arch, size) is None
    )
