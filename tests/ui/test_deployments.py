"""The deployments page: texts, list, log, track; and the flow from plan to answer on the demo."""

import json
import shlex
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import ui_fakes
from PySide6.QtCore import QPersistentModelIndex
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QLabel

from app.core.deployment.answers import ChatAnswer
from app.core.errors import ErrorCode, ErrorInfo
from app.core.events import (
    DeploymentSnapshot,
    DeploymentState,
    HostSnapshot,
    HostState,
    PhaseProgress,
)
from app.core.logs.actuals import Actual
from app.core.logs.kept import PAGE
from app.core.logs.line import LogLevel, LogLine
from app.ui.models.deployments import DeploymentsModel
from app.ui.viewmodels.deployments_empty import present_empty, present_unseen
from app.ui.viewmodels.deployments_lines import LEVEL_ROLE, MATCH_ROLE, LogModel, ShownTime
from app.ui.viewmodels.deployments_phases import present_phases
from app.ui.viewmodels.deployments_search import Query
from app.ui.viewmodels.deployments_texts import (
    Allowed,
    DeploymentDetail,
    allowed,
    answer_facts,
    present_card,
    present_detail,
    state_view,
    uptime_text,
)
from app.ui.viewmodels.deployments_use import curl_text
from app.ui.widgets.deployments_chat import AnswerView
from app.ui.widgets.deployments_log import LogView
from app.ui.widgets.dialog import ConfirmDialog

NOW_S = 1_800_000_000.0
S = DeploymentState


def snapshot(state: DeploymentState = S.SERVING, **changes: object) -> DeploymentSnapshot:
    base = DeploymentSnapshot(
        revision=1, host_id="h1", host_name="demo", name="qwen", state=state, container_id="c1",
        engine="vllm", engine_version="0.33.0", model_name="qwen2.5", host_port=8000,
        started_at="2027-01-15T07:00:00Z",
    )  # fmt: skip
    return replace(base, **changes)


def lines(count: int, level: LogLevel = LogLevel.INFO, start: int = 0) -> list[LogLine]:
    return [LogLine(text=f"line {n}", level=level, number=n) for n in range(start, start + count)]


def test_every_state_has_icon_word_and_status():
    views = {state_view(state) for state in S}

    assert len(views) == len(S)
    assert all(view.icon and view.word and view.status for view in views)


def test_what_may_be_done_follows_the_state():
    serving, stopped = allowed(snapshot()), allowed(snapshot(S.STOPPED))
    starting, unknown = allowed(snapshot(S.STARTING)), allowed(snapshot(S.UNKNOWN))

    assert serving == Allowed(stop=True, restart=True, remove=True, tunnel=True, chat=True)
    assert stopped == Allowed(start=True, remove=True)
    assert starting == Allowed(stop=True)
    assert unknown == Allowed()


def test_a_failed_start_without_container_cannot_be_started_again():
    assert not allowed(snapshot(S.FAILED, container_id=None)).start


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(30, "< 1 min"), (300, "5 min"), (7500, "2 h 05 min"), (200_000, "2 d 7 h")],
)
def test_uptime_reads_like_speech(seconds, text):
    started = datetime.fromtimestamp(NOW_S - seconds, UTC).isoformat()

    assert uptime_text(started, NOW_S) == text


def test_uptime_of_what_never_started_is_empty():
    assert uptime_text(None, NOW_S) == ""
    assert uptime_text("yesterday", NOW_S) == ""


def test_the_track_shows_what_is_to_come_and_where_it_failed():
    phases = (
        PhaseProgress(phase="preflight", started_s=0.0, duration_s=0.2),
        PhaseProgress(phase="create", started_s=0.2, duration_s=0.1),
        PhaseProgress(phase="weights", started_s=0.4, duration_s=None, progress=0.4),
    )
    starting = {p.id: p for p in present_phases(snapshot(S.STARTING, phases=phases), None)}
    failed = {p.id: p for p in present_phases(snapshot(S.FAILED, phases=phases), None)}

    assert starting["weights"].status == "running"
    assert starting["weights"].time == "40%"
    assert starting["verify"].status == starting["serving"].status == "waiting"
    assert "fetch" not in starting
    assert failed["weights"].status == "failed"


