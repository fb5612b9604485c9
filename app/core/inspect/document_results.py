"""JSON documents, metrics and engine logs: what they are, and the facts that tell them apart."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.fingerprint import SCHEMA, HostSource
from app.core.hardware.frame import decode_frames
from app.core.hardware.tools.json_access import child, int_of, items, parse_json, text_of
from app.core.hardware.tools.paste import clean_paste
from app.core.inspect.kinds import Inspection, InspectKind

_SAMPLE = re.compile(
    r"^[a-zA-Z_:][a-zA-Z0-9_:]*(?:\{[^}]*\})?\s+(?:[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?|NaN|[+-]Inf)(?:\s+[0-9]+)?$"
)
_COMMENT = re.compile(r"^# (?:HELP|TYPE) [a-zA-Z_:][a-zA-Z0-9_:]*")
_PREFIXES: Final = {
    "vllm:": "vllm",
    "sglang:": "sglang",
    "trtllm_": "tensorrt-llm",
    "tgi_": "tgi",
    "lmdeploy:": "lmdeploy",
    "llamacpp:": "llamacpp",
}
"""Prefixes of each engine's metric names, as recorded or documented for it."""

_SIZES: Final = ("hidden_size", "text_config", "num_hidden_layers", "n_layer")


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_LOG_MARKS: Final = (
    (
        "vllm",
        _any(
            r"\bvLLM\b",
            r"\(EngineCore[ _]",
            r"\[(?:core|api_server|gpu_model_runner|gpu_worker)\.py:",
            r"\bvllm[./]",
        ),
    ),
    ("sglang", _any(r"\bsglang\b", r"server_args=ServerArgs")),
    ("tensorrt-llm", _any(r"\[TensorRT-LLM\]", r"\[TRT-LLM\]", r"\btrtllm\b", "tensorrt_llm")),
    ("tgi", _any(r"text_generation_(?:launcher|router|server)", "text-generation-launcher")),
    ("lmdeploy", _any(r"\blmdeploy\b", r"\[TM\]\[(?:INFO|WARNING|ERROR|FATAL)\]")),
    ("ollama", _any(r"\bollama\b", "llama runner", r"source=(?:sched|server|routes)\.go")),
    (
        "llamacpp",
        _any(
            "llama_model_load",
            r"\bllama_(?:context|kv_cache|new_context)",
            r"^(?:srv|main|slot)[: ]",
            "ggml_",
            r"\bsrv\s+\w+:",
        ),
    ),
)
"""What only one engine's log contains; ollama runs llama.cpp, so its own marks come first."""
_LOG_SHAPE = re.compile(
    r"\b(?:INFO|WARN(?:ING)?|ERROR|DEBUG|FATAL|CRITICAL)\b|^Traceback \(most recent|"
    r"level=(?:info|warn|error)"
)
_VERSION: Final = (
    re.compile(r"vLLM (?:API server )?version\s*:?\s*v?([0-9]+\.[0-9]+\.[0-9]+\S*)", re.IGNORECASE),
    re.compile(r"\u2588\s+version v?([0-9]+\.[0-9]+\.[0-9]+\S*)"),  # vLLM's banner in block letters
    re.compile(r"\bbuild\s*(?:_info)?:?\s*(b?[0-9]{3,6})\b"),
    re.compile(r"TensorRT-LLM(?:\]\s*TensorRT-LLM)? version:\s*([0-9]\S*)", re.IGNORECASE),
)


def inspect_json(text: str) -> Inspection | None:
    """Recognise JSON documents: a fingerprint, docker inspect, a model's configuration."""
    stripped = text.strip().lstrip("\ufeff")
    if not stripped.startswith(("{", "[")):
        return None
    document = parse_json(stripped)
    if isinstance(document, list):
        containers = [entry for entry in document if isinstance(entry, dict)]
        return _docker(containers) if containers and _is_container(containers[0]) else None
    if not isinstance(document, dict):
        return None
    if _is_container(document):
        return _docker([document])
    if str(document.get("schema", "")).startswith(SCHEMA.split("/", maxsplit=1)[0]):
        return _fingerprint(document)
    return _model(document) if _is_model(document) else None


def _is_container(document: Mapping[str, object]) -> bool:
    return "HostConfig" in document or ("State" in document and "Config" in document)


def _docker(containers: Sequence[Mapping[str, object]]) -> Inspection:
    found = []
    for container in containers:
        state = child(container, "State")
        found.append(
            {
                "name": (text_of(container, "Name") or "").lstrip("/") or None,
                "image": text_of(child(container, "Config"), "Image"),
                "status": text_of(state, "Status"),
                "exit_code": int_of(state, "ExitCode"),
                "oom_killed": state.get("OOMKilled"),
                "restart_count": int_of(container, "RestartCount"),
                "shm_bytes": int_of(child(container, "HostConfig"), "ShmSize"),
                "argv": items(child(container, "Config"), "Cmd"),
                "device_requests": items(child(container, "HostConfig"), "DeviceRequests"),
            }
        )
    result = {"containers": found, "container_count": len(found)}
    return Inspection(kind=InspectKind.DOCKER_INSPECT, result=result)


