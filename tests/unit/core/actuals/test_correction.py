"""What starts teach, and what an estimate makes of it."""

from dataclasses import replace

import pytest
from fakes.planning_world import calibration, safetensors_model
from hypothesis import given
from hypothesis import strategies as st

from app.core.actuals.apply import correct
from app.core.actuals.correction import (
    BOUND_BYTES,
    BOUND_SHARE,
    Sample,
    correction_of,
    gather,
    key_of,
    summarise,
)
from app.core.actuals.record import StartRecord
from app.core.logs.actuals import Actual
from app.core.models.estimate import estimate_memory
from app.core.models.memory import Limit
from app.core.models.prediction import predict
from app.core.models.request import Device, EstimateOptions
from app.core.units import GIB, MIB
from app.core.versions import series_of

H200 = Device(name="NVIDIA H200", compute_cap="9.0", memory_total_mib=143_771)
MODEL = safetensors_model()


def estimate(engine="vllm", version="0.26.0", device=H200, **options):
    return estimate_memory(
        model=MODEL,
        engine=engine,
        version=version,
        device=device,
        options=EstimateOptions(**options),
        calibration=calibration(),
    )


def start(shown, *, engine="vllm", version="0.26.0", gpu="NVIDIA H200", at="2026-11-30", **deltas):
    """A start that took what was predicted, and ``deltas`` more."""
    prediction = predict(shown, engine=engine, version=version, gpu=gpu, model=MODEL)
    actuals = tuple(
        Actual(
            quantity=name,
            value=prediction.of(name).uncorrected + delta,
            unit="bytes",
            line=1,
            text="",
        )
        for name, delta in deltas.items()
    )
    return StartRecord(
        host_id="h", name="chat", revision=1, at=at, prediction=prediction, actuals=actuals
    )


def corrected(shown, *records):
    key = key_of(records[0].prediction)
    return correct(shown, key, gather(records))


def test_one_start_teaches_nothing_yet():
    shown = estimate()

    assert corrected(shown, start(shown, weights_bytes_per_gpu=100 * MIB)) is shown


def test_two_starts_change_the_next_estimate_and_say_so():
    shown = estimate()
    starts = [start(shown, weights_bytes_per_gpu=delta * MIB) for delta in (90, 110)]

    found = corrected(shown, *starts)

    assert found.weights_bytes_per_gpu == shown.weights_bytes_per_gpu + 100 * MIB
    basis = next(b for b in found.basis if b.quantity == "weights_bytes_per_gpu")
    assert basis.method == "measured"
    assert basis.source.startswith("2 samples on this installation")
    assert basis.formula.endswith(f"{100 * MIB:+d} B")
    assert found.corrections["weights_bytes_per_gpu"] == 100 * MIB


def test_the_kv_cache_gives_what_the_weights_take():
    shown = estimate()
    starts = [start(shown, weights_bytes_per_gpu=200 * MIB) for _ in range(2)]

    found = corrected(shown, *starts)

    assert found.kv_cache_bytes_per_gpu == shown.kv_cache_bytes_per_gpu - 200 * MIB
    assert found.kv_tokens < shown.kv_tokens
    assert found.max_concurrency < shown.max_concurrency


def test_what_was_learned_is_not_learned_again():
    shown = estimate()
    first = [start(shown, weights_bytes_per_gpu=100 * MIB) for _ in range(2)]
    once = corrected(shown, *first)
    again = start(once, weights_bytes_per_gpu=100 * MIB)

    assert again.prediction.of("weights_bytes_per_gpu").correction == 100 * MIB
    assert corrected(shown, *first, again).weights_bytes_per_gpu == once.weights_bytes_per_gpu


def test_a_correction_is_bounded_and_says_so():
    shown = estimate()
    found = corrected(shown, *[start(shown, weights_bytes_per_gpu=9 * GIB) for _ in range(3)])

    added = found.weights_bytes_per_gpu - shown.weights_bytes_per_gpu
    assert added == pytest.approx(shown.weights_bytes_per_gpu * BOUND_SHARE, abs=2)
    basis = next(b for b in found.basis if b.quantity == "weights_bytes_per_gpu")
    assert "held at the bound" in basis.source


def test_one_wild_start_among_many_is_left_out():
    samples = [Sample(predicted=10 * GIB, actual=10 * GIB + d * MIB) for d in (50, 52, 48, 900)]

    found = correction_of("weights_bytes_per_gpu", samples, 10 * GIB)

    assert found.delta_bytes == 50 * MIB
    assert found.left_out == 1


