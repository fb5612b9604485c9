"""The memory model against starts of real vLLM on real H200s (DESIGN §13)."""

from statistics import mean

import pytest

from app.core.models.config import read_config
from app.core.models.estimate import Device, EstimateOptions, estimate_memory
from app.core.units import GIB

_FLAGS = {
    "--gpu-memory-utilization": ("memory_fraction", float),
    "--quantization": ("quantization", str),
    "--kv-cache-dtype": ("kv_dtype", str),
    "--tensor-parallel-size": ("tensor_parallel_size", int),
    "--max-num-batched-tokens": ("prefill_tokens", int),
    "--max-num-seqs": ("max_num_seqs", int),
    "--max-model-len": ("context_tokens", int),
}


def _options(args: list[str]) -> EstimateOptions:
    given: dict = {}
    rest = iter(args)
    for flag in rest:
        if flag == "--enforce-eager":
            given["enforce_eager"] = True
        else:
            name, kind = _FLAGS[flag]
            given[name] = kind(next(rest))
    return EstimateOptions(**given)


@pytest.fixture
def estimates(h200_points, calibration):
    found = []
    for point in h200_points:
        estimate = estimate_memory(
            model=read_config(point["config"], name=point["id"]),
            engine=point["engine"],
            version=point["version"],
            device=Device(
                name=point["gpu"],
                compute_cap="9.0",
                memory_total_mib=point["gpu_memory_total_mib"],
                memory_reserved_mib=point["gpu_memory_reserved_mib"],
                count=2,
            ),
            options=_options(point["args"]),
            calibration=calibration,
        )
        found.append((point["observed"], estimate))
    return found


def test_weights_stay_within_the_budget(estimates):
    errors = [abs(e.weights_bytes_per_gpu / GIB / o["weights_gib"] - 1) for o, e in estimates]
    # The log prints two decimals: half a unit of the last one is not our error.
    assert mean(errors) <= 0.004
    assert max(errors) <= 0.01


def test_kv_tokens_stay_within_the_budget(estimates):
    errors = [abs(e.kv_tokens / o["kv_tokens"] - 1) for o, e in estimates]
    assert mean(errors) <= 0.01
    assert max(errors) <= 0.03


def test_stated_bands_hold_the_measured_values(estimates):
    for observed, estimate in estimates:
        band = estimate.error_band
        measured = {
            "weights_bytes_per_gpu": observed["weights_gib"] * GIB,
            "activation_bytes": observed["peak_activation_gib"] * GIB,
            "kv_tokens": observed["kv_tokens"],
            "cuda_graph_bytes": (observed["cuda_graph_gib"] or 0) * GIB,
        }
        for quantity, value in measured.items():
            rounding = 0.005 * GIB if quantity != "kv_tokens" else 1
            predicted = getattr(estimate, quantity)
            assert abs(predicted - value) <= band[quantity] * value + rounding, quantity


def test_every_start_was_predicted_to_fit_without_reservation(estimates):
    for _observed, estimate in estimates:
        assert estimate.fits is True
        assert not [text for text in estimate.limits if text.startswith("outside_calibration")]


def test_usable_memory_and_concurrency_are_those_of_the_log(estimates):
    for observed, estimate in estimates:
        assert estimate.total_bytes_per_gpu / GIB == pytest.approx(
            observed["torch_total_gib"], abs=0.005
        )
        assert estimate.usable_bytes_per_gpu / GIB == pytest.approx(
            observed["requested_gib"], abs=0.006
        )
        assert estimate.max_concurrency == pytest.approx(observed["max_concurrency"], rel=0.005)