def test_steps_that_the_log_never_named_are_skipped_once_it_went_on():
    phases = (
        PhaseProgress(phase="create", started_s=0.2, duration_s=0.1),
        PhaseProgress(phase="process", started_s=0.3, duration_s=0.2),
        PhaseProgress(phase="weights", started_s=None, duration_s=None),
        PhaseProgress(phase="ready", started_s=0.5, duration_s=0.1),
        PhaseProgress(phase="verify", started_s=0.6, duration_s=0.2),
    )
    serving = PhaseProgress(phase="serving", started_s=0.8, duration_s=None)

    def statuses(state: S, *more: PhaseProgress) -> dict[str, str]:
        track = present_phases(snapshot(state, phases=(*phases, *more)), None)
        return {phase.id: phase.status for phase in track}

    serves = statuses(S.SERVING)
    assert serves["weights"] == "skipped"
    assert {serves[name] for name in ("create", "process", "ready", "serving")} == {"done"}
    assert statuses(S.STOPPED)["serving"] == "waiting"
    assert statuses(S.STOPPED, serving)["serving"] == "done"
    assert statuses(S.FAILED, serving)["serving"] == "failed"


def test_details_name_what_the_engine_reported_and_what_went_wrong():
    error = ErrorInfo(code=ErrorCode.ENGINE_EXITED, cause="It ended.", remedy="Read the log.")
    actual = Actual(quantity="weights_bytes_per_gpu", value=2**30, unit="bytes", line=1, text="")
    odd = replace(actual, quantity="something_new")

    detail = present_detail(
        snapshot(S.FAILED, error=error, exit_code=1),
        now_s=NOW_S, remaining_s=None, actuals=(actual, odd), engine=None,
    )  # fmt: skip

    assert detail.error is error
    assert detail.reported == (("Weights", "1.00 GiB"),)
    assert ("Exit status", "1") in detail.facts
    assert detail.card.endpoint == ""


def test_an_answers_times_are_said_with_units():
    answer = ChatAnswer(text="Red.", ttft_s=0.12, total_s=1.12, tokens=51)

    said = answer_facts(answer).replace("\N{NO-BREAK SPACE}", " ")
    assert said == "TTFT 120 ms · 51 tokens · 50 tokens/s · 1.12 s in all"
    assert "TTFT" not in answer_facts(replace(answer, ttft_s=None, tokens=None))


def test_the_list_changes_exactly_what_changed(qtmodeltester):
    model = DeploymentsModel()
    a, b = present_card(snapshot(), NOW_S), present_card(snapshot(name="b"), NOW_S)
    model.replace((a, b))
    kept = QPersistentModelIndex(model.index(1))

    model.replace((replace(b, uptime="9 min"),))

    assert kept.row() == 0
    assert model.row_of("demo/qwen") == -1
    qtmodeltester.check(model)


def test_the_log_is_bounded_and_counts_what_it_dropped():
    model = LogModel(limit=5_000)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)

    for start in range(0, 12_000, 1_000):
        model.append(lines(1_000, start=start))

    assert 5_000 <= model.rowCount() <= 5_000 + PAGE
    assert model.dropped + model.rowCount() == 12_000
    assert model.text(model.rowCount() - 1) == "line 11999"
    tester.deleteLater()


def test_searching_finds_old_and_new_lines_and_goes_round():
    model = LogModel()
    model.show_time(ShownTime.UTC)
    model.append([*lines(3), LogLine(text="CUDA out of memory", level=LogLevel.ERROR)])
    model.search.search(Query(text="out of MEMORY"))
    model.append([LogLine(text="again: Out of memory", at="2026-11-29T10:20:30.123Z")])

    assert model.matches == 2
    assert model.match_after(3) == 4
    assert model.match_after(4) == 3
    assert model.match_before(4) == 3
    assert model.match_number(4) == 2
    assert model.index(3).data(MATCH_ROLE) is True
    assert model.index(3).data(LEVEL_ROLE) == LogLevel.ERROR
    assert model.text(4) == "10:20:30  again: Out of memory"
    model.search.search(Query())
    assert model.match_after(0) == -1


def test_a_hundred_thousand_lines_stay_smooth(demo, heartbeat):
    model = LogModel()
    view = LogView(demo.parts.theme, demo.parts.icons, model)
    demo.qtbot.addWidget(view)
    with heartbeat.paused():
        batches = [lines(4_000, start=start) for start in range(0, 104_000, 4_000)]
    view.resize(700, 400)
    view.show()

    def feed() -> bool:
        if batches:
            model.append(batches.pop())
        return not batches

    demo.qtbot.waitUntil(feed)

    assert model.rowCount() >= 100_000
    bar = view.lines.verticalScrollBar()
    assert bar.value() == bar.maximum()


