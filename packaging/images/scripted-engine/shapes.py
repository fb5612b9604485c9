"""What each engine prints at start, calls its metrics and takes as flags, as documented.

Nothing here is measured: figures are made up, names and wordings are those of the engines'
sources. Written for the tests of Pitwall; used by no user.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass
class Tally:
    """What was served so far."""

    running: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    ttft_s: list[float] = field(default_factory=list)
    gaps_s: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Shape:
    """One engine."""

    takes: tuple[str, ...]
    """Flags with a value."""
    switches: tuple[str, ...]
    host: str
    port: str
    name: str
    """The flags of these."""
    default_host: str
    default_port: int
    ready: tuple[str, ...]
    """Lines after the port opened; those before it are in ``<program>.start.txt``."""
    metrics: Callable[[Tally], Iterator[str]]
    metrics_path: str = "/metrics"
    early: bool = False
    """The port is open, with 503, while the model is loaded."""


def gauge(name: str, value: float) -> Iterator[str]:
    """Yield one gauge."""
    yield f"# TYPE {name} gauge"
    yield f"{name} {value}"


def counter(name: str, value: float) -> Iterator[str]:
    """Yield one counter."""
    yield f"# TYPE {name} counter"
    yield f"{name} {float(value)}"


def histogram(name: str, values: list[float]) -> Iterator[str]:
    """Yield one histogram."""
    yield f"# TYPE {name} histogram"
    for bound in (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0):
        yield f'{name}_bucket{{le="{bound}"}} {sum(1 for value in values if value <= bound)}'
    yield f'{name}_bucket{{le="+Inf"}} {len(values)}'
    yield f"{name}_sum {sum(values)}"
    yield f"{name}_count {len(values)}"


def _sglang(tally: Tally) -> Iterator[str]:
    yield from gauge("sglang:num_running_reqs", tally.running)
    yield from gauge("sglang:num_queue_reqs", 0)
    yield from gauge("sglang:token_usage", 0.25)
    yield from counter("sglang:prompt_tokens_total", tally.prompt_tokens)
    yield from counter("sglang:generation_tokens_total", tally.output_tokens)
    yield from histogram("sglang:time_to_first_token_seconds", tally.ttft_s)
    yield from histogram("sglang:inter_token_latency_seconds", tally.gaps_s)


def _trtllm(tally: Tally) -> Iterator[str]:
    yield from counter("request_success_total", len(tally.ttft_s))
    yield from histogram("time_to_first_token_seconds", tally.ttft_s)
    yield from histogram("time_per_output_token_seconds", tally.gaps_s)


def _lmdeploy(tally: Tally) -> Iterator[str]:
    yield from gauge("lmdeploy:num_requests_running", tally.running)
    yield from gauge("lmdeploy:num_requests_waiting", 0)
    yield from gauge("lmdeploy:gpu_cache_usage_perc", 0.25)
    yield from counter("lmdeploy:prompt_tokens_total", tally.prompt_tokens)
    yield from counter("lmdeploy:generation_tokens_total", tally.output_tokens)
    yield from histogram("lmdeploy:time_to_first_token_seconds", tally.ttft_s)
    yield from histogram("lmdeploy:iter_token_latency", tally.gaps_s)


def _tgi(tally: Tally) -> Iterator[str]:
    yield from gauge("tgi_batch_current_size", tally.running)
    yield from gauge("tgi_queue_size", 0)
    yield from gauge("tgi_batch_current_max_tokens", 1024)
    yield from gauge("tgi_batch_max_total_tokens", 4096)
    yield from histogram("tgi_request_generated_tokens", [float(tally.output_tokens)])
    yield from histogram("tgi_request_input_length", [float(tally.prompt_tokens)])


SHAPES = {
    "sglang": Shape(
        takes=(
            "--model-path",
            "--served-model-name",
            "--host",
            "--port",
            "--context-length",
            "--max-running-requests",
            "--mem-fraction-static",
            "--tp-size",
            "--dtype",
            "--kv-cache-dtype",
            "--chunked-prefill-size",
        ),
        switches=("--enable-metrics",),
        host="--host",
        port="--port",
        name="--served-model-name",
        default_host="127.0.0.1",
        default_port=30000,
        early=True,
        ready=("[2026-11-30 02:00:04] The server is fired up and ready to roll!",),
        metrics=_sglang,
    ),
    "trtllm-serve": Shape(
        takes=(
            "--host",
            "--port",
            "--max_batch_size",
            "--max_seq_len",
            "--max_num_tokens",
            "--tp_size",
            "--kv_cache_free_gpu_memory_fraction",
            "--backend",
            "--extra_llm_api_options",
        ),
        switches=(),
        host="--host",
        port="--port",
        name="",
        default_host="127.0.0.1",
        default_port=8000,
        ready=("INFO:     Application startup complete.", "INFO:     Uvicorn running on {url}"),
        metrics=_trtllm,
        metrics_path="/prometheus/metrics",
    ),
    "lmdeploy": Shape(
        takes=(
            "--server-name",
            "--server-port",
            "--model-name",
            "--session-len",
            "--max-batch-size",
            "--tp",
            "--cache-max-entry-count",
            "--quant-policy",
            "--max-prefill-token-num",
            "--dtype",
            "--log-level",
        ),
        switches=("--enable-prefix-caching",),
        host="--server-name",
        port="--server-port",
        name="--model-name",
        default_host="0.0.0.0",
        default_port=23333,
        ready=("INFO:     Application startup complete.", "INFO:     Uvicorn running on {url}"),
        metrics=_lmdeploy,
    ),
    "text-generation-launcher": Shape(
        takes=(
            "--model-id",
            "--hostname",
            "--port",
            "--num-shard",
            "--max-total-tokens",
            "--max-input-tokens",
            "--max-concurrent-requests",
            "--max-batch-prefill-tokens",
            "--cuda-memory-fraction",
            "--dtype",
            "--usage-stats",
        ),
        switches=(),
        host="--hostname",
        port="--port",
        name="--model-id",
        default_host="0.0.0.0",
        default_port=3000,
        ready=(),
        metrics=_tgi,
    ),
    "ollama": Shape(
        takes=(),
        switches=(),
        host="",
        port="",
        name="",
        default_host="127.0.0.1",
        default_port=11434,
        ready=(
            (
                'time=2026-11-30T02:00:00Z level=INFO source=routes.go msg="Listening on '
                '{listens} (version 0.32.15)"'
            ),
        ),
        metrics=lambda _tally: iter(()),
        metrics_path="",
    ),
}
