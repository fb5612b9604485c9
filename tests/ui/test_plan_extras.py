"""Adapters and flags of one's own: read and judged while they are typed, kept, copied, saved."""

import shlex

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from app.ui.pages.plan import PlanPage
from app.ui.viewmodels.plan_adapters import adapter_words
from app.ui.viewmodels.plan_command import pitwall_command
from app.ui.viewmodels.plan_flags import with_flag
from app.ui.viewmodels.plan_inputs import read_inputs
from app.ui.viewmodels.plan_state import Step, present_steps

MODEL = "/models/qwen2.5-7b-instruct"
ADAPTER = "/models/adapters/house-style"


@pytest.fixture
def page(demo, wait) -> PlanPage:
    demo.window.open_page("plan")
    page = demo.window.page("plan")
    page.view_model.choose_model(MODEL)
    settled(page, wait)
    page.view_model.go_to_step(Step.LIMITS)
    return page


def settled(page, wait) -> None:
    """Wait until everything typed was planned with."""
    vm = page.view_model
    wait(lambda: vm.state.result is not None and not vm.state.is_planning)


def type_flags(page, wait, text: str) -> None:
    """Type flags and wait for what is said of them."""
    page.view_model.set_input("own_flags", text)
    settled(page, wait)


def add_adapter(page, demo, wait, text: str = ADAPTER) -> None:
    """Type an adapter's folder and press Enter."""
    field = page.questions.limits.adapters
    field.path.clear()
    demo.qtbot.keyClicks(field.path, text)
    demo.qtbot.keyClick(field.path, Qt.Key.Key_Return)
    wait(lambda: not page.view_model.state.is_reading_adapter)
    settled(page, wait)


def test_an_adapter_is_read_on_the_host_and_served_beside_the_model(page, demo, wait):
    add_adapter(page, demo, wait)

    (adapter,) = page.view_model.state.inputs.adapters
    assert (adapter.name, adapter.rank) == ("house-style", 16)
    plan = page.view_model.state.plan
    assert "--enable-lora" in plan.argv
    assert any(mount.source == ADAPTER for mount in plan.container.mounts)
    assert present_steps(page.view_model.state)[Step.LIMITS].answer == "adapters: 1"
    assert page.questions.limits.adapters.path.text() == ""


def test_an_adapter_goes_again_with_its_own_button(page, demo, wait):
    add_adapter(page, demo, wait, f"style={ADAPTER}")
    assert page.view_model.state.inputs.adapters[0].name == "style"

    page.view_model.remove_adapter("style")
    settled(page, wait)

    assert page.view_model.state.inputs.adapters == ()
    assert "--enable-lora" not in page.view_model.state.plan.argv


@pytest.mark.parametrize("text", ["/models/none", MODEL, "two words=" + ADAPTER])
def test_what_is_no_adapter_is_said_at_the_field_until_somebody_types(page, demo, wait, text):
    field = page.questions.limits.adapters

    add_adapter(page, demo, wait, text)
    assert field.field.error
    assert field.path.text() == text

    demo.qtbot.keyClicks(field.path, "x")
    assert not field.field.error


def test_a_second_adapter_of_one_name_is_refused(page, demo, wait):
    add_adapter(page, demo, wait)
    add_adapter(page, demo, wait)

    assert "already" in page.questions.limits.adapters.field.error
    assert len(page.view_model.state.inputs.adapters) == 1


def test_a_name_before_a_folder_is_split_off_and_a_path_keeps_its_equals_sign():
    assert adapter_words("law=/models/law") == ("law", "/models/law")
    assert adapter_words("/models/a=b") == ("", "/models/a=b")


def test_flags_that_are_taken_are_in_the_command_and_said_to_be(page, wait):
    type_flags(page, wait, "--max-model-len 4096 --enforce-eager")

    state = page.view_model.state
    assert state.plan.parameters.context_tokens == 4096
    assert "--enforce-eager" in state.docker_run
    assert page.questions.limits.flags.lines[0].status == "ok"
    assert present_steps(state)[Step.LIMITS].answer == "own flags"


