"""Each number of the memory picture opens to its formula, by mouse and by keyboard."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from app.ui.pages.plan import PlanPage
from app.ui.viewmodels.plan_arithmetic import present_arithmetic
from app.ui.viewmodels.plan_state import Step

MODEL = "/models/qwen2.5-7b-instruct"


@pytest.fixture
def page(demo, wait) -> PlanPage:
    demo.window.open_page("plan")
    page = demo.window.page("plan")
    page.view_model.choose_model(MODEL)
    wait(lambda: page.view_model.state.plan is not None)
    wait(lambda: not page.view_model.state.is_planning)
    page.view_model.go_to_step(Step.LIMITS)
    return page


def test_every_number_of_a_plan_has_its_formula_and_every_engines_its_source(page):
    for plan in page.view_model.state.result.ranked:
        entries = {entry.quantity: entry for entry in present_arithmetic(plan.estimate)}
        weights = entries["weights_bytes_per_gpu"]
        assert weights.formula
        assert weights.source
        assert weights.text.startswith(f"Weights: {weights.value}\n")
        assert {"usable_bytes_per_gpu", "kv_cache_bytes_per_gpu", "max_concurrency"} <= set(entries)


def test_what_starts_taught_is_an_input_of_its_own(page):
    estimate = page.view_model.state.plan.estimate
    taught = replace(estimate, corrections={"non_torch_bytes": 2**20})

    entry = next(e for e in present_arithmetic(taught) if e.quantity == "non_torch_bytes")

    assert entry.inputs[-1].value == "+1.0 MiB"


def test_a_click_on_a_part_opens_its_number_beside_the_page(page, demo):
    bars = page.memory.bars
    area, _ = next(
        (area, segment)
        for area, segment in bars._areas(bars._view.rows[0], 0)
        if segment.part == "kv"
    )

    demo.qtbot.mouseClick(bars, Qt.MouseButton.LeftButton, pos=area.center().toPoint())

    row = page.arithmetic.rows["kv_cache_bytes_per_gpu"]
    assert row.button.isChecked()
    assert row.details.isVisible()
    assert not page.arithmetic.rows["weights_bytes_per_gpu"].button.isChecked()


def test_the_legend_opens_its_numbers_too_and_the_limit(page):
    bars = page.memory.bars
    area, _ = next(found for found in bars._legend_areas() if found[1][0] == "memory.limit")

    assert bars.part_at(area.center()) == "limit"
    assert bars.part_at(area.bottomRight() + area.bottomRight()) == ""


def test_arrow_keys_go_from_number_to_number_and_enter_opens_one(page, demo):
    bars = page.memory.bars
    bars.setFocus()
    parts = [segment.part for segment in bars._view.rows[0].segments]

    demo.qtbot.keyClick(bars, Qt.Key.Key_Right)
    assert bars.accessibleDescription().startswith(bars._view.rows[0].segments[1].note)
    demo.qtbot.keyClick(bars, Qt.Key.Key_Left)
    demo.qtbot.keyClick(bars, Qt.Key.Key_Left)
    demo.qtbot.keyClick(bars, Qt.Key.Key_Return)

    assert parts[-1] == "free"
    assert page.arithmetic.rows["free"].button.isChecked()


def test_the_open_numbers_follow_the_plan_and_stay_open(page, wait):
    vm = page.view_model
    page.memory.explained.emit("max_concurrency")
    before = page.arithmetic.rows["max_concurrency"].button.accessibleName()

    vm.set_input("context", "2048")
    wait(lambda: not vm.state.is_planning)

    row = page.arithmetic.rows["max_concurrency"]
    assert row.button.accessibleName() != before
    assert row.button.isChecked()


def test_all_of_it_can_be_copied(page, demo, wait):
    page.memory.arithmetic.click()

    page.arithmetic.copy.click()

    text = QGuiApplication.clipboard().text()
    assert "Weights: " in text
    assert "Requests of full length at once: " in text
    demo.window.hide_inspector()
    wait(lambda: page.arithmetic is None)


def test_closing_it_gives_the_keyboard_back_to_the_picture(page, demo, wait):
    page.memory.explained.emit("free")
    wait(page.arithmetic.rows["free"].button.hasFocus)

    demo.window.hide_inspector()

    wait(page.memory.bars.hasFocus)


def test_the_numbers_speak_the_language_in_force(page, demo, wait):
    page.memory.explained.emit("")
    demo.use(language="zh_CN")
    wait(lambda: page.arithmetic.copy.text() == "复制全部")

    assert page.arithmetic.entries[0].title == "总量（引擎所见）"
    weights = next(e for e in page.arithmetic.entries if e.quantity == "weights_bytes_per_gpu")
    assert "个权重" in weights.formula
