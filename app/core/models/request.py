"""What an estimate is asked about: the device and the options of the engine."""

from dataclasses import dataclass

from app.core.units import MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """The GPUs (all alike) or the main memory an engine would run on."""

    name: str
    compute_cap: str | None = None
    memory_total_mib: int | None = None
    """NVML's total per GPU; ``None`` makes the verdict “unknown”."""
    memory_reserved_mib: int | None = None
    """NVML's reserved memory, which CUDA does not see; ``None`` is taken from calibration."""
    memory_used_mib: int = 0
    """Already taken by others, on the fullest of the GPUs."""
    count: int = 1
    is_cpu: bool = False
    ram_bytes: int | None = None
    """Main memory the engine may use; needed for CPU, and for layers left off the GPU."""

    @property
    def used_bytes(self) -> int:
        """Memory others hold."""
        return max(0, self.memory_used_mib) * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateOptions:
    """Engine-neutral options; ``None`` means the engine's own default."""

    tensor_parallel_size: int = 1
    pipeline_parallel_size: int = 1
    expert_parallel: bool = False
    """Whole experts are dealt out among the GPUs instead of each being cut."""
    context_tokens: int | None = None
    """Longest request (prompt + answer). llama.cpp's ``--ctx-size`` is this × ``concurrency``."""
    concurrency: int | None = None
    """Requests at once; for llama.cpp the number of slots."""
    memory_fraction: float | None = None
    """In the engine's own meaning."""
    kv_dtype: str = "auto"
    """For llama.cpp also ``K/V``, for example ``q8_0/f16``."""
    dtype: str = "auto"
    quantization: str | None = None
    """Quantization done while loading (vLLM ``--quantization fp8`` on a bfloat16 model)."""
    gpu_layers: int | None = None
    """llama.cpp: layers on the GPU; ``None`` means all."""
    cpu_moe_layers: int = 0
    """llama.cpp: first layers whose experts stay in main memory."""
    tensor_split: tuple[int, ...] = ()
    """llama.cpp: layers (the output counts as one) of each GPU; empty: equal runs."""
    prefill_tokens: int | None = None
    """vLLM ``--max-num-batched-tokens``, llama.cpp ``--ubatch-size``."""
    enforce_eager: bool = False
    kv_cache_bytes: int | None = None
    """vLLM ``--kv-cache-memory-bytes``: the cache's size, whatever the fraction says."""
    weights_bytes: int | None = None
    """Overrides what the model's headers say."""
    max_num_seqs: int | None = None
    block_size: int | None = None
    with_basis: bool = True
    """False leaves out where each number comes from, which a table of hardware does not show."""
