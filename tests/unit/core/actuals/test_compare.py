"""Predicted beside actual."""

import pytest

from app.core.actuals.compare import WhyRule, compare
from app.core.actuals.record import StartRecord
from app.core.actuals.verdict import Verdict
from app.core.logs.actuals import Actual
from app.core.models.prediction import Predicted, Prediction
from app.core.texts import Text
from app.core.units import GIB
from app.io.datafiles import data_root, load_why

MORE = WhyRule(
    quantity="weights_bytes_per_gpu",
    direction="more",
    text=Text(en="copies", zh_CN="副本"),
    source="s",
    checked="2026-11-30",
)


def start(actual=None, *, band=0.01, on_cpu=False, name="weights_bytes_per_gpu", correction=0.0):
    prediction = Prediction(
        engine="vllm",
        engine_version="0.26.0",
        gpu="CPU" if on_cpu else "NVIDIA H200",
        gpu_count=1,
        on_cpu=on_cpu,
        family="Qwen2ForCausalLM",
        quantities=(
            Predicted(
                quantity="weights_bytes_per_gpu",
                value=14 * GIB,
                band=band,
                correction=correction,
            ),
        ),
    )
    said = Actual(quantity=name, value=actual or 0.0, unit="bytes", line=1, text="")
    actuals = () if actual is None else (said,)
    return StartRecord(
        host_id="h", name="chat", revision=1, at="", prediction=prediction, actuals=actuals
    )


@pytest.mark.parametrize(
    ("actual", "band", "verdict"),
    [
        (14.1 * GIB, 0.01, Verdict.INSIDE),
        (14.144 * GIB, 0.01, Verdict.INSIDE),
        (14.2 * GIB, 0.01, Verdict.OUTSIDE),
        (13.5 * GIB, 0.01, Verdict.OUTSIDE),
        (14.0 * GIB, None, Verdict.NO_BAND),
        (None, 0.01, Verdict.NOT_SAID),
        (0.1 * GIB, 3.0, Verdict.INSIDE),
    ],
)
def test_the_band_decides(actual, band, verdict):
    (row,) = compare(start(actual, band=band), [])

    assert row.verdict is verdict
    assert (row.difference is None) is (actual is None)
    assert (row.relative is None) is (actual is None)


def test_why_is_told_only_outside_the_band_and_in_its_direction():
    (above,) = compare(start(15 * GIB), [MORE])
    (below,) = compare(start(13 * GIB), [MORE])
    (inside,) = compare(start(14 * GIB), [MORE])

    assert above.why == MORE.text
    assert below.why is None
    assert inside.why is None


def test_on_a_cpu_the_engines_host_figures_count():
    (row,) = compare(start(14 * GIB, on_cpu=True, name="weights_bytes_host"), [])

    assert row.actual == 14 * GIB


def test_a_corrected_prediction_is_marked():
    (row,) = compare(start(14 * GIB, correction=5.0), [])

    assert row.corrected


def test_without_a_prediction_there_is_nothing_to_compare():
    record = StartRecord(host_id="h", name="chat", revision=1, at="", prediction=None)

    assert compare(record, [MORE]) == ()
    assert record.actual("kv_tokens") is None


def test_every_quantity_has_a_reason_in_both_directions_and_languages():
    rules = load_why(data_root())

    told = {(rule.quantity, rule.direction) for rule in rules}
    names = {rule.quantity for rule in rules}
    assert told == {(name, direction) for name in names for direction in ("more", "less")}
    assert all(rule.text.en and rule.text.zh_CN for rule in rules)