def _fingerprint(document: Mapping[str, object]) -> Inspection:
    gpus = [gpu for gpu in items(document, "gpus") if isinstance(gpu, dict)]
    keys = ("index", "name", "uuid", "bus_id", "compute_cap", "memory_total_mib")
    result = {
        "schema": document.get("schema"),
        "host_name": document.get("host_name"),
        "taken_at": document.get("taken_at"),
        "driver": document.get("driver_version"),
        "cuda": document.get("cuda_version"),
        "gpus": [{key: gpu.get(key) for key in keys} for gpu in gpus],
        "gpu_count": len(gpus),
    }
    return Inspection(kind=InspectKind.FINGERPRINT, result=result)


def inspect_probe(text: str) -> Inspection | None:
    """Read what the collector script printed on a host."""
    sections = decode_frames(text)
    if not sections:
        return None
    fp = assemble_fingerprint(sections, source=HostSource.RECORDED, taken_at="")
    result = {
        "schema": fp.schema,
        "host_name": fp.machine.hostname,
        "taken_at": None,
        "driver": fp.driver_version,
        "cuda": fp.cuda_version,
        "gpus": [
            {
                "index": gpu.index,
                "name": gpu.name,
                "uuid": gpu.uuid,
                "bus_id": gpu.bus_id,
                "compute_cap": gpu.compute_cap,
                "memory_total_mib": gpu.memory_total_mib,
            }
            for gpu in fp.gpus
        ],
        "gpu_count": len(fp.gpus),
        "sections": [section.name for section in sections],
    }
    return Inspection(kind=InspectKind.FINGERPRINT, result=result, warnings=fp.warnings)


def _is_model(document: Mapping[str, object]) -> bool:
    return bool(items(document, "architectures")) or (
        "model_type" in document and any(key in document for key in _SIZES)
    )


def _model(document: Mapping[str, object]) -> Inspection:
    text_part = child(document, "text_config") or document
    keys = (
        "hidden_size",
        "num_hidden_layers",
        "num_attention_heads",
        "num_key_value_heads",
        "max_position_embeddings",
        "vocab_size",
    )
    result: dict[str, object] = {
        "architectures": items(document, "architectures"),
        "model_type": text_of(document, "model_type"),
        **{key: int_of(text_part, key) for key in keys},
        "dtype": text_of(document, "torch_dtype") or text_of(document, "dtype"),
        "quantization": text_of(child(document, "quantization_config"), "quant_method"),
    }
    return Inspection(kind=InspectKind.MODEL_CONFIG, result=result)


def inspect_metrics(text: str) -> Inspection | None:
    """Recognise Prometheus text: most lines are samples or comments."""
    lines = [line for line in clean_paste(text).splitlines() if line.strip()]
    samples = [line for line in lines if _SAMPLE.match(line)]
    comments = [line for line in lines if _COMMENT.match(line)]
    if not samples or len(samples) + len(comments) < 0.8 * len(lines):
        return None
    names = Counter(re.split(r"[{\s]", line, maxsplit=1)[0] for line in samples)
    engines = Counter(
        engine for name in names for prefix, engine in _PREFIXES.items() if name.startswith(prefix)
    )
    if not comments and not engines:
        return None
    result = {
        "engine": engines.most_common(1)[0][0] if engines else None,
        "sample_count": len(samples),
        "names": sorted(names),
    }
    return Inspection(kind=InspectKind.METRICS, result=result)


def inspect_certain_log(text: str) -> Inspection | None:
    """Recognise a log in which several lines are an engine's own."""
    return _log(text, marks=2, lines=3)


def inspect_log(text: str) -> Inspection | None:
    """Recognise an engine's log and which engine wrote it."""
    return _log(text, marks=1, lines=2)


def _log(text: str, *, marks: int, lines: int) -> Inspection | None:
    filled = [line for line in text.splitlines() if line.strip()]
    hits = Counter(
        {engine: sum(1 for line in filled if mark.search(line)) for engine, mark in _LOG_MARKS}
    )
    engine, count = hits.most_common(1)[0]
    shaped = sum(1 for line in filled if _LOG_SHAPE.search(line))
    if count < marks or count + shaped < lines:
        return None
    version = next((m[1] for pattern in _VERSION if (m := pattern.search(text))), None)
    result = {"engine": engine, "version": version, "line_count": len(filled)}
    return Inspection(kind=InspectKind.ENGINE_LOG, result=result)
