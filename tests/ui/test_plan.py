"""The plan wizard: it plans by itself, keeps answers, explains every line, shows the memory."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QFileDialog

from app.core.errors import ErrorCode
from app.core.events import DeploymentSnapshot, DeploymentState
from app.core.models.architecture import ModelFormat
from app.core.models.folders import ModelCandidate, model_name
from app.core.models.memory import MemoryEstimate
from app.core.models.preflight import ModelFacts, Storage
from app.core.models.preflight_judges import judge_model
from app.core.planning.plan import GoalKind
from app.ui.pages.plan import PlanPage
from app.ui.pages.registry import PageRequest
from app.ui.viewmodels.plan import PlanViewModel
from app.ui.viewmodels.plan_command import pitwall_command, pitwall_commands, present_command
from app.ui.viewmodels.plan_inputs import PlanInputs, name_error, read_inputs, with_text
from app.ui.viewmodels.plan_memory import limit_texts, present_memory
from app.ui.viewmodels.plan_model_check import present_preflight
from app.ui.viewmodels.plan_spec import present_spec
from app.ui.viewmodels.plan_state import PlanState, Step, present_steps
from app.ui.viewmodels.plan_texts import model_facts, present_goals, present_plans, present_refused
from app.ui.viewmodels.plan_tree import Look, lay_out_tree
from app.ui.viewmodels.plan_work import next_revision
from app.ui.widgets.plan_memory_bars import _broken
from app.ui.widgets.plan_model_check import ModelCheck

MODEL = "/models/qwen2.5-7b-instruct"


@pytest.fixture
def page(demo) -> PlanPage:
    demo.window.open_page("plan")
    return demo.window.page("plan")


@pytest.fixture
def vm(page) -> PlanViewModel:
    return page.view_model


@pytest.fixture
def planned(vm, wait) -> PlanViewModel:
    vm.choose_model(MODEL)
    wait(lambda: vm.state.plan is not None and not vm.state.is_planning)
    return vm


def test_cpu_only_leaves_out_the_ticked_gpus_and_choosing_gpus_takes_it_back(planned):
    vm = planned
    vm.choose_gpus((vm.state.fingerprint.gpus[0].uuid,))
    vm.choose_cpu(only=True)
    goal, _ = read_inputs(vm.state.inputs)
    assert (goal.cpu_only, goal.gpu_uuids) == (True, ())
    assert present_steps(vm.state)[Step.LIMITS].answer == "CPU only"
    assert "--cpu" in pitwall_command("gpu1", MODEL, goal, "llamacpp")
    vm.choose_gpus((vm.state.fingerprint.gpus[1].uuid,))
    assert not vm.state.inputs.cpu_only


def test_typed_numbers_become_a_goal_and_bare_times_are_milliseconds():
    inputs = PlanInputs(ttft="500", itl="0.02s", concurrency="64", context="32Ki", port="8001")

    goal, errors = read_inputs(inputs)

    assert (goal.ttft_s, goal.itl_s) == (0.5, 0.02)
    assert (goal.concurrency, goal.context_tokens, goal.port) == (64, 32_768, 8001)
    assert not errors


@pytest.mark.parametrize(
    ("name", "text"),
    [("ttft", "soon"), ("ttft", "0"), ("itl", "-3"), ("context", "1.5"), ("port", "70000"),
     ("concurrency", "0")],
)  # fmt: skip
def test_what_cannot_be_read_is_said_at_its_field(name, text):
    _, errors = read_inputs(with_text(PlanInputs(), name, text))

    assert list(errors) == [name]


def test_an_unknown_input_is_refused():
    with pytest.raises(ValueError, match="colour"):
        with_text(PlanInputs(), "colour", "red")


def test_names_follow_the_rule_for_deployments():
    assert name_error("-bad-")
    assert not name_error("qwen-7b")


def test_finding_models_lists_them_with_format_and_size(vm, page, wait):
    vm.find_models("/models")
    wait(lambda: bool(vm.state.candidates))

    model = page.questions.model.candidates
    row = model.row_of(MODEL)
    assert model.index(row, 1).data() == "safetensors"
    assert model.index(row, 2).data() == "14.2 GiB"


def candidate(path: str, **changes) -> ModelCandidate:
    """A model that was found."""
    plain = ModelCandidate(
        path=path, name=model_name(path), format=ModelFormat.SAFETENSORS, size_bytes=2**30
    )
    return replace(plain, **changes)


def test_usual_folders_are_offered_until_models_were_found(vm, page, wait):
    places = page.questions.model.places
    assert not places.isHidden()

    places.buttons["/models"].click()

    wait(lambda: vm.state.candidates)
    assert page.questions.model.folder.text() == "/models"
    assert places.isHidden()


def test_the_keyboard_goes_from_step_to_step(planned, page, demo):
    demo.qtbot.keyClick(page, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert planned.state.step is Step.GOAL
    demo.qtbot.keyClick(page, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert planned.state.step is Step.MODEL


def test_models_of_one_name_differ_by_what_they_are_and_where_they_lie(vm, page):
    found = (
        candidate("/模型/生产/qwen3-8b"),
        candidate("/模型/量化/qwen3-8b-Q4_K_M.gguf", format=ModelFormat.GGUF),
        candidate("/模型/量化/Qwen3-8B-AWQ"),
        candidate("/elsewhere/qwen3-8b"),
    )
    vm.change(folder="/模型", candidates=found)

    model = page.questions.model.candidates
    rows = [[model.index(row, column).data() for column in (1, 3)] for row in range(4)]
    assert rows == [
        ["safetensors", "生产/qwen3-8b"],
        ["GGUF · Q4_K_M", "量化/qwen3-8b-Q4_K_M.gguf"],
        ["safetensors · AWQ", "量化/Qwen3-8B-AWQ"],
        ["safetensors", "/elsewhere/qwen3-8b"],
    ]
    assert model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole) == "/模型/生产/qwen3-8b"
    table = page.questions.model.table
    assert table.textElideMode() is Qt.TextElideMode.ElideMiddle
    assert not table.isColumnHidden(3)

    vm.change(folder="/模型/生产", candidates=found[:1])
    assert table.isColumnHidden(3)


def test_a_small_page_keeps_the_numbers_in_sight_and_the_questions_beside_the_details(
    planned, page, demo, wait
):
    planned.go_to_step(Step.GOAL)
    demo.window.resize(1024, 700)
    button = page.questions.goal.buttons[GoalKind.LATENCY]
    wait(lambda: not button._text.isVisible())
    assert button.toolTip() == button._text.text()

    page.memory.explained.emit("")
    wait(lambda: not page._right.isVisible())
    demo.window.resize(1400, 900)
    wait(lambda: page._right.isVisible() and button._text.isVisible())
    assert button.toolTip() == ""


def test_a_folder_that_is_not_there_is_said_beside_the_field(vm, wait):
    vm.find_models("/nowhere")
    wait(lambda: vm.state.find_error is not None)

    assert vm.state.candidates is None
    assert not vm.state.is_finding


def test_a_path_without_model_is_said_and_no_plan_stays(planned, page, wait):
    planned.choose_model("/models/none")
    wait(lambda: planned.state.model_error is not None)

    assert planned.state.model_error.code is ErrorCode.MODEL_NOT_FOUND
    assert not page.questions.model._facts_title.isVisible()
    assert planned.state.plan is None


def test_a_model_is_planned_at_once(planned, page):
    assert planned.state.plan.engine == "vllm"
    assert planned.state.name == "qwen2-5-7b-instruct"
    lit = {box.id for box in page.tree.scene_.drawing.boxes if box.state == "lit"}
    assert {"goal", "goal.throughput", "engine", "engine.vllm", "plan"} <= lit


def test_only_the_newest_question_is_answered(planned, wait):
    for context in ("4096", "16384", "2048"):
        planned.set_input("context", context)
    wait(lambda: not planned.state.is_planning)

    assert planned.state.plan.parameters.context_tokens == 2048


def test_a_wrong_number_keeps_the_plan_and_bars_deploying(planned):
    before = planned.state.plan

    planned.set_input("context", "many")

    assert planned.state.plan is before
    assert "context" in planned.state.field_errors
    assert not planned.state.can_deploy


def test_back_keeps_every_answer(planned, page):
    planned.choose_goal("latency")
    planned.set_input("ttft", "300ms")
    planned.go_to_step(Step.CONTAINER)

    page._on_back()
    page._on_back()
    page._on_back()

    assert planned.state.step is Step.GOAL
    assert planned.state.inputs.kind is GoalKind.LATENCY
    assert page.questions.goal.fields["ttft"].editor.text() == "300ms"


def test_steps_open_only_when_what_they_rest_on_is_there(vm):
    vm.go_to_step(Step.ENGINE)

    assert vm.state.step is Step.MODEL
    assert [view.enabled for view in present_steps(vm.state)] == [True] + [False] * 4


def test_chosen_gpus_come_from_the_topology_and_decide_the_plan(planned, page, wait):
    second = planned.state.fingerprint.gpus[1]
    page.receive(PageRequest(gpu_uuids=(second.uuid,)))
    wait(lambda: not planned.state.is_planning)

    assert planned.state.plan.parameters.gpu_indices == (1,)
    assert page.questions.limits.boxes[second.uuid].isChecked()


def test_what_is_prepared_is_on_the_plans_own_gpus(planned, demo, wait):
    planned.choose_gpus((planned.state.fingerprint.gpus[1].uuid,))
    wait(lambda: not planned.state.is_planning)

    with demo.qtbot.waitSignal(planned.prepared) as caught:
        planned.prepare_deploy()

    spec = caught.args[0]
    assert spec.container.gpu_uuids == planned.state.plan.parameters.gpu_uuids
    assert (spec.revision, spec.name) == (1, "qwen2-5-7b-instruct")


def test_the_sheet_shows_the_exact_container_and_cancel_changes_nothing(planned, page, demo, wait):
    planned.go_to_step(Step.CONTAINER)
    page._on_next()
    wait(lambda: page.sheet is not None)

    assert "--max-model-len 8192" in page.sheet.command.toPlainText()
    page.sheet.reject()
    wait(lambda: page.sheet is None)
    assert demo.app.deployments.snapshot() == ()


def test_a_bad_name_is_said_and_bars_deploying(planned):
    planned.set_name("Not Good")

    assert "name" in planned.state.field_errors
    planned.prepare_deploy()
    assert not planned.state.is_preparing


def test_saving_a_profile_writes_it_where_it_was_asked(planned, demo, tmp_path: Path):
    target = tmp_path / "mine.toml"

    with demo.qtbot.waitSignal(planned.saved):
        planned.save_profile(target)

    assert 'name = "mine"' in target.read_text("utf-8")


def test_every_line_of_the_command_says_what_it_does_and_whence(planned):
    state = planned.state
    lines = present_command(state.docker_run, state.plan, state.engines["vllm"])

    assert len(lines) == len(state.docker_run.splitlines())
    assert all(line.why and line.source for line in lines)
    by_title = {line.title: line.why for line in lines}
    assert "8,192 tokens" in by_title["--max-model-len 8192"]
    assert "read-only" in by_title[f"-v {MODEL}:{MODEL}:ro"]
    assert "The key guards /v1" in by_title["-e VLLM_API_KEY"]
    assert any("/health answers 200" in why for title, why in by_title.items() if "-p " in title)


def test_the_copied_commands_plan_keep_and_deploy_the_same():
    goal, _ = read_inputs(
        PlanInputs(context="8192", concurrency="64", port="8001", gpu_uuids=("GPU-1",))
    )

    lines = pitwall_commands("demo", MODEL, goal, "vllm", "chat")

    assert lines[0].endswith(
        "--concurrency 64 --context 8192 --engine vllm --port 8001 --save chat.toml"
    )
    assert lines[1].startswith("# ")
    assert lines[2] == "pitwall deploy chat.toml --host demo --name chat"


def test_renaming_renames_the_container_in_the_command(planned, page):
    planned.go_to_step(Step.CONTAINER)
    planned.set_name("renamed")

    assert "--name pitwall-renamed-r1 " in planned.state.docker_run
    assert "io.pitwall.deployment=renamed" in planned.state.docker_run
    assert page.questions.container.command.toPlainText() == planned.state.docker_run


def test_a_bad_name_is_said_while_it_is_typed(planned, page, demo):
    planned.go_to_step(Step.CONTAINER)
    editor = page.questions.container.name

    demo.qtbot.keyClicks(editor, " !")

    assert page.questions.container.name_field.error
    assert editor.property("invalid") == "true"
    assert page.foot.doing.full_text == f"Step 5: {page.questions.container.name_field.error}"
    assert not page.questions.container._docker.isEnabled()


def test_a_number_that_cannot_be_read_is_said_while_it_is_typed(planned, page, demo):
    planned.go_to_step(Step.GOAL)
    field = page.questions.goal.fields["ttft"]

    demo.qtbot.keyClicks(field.editor, "soon")

    assert field.error


def test_the_last_look_names_what_the_user_chose(planned, demo, wait):
    planned.prepare_deploy()
    wait(lambda: planned.state.spec is not None)

    rows = dict(present_spec(planned.state.spec, planned.state))

    assert rows["Model"] == MODEL
    assert rows["Engine"].startswith("vLLM ")
    assert rows["GPUs"] == "GPU 0 (NVIDIA H200)"
    assert rows["Memory per GPU"].endswith("GiB")
    del demo


def test_the_last_look_on_processors_speaks_of_main_memory(planned, wait):
    planned.prepare_deploy()
    wait(lambda: planned.state.spec is not None)
    spec = planned.state.spec
    small = replace(
        spec,
        container=replace(spec.container, gpu_uuids=()),
        estimate_bytes_per_gpu=870_000,
        model_path="/models/tiny.gguf",
    )
    mount = replace(spec.container.mounts[0], source="/home/me/1.gguf", target="/models/tiny.gguf")
    small = replace(small, container=replace(small.container, mounts=(mount,)))

    rows = dict(present_spec(small, planned.state))

    assert rows["Main memory"] == "849.6 KiB"
    assert rows["Model"] == "/home/me/1.gguf"
    assert rows["GPUs"] == "none: runs on processors"


def test_a_shipped_profile_is_opened_and_prepared_with_the_chosen_model(planned, page, wait):
    page.open_button.click()
    wait(lambda: page.profiles is not None)
    dialog = page.profiles
    names = [row.path.stem for row in dialog.rows]
    dialog.list.setCurrentRow(names.index("chat-one-gpu"))
    assert dialog.model.text() == MODEL

    dialog.submit()
    wait(lambda: page.sheet is not None)

    assert page.sheet.spec.profile_name == "chat-one-gpu"
    assert dict(present_spec(page.sheet.spec, planned.state))["Model"] == MODEL
    page.sheet.reject()
    wait(lambda: planned.state.spec is None)


def test_a_profile_without_model_asks_for_one_and_a_broken_one_cannot_be_taken(
    vm, page, demo, wait
):
    folder = demo.app.folders.profiles
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a-broken.toml").write_text("name = ")
    page.open_button.click()
    wait(lambda: page.profiles is not None)
    dialog = page.profiles
    assert dialog.rows[0].is_broken
    assert not dialog.accept_button.isEnabled()

    dialog.list.setCurrentRow(1)
    dialog.submit()

    assert dialog.model_field.error
    dialog.reject()
    assert vm.state.spec is None


def test_saving_begins_in_the_users_own_folder(planned, page, demo, wait):
    page._ask_where_to_save()
    wait(lambda: bool(page.findChildren(QFileDialog)))

    dialog = page.findChildren(QFileDialog)[0]
    assert Path(dialog.directory().absolutePath()) == demo.app.folders.profiles
    dialog.reject()
    del planned


def test_finding_keeps_the_keyboard_and_the_chosen_row_is_marked(vm, page, demo, wait):
    panel = page.questions.model
    demo.window.activateWindow()
    panel.folder.setText("/models")
    panel.find_button.setFocus()
    demo.qtbot.keyClick(panel.find_button, Qt.Key.Key_Return)
    assert panel.find_button.hasFocus()
    wait(lambda: bool(vm.state.candidates))
    assert panel.find_button.hasFocus()

    panel.table.setFocus()
    demo.qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    wait(lambda: vm.state.model is not None)

    assert [index.row() for index in panel.table.selectionModel().selectedRows()] == [0]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_no_step_is_wider_than_its_place(planned, page, demo, wait, language):
    demo.use(language=language)
    for size in ((1280, 800), (1024, 700)):
        demo.window.resize(*size)
        for step in Step:
            planned.go_to_step(step)
            area = page.questions.currentWidget()
            wait(lambda area=area: area.horizontalScrollBar().maximum() == 0)


def test_the_legend_breaks_into_even_lines():
    keys = [("a", "a", False)] * 7
    widths = [50.0] * 7
    assert [len(line) for line in _broken(keys, widths, 400)] == [7]
    assert [len(line) for line in _broken(keys, widths, 340)] == [7]
    assert [len(line) for line in _broken(keys, widths, 300)] == [6, 1]


def test_one_card_has_one_total_whether_it_is_used_or_not(planned):
    view = present_memory(planned.state.fingerprint, planned.state.plan)

    assert len({row.total_bytes for row in view.rows}) == 1


def test_the_pitwall_command_repeats_goal_and_engine():
    goal, _ = read_inputs(PlanInputs(ttft="500ms", context="8192"))

    text = pitwall_command("demo", "/models/a b", goal, "vllm")

    assert text == (
        "pitwall plan --host demo --model '/models/a b' --goal throughput --ttft 500ms"
        " --context 8192 --engine vllm"
    )


def test_the_memory_picture_adds_up_to_the_whole_gpu(planned):
    view = present_memory(planned.state.fingerprint, planned.state.plan)

    used = view.rows[0]
    assert sum(segment.size_bytes for segment in used.segments) == used.total_bytes
    assert used.limit_bytes == planned.state.plan.estimate.usable_bytes_per_gpu
    assert view.rows[1].limit_bytes is None
    assert "Weights: 14.3 GiB" in used.text
    assert view.status == "ok"


def test_equal_gpus_share_one_bar(planned):
    found = planned.state.fingerprint
    view = present_memory(found, None)

    assert [row.title for row in view.rows] == ["GPU 0–1"]


def test_what_does_not_fit_says_how_much_is_lacking(planned):
    plan = planned.state.plan
    estimate: MemoryEstimate = replace(plan.estimate, fits=False, missing_bytes=3 * 2**30)

    view = present_memory(planned.state.fingerprint, replace(plan, estimate=estimate))

    assert (view.verdict, view.status) == ("Does not fit: 3.0 GiB lacking", "error")


def test_limits_are_said_once_and_unknown_ones_stay_visible():
    texts = limit_texts(("outside_calibration:gpu", "outside_calibration:version", "new_one"))

    assert len(texts) == 2
    assert texts[1] == "new_one"


def test_moving_the_context_moves_the_bar(planned, page, wait):
    planned.go_to_step(Step.ENGINE)
    before = page.memory.view.caption
    slider = page.questions.engine.context.slider

    slider.setValue(slider.maximum())
    wait(lambda: not planned.state.is_planning)

    assert planned.state.plan.parameters.context_tokens == 32_768
    assert page.memory.view.caption != before
    page.questions.engine.context.auto.click()
    assert planned.state.inputs.context == ""


def test_bars_tell_a_parts_size_under_the_pointer(planned, page):
    planned.go_to_step(Step.GOAL)
    bars = page.memory.bars
    area, segment = bars._areas(page.memory.view.rows[0], 0)[3]

    assert bars.text_at(area.center()) == segment.note
    assert "KV cache" in segment.note


def test_refused_engines_say_shortly_and_fully_why(planned):
    state = planned.state
    refused = {card.engine: card for card in present_refused(state.result.rejected, state.engines)}

    assert refused["llamacpp"].short == "reads another format"
    assert "gguf" in refused["llamacpp"].why.text
    assert present_plans(state.result.ranked, state.engines)[0].is_best


def test_boxes_of_the_tree_never_overlap(planned):
    look = Look(width=560, line=16, title_lines=lambda *_: 2, note_lines=lambda *_: 2)
    boxes = lay_out_tree(planned.state.result.tree, look).boxes

    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            apart = (
                a.x + a.width <= b.x + 0.01 or b.x + b.width <= a.x + 0.01
                or a.bottom <= b.y or b.bottom <= a.y
            )  # fmt: skip
            assert apart, (a.id, b.id)
        assert 0 <= a.x <= a.x + a.width <= 560.01


@pytest.mark.usefixtures("planned")
def test_the_tree_is_walked_and_opened_by_keyboard(page, demo):
    tree = page.tree
    tree.setFocus()
    with demo.qtbot.waitSignal(tree.node_chosen) as caught:
        for key in (Qt.Key.Key_Down, Qt.Key.Key_Down):
            demo.qtbot.keyClick(tree, key)
        demo.qtbot.keyClick(tree, Qt.Key.Key_Return)

    assert caught.args[0] == tree.scene_.drawing.boxes[1].id
    assert demo.window._inspector.isVisible()


def test_another_host_begins_anew_but_keeps_the_goal(planned):
    planned.choose_goal("memory")

    planned.show_host(None)

    assert planned.state == PlanState(inputs=PlanInputs(kind=GoalKind.MEMORY))


def test_six_goals_are_offered():
    assert {choice.kind for choice in present_goals()} == set(GoalKind)


def test_the_next_revision_counts_only_containers_that_were_made():
    known = DeploymentSnapshot(
        revision=1, host_id="h", host_name="demo", name="a", state=DeploymentState.STOPPED,
        container_id="c", deployment_revision=2, newest_revision=3,
    )  # fmt: skip

    assert next_revision((known,), "a") == 4
    assert next_revision((replace(known, container_id=None),), "a") == 2
    assert next_revision((known,), "b") == 1


def test_lines_explain_themselves_by_click_and_by_keyboard(planned, page, demo):
    planned.go_to_step(Step.CONTAINER)
    block = page.command
    heard = []
    block.line_chosen.connect(heard.append)
    block.setFocus()
    block.moveCursor(QTextCursor.MoveOperation.Start)

    demo.qtbot.keyClick(block, Qt.Key.Key_Down)
    demo.qtbot.keyClick(block, Qt.Key.Key_Return)
    place = block.cursorRect(QTextCursor(block.document().findBlockByNumber(2))).center()
    demo.qtbot.mouseMove(block.viewport(), place)
    demo.qtbot.mouseClick(block.viewport(), Qt.MouseButton.LeftButton, pos=place)

    assert heard == [1, 2]
    assert demo.window._inspector.isVisible()


def test_every_form_of_the_container_can_be_copied(planned, page, demo):
    planned.go_to_step(Step.CONTAINER)
    clipboard = QGuiApplication.clipboard()

    page.questions.container.copy_docker.emit()
    docker = clipboard.text()
    page.questions.container.copy_compose.emit()
    compose = clipboard.text()
    page.questions.container.copy_pitwall.emit()

    assert docker == planned.state.docker_run
    assert compose.startswith("services:\n")
    assert planned.state.plan.container.image in compose
    assert clipboard.text().startswith("pitwall plan --host demo --model /models/")
    del demo


@pytest.mark.parametrize("node", ["goal", "goal.memory", "goal.throughput", "engine.sglang"])
def test_every_kind_of_node_tells_about_itself(planned, page, demo, node):
    assert planned.state.result is not None

    page._on_node(node)

    assert demo.window._inspector.isVisible()


def test_refreshing_looks_for_models_first_and_plans_later(planned, page, wait):
    page.questions.model.folder.setText("/models")
    page.refresh()
    wait(lambda: bool(planned.state.candidates))
    planned.go_to_step(Step.GOAL)

    page.refresh()

    assert planned.state.is_planning
    assert page.escape()
    assert not planned.state.is_planning
    assert not page.escape()


def test_a_row_of_the_list_chooses_its_model(vm, page, wait):
    page.questions.model.folder.setText("/models")
    page.questions.model.find_button.click()
    wait(lambda: bool(vm.state.candidates))

    page.questions.model.table.opened.emit(page.questions.model.table.model().index(0, 0))
    wait(lambda: vm.state.model is not None)

    assert vm.state.model_path == "/models/llama-3.1-8b-instruct"


def test_an_engine_that_does_not_read_the_format_leaves_no_plan_but_reasons(planned, page, wait):
    planned.choose_engine("llamacpp")
    wait(lambda: not planned.state.is_planning)

    assert planned.state.plan is None
    assert not page.foot.next_button.isEnabled() or planned.state.step is not Step.CONTAINER
    assert page.questions.engine.cards == []
    assert "engine.llamacpp" in {box.id for box in page.tree.scene_.drawing.boxes}
    planned.choose_engine(None)
    wait(lambda: planned.state.plan is not None)


def test_a_new_fingerprint_plans_again(planned, demo, wait):
    before = planned.state.result

    demo.finish(demo.app.hosts.take_fingerprint(planned.state.host_id))

    wait(lambda: planned.state.result is not before and not planned.state.is_planning)


def test_a_lost_connection_bars_deploying_but_keeps_the_plan(planned, demo, wait):
    demo.finish(demo.app.hosts.disconnect(planned.state.host_id))

    wait(lambda: not planned.state.is_connected)

    assert planned.state.plan is not None
    assert not planned.state.can_deploy


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_wizard_speaks_chinese_on_every_step(planned, page, demo, wait, theme):
    demo.use(language="zh_CN", theme=theme)
    wait(lambda: page.questions.engine.cards[0].button.text() == "采用此方案")

    for step in Step:
        planned.go_to_step(step)
        assert not page.grab().isNull()

    assert page.foot.next_button.text() == "部署…"
    assert "权重" in page.memory.view.rows[0].text


def test_main_memory_is_not_called_memory_per_gpu(planned):
    plan = planned.state.plan
    on_cpu = replace(plan, estimate=replace(plan.estimate, on_cpu=True))

    view = present_memory(planned.state.fingerprint, on_cpu)

    assert (view.title, [row.title for row in view.rows]) == ("Main memory", ["RAM"])
    assert present_memory(planned.state.fingerprint, plan).title == "Memory per GPU"


def test_small_models_keep_their_digits(planned):
    facts = dict(model_facts(replace(planned.state.model, weights_bytes=870_000)))

    assert facts["Weights"] == "849.6 KiB"


def test_nothing_moves_on_the_first_step_while_models_are_looked_for(vm, page, demo, wait):
    panel = page.questions.model

    def places():
        demo.qtbot.wait(1)
        parts = (panel._question, panel._field, panel._place)
        return [part.geometry().topLeft() for part in parts]

    before = places()
    vm.find_models("/nowhere")
    wait(lambda: vm.state.find_error is not None)
    assert places() == before
    vm.find_models("/models")
    wait(lambda: bool(vm.state.candidates))
    assert places() == before
    vm.choose_model(MODEL)
    wait(lambda: vm.state.model is not None)
    assert places() == before


def test_a_folder_typed_for_one_host_is_not_asked_of_another(vm, page, demo):
    page.questions.model.folder.setText("/only/on/this/host")

    vm.show_host(None)

    assert page.questions.model.folder.text() == ""
    del demo


def test_the_chosen_model_is_looked_at_before_anything_is_planned(page, vm, wait):
    vm.choose_model(MODEL)
    wait(lambda: vm.state.preflight is not None and not vm.state.is_checking)
    check = page.findChild(ModelCheck)
    assert check.isVisibleTo(page)
    assert check.summary.text()
    vm.measure_disk()
    wait(lambda: not vm.state.is_checking)
    assert vm.state.preflight.load_time is None  # the demo host has no disk to measure


def test_findings_are_shown_worst_first_with_their_cure():
    facts = ModelFacts(path="/m", name="m", weight_files=("a",), has_tokenizer=True)
    view = present_preflight(judge_model(facts))
    assert view.look.word == "Warning"
    assert [row.look.word for row in view.rows][:2] == ["Warning", "Warning"]
    assert view.rows[0].remedy
    assert "Chat template" in view.rows[0].text
    broken = present_preflight(judge_model(ModelFacts(path="/m", name="m")))
    assert broken.summary.startswith("Not ready")
    storage = Storage(kind="ext4", read_bytes_per_s=1e9)
    whole = ModelFacts(
        path="/m", name="m", weight_files=("a",), weights_bytes=10**9, has_tokenizer=True,
        has_chat_template=True, has_generation_config=True, storage=storage, broken_links=(),
        unfinished=(),
    )  # fmt: skip
    view = present_preflight(judge_model(whole))
    assert view.summary == "Whole and ready to be loaded."
    assert [row.text for row in view.rows] == [
        "Load time: 1.00 s to 2.00 s at 953.7 MiB/s as measured."
    ]
    assert not view.can_measure
