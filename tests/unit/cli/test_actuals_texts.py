"""Predicted against actual, and corrections, as the command line writes them."""

from fakes.comparisons import ROW, SILENT

from app.cli.actuals import compared_text, corrections_text, start_text
from app.core.actuals.correction import Correction, CorrectionKey, Learned
from app.core.actuals.record import StartRecord
from app.core.documents.actuals import (
    ActualsDocument,
    comparison_entry,
    correction_entry,
    start_entry,
)
from app.core.units import MIB

RECORD = StartRecord(
    host_id="h",
    name="chat",
    revision=1,
    at="2026-11-30T10:00:00Z",
    prediction=None,
    chosen={"dtype": "bfloat16"},
    durations={"weights": 2.5},
)


def test_what_lies_outside_its_band_is_marked_and_explained():
    text = compared_text((comparison_entry(ROW), comparison_entry(SILENT)))

    assert "OUTSIDE" in text
    assert "+1.40 GiB (+10.0%)" in text
    assert "weights_bytes_per_gpu: A copy for another kernel." in text
    assert "what earlier starts taught" in text
    assert "not said" in text


def test_a_start_tells_what_the_engine_chose_and_how_long_it_took():
    document = ActualsDocument(deployment="box/chat", start=start_entry(RECORD, (ROW,)))

    text = start_text(document)

    assert "dtype bfloat16" in text
    assert "weights 2.50 s" in text


def test_a_start_without_a_prediction_or_unseen_says_so():
    unknown = ActualsDocument(deployment="box/chat", start=start_entry(RECORD, ()))

    assert "another desk" in start_text(unknown)
    assert "No start" in start_text(ActualsDocument(deployment="box/chat"))


def test_corrections_tell_what_they_add_and_whether_they_are_used():
    learned = Learned(
        key=CorrectionKey(engine="vllm", series="0.26", gpu="NVIDIA H200", family="Qwen2"),
        starts=2,
        last_at="2026-11-30",
        corrections=(
            Correction(
                quantity="weights_bytes_per_gpu",
                delta_bytes=-100 * MIB,
                spread_bytes=0,
                samples=2,
            ),
            Correction(quantity="activation_bytes", delta_bytes=MIB, spread_bytes=0, samples=1),
        ),
    )

    text = corrections_text(ActualsDocument(corrections=(correction_entry(learned),), reset=3))

    assert "3 starts teach no more" in text
    assert "vllm / 0.26 / NVIDIA H200 / Qwen2" in text
    assert "−100.0 MiB" in text
    assert "used" in text
    assert "needs another start" in text
    assert "no corrections" in corrections_text(ActualsDocument())
