"""The speed model against our own loads: constants, bands, and models it was not fitted to."""

import math
from dataclasses import replace

import pytest

from app.core.speed.estimate import SpeedMethod, estimate_speed
from app.core.speed.spec import EngineSpeed

FITTED = (
    "bandwidth_share",
    "compute_share",
    "step_s",
    "eager_layer_s",
    "reduce_s",
    "request_s",
)
KINDS = ("ttft", "itl", "throughput")


def errors(loads, constants: EngineSpeed, data):
    """Logarithms of predicted by measured, by kind."""
    shipped = replace(data, engine=(constants,))
    found = {kind: [] for kind in KINDS}
    for measured in loads:
        speed = estimate_speed(measured.case, measured.load, shipped)
        pairs = {"ttft": (speed.ttft_s, measured.ttft_s)}
        if measured.is_kept:
            pairs["itl"] = (speed.itl_s, measured.tpot_s)
            pairs["throughput"] = (speed.output_tokens_per_s, measured.rate)
        for kind, (span, actual) in pairs.items():
            found[kind].append(math.log(span.expected / actual))
    return found


def loss(loads, constants, data):
    return sum(e * e for found in errors(loads, constants, data).values() for e in found)


def fitted(loads, constants, data):
    """Coordinate descent from the given constants; good enough for six of them."""
    best, step = loss(loads, constants, data), 0.1
    while step > 0.02:
        is_better = False
        for name in FITTED:
            for factor in (1 + step, 1 / (1 + step)):
                tried = replace(constants, **{name: getattr(constants, name) * factor})
                found = loss(loads, tried, data)
                if found < best - 1e-6:
                    best, constants, is_better = found, tried, True
        step = step if is_better else step / 2
    return constants


def rms(found):
    return math.exp(math.sqrt(sum(e * e for e in found) / len(found)))


def test_the_loads_are_those_the_constants_name(measured_loads, speed_data):
    constants = speed_data.of("vllm")

    assert constants.samples == len(measured_loads)
    kept = [measured for measured in measured_loads if measured.is_kept]
    assert max(measured.load.concurrency for measured in kept) == constants.concurrency_max
    assert max(m.case.tp for m in measured_loads) == constants.tensor_parallel_max


def test_every_load_lies_inside_its_band(measured_loads, speed_data):
    outside = []
    for measured in measured_loads:
        speed = estimate_speed(measured.case, measured.load, speed_data)
        assert speed.method is SpeedMethod.ROOFLINE
        spans = [(speed.ttft_s, measured.ttft_s), (speed.output_tokens_per_s, measured.rate)]
        if measured.is_kept:
            spans.append((speed.itl_s, measured.tpot_s))
        outside += [
            (measured.case.model.name, measured.load, span, actual)
            for span, actual in spans
            if not span.low <= actual <= span.high
        ]
    assert len(outside) <= 2, outside


def test_models_it_was_not_fitted_to_are_predicted_within_the_bands(
    measured_loads, speed_data, record_property
):
    constants, found = speed_data.of("vllm"), {kind: [] for kind in KINDS}
    for model in sorted({measured.model for measured in measured_loads}):
        others = [measured for measured in measured_loads if measured.model != model]
        own = [measured for measured in measured_loads if measured.model == model]
        for kind, values in errors(own, fitted(others, constants, speed_data), speed_data).items():
            found[kind] += values

    for kind in KINDS:
        record_property(f"{kind}_rms", rms(found[kind]))
        record_property(f"{kind}_worst", math.exp(max(map(abs, found[kind]))))
    assert rms(found["ttft"]) <= 1.35
    assert rms(found["itl"]) <= 1.20
    assert rms(found["throughput"]) <= 1.20
    for kind in KINDS:
        band = math.log(getattr(constants.bands, kind))
        assert sum(abs(e) > band for e in found[kind]) <= 1, (kind, found[kind])


@pytest.mark.parametrize("kind", ["itl", "throughput"])
def test_the_constants_are_not_biased(measured_loads, speed_data, kind):
    found = errors(measured_loads, speed_data.of("vllm"), speed_data)[kind]

    assert abs(sum(found) / len(found)) < 0.08
