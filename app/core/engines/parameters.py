"""Engine-neutral values of a plan, and the engine's flags that they become."""

from dataclasses import dataclass

from app.core.texts import Reason

WORD_SEPARATOR = "\x1f"
"""Between the words of a flag that takes several (``--lora-modules a=… b=…``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenFlag:
    """One engine flag with its value and the reason for it."""

    name: str
    """The flag as this version writes it, for example ``--ctx-size``."""
    value: str | None
    """``None`` for a switch."""
    reason: Reason

    @property
    def is_variable(self) -> bool:
        """Whether the engine takes it as an environment variable instead of a flag."""
        return not self.name.startswith("-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Engine-neutral values of a plan."""

    context_tokens: int
    concurrency: int
    tensor_parallel_size: int = 1
    pipeline_parallel_size: int = 1
    expert_parallel_size: int | None = None
    """GPUs among which whole experts are dealt out; ``None`` splits every expert instead."""
    gpu_indices: tuple[int, ...] = ()
    gpu_uuids: tuple[str, ...] = ()
    memory_fraction: float | None = None
    kv_dtype: str = "auto"
    dtype: str = "auto"
    gpu_layers: int | None = None
    """llama.cpp: layers on GPU; ``None`` for engines without the notion."""
    cpu_moe_layers: int | None = None
    """llama.cpp: first layers whose experts stay in main memory; the rest of them is on GPUs."""
    tensor_split: str | None = None
    """llama.cpp: layers (with the output) of each GPU, such as ``20,17``; ``None``: by itself."""
    gpu_overhead_bytes: int | None = None
    """Ollama: memory that its own split has to leave free on each GPU."""
    threads: int | None = None
    prefill_tokens: int | None = None
    prefix_caching: bool | None = None
    speculative: str | None = None
    """``mtp``: the model's own draft layers guess tokens ahead; ``None``: off."""
    enforce_eager: bool | None = None
    """vLLM: neither compile nor capture graphs at start."""
    kv_cache_bytes: int | None = None
    """Size of the KV cache where it is set outright instead of being a share of the memory."""