def test_finding_pauses_the_log_at_the_match(demo):
    model = LogModel()
    view = LogView(demo.parts.theme, demo.parts.icons, model)
    demo.qtbot.addWidget(view)
    model.append([LogLine(text="needle"), *lines(50)])

    with demo.qtbot.waitSignal(view.following_changed):
        view.finder.search.setText("needle")

    assert view.lines.currentIndex().row() == 0
    view.lines.copy()
    view._toggle()
    assert view._is_following


def test_the_whole_way_from_plan_to_answer_and_stop(demo, wait):
    """Demo host → model → plan → deploy → serving → log, chat, tunnel → live moves → stop."""
    window = demo.window
    window.open_page("plan")
    plan = window.page("plan").view_model
    plan.choose_model("/models/qwen2.5-7b-instruct")
    wait(lambda: plan.state.can_deploy)

    plan.deploy("first")
    wait(lambda: window.current_page == "deployments")
    page = window.page("deployments")
    vm = page.view_model
    demo.qtbot.waitUntil(
        lambda: vm.snapshot is not None and vm.snapshot.state is S.SERVING, timeout=20_000
    )
    assert page.detail.track.phases[-1].status == "done"
    wait(lambda: "Application startup complete" in vm.log.all_text())

    page.detail.chat.prompt.setText("Name three colours.")
    page.detail.chat.send.click()
    wait(lambda: bool(vm.state.chat.answer))
    assert "TTFT" in vm.state.chat.facts

    vm.open_tunnel()
    wait(lambda: bool(vm.state.detail.tunnel_url))
    vm.close_tunnel()
    wait(lambda: not vm.state.detail.tunnel_url)

    window.open_page("live")
    live = window.page("live")
    demo.qtbot.waitUntil(lambda: live.is_ready)
    demo.qtbot.waitUntil(
        lambda: any(p.id == "requests" and p.curves for p in live.view_model.state.plots),
        timeout=20_000,
    )
    assert live.view_model.state.deployment == "first"

    vm.stop()
    wait(lambda: vm.snapshot.state is S.STOPPED)
    wait(lambda: any(mark.word == "Stopped" for mark in live.view_model.state.marks))
    vm.remove()
    wait(lambda: not vm.state.cards)
    window.open_page("deployments")
    assert page._stack.currentIndex() == 0


def test_a_taken_name_is_said_on_the_plan_page(demo, wait):
    window = demo.window
    window.open_page("plan")
    page = window.page("plan")
    plan = page.view_model
    plan.choose_model("/models/qwen2.5-7b-instruct")
    wait(lambda: plan.state.can_deploy)
    plan.deploy("same")
    wait(lambda: window.current_page == "deployments")

    with demo.qtbot.waitSignal(plan.failed) as caught:
        plan.deploy("same")

    assert caught.args[0].code is ErrorCode.NAME_TAKEN


@pytest.fixture
def serving(demo, wait):
    """The deployments page with one deployment that serves."""
    window = demo.window
    window.open_page("plan")
    plan = window.page("plan").view_model
    plan.choose_model("/models/qwen2.5-7b-instruct")
    wait(lambda: plan.state.can_deploy)
    plan.deploy("one")
    wait(lambda: window.current_page == "deployments")
    page = window.page("deployments")
    vm = page.view_model
    demo.qtbot.waitUntil(
        lambda: vm.snapshot is not None and vm.snapshot.state is S.SERVING, timeout=20_000
    )
    return page


def confirm(demo) -> None:
    """Press the dangerous button of the question that is open."""
    demo.qtbot.waitUntil(lambda: bool(demo.window.findChildren(ConfirmDialog)))
    dialog = demo.window.findChildren(ConfirmDialog)[-1]
    dialog.accept_button.click()