def test_starts_of_much_smaller_models_say_nothing_of_a_large_one():
    small = [Sample(predicted=GIB, actual=GIB + 90 * MIB)] * 4

    assert correction_of("weights_bytes_per_gpu", small, 40.0 * GIB) is None


def test_other_versions_gpus_and_families_are_apart():
    shown = estimate()
    starts = [start(shown, weights_bytes_per_gpu=100 * MIB) for _ in range(2)]
    book = gather(starts)
    key = key_of(starts[0].prediction)

    for other in (
        replace(key, series="0.27"),
        replace(key, gpu="NVIDIA L4"),
        replace(key, family="OtherForCausalLM"),
        replace(key, engine="sglang"),
    ):
        assert correct(shown, other, book) is shown


def test_a_plan_that_only_just_fits_no_longer_does():
    context = MODEL.architecture.max_context or 0
    least = estimate(context_tokens=context)
    tight = replace(least, max_concurrency=1.0)
    starts = [start(tight, weights_bytes_per_gpu=100 * MIB) for _ in range(2)]

    found = corrected(tight, *starts)

    assert found.fits is False
    assert str(Limit.CONTEXT_TOO_LONG) in found.limits
    assert found.missing_bytes > 0


def test_a_cache_of_its_own_size_keeps_its_tokens():
    shown = estimate(engine="llamacpp", version="b10434", context_tokens=4096)
    starts = [
        start(shown, engine="llamacpp", version="b10434", kv_cache_bytes_per_gpu=10 * MIB)
        for _ in range(2)
    ]

    found = corrected(shown, *starts)

    assert found.kv_tokens == shown.kv_tokens
    assert found.max_concurrency == shown.max_concurrency
    assert found.kv_cache_bytes_per_gpu == shown.kv_cache_bytes_per_gpu + 10 * MIB


def test_parts_that_no_longer_fit_together_are_refused():
    shown = estimate(engine="llamacpp", version="b10434", context_tokens=4096)
    full = replace(
        shown,
        usable_bytes_per_gpu=shown.weights_bytes_per_gpu
        + shown.kv_cache_bytes_per_gpu
        + shown.activation_bytes
        + shown.non_torch_bytes,
        kv_cache_bytes_per_gpu=0,
    )
    starts = [
        start(full, engine="llamacpp", version="b10434", kv_cache_bytes_per_gpu=GIB)
        for _ in range(2)
    ]

    found = corrected(full, *starts)

    assert found.fits is (found.missing_bytes == 0)


def test_simulated_starts_and_starts_of_other_desks_teach_nothing():
    shown = estimate()
    real = start(shown, weights_bytes_per_gpu=100 * MIB)

    assert not gather([replace(real, simulated=True), replace(real, prediction=None)])
    assert not summarise([replace(real, simulated=True), replace(real, prediction=None)])


def test_what_was_learned_can_be_looked_at():
    shown = estimate()
    starts = [start(shown, at=f"2026-11-{day}", activation_bytes=day * MIB) for day in (20, 21, 22)]

    (learned,) = summarise(starts)

    assert learned.key.id == f"vllm / 0.26 / NVIDIA H200 / {MODEL.architecture.name}"
    assert learned.starts == 3
    assert learned.last_at == "2026-11-22"
    (correction,) = learned.corrections
    assert (correction.quantity, correction.delta_bytes) == ("activation_bytes", 21 * MIB)
    assert correction.is_used


@pytest.mark.parametrize(
    ("version", "series"),
    [("0.26.1", "0.26"), ("v1.3.0rc2", "1.3"), ("b10434", "b10xxx"), ("nightly", "nightly")],
)
def test_versions_are_learned_of_in_series(version, series):
    assert series_of(version) == series


@given(
    predicted=st.floats(0, 1e12),
    samples=st.lists(
        st.tuples(st.floats(0, 1e12), st.floats(1, 1e12)).map(
            lambda pair: Sample(predicted=pair[0], actual=pair[1])
        ),
        max_size=8,
    ),
)
def test_a_correction_is_finite_bounded_and_leaves_no_less_than_nothing(predicted, samples):
    found = correction_of("activation_bytes", samples, predicted)

    if found is not None:
        assert abs(found.delta_bytes) <= max(predicted * BOUND_SHARE, BOUND_BYTES) + 1
        assert predicted + found.delta_bytes >= -1
        assert found.samples >= 1
