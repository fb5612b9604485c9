"""The metric names that all engines and hosts are translated into."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Metric(StrEnum):
    """One quantity over time; the unit is part of the meaning (see ``resources/metrics.toml``)."""

    GPU_MEMORY_USED_MIB = "gpu.memory_used_mib"
    GPU_UTILIZATION_PERCENT = "gpu.utilization_percent"
    GPU_POWER_W = "gpu.power_w"
    GPU_TEMPERATURE_C = "gpu.temperature_c"
    REQUESTS_RUNNING = "engine.requests_running"
    REQUESTS_WAITING = "engine.requests_waiting"
    KV_CACHE_USAGE_PERCENT = "engine.kv_cache_usage_percent"
    OUTPUT_TOKENS_PER_S = "engine.output_tokens_per_s"
    PROMPT_TOKENS_PER_S = "engine.prompt_tokens_per_s"
    TTFT_P50_S = "engine.ttft_p50_s"
    TTFT_P95_S = "engine.ttft_p95_s"
    ITL_P50_S = "engine.itl_p50_s"
    ITL_P95_S = "engine.itl_p95_s"


ENGINE_METRICS: Final = tuple(metric for metric in Metric if metric.value.startswith("engine."))
"""What engines may give; the rest is the GPUs'."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesKey:
    """Which line of which plot: a metric of a GPU of a host, or of a deployment."""

    metric: Metric
    host_id: str
    deployment: str | None = None
    gpu_index: int | None = None


class Exposure(StrEnum):
    """Whether an engine gives a metric."""

    EXPOSED = "exposed"
    NOT_EXPOSED = "not_exposed"
    """This engine and version has no such metric."""
    NOT_YET = "not_yet"
    """Exposed, but nothing was observed yet (for example no request so far)."""
    UNREACHABLE = "unreachable"
