"""llama.cpp's memory on a real GPU against what it printed and what NVML said (DESIGN §9)."""

from pathlib import Path

import pytest
import yaml

from app.core.models.architecture import (
    Architecture,
    ModelFormat,
    ModelInfo,
    Quantization,
    WeightBreakdown,
)
from app.core.models.estimate import Device, EstimateOptions, estimate_memory
from app.core.units import MIB

_FILE = Path(__file__).resolve().parents[3] / "recorded/memory/llamacpp-h200.yaml"
_NOT_MODELLED = {
    "05-llama-8b-q4km": "flash attention off: the scores lie in the compute buffer",
    "09-llama-8b-q4km": "no layer on the GPU, which still computes prompts",
    "21-gemma3-4b-q4km": "--swa-full: sliding layers keep the whole context",
}


@pytest.fixture(scope="module")
def measured() -> dict:
    return yaml.safe_load(_FILE.read_text(encoding="utf-8"))


def _model(name: str, told: dict) -> ModelInfo:
    parts = told["breakdown"]
    return ModelInfo(
        name=name,
        path=None,
        format=ModelFormat.GGUF,
        architecture=Architecture(**told["architecture"]),
        quantization=Quantization(method="gguf", label=told["label"]),
        dtype="float16",
        breakdown=WeightBreakdown(
            embedding_bytes=parts["embedding_bytes"],
            output_bytes=parts["output_bytes"],
            layer_bytes=tuple(parts["layer_bytes"]),
            expert_bytes=tuple(parts.get("expert_bytes", ())),
            other_bytes=parts["other_bytes"],
        ),
    )


def _options(args: list[str]) -> EstimateOptions:
    given = dict(zip(args[::2], args[1::2], strict=False))
    slots = int(given.get("--parallel", 1))
    size = given.get("--ctx-size")
    return EstimateOptions(
        context_tokens=int(size) // slots if size else None,
        concurrency=slots,
        kv_dtype=given.get("--cache-type-k", "auto"),
        gpu_layers=int(given["--n-gpu-layers"]) if "--n-gpu-layers" in given else None,
        cpu_moe_layers=int(given.get("--n-cpu-moe", 0)),
        prefill_tokens=int(given["--ubatch-size"]) if "--ubatch-size" in given else None,
    )


@pytest.fixture
def estimates(measured, calibration):
    """Id, what was seen, and the estimate, of every start that the model claims to know."""
    found = []
    for point in measured["points"]:
        if point["id"] in _NOT_MODELLED:
            continue
        estimate = estimate_memory(
            model=_model(point["model"], measured["models"][point["model"]]),
            engine="llamacpp",
            version="b10434",
            device=Device(name=measured["gpu"], memory_total_mib=measured["gpu_memory_total_mib"]),
            options=_options(point["args"]),
            calibration=calibration,
        )
        found.append((point["id"], point["observed"], estimate))
    return found


def test_weights_and_cache_on_the_gpu_are_those_the_server_printed(estimates):
    for name, seen, found in estimates:
        assert found.weights_bytes_per_gpu / MIB == pytest.approx(seen["model_mib"], rel=1e-3), name
        assert found.kv_cache_bytes_per_gpu / MIB == pytest.approx(seen["kv_mib"], rel=1e-3), name


def test_the_compute_buffer_lies_in_its_band_and_mostly_within_two_percent(estimates):
    errors = []
    for name, seen, found in estimates:
        error = found.activation_bytes / MIB / seen["compute_mib"] - 1
        assert abs(error) <= found.error_band["activation_bytes"], name
        errors.append(abs(error))
    # 2026-11-30: the others have layers or experts in main memory, or slots with one cache.
    assert sum(error <= 0.02 for error in errors) >= len(errors) - 5


def test_the_gpu_never_holds_more_than_was_foretold_by_two_percent(estimates):
    for name, seen, found in estimates:
        total = (
            found.weights_bytes_per_gpu
            + found.kv_cache_bytes_per_gpu
            + found.activation_bytes
            + found.non_torch_bytes
        )
        assert -0.02 <= total / MIB / seen["used_answered_mib"] - 1 <= 0.04, name
        assert found.fits is True, name
