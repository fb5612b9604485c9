"""How far a plan goes, and which hardware would do: asked while it is looked at, and only then."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester

from app.core.errors import ErrorCode, UserInputError
from app.core.models.hardware_table import HardwareRow
from app.core.texts import Reason, Text
from app.io.datafiles import data_root, load_theme
from app.services.assets import load_assets
from app.ui.icons import IconSet
from app.ui.models.plan_hardware import HardwareColumn, HardwareModel
from app.ui.pages.plan import PlanPage
from app.ui.theme import Theme
from app.ui.viewmodels.plan_hardware import present_hardware, present_reach
from app.ui.viewmodels.plan_state import Step

MODEL = "/models/qwen2.5-7b-instruct"
LARGE = "/models/qwen3-30b-a3b-instruct"


@pytest.fixture
def page(demo, wait) -> PlanPage:
    demo.window.open_page("plan")
    page = demo.window.page("plan")
    plan(page, wait, MODEL)
    page.view_model.go_to_step(Step.LIMITS)
    return page


def plan(page, wait, model: str) -> None:
    """Choose a model and wait for its plan."""
    vm = page.view_model
    vm.choose_model(model)
    wait(lambda: not vm.state.is_reading)
    wait(lambda: vm.state.result is not None and not vm.state.is_planning)


def answered(page, wait):
    """Wait for the answer to the newest question; return it."""
    sizing = page.sizing
    wait(lambda: not page.view_model.state.is_planning)
    wait(lambda: sizing.state.answer is not None and not sizing.state.is_asking)
    return sizing.state


def row(**changes) -> HardwareRow:
    """A row of the table."""
    plain = HardwareRow(
        gpu="NVIDIA L4", gpu_count=1, owned_by="", memory_bytes=2**34, fits=True, meets=True,
        kv_tokens=1000, max_concurrency=2.0, limits=(), kv_error=0.0,
    )  # fmt: skip
    return replace(plain, **changes)


def test_nothing_is_asked_before_somebody_looks(page):
    assert page.sizing.state.answer is None
    assert not page.sizing.is_busy


def test_the_inverse_questions_are_answered_for_the_plan(page, wait):
    page.aside.open_reach()
    answered(page, wait)

    by_question = {reach.question: reach for reach in page.aside.reach.reaches}
    assert by_question["Longest context"].value == "32,768 tokens"
    assert int(by_question["Most requests at once"].value.replace(",", "")) > 100
    assert by_question["Fewest GPUs like these"].value == "1 × NVIDIA H200"
    assert by_question["Beside what already runs"].value == "Fits"


def test_an_answer_is_taken_over_into_the_goal(page, wait):
    page.aside.open_reach()
    answered(page, wait)

    page.aside.reach.take(0)
    wait(lambda: not page.view_model.state.is_planning)

    assert page.view_model.state.inputs.context == "32768"
    assert page.view_model.state.plan.parameters.context_tokens == 32768


def test_what_others_might_hold_changes_the_answers(page, wait, demo):
    page.aside.open_reach()
    answered(page, wait)
    field = page.aside.reach.others

    demo.qtbot.keyClicks(field, "130")
    wait(lambda: page.aside.reach.reaches[-1].status == "error")

    assert "lacking per GPU" in page.aside.reach.reaches[-1].value
    assert "130.0 GiB" in page.aside.reach.reaches[-1].note
    demo.qtbot.keyClicks(field, "x")
    assert page.aside.reach.others_field.error
    assert page.sizing.state.answer is not None


@pytest.mark.parametrize("text", ["100%", "-0", "0", "9" * 400, "\u202e40", "x" * 20_000])
def test_nonsense_about_others_is_told_and_leaves_the_last_answer(page, wait, demo, text):
    page.aside.open_reach()
    answered(page, wait)
    reach = page.aside.reach
    demo.qtbot.keyClicks(reach.others, "130")
    reach.others.setText(text)
    reach.others.textEdited.emit(text)
    wait(lambda: not page.sizing.state.is_asking)
    assert reach.others_field.isVisible()
    assert reach.others_field.error

    page.view_model.set_input("context", "4096")
    wait(lambda: not page.view_model.state.is_planning and not page.sizing.state.is_asking)
    assert reach.others_field.isVisible()
    assert page.sizing.state.error is None
    assert reach.reaches[-1].status == "error"


def test_the_table_marks_the_smallest_that_is_enough_and_shows_it(page, wait):
    page.aside.open_hardware()
    answered(page, wait)
    panel = page.aside.hardware

    smallest = [view for view in panel.proxy.shown() if view.is_smallest]
    assert len(smallest) == 1
    assert panel._smallest.full_text.endswith(smallest[0].name)
    chosen = panel.table.selectionModel().selectedRows()[0].row()
    assert panel.proxy.shown()[chosen] == smallest[0]


def test_the_table_sorts_by_figures_and_leaves_out_what_is_not_enough(page, wait):
    page.aside.open_hardware()
    answered(page, wait)
    panel = page.aside.hardware
    QAbstractItemModelTester(panel.model, QAbstractItemModelTester.FailureReportingMode.Fatal)

    panel.table.sortByColumn(HardwareColumn.REQUESTS, Qt.SortOrder.DescendingOrder)
    requests = [view.requests for view in panel.proxy.shown()]
    panel.only_enough.setChecked(True)

    assert requests == sorted(requests, reverse=True)
    assert {view.status for view in panel.proxy.shown()} == {"ok"}


def test_the_table_as_shown_is_copied(page, wait):
    page.aside.open_hardware()
    answered(page, wait)
    panel = page.aside.hardware
    panel.only_enough.setChecked(True)

    panel.copy.click()

    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t") == ["Hardware", "Memory", "KV tokens", "Requests", "Answer"]
    assert len(lines) == 1 + len(panel.proxy.shown())


def test_another_goal_asks_anew(page, wait):
    page.aside.open_hardware()
    before = answered(page, wait).answer

    page.view_model.set_input("concurrency", "4")
    wait(lambda: page.sizing.state.asked.options.concurrency == 4)

    assert page.sizing.state.answer is not before
    assert " 4 requests" in page.aside.hardware._goal.full_text


def test_asking_is_cancelled_and_asked_again(page, wait, demo):
    page.aside.open_hardware()
    assert page.sizing.state.is_asking

    assert page.escape()
    assert not page.sizing.state.is_asking
    assert page.aside.hardware.again.isVisible()

    page.aside.hardware.again.click()
    answered(page, wait)
    del demo


def test_where_nothing_fits_the_way_to_the_hardware_is_offered(page, wait):
    page.view_model.choose_engine("vllm")
    page.view_model.set_input("memory", "20 GiB")
    plan(page, wait, LARGE)
    page.view_model.go_to_step(Step.ENGINE)
    assert page.view_model.state.plan is None
    button = page.questions.engine.ask_hardware
    assert button.isVisible()

    button.click()
    state = answered(page, wait)

    assert page.aside.currentWidget() is page.aside.hardware
    assert any(found.meets for found in state.answer.rows)
    assert state.answer.estimate.fits is False


def test_a_failure_is_said_in_the_table_s_place(page, wait, demo, monkeypatch):
    class Refusing:
        async def answer(self, *_args, **_options):
            raise UserInputError(
                ErrorCode.INVALID_INPUT, {"field": "x"}, cause="No.", remedy="Do otherwise."
            )

        asked_of_plan = demo.app.sizing.asked_of_plan

    monkeypatch.setattr(type(demo.app), "sizing", Refusing())
    page.aside.open_hardware()

    wait(lambda: page.sizing.state.error is not None)
    assert page.aside.hardware._banner.isVisible()


@pytest.mark.parametrize(
    ("changes", "verdict", "status"),
    [
        ({"smallest": True}, "Smallest enough", "ok"),
        ({}, "Enough", "ok"),
        ({"meets": False, "max_concurrency": 1.5}, "Too few at once", "warn"),
        (
            {"fits": False, "meets": False, "limits": ("weights_too_large",)},
            "Weights too large",
            "error",
        ),
        ({"fits": False, "meets": False}, "Does not fit", "error"),
        (
            {"fits": "unknown", "meets": False, "limits": ("memory_unknown",)},
            "Not known. How much memory there is is not known.",
            "unknown",
        ),
    ],
)
def test_each_row_says_what_it_would_give(changes, verdict, status):
    (view,) = present_hardware((row(**changes),))

    assert (view.verdict, view.status) == (verdict, status)


def test_an_owned_host_is_named_with_what_held_its_memory():
    owned = row(owned_by="rack-1", used_bytes=2**30, seen_at="2026-11-30 08:00", kv_error=0.1)
    (view,) = present_hardware((owned,))

    assert view.name == "1 × L4 · rack-1"
    assert "Others held 1.0 GiB" in view.note
    assert "2026-11-30 08:00" in view.note


def test_what_cannot_be_reached_says_why(page, wait):
    page.aside.open_reach()
    state = answered(page, wait)
    estimate = replace(state.answer.estimate, fits=False, limits=("memory_in_use",))
    none = tuple(replace(one, value=None, estimate=estimate) for one in state.answer.solutions)

    reaches = present_reach(state.asked, replace(state.answer, solutions=none, estimate=estimate))

    assert [reach.status for reach in reaches] == ["error"] * 4
    assert {reach.note for reach in reaches[:3]} == {"Others hold memory that the plan wants."}


def test_the_tabs_follow_the_language(page, wait, demo):
    page.aside.open_hardware()
    answered(page, wait)
    demo.use(language="zh_CN")

    wait(lambda: page.aside.tabText(2) == "硬件选型")
    assert page.aside.hardware.model.titles()[0] == "硬件"


@pytest.mark.parametrize(
    ("code", "verdict"),
    [("compute_capability", "GPU not supported"), ("own_flag_cache", "Not on this GPU")],
)
@pytest.mark.usefixtures("qapp")
def test_what_cannot_run_the_model_stands_back_with_its_reason(code, verdict):
    text = Text(en="No code for 7.0.", zh_CN="不含 7.0 的代码。")
    refused = row(meets=False, refused=Reason(code=code, text=text, source=""))
    icons = IconSet(load_assets(data_root()).icons, Theme({"light": load_theme("light")}))
    model = HardwareModel(icons)
    model.replace(present_hardware((refused, row(dtype="float32"))))

    first, second = model.rows
    assert (first.verdict, first.status, first.runs) == (verdict, "error", False)
    assert text.en in first.note
    assert "float32" in second.note
    roles = [model.index(place, 0).data(Qt.ItemDataRole.ForegroundRole) for place in (0, 1)]
    assert roles[0] is not None
    assert roles[1] is None
