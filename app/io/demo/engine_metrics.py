"""The simulated engine's figures in vLLM's names and shapes.

Source of names, labels and buckets: /metrics of vLLM 0.32.0, recorded 2026-11-29.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

# fmt: off
TTFT_BUCKETS: Final = (
    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
    20.0, 40.0, 80.0, 160.0, 640.0, 2560.0,
)
ITL_BUCKETS: Final = (
    0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
    20.0, 40.0, 80.0,
)
E2E_BUCKETS: Final = (
    0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0,
    240.0, 480.0, 960.0, 1920.0, 7680.0,
)
# fmt: on
FINISHED_REASONS: Final = ("stop", "length", "abort", "error", "repetition")


@dataclass(slots=True)
class Histogram:
    """Counts per bucket, each bucket holding values up to its bound."""

    bounds: Sequence[float]
    counts: list[int] = field(init=False)
    total: float = 0.0

    def __post_init__(self) -> None:
        """Start empty."""
        self.counts = [0] * (len(self.bounds) + 1)

    def observe(self, value: float) -> None:
        """Count one value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def lines(self, name: str, labels: str) -> Iterator[str]:
        """Write the cumulative form."""
        below = 0
        for bound, count in zip((*self.bounds, None), self.counts, strict=True):
            below += count
            edge = "+Inf" if bound is None else str(float(bound))
            yield f'{name}_bucket{{engine="0",le="{edge}",{labels}}} {float(below)}'
        yield f'{name}_count{{engine="0",{labels}}} {float(below)}'
        yield f'{name}_sum{{engine="0",{labels}}} {self.total}'


@dataclass(slots=True)
class EngineMetrics:
    """What the engine counts while it serves."""

    model: str
    kv_tokens: int
    started_s: float = 0.0
    running: int = 0
    waiting: int = 0
    held_tokens: int = 0
    """Tokens in the KV cache."""
    prompt_tokens: int = 0
    output_tokens: int = 0
    finished: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FINISHED_REASONS, 0))
    ttft: Histogram = field(default_factory=lambda: Histogram(TTFT_BUCKETS))
    itl: Histogram = field(default_factory=lambda: Histogram(ITL_BUCKETS))
    e2e: Histogram = field(default_factory=lambda: Histogram(E2E_BUCKETS))
    queue: Histogram = field(default_factory=lambda: Histogram(E2E_BUCKETS))
    prefill: Histogram = field(default_factory=lambda: Histogram(E2E_BUCKETS))
    decode: Histogram = field(default_factory=lambda: Histogram(E2E_BUCKETS))

    @property
    def kv_usage(self) -> float:
        """Share of the KV cache in use, 0 to 1."""
        return min(1.0, self.held_tokens / self.kv_tokens) if self.kv_tokens else 0.0

    def render(self) -> str:
        """Write the whole exposition."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        labels = f'model_name="{self.model}"'
        only = f'engine="0",{labels}'
        yield "# Simulated by Pitwall: names and shapes of vLLM, figures of a script."
        for name, text, value in (
            ("num_requests_running", "Number of requests in execution batches.", self.running),
            ("num_requests_waiting", "Number of requests waiting.", self.waiting),
            ("kv_cache_usage_perc", "KV-cache usage, 1 means all of it.", self.kv_usage),
        ):
            yield from _head(f"vllm:{name}", "gauge", text)
            yield f"vllm:{name}{{{only}}} {float(value)}"
        for name, text, value in (
            ("prompt_tokens_total", "Number of prefill tokens.", self.prompt_tokens),
            ("generation_tokens_total", "Number of generation tokens.", self.output_tokens),
        ):
            yield from self._counter(f"vllm:{name}", text, {only: value})
        reasons = {
            f'engine="0",finished_reason="{reason}",{labels}': count
            for reason, count in self.finished.items()
        }
        yield from self._counter("vllm:request_success_total", "Finished requests.", reasons)
        for name, text, histogram in (
            ("time_to_first_token_seconds", "Time to first token.", self.ttft),
            ("inter_token_latency_seconds", "Time between tokens.", self.itl),
            ("e2e_request_latency_seconds", "Time of whole requests.", self.e2e),
            ("request_queue_time_seconds", "Time in the queue.", self.queue),
            ("request_prefill_time_seconds", "Time in prefill.", self.prefill),
            ("request_decode_time_seconds", "Time in decode.", self.decode),
        ):
            yield from _head(f"vllm:{name}", "histogram", text)
            yield from histogram.lines(f"vllm:{name}", labels)
            yield from _head(f"vllm:{name}_created", "gauge", text)
            yield f"vllm:{name}_created{{{only}}} {self.started_s!r}"

    def _counter(self, name: str, text: str, values: dict[str, int]) -> Iterator[str]:
        created = name.removesuffix("_total") + "_created"
        yield from _head(name, "counter", text)
        for labels, value in values.items():
            yield f"{name}{{{labels}}} {float(value)}"
        yield from _head(created, "gauge", text)
        for labels in values:
            yield f"{created}{{{labels}}} {self.started_s!r}"


def _head(name: str, kind: str, text: str) -> tuple[str, str]:
    return f"# HELP {name} {text}", f"# TYPE {name} {kind}"