@pytest.mark.parametrize(
    ("words", "said", "suggestion"),
    [
        ("--max-modle-len 4096", "Did you mean --max-model-len?", "--max-model-len"),
        ("--gpu-memory-utilization many", "does not take “many”", ""),
        ("--enforce-eager yes --max-model-len", "needs a value", ""),
        ("--swap-space 4", "was last accepted by", "--kv-offloading-size"),
        ("--mem-fraction-static 0.8", "is a flag of SGLang", "--gpu-memory-utilization"),
    ],
)
def test_what_is_wrong_with_a_flag_is_told_below_it(page, wait, words, said, suggestion):
    type_flags(page, wait, words)

    lines = page.questions.limits.flags.lines
    found = next(line for line in lines if said in line.text)
    assert found.status == "error"
    assert found.text.startswith("vLLM ")
    assert found.suggestion == suggestion


def test_the_flag_that_was_meant_is_written_at_once(page, wait):
    type_flags(page, wait, "--max-modle-len=4096 --seed 1")
    line = page.questions.limits.flags.lines[0]

    page.view_model.replace_flag(line.flag, line.suggestion)
    settled(page, wait)

    assert page.view_model.state.inputs.own_flags == "--max-model-len=4096 --seed 1"
    assert page.view_model.state.plan.parameters.context_tokens == 4096


def test_an_open_quotation_mark_is_said_and_the_plan_stays(page):
    before = page.view_model.state.plan

    page.view_model.set_input("own_flags", "--chat-template 'a")

    assert page.questions.limits.flags.field.error
    assert page.view_model.state.plan is before
    assert not page.view_model.state.can_deploy


def test_flags_of_another_engine_are_judged_for_the_one_in_force_and_lead_to_the_other(page, wait):
    type_flags(page, wait, "--mem-fraction-static 0.8")

    assert page.view_model.state.plan.engine == "sglang"
    texts = [line.text for line in page.questions.limits.flags.lines]
    assert "is a flag of SGLang" in texts[0]
    assert texts[-1].startswith("As they stand, the plan goes to SGLang")


def test_taking_that_plan_judges_the_flags_for_it(page, wait):
    type_flags(page, wait, "--mem-fraction-static 0.8")

    page.view_model.choose_plan("sglang")
    wait(lambda: page.questions.limits.flags.lines[0].status == "ok")

    assert page.questions.limits.flags.lines[0].text.startswith("SGLang ")


def test_a_planned_flag_that_gives_way_is_said(page, wait):
    page.view_model.set_input("context", "8192")
    type_flags(page, wait, "--max-model-len 4096")

    lines = page.questions.limits.flags.lines
    assert any(line.status == "warn" and "8192" in line.text for line in lines)


def test_the_copied_command_holds_adapters_and_flags(page, demo, wait):
    add_adapter(page, demo, wait)
    type_flags(page, wait, "--enforce-eager --seed 7")
    goal, _ = read_inputs(page.view_model.state.inputs)

    words = shlex.split(pitwall_command("demo", MODEL, goal, "vllm", save="x.toml"))

    assert words[words.index("--adapter") + 1] == f"house-style={ADAPTER}"
    assert words[words.index("--") :] == ["--", "--enforce-eager", "--seed", "7"]
    page.view_model.go_to_step(Step.CONTAINER)
    page.questions.container.copy_pitwall.emit()
    assert "--adapter" in QGuiApplication.clipboard().text()


def test_the_saved_profile_holds_adapters_and_flags(page, demo, wait, tmp_path):
    add_adapter(page, demo, wait)
    type_flags(page, wait, "--enforce-eager")
    target = tmp_path / "mine.toml"

    with demo.qtbot.waitSignal(page.view_model.saved):
        page.view_model.save_profile(target)

    text = target.read_text("utf-8")
    assert ADAPTER in text
    assert "--enforce-eager" in text


def test_a_flags_value_stays_when_its_name_is_replaced():
    assert with_flag("--a=1 --b 2", "--b", "--c") == "--a=1 --c 2"


def test_what_is_said_of_flags_follows_the_language(page, demo, wait):
    type_flags(page, wait, "--max-modle-len 4096")
    demo.use(language="zh_CN")

    wait(lambda: "是否想写" in page.questions.limits.flags.lines[0].text)
