"""Predicted beside actual, corrections in the settings, speed on a plan's card."""

from dataclasses import replace

import pytest
from fakes.comparisons import ROW, SILENT
from PySide6.QtWidgets import QLabel

from app.core.actuals.correction import Correction, CorrectionKey, Learned
from app.core.actuals.record import StartRecord
from app.core.actuals.verdict import Verdict
from app.core.logs.actuals import Actual
from app.core.models.prediction import Predicted, Prediction
from app.core.speed.estimate import Span, SpeedEstimate, SpeedMethod
from app.core.speed.load import Load
from app.core.texts import Text
from app.core.units import GIB, MIB
from app.ui.viewmodels.deployments_actuals import present_actuals
from app.ui.viewmodels.plan_speed import present_speed
from app.ui.viewmodels.plan_texts import present_plans
from app.ui.viewmodels.settings_corrections import present_learned
from app.ui.widgets.deployments_actuals import ActualsTable

RECORD = StartRecord(
    host_id="h",
    name="chat",
    revision=1,
    at="2026-11-30T10:00:00Z",
    prediction=None,
    chosen={"dtype": "bfloat16", "sampler": "TorchSampler"},
    simulated=True,
)
SPAN = Span(expected=0.0123, low=0.009, high=0.02)
SPEED = SpeedEstimate(
    load=Load(prompt_tokens=2048, output_tokens=128, concurrency=16),
    method=SpeedMethod.ROOFLINE,
    ttft_s=Span(expected=0.5, low=0.3, high=0.9),
    itl_s=SPAN,
    output_tokens_per_s=Span(expected=1500, low=1200, high=2000),
    notes=(Text(en="roofline estimate, not measured here", zh_CN="估算"),),
    source="our loads",
)


def test_what_is_outside_its_band_is_counted_and_explained():
    view = present_actuals("box/chat", RECORD, (ROW, SILENT))

    assert view.summary == "Outside their band: 1 of 1"
    assert view.status == "warn"
    weights, tokens = view.rows
    assert (weights.predicted, weights.actual) == ("14.00 GiB", "15.40 GiB")
    assert weights.difference == "+1.40 GiB (+10.0%)"
    assert weights.why == "A copy for another kernel."
    assert (tokens.actual, tokens.verdict) == ("–", "not reported")
    assert any("bfloat16" in note for note in view.notes)
    assert not any("TorchSampler" in note for note in view.notes)


@pytest.mark.parametrize(
    ("rows", "status"),
    [((SILENT,), "unknown"), ((replace(ROW, verdict=Verdict.INSIDE, why=None),), "ok")],
)
def test_a_start_that_went_as_predicted_or_said_nothing_is_no_warning(rows, status):
    assert present_actuals("box/chat", RECORD, rows).status == status


def test_without_a_prediction_there_is_no_table():
    assert present_actuals("box/chat", RECORD, ()) is None


def test_a_speed_says_its_band_its_load_and_that_it_is_no_measurement():
    view = present_speed(SPEED)

    assert "first token 500 ms (300 – 900)" in view.text
    assert "between tokens 12.3 ms (9.0 – 20.0)" in view.text
    assert "1,500 (1,200 – 2,000) tokens/s" in view.text
    assert "16 requests at once" in view.notes
    assert "not measured here" in view.notes


def test_an_unknown_speed_says_why_and_no_number():
    reason = Text(en="No run was measured.", zh_CN="没有测量。")
    view = present_speed(SpeedEstimate(load=SPEED.load, method=SpeedMethod.UNKNOWN, reason=reason))

    assert view.text == "Speed not known: No run was measured."
    assert not view.is_known
    assert present_speed(None) is None


def test_corrections_say_what_they_add_or_that_they_wait():
    key = CorrectionKey(engine="vllm", series="0.26", gpu="NVIDIA H200", family="Qwen2")
    used = Correction(
        quantity="weights_bytes_per_gpu", delta_bytes=-100 * MIB, spread_bytes=0, samples=2
    )
    learned = Learned(key=key, starts=2, last_at="2026-11-30", corrections=(used,))
    waiting = replace(learned, starts=1, corrections=(replace(used, samples=1),))

    assert present_learned(learned).text == "weights −100.0 MiB · starts: 2"
    assert present_learned(waiting).text.startswith("Needs another start")


def taught(number: int) -> StartRecord:
    quantity = "weights_bytes_per_gpu"
    prediction = Prediction(
        engine="vllm",
        engine_version="0.26.0",
        gpu="NVIDIA H200",
        gpu_count=1,
        on_cpu=False,
        family="Qwen2ForCausalLM",
        quantities=(Predicted(quantity=quantity, value=14.0 * GIB, band=0.01),),
    )
    actual = Actual(quantity=quantity, value=14.1 * GIB, unit="bytes", line=1, text="")
    return replace(
        RECORD, name=f"n{number}", prediction=prediction, actuals=(actual,), simulated=False
    )


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_corrections_are_shown_and_forgotten_on_the_settings_page(desk, wait, language):
    for number in range(2):
        desk.finish(desk.app.actuals.record(taught(number)))
    desk.use(language=language, theme="dark" if language == "en" else "light")
    desk.window.open_page("settings")
    page = desk.window.page("settings")
    wait(lambda: len(page.corrections.rows) == 1)
    shown = [label.text() for label in page.corrections_card.findChildren(QLabel)]
    assert any("102.4 MiB" in text for text in shown)

    page.corrections_card.forget_all.click()

    wait(lambda: page.corrections.rows == ())
    assert not page.corrections_card.forget_all.isVisible()


def test_the_demo_hosts_start_is_set_beside_its_prediction(demo, wait):
    window = demo.window
    window.open_page("plan")
    plan = window.page("plan").view_model
    plan.choose_model("/models/qwen2.5-7b-instruct")
    wait(lambda: plan.state.can_deploy)
    cards = present_plans(plan.state.result.ranked, plan.state.engines)
    assert any(card.speed.is_known for card in cards)
    plan.deploy("compared")
    wait(lambda: window.current_page == "deployments")
    page = window.page("deployments")
    demo.qtbot.waitUntil(lambda: page.actuals.view is not None)

    assert page.detail.actuals.isVisible()
    page.detail.actuals.button.click()
    (table,) = window.findChildren(ActualsTable)
    assert table.rows
    assert any("Simulated" in note for note in page.actuals.view.notes)
