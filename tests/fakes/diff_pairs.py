"""Hosts and deployments made for comparing: each test changes one thing of them."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from app.core.deployment.record import DeploymentRecord, FileIdentity, ModelIdentity
from app.core.diff.difference import Comparison, Difference
from app.core.diff.hosts import diff_fingerprints
from app.core.diff.spec import DiffRules
from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.fingerprint import Fingerprint, HostSource
from app.core.hardware.recording import sections_from_recording
from app.io.datafiles import data_root, load_diff_rules, load_gpu_catalogue


@lru_cache(maxsize=1)
def rules() -> DiffRules:
    return load_diff_rules(data_root())


@lru_cache(maxsize=1)
def catalogue() -> GpuCatalogue:
    return load_gpu_catalogue(data_root())


@lru_cache(maxsize=4)
def h200(state: str = "idle", name: str = "here") -> Fingerprint:
    """Return our recording of two H200, once more under another name."""
    folder: Path = data_root() / "resources" / "demo" / "h200-x2" / state
    files = {file.name: file.read_text("utf-8", "replace") for file in folder.iterdir()}
    return assemble_fingerprint(
        sections_from_recording(files),
        source=HostSource.RECORDED,
        taken_at="2026-07-01T08:00:00Z" if state == "idle" else "2026-07-02T09:00:00Z",
        host_name=name,
        catalogue=catalogue(),
    )


def elsewhere(fp: Fingerprint, name: str = "there") -> Fingerprint:
    """Return the same hardware as another host: other cards, other name."""
    gpus = tuple(replace(gpu, uuid=f"GPU-0000000{gpu.index}-elsewhere") for gpu in fp.gpus)
    return replace(fp, host_name=name, host_id=None, gpus=gpus)


def with_gpus(fp: Fingerprint, **values: object) -> Fingerprint:
    """Return a host all of whose GPUs have these values."""
    return replace(fp, gpus=tuple(replace(gpu, **values) for gpu in fp.gpus))  # type: ignore[arg-type]


def compare(a: Fingerprint, b: Fingerprint) -> Comparison:
    return diff_fingerprints(a, b, rules(), catalogue=catalogue())


def found(comparison: Comparison, path: str) -> Difference:
    """Return the one difference of a path."""
    (difference,) = (d for d in comparison.differences if d.path == path)
    return difference


def record(**changes: object) -> DeploymentRecord:
    """Return a deployment of a small model as vLLM would run it."""
    base = DeploymentRecord(
        host="here",
        name="chat",
        taken_at="2026-07-01T08:00:00Z",
        engine="vllm",
        engine_version="0.26.0",
        image="registry.example/vllm:v0.26.0",
        image_id=f"sha256:{'1' * 64}",
        entrypoint=("vllm", "serve"),
        command=("/models/small", "--max-model-len", "8192", "--seed=7", "--enforce-eager"),
        environment={"VLLM_USE_FLASHINFER_SAMPLER": "0", "VLLM_API_KEY": "(hidden)"},
        gpu_count=1,
        model=ModelIdentity(
            path="/srv/small",
            files=(
                FileIdentity(name="config.json", size_bytes=600, sha256="a" * 64),
                FileIdentity(name="chat_template.jinja", size_bytes=900, sha256="b" * 64),
                FileIdentity(name="generation_config.json", size_bytes=90, sha256="c" * 64),
                FileIdentity(name="model.safetensors", size_bytes=9_000_000, head_sha256="d" * 64),
            ),
            generation={"temperature": "0.7", "top_p": "0.8"},
        ),
        said={"attention_backend": "FLASH_ATTN", "config.dtype": "torch.bfloat16"},
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def with_file(base: DeploymentRecord, name: str, sha256: str) -> DeploymentRecord:
    """Return a deployment one of whose model files has another content."""
    files = tuple(
        replace(file, sha256=sha256) if file.name == name else file for file in base.model.files
    )
    return replace(base, model=replace(base.model, files=files))
