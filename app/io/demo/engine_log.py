"""What the simulated engine prints: lines in vLLM's manner, each ending in ``[simulated]``.

Source of the wording and order: start-up log of vLLM 0.26.0 on an H200, recorded 2026-11-29. The
figures follow from the model's measured values and the flags given.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

MARK: Final = " [simulated]"
CUDA_TOTAL_GIB: Final = 139.80
"""What CUDA sees of an H200. Source: torch_total_gib of every measured run."""
DEFAULT_FRACTION: Final = 0.92
"""vLLM 0.26.0's own; source: ``Desired GPU memory utilization is (0.92, 128.62 GiB)``."""

_LAST_S: Final = 0.3
"""From the last step of a part of the start to the line that sums it up."""
_GRAPHS_S: Final = 1.0
"""From the first to the last line of progress while CUDA graphs are captured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartFigures:
    """What the start has to say about memory; per GPU."""

    model_path: str
    architecture: str
    version: str
    port: int
    max_model_len: int
    fraction: float = DEFAULT_FRACTION
    tensor_parallel_size: int = 1
    weights_gib: float
    activation_gib: float
    non_torch_gib: float
    graph_gib: float
    kv_bytes_per_token: int
    enforce_eager: bool = False

    @property
    def requested_gib(self) -> float:
        """What the memory fraction asks for."""
        return round(self.fraction * CUDA_TOTAL_GIB, 2)

    @property
    def kv_gib(self) -> float:
        """What is left for the KV cache; may be negative."""
        used = self.weights_gib + self.activation_gib + self.non_torch_gib
        return round(self.requested_gib - used, 2)

    @property
    def kv_tokens(self) -> int:
        """Tokens that fit, in blocks of 16."""
        return max(0, int(self.kv_gib * 2**30 // self.kv_bytes_per_token) // 16 * 16)


@dataclass(frozen=True, slots=True, kw_only=True)
class StartLine:
    """One line and how long after the one before it comes, at natural speed."""

    wait_s: float
    text: str
    memory_share: float = 0.0
    """How much of its final memory the engine holds from now on."""
    prefix: str = "EngineCore pid=64"
    source: str = ""
    """File and line number as vLLM prints them; empty for lines of the web server."""


def start_lines(figures: StartFigures) -> Iterator[StartLine]:
    """Yield the lines of a start that succeeds, up to the one that says so."""
    f = figures
    api = "APIServer pid=1"
    weights = f.weights_gib / max(f.requested_gib, 0.01)
    yield StartLine(
        wait_s=0.3, prefix=api, source="api_utils.py:345", text=f"vLLM version {f.version}"
    )
    yield StartLine(
        wait_s=0.5,
        prefix=api,
        source="model.py:623",
        text=f"Resolved architecture: {f.architecture}",
    )
    yield StartLine(
        wait_s=0.2,
        prefix=api,
        source="model.py:1788",
        text=f"Using max model len {f.max_model_len}",
    )
    yield StartLine(
        wait_s=1.0,
        source="core.py:116",
        text=f"Initializing a V1 LLM engine (v{f.version}) with config: model='{f.model_path}', "
        f"tensor_parallel_size={f.tensor_parallel_size}",
    )
    yield StartLine(
        wait_s=1.0,
        source="model_runner.py:284",
        text="Loading model from scratch...",
        memory_share=0.02,
    )
    loading = tuple(_loading(weights))
    yield from loading
    yield StartLine(
        wait_s=_LAST_S,
        source="model_runner.py:305",
        memory_share=weights,
        text=f"Model loading took {f.weights_gib:.2f} GiB and {_spent_s(loading):.1f} seconds",
    )
    preparing = tuple(_preparing(f))
    yield from preparing
    if f.kv_tokens < f.max_model_len:
        return
    yield StartLine(
        wait_s=_LAST_S,
        source="core.py:340",
        text="init engine (profile, create kv cache, warmup model) took "
        f"{_spent_s(preparing):.2f} s",
    )
    yield StartLine(
        wait_s=0.3,
        prefix=api,
        source="api_server.py:677",
        text=f"Starting vLLM server on http://0.0.0.0:{f.port}",
    )
    yield StartLine(wait_s=0.1, prefix=api, text="Started server process [1]")
    yield StartLine(wait_s=0.1, prefix=api, text="Waiting for application startup.")
    yield StartLine(wait_s=0.1, prefix=api, text="Application startup complete.")


def kv_failure(figures: StartFigures) -> StartLine:
    """Return the last word of a start whose KV cache is too small."""
    f = figures
    needed = f.max_model_len * f.kv_bytes_per_token / 2**30
    return StartLine(
        wait_s=0.2,
        source="core.py:1100",
        text=f"ValueError: To serve at least one request with the models's max seq len "
        f"({f.max_model_len}), ({needed:.2f} GiB KV cache is needed, which is larger than the "
        f"available KV cache memory ({f.kv_gib:.2f} GiB).",
    )


def memory_failure(figures: StartFigures, free_gib: float) -> StartLine:
    """Return the last word of a start on a GPU whose memory is taken."""
    f = figures
    return StartLine(
        wait_s=0.2,
        source="core.py:1100",
        text=f"ValueError: Free memory on device cuda:0 ({free_gib:.2f}/{CUDA_TOTAL_GIB} GiB) on "
        f"startup is less than desired GPU memory utilization ({f.fraction}, "
        f"{f.requested_gib} GiB). Decrease GPU memory utilization or reduce GPU memory used by "
        "other processes.",
    )


def model_failure(path: str) -> StartLine:
    """Return the last word of a start without a model."""
    return StartLine(
        wait_s=0.5,
        prefix="APIServer pid=1",
        text=f"OSError: {path} does not hold a model: config.json is missing.",
    )


def written(line: StartLine, at_s: float, *, level: str = "INFO") -> str:
    """Write a line as vLLM would."""
    if not line.source:
        return f"({line.prefix}) {level}:     {line.text}{MARK}"
    at = datetime.fromtimestamp(at_s, UTC).strftime("%m-%d %H:%M:%S")
    return f"({line.prefix}) {level} {at} [{line.source}] {line.text}{MARK}"


def _spent_s(lines: tuple[StartLine, ...]) -> float:
    """Return what these lines and the one after them take, so that the log agrees with itself."""
    return sum(line.wait_s for line in lines) + _LAST_S


def _preparing(f: StartFigures) -> Iterator[StartLine]:
    if not f.enforce_eager:
        yield StartLine(
            wait_s=1.5,
            source="backends.py:1155",
            text="Dynamo bytecode transform time: 1.50 s",
        )
        yield StartLine(
            wait_s=2.0, source="monitor.py:53", text="torch.compile took 3.50 s in total"
        )
    yield StartLine(
        wait_s=0.6,
        source="gpu_worker.py:560",
        text=f"Available KV cache memory: {f.kv_gib:.2f} GiB",
    )
    if f.kv_tokens >= f.max_model_len:
        yield from _kv_and_graphs(f)


def _loading(weights: float) -> Iterator[StartLine]:
    for percent in (0, 25, 50, 75, 100):
        yield StartLine(
            wait_s=0.5,
            source="weight_utils.py:712",
            text=f"Loading safetensors checkpoint shards: {percent:3d}% Completed | "
            f"{percent // 25}/4",
            memory_share=0.02 + (weights - 0.02) * percent / 100,
        )


def _kv_and_graphs(f: StartFigures) -> Iterator[StartLine]:
    yield StartLine(
        wait_s=0.2,
        source="kv_cache_utils.py:2177",
        memory_share=0.99,
        text=f"GPU KV cache size: {f.kv_tokens:,} tokens",
    )
    yield StartLine(
        wait_s=0.0,
        source="kv_cache_utils.py:2178",
        text=f"Maximum concurrency for {f.max_model_len:,} tokens per request: "
        f"{f.kv_tokens / f.max_model_len:.2f}x",
    )
    if not f.enforce_eager:
        for percent in (0, 50, 100):
            yield StartLine(
                wait_s=_GRAPHS_S / 2,
                source="model_runner.py:740",
                text=f"Capturing CUDA graphs (FULL): {percent:3d}%",
            )
        yield StartLine(
            wait_s=0.2,
            source="model_runner.py:747",
            memory_share=1.0,
            text=f"Graph capturing finished in {_GRAPHS_S + 0.2:.0f} secs, "
            f"took {f.graph_gib:.2f} GiB",
        )
    yield StartLine(
        wait_s=0.1,
        source="gpu_worker.py:857",
        memory_share=1.0,
        text=f"Free memory on device (139.29/{CUDA_TOTAL_GIB:.1f} GiB) on startup. Desired GPU "
        f"memory utilization is ({f.fraction}, {f.requested_gib} GiB). Actual usage is "
        f"{f.weights_gib:.2f} GiB for weight, {f.activation_gib:.2f} GiB for peak activation, "
        f"{f.non_torch_gib:.2f} GiB for non-torch memory.",
    )