def test_stop_start_and_restart_ask_first_and_the_log_follows(serving, demo, wait):
    vm = serving.view_model

    serving.detail.buttons["stop"].click()
    confirm(demo)
    wait(lambda: vm.snapshot.state is S.STOPPED)
    assert serving.detail.buttons["start"].isVisible()

    serving.detail.buttons["start"].click()
    demo.qtbot.waitUntil(lambda: vm.snapshot.state is S.SERVING)
    serving.detail.buttons["restart"].click()
    confirm(demo)
    demo.qtbot.waitUntil(lambda: vm.snapshot.state is not S.SERVING)
    demo.qtbot.waitUntil(lambda: vm.snapshot.state is S.SERVING)
    wait(lambda: vm.log.rowCount() > 0)


def test_removing_says_what_happens_and_empties_the_page(serving, demo, wait):
    serving.detail.buttons["remove"].setEnabled(True)

    serving._confirm("remove")
    confirm(demo)

    wait(lambda: not serving.view_model.state.cards)
    assert serving._stack.currentIndex() == 0
    assert demo.app.deployments.snapshot() == ()


def test_the_endpoint_can_be_copied_with_and_without_tunnel(serving, demo, wait):
    clipboard = QGuiApplication.clipboard()
    serving._on_asked("copy_endpoint")
    assert clipboard.text() == f"http://127.0.0.1:{serving.view_model.snapshot.host_port}"

    serving.detail.tunnel.click()
    wait(lambda: bool(serving.view_model.state.detail.tunnel_url))
    serving._on_asked("copy_endpoint")

    assert clipboard.text() == serving.view_model.state.detail.tunnel_url
    serving.detail.tunnel.click()
    wait(lambda: not serving.view_model.state.detail.tunnel_url)
    del demo


def test_the_whole_log_is_saved_as_printed(serving, demo, tmp_path):
    target = tmp_path / "one.log"

    with demo.qtbot.waitSignal(serving.view_model.log_saved):
        serving.view_model.save_log(target)

    assert "Application startup complete" in target.read_text("utf-8")


def test_a_paused_log_stands_still_counts_what_is_new_and_goes_on(serving, wait):
    vm, log = serving.view_model, serving.detail.log
    wait(lambda: "startup complete" in vm.log.all_text())
    log.set_following(following=False)
    bar = log.lines.verticalScrollBar()
    bar.setValue(0)

    vm.say("Hello")
    wait(lambda: bool(vm.state.chat.answer) and log.news.isVisible())

    assert bar.value() == 0
    assert "new line" in log.news.text()
    log.news.click()
    wait(lambda: bar.value() == bar.maximum())
    assert not log.news.isVisible()


def test_the_log_of_another_deployment_is_followed_from_the_first(serving):
    state, log = serving.view_model.state, serving.detail.log
    log.set_following(following=False)
    serving.detail.show_state(replace(state, detail=_another(state.detail)))

    assert log.follow.accessibleName() == "Pause"


def _another(detail: DeploymentDetail) -> DeploymentDetail:
    return replace(detail, card=replace(detail.card, ref="demo/another"))


def test_the_log_can_be_read_from_its_start_and_copied_as_command(serving, wait):
    vm, log = serving.view_model, serving.detail.log
    wait(lambda: "startup complete" in vm.log.all_text())
    resets = []
    vm.log.modelReset.connect(lambda: resets.append(True))

    log.read_whole.trigger()
    wait(lambda: bool(resets) and "startup complete" in vm.log.all_text())
    log.copy_command.trigger()

    assert QGuiApplication.clipboard().text() == f"pitwall logs {vm.snapshot.ref}"


def test_a_chat_that_is_refused_says_why_in_its_box(serving, demo, wait):
    vm = serving.view_model
    demo.finish(demo.app.hosts.disconnect(vm.snapshot.host_id))

    vm.say("Hello")
    wait(lambda: vm.state.chat.error is not None or vm.snapshot.state is S.UNKNOWN)

    assert not vm.state.chat.answer


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_speaks_chinese_in_both_themes(serving, demo, wait, theme):
    demo.use(language="zh_CN", theme=theme)
    wait(lambda: serving.detail.buttons["restart"].text() == "重启")

    assert not serving.grab().isNull()
    assert serving.detail.track.phases[-1].word == "服务中"
    assert serving.view_model.state.cards[0].state.word == "服务中"


def test_a_removed_host_takes_its_deployments_off_the_page(serving, demo, wait):
    demo.finish(demo.app.hosts.remove(serving.view_model.snapshot.host_id))

    wait(lambda: not serving.view_model.state.cards)
    assert serving.view_model.state.detail is None


