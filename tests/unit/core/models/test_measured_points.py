"""The memory model against starts of real vLLM on real H200s (DESIGN §13)."""

from statistics import mean, median

import pytest

from app.core.models.config import read_config
from app.core.models.estimate import Device, EstimateOptions, estimate_memory
from app.core.units import GIB, MIB

_FLAGS = {
    "--gpu-memory-utilization": ("memory_fraction", float),
    "--quantization": ("quantization", str),
    "--kv-cache-dtype": ("kv_dtype", str),
    "--tensor-parallel-size": ("tensor_parallel_size", int),
    "--max-num-batched-tokens": ("prefill_tokens", int),
    "--max-num-seqs": ("max_num_seqs", int),
    "--max-model-len": ("context_tokens", int),
    "--block-size": ("block_size", int),
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


def _estimate(point, calibration):
    return estimate_memory(
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


@pytest.fixture
def estimates(h200_points, calibration):
    return [(point["observed"], _estimate(point, calibration)) for point in h200_points]


@pytest.fixture
def recorded(recorded_points, calibration):
    """Our own profiling runs: id, what was observed in bytes, and the estimate."""
    return [
        (point["id"], point["observed"], _estimate(point, calibration)) for point in recorded_points
    ]


def test_recorded_weights_and_cache_stay_within_half_a_percent(recorded):
    for name, seen, found in recorded:
        assert found.usable_bytes_per_gpu == pytest.approx(seen["requested_bytes"], abs=MIB), name
        assert found.weights_bytes_per_gpu == pytest.approx(seen["weights_bytes"], rel=5e-3), name
        cache = found.kv_cache_bytes_per_gpu
        assert cache == pytest.approx(seen["available_kv_bytes"], rel=3e-3), name
        assert found.kv_tokens == pytest.approx(seen["kv_tokens"], rel=3e-3), name
        assert found.max_concurrency == pytest.approx(seen["max_concurrency"], rel=3e-3), name


def test_recorded_values_lie_in_their_stated_bands(recorded):
    for name, seen, found in recorded:
        assert found.fits is True, name
        assert not [text for text in found.limits if text.startswith("outside_calibration")], name
        for quantity, value in (
            ("weights_bytes_per_gpu", seen["weights_bytes"]),
            ("activation_bytes", seen["activation_bytes"]),
            ("kv_tokens", seen["kv_tokens"]),
        ):
            band = found.error_band[quantity]
            assert abs(getattr(found, quantity) - value) <= band * value, (name, quantity)


def test_leaving_one_model_out_keeps_the_cache_within_half_a_percent(recorded):
    """What is fitted is an amount beside the arithmetic: take it from all other models."""
    wrong = {}
    for name, seen, found in recorded:
        wrong[name] = found.kv_cache_bytes_per_gpu - seen["available_kv_bytes"]
    errors = []
    for name, seen, _found in recorded:
        family = name.split("_")[0]
        others = [value for other, value in wrong.items() if other.split("_")[0] != family]
        errors.append(abs(wrong[name] - median(others)) / seen["available_kv_bytes"])
    # 2026-11-30: mean 0.04 %, largest 0.15 % (a mixture of experts, by its CUDA graphs).
    assert mean(errors) <= 0.001
    assert max(errors) <= 0.005


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
