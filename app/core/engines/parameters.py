"""Engine-neutral values of a plan, and the engine's flags that they become."""

from dataclasses import dataclass

from app.core.texts import Reason


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
    gpu_indices: tuple[int, ...] = ()
    gpu_uuids: tuple[str, ...] = ()
    memory_fraction: float | None = None
    kv_dtype: str = "auto"
    dtype: str = "auto"
    gpu_layers: int | None = None
    """llama.cpp: layers on GPU; ``None`` for engines without the notion."""
    threads: int | None = None
    prefill_tokens: int | None = None
    prefix_caching: bool | None = None
    enforce_eager: bool | None = None
    """vLLM: neither compile nor capture graphs at start."""
    kv_cache_bytes: int | None = None
    """Size of the KV cache where it is set outright instead of being a share of the memory."""