def test_a_container_that_somebody_removed_is_gone_not_failed():
    error = ErrorInfo(code=ErrorCode.CONTAINER_NOT_FOUND, cause="The container is gone.", remedy="")
    removed = snapshot(S.FAILED, error=error)

    assert present_card(removed, NOW_S).state.word == "Gone"
    assert present_card(removed, NOW_S).state.status != "error"
    assert allowed(removed) == Allowed(remove=True)


def test_what_was_found_running_does_not_pretend_to_know_its_start():
    found = snapshot(phases=(PhaseProgress(phase="weights", started_s=None, duration_s=None),))
    seen = snapshot(phases=(PhaseProgress(phase="weights", started_s=1.0, duration_s=2.0),))

    def is_found(of: DeploymentSnapshot) -> bool:
        return present_detail(
            of, now_s=NOW_S, remaining_s=None, actuals=(), engine=None
        ).found_running

    assert is_found(found)
    assert not is_found(seen)


def test_an_unconnected_host_is_never_said_to_have_nothing():
    settings = ui_fakes.ssh_settings("gpubox", id="h1")
    away = HostSnapshot(revision=1, settings=settings, state=HostState.DISCONNECTED)
    there = replace(away, state=HostState.CONNECTED)

    assert present_empty(away, frozenset()).title == "gpubox is not connected"
    assert present_empty(away, frozenset()).offer == "connect"
    assert present_empty(there, frozenset()).offer == "look"
    assert present_empty(there, frozenset({"h1"})).title == "Nothing is deployed on gpubox"
    assert present_empty(None, frozenset()).offer == "hosts"
    assert present_unseen((away, there)) == "not connected, so not asked: gpubox"


def test_curl_through_the_tunnel_carries_key_and_model():
    text = curl_text(snapshot(tunnel_port=4711), "it's secret")

    assert text.startswith("curl http://127.0.0.1:4711/v1/chat/completions \\\n")
    words = shlex.split(text.replace("\\\n", " "))
    assert "Authorization: Bearer it's secret" in words
    assert json.loads(words[-1])["model"] == "qwen2.5"
    assert "Authorization" not in curl_text(snapshot(tunnel_port=1), None)


def test_the_key_is_copied_and_works_but_is_not_shown(serving, demo, wait):
    clipboard = QGuiApplication.clipboard()
    clipboard.clear()
    serving.detail.copy_key.click()
    wait(lambda: bool(clipboard.text()))
    key = clipboard.text()

    assert not serving.detail.copy_curl.isVisible()
    serving.detail.tunnel.click()
    wait(lambda: bool(serving.view_model.state.detail.tunnel_url))
    assert serving.detail.copy_curl.isVisible()
    serving.detail.copy_curl.click()
    wait(lambda: clipboard.text().startswith("curl "))

    assert f"Bearer {key}" in clipboard.text()
    shown = [label.text() for label in serving.findChildren(QLabel)]
    assert not any(key in text for text in shown)
    del demo


def test_the_empty_sentence_is_not_cut(demo, wait):
    demo.window.open_page("deployments")
    page = demo.window.page("deployments")
    wait(page.steps["plan"].isVisible)

    for language in ("en", "zh_CN"):
        demo.use(language=language)
        demo.qtbot.wait(50)
        sentence = page._empty._text
        assert sentence.height() >= sentence.heightForWidth(sentence.width())


def test_older_revisions_are_named_and_can_be_removed_alone(serving, demo, wait):
    detail = serving.view_model.state.detail
    assert not serving.detail.older.isVisible()

    asked = []
    serving.detail.asked.connect(asked.append)
    state = replace(serving.view_model.state, detail=replace(detail, older=2))
    serving.detail.show_state(state)
    assert serving.detail.older.isVisible()
    assert "2" in serving.detail._older_text.text()
    serving.detail.remove_older.click()
    confirm(demo)

    assert asked == ["remove_older"]
    wait(lambda: not serving.detail.older.isVisible())
    assert serving.view_model.snapshot.state is S.SERVING


def test_an_answers_last_line_is_whole(qtbot):
    answer = AnswerView()
    qtbot.addWidget(answer)
    answer.show()
    line = answer.fontMetrics().lineSpacing()

    for height in (61, 70, 83):
        answer.resize(200, height)
        room = answer.viewport().height() - round(answer.document().documentMargin())
        assert room % line == 0
