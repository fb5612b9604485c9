"""From a container's request to a simulated engine: what its flags mean, what its start prints."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.core.deployment.spec import ContainerSpec
from app.core.labels import read_labels
from app.core.models.vllm_profile import graph_sizes
from app.io.demo.engine_log import DEFAULT_FRACTION, StartFigures
from app.io.demo.models import DemoModel, kv_bytes_per_token

ENGINE: Final = "vllm"
DEFAULT_RUNNING: Final = 256
"""vLLM's max_num_seqs in the measured runs."""
_LARGEST_GRAPH: Final = 512
"""Largest batch whose CUDA graph vLLM captures (config/vllm.py)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """What one container will do."""

    figures: StartFigures
    model: DemoModel | None
    """``None`` when nothing known lies at the path: the start fails."""
    model_path: str
    served_name: str
    max_running: int
    memory_mib: int


def read_serving(spec: ContainerSpec, models: Sequence[DemoModel]) -> Serving:
    """Read model, lengths and memory from a container's command."""
    options = read_options(spec.command)
    path = _host_path(options.get("--model") or options.get("") or "", spec)
    model = next((m for m in models if m.path == path.rstrip("/")), None)
    labels = read_labels(spec.labels)
    figures = _figures(
        options, model, path=path, port=spec.container_port, gpus=max(1, len(spec.gpu_uuids))
    )
    if labels is not None and labels.engine_version:
        figures = replace(figures, version=labels.engine_version)
    return Serving(
        figures=figures,
        model=model,
        model_path=path,
        served_name=options.get("--served-model-name") or (model.folder if model else path),
        max_running=_whole(options.get("--max-num-seqs"), DEFAULT_RUNNING),
        memory_mib=_memory_mib(figures, model),
    )


def read_options(command: Sequence[str]) -> Mapping[str, str]:
    """Split a command line into flags and values; the model without a flag is under ``""``."""
    options: dict[str, str] = {}
    words = [word for word in command if word not in ("vllm", "serve")]
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        if not word.startswith("-"):
            options.setdefault("", word)
            continue
        name, equals, value = word.partition("=")
        if not equals and position < len(words) and not words[position].startswith("--"):
            value = words[position]
            position += 1
        options[name.replace("_", "-")] = value
    return options


def _host_path(path: str, spec: ContainerSpec) -> str:
    """Return where a path inside the container lies on the host."""
    for mount in sorted(spec.mounts, key=lambda mount: -len(mount.target)):
        target = mount.target.rstrip("/")
        if path == target or path.startswith(target + "/"):
            return mount.source.rstrip("/") + path[len(target) :]
    return path


def _figures(
    options: Mapping[str, str], model: DemoModel | None, *, path: str, port: int, gpus: int
) -> StartFigures:
    parallel = _whole(options.get("--tensor-parallel-size", options.get("-tp")), gpus)
    longest = model.number("max_position_embeddings", 32768) if model else 32768
    wanted = _whole(options.get("--max-model-len"), longest)
    fraction = _fraction(options.get("--gpu-memory-utilization"))
    shared = max(1, parallel)
    running = _whole(options.get("--max-num-seqs"), DEFAULT_RUNNING)
    return StartFigures(
        model_path=path,
        architecture=_architecture(model),
        version="0.26.0",
        port=_whole(options.get("--port"), port),
        max_model_len=wanted,
        fraction=fraction,
        tensor_parallel_size=parallel,
        weights_gib=model.weights_gib / shared if model else 0.0,
        activation_gib=model.activation_gib if model else 0.0,
        non_torch_gib=model.non_torch_gib if model else 0.0,
        graph_gib=model.graph_gib * _graphs_share(running) if model else 0.0,
        kv_bytes_per_token=max(1, kv_bytes_per_token(model) // shared) if model else 1,
        enforce_eager="--enforce-eager" in options,
    )


def _graphs_share(running: int) -> float:
    """Return how much of the measured run's CUDA graphs is captured for so many requests.

    In that run about half went by the number of batch sizes, half by the tokens in them.
    """
    sizes, measured = graph_sizes(running, _LARGEST_GRAPH), graph_sizes(1024, _LARGEST_GRAPH)
    return (len(sizes) / len(measured) + sum(sizes) / sum(measured)) / 2


def _architecture(model: DemoModel | None) -> str:
    names = model.config.get("architectures") if model else None
    return names[0] if isinstance(names, tuple) and names else "unknown"


def _memory_mib(figures: StartFigures, model: DemoModel | None) -> int:
    """Return what NVML counts: what the engine's own log adds up to, as a plan predicts it."""
    if model is None:
        return 0
    graphs_gib = 0.0 if figures.enforce_eager else figures.graph_gib
    return round((figures.requested_gib + graphs_gib) * 1024)


def _whole(text: str | None, default: int) -> int:
    return int(text) if text is not None and text.isdigit() else default


def _fraction(text: str | None) -> float:
    try:
        return float(text) if text else DEFAULT_FRACTION
    except ValueError:
        return DEFAULT_FRACTION
