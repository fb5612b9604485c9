"""Findings in the window: panel, jump into the log, changed plan, support bundle."""

from dataclasses import replace

import pytest
from fakes.diagnosis import CAUSES
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel

from app.core.bundle.content import Missing, Source, compose
from app.core.bundle.redact import Redactor
from app.core.deployment.spec import ContainerSpec
from app.core.diagnosis.finding import (
    Confidence,
    Diagnosis,
    Evidence,
    Finding,
    ParameterChange,
    PlanChange,
    Verdict,
)
from app.core.errors import ErrorCode, ErrorInfo
from app.core.events import DeploymentSnapshot, DeploymentState
from app.core.logs.line import LogLine
from app.core.planning.changes import ChangedValue
from app.core.texts import Text
from app.ui.messages import cause_text, remedy_text
from app.ui.tour_steps import _too_little_memory
from app.ui.viewmodels.bundle import present_bundle
from app.ui.viewmodels.deployments_findings import _row, container_diff, panel_of
from app.ui.viewmodels.deployments_lines import LogModel
from app.ui.viewmodels.findings import present_findings, worth_showing
from app.ui.widgets.findings import FindingsView

S = DeploymentState


def finding(cause="usage_error", **changes) -> Finding:
    base = Finding(
        cause=cause,
        family="usage",
        confidence=Confidence.HIGH,
        evidence=(Evidence(line=12, text="error: invalid argument: --x"),),
        title=CAUSES[cause].meaning,
        explanation=Text(en="It does not know the flag.", zh_CN="引擎不认识该参数。"),
        remedy=(Text(en="Correct the flag.", zh_CN="更正该参数。"),),
        change=PlanChange(parameters=(ParameterChange(parameter="x", action="remove"),)),
        sources=("llama.cpp b10434, https://example.org/a?b=1", "a page"),
        rule="r",
    )
    return replace(base, **changes)


def diagnosis(*findings: Finding, **changes) -> Diagnosis:
    primary = findings[0] if findings else None
    verdict = Verdict.CAUSE_FOUND if findings else Verdict.NOT_IN_LOG
    base = Diagnosis(primary=primary, findings=findings, verdict=verdict, lines_read=20, starts=1)
    return replace(base, **changes)


def snapshot(state=S.FAILED, **changes) -> DeploymentSnapshot:
    base = DeploymentSnapshot(
        revision=1, host_id="h1", host_name="demo", name="chat", state=state, container_id="c1"
    )
    return replace(base, **changes)


def test_panel_says_cause_evidence_remedy_and_change():
    panel = present_findings(diagnosis(finding()), command="pitwall diagnose x", can_apply=True)

    card = panel.cards[0]
    assert (panel.headline.status, card.is_primary, card.can_apply) == ("error", True, True)
    assert card.evidence[0].place == "line 12"
    assert card.steps == ("Correct the flag.",)
    assert card.changes == ("remove x",)
    assert "usage_error" in panel.text
    assert "line 12" in panel.text
    assert panel.command == "pitwall diagnose x"


def test_cause_that_is_not_in_the_log_says_what_to_collect():
    collect = (Text(en="Set NCCL_DEBUG=INFO.", zh_CN="设置 NCCL_DEBUG=INFO。"),)
    telling = (Evidence(line=3, text="SomethingError: x"),)

    panel = present_findings(diagnosis(collect=collect, telling=telling))

    assert panel.headline.status == "warn"
    assert panel.collect == ("Set NCCL_DEBUG=INFO.",)
    assert panel.telling[0].text == "SomethingError: x"


def test_what_runs_well_shows_no_panel():
    healthy = diagnosis(verdict=Verdict.HEALTHY)

    assert panel_of(snapshot(S.SERVING), healthy) is None
    assert panel_of(snapshot(S.STOPPED, diagnosis=diagnosis(finding())), None) is None
    assert panel_of(snapshot(S.FAILED), None) is None
    assert not worth_showing(diagnosis(verdict=Verdict.NOTHING_FOUND), failed=False)


def test_serving_engine_shows_what_its_followed_log_tells():
    panel = panel_of(snapshot(S.SERVING), diagnosis(finding()))

    assert panel is not None
    assert panel.command == "pitwall diagnose demo/chat"


def test_failed_one_shows_its_own_diagnosis_not_the_log_that_is_shown():
    own = diagnosis(finding("port_in_use"))

    panel = panel_of(snapshot(diagnosis=own), diagnosis(finding()))

    assert panel.cards[0].cause == "port_in_use"


def test_widget_copies_jumps_and_asks_for_the_changed_plan(demo):
    view = FindingsView(demo.parts.theme, demo.parts.icons)
    demo.qtbot.addWidget(view)
    second = finding("port_in_use", confidence=Confidence.LOW)
    view.show_panel(present_findings(diagnosis(finding(), second), command="c", can_apply=True))
    lines, changes = [], []
    view.line_wanted.connect(lambda number, text: lines.append((number, text)))
    view.change_wanted.connect(changes.append)

    buttons = {b.text(): b for b in view.findChildren(type(view.apply)) if b.text()}
    buttons["line 12"].click()
    view.apply.click()
    view.copy_command.click()
    copied = QGuiApplication.clipboard().text()
    view.copy_text.click()

    assert lines == [(12, "error: invalid argument: --x")]
    assert changes == ["usage_error"]
    assert copied == "c"
    assert "Correct the flag." in QGuiApplication.clipboard().text()
    links = [w for w in view.findChildren(QLabel) if "href" in w.text()]
    assert 'href="https://example.org/a?b=1"' in links[0].text()


def test_evidence_is_found_in_the_log_by_its_words():
    model = LogModel()
    words = ["start", "same line", "x", "same line", "a long line " + "y" * 80]
    model.append(LogLine(text=text, number=n) for n, text in enumerate(words, 1))

    assert model.row_of_line(1, "same line") == 1
    assert model.row_of_line(5, "same line") == 3
    assert model.row_of_line(999, "x") == 2
    assert model.row_of_line(1, "a long line " + "y" * 80 + " put together") == 4
    assert model.row_of_line(1, "not there") == -1


def test_values_of_a_changed_plan_say_what_is_proposed_and_what_is_not_known():
    rows = [
        _row(ChangedValue(parameter="a", flag="--a", old=None, new="1", proposed=True)),
        _row(ChangedValue(parameter="b", flag="", old=None, new=None, reason="unknown")),
        _row(ChangedValue(parameter="c", flag="--c", old="2", new=None, reason="needs_value")),
        _row(ChangedValue(parameter="d", flag="--d", old=None, new="--d")),
    ]

    assert [row.editable for row in rows] == [True, False, True, False]
    assert rows[0].old == "not set"
    assert "first step" in rows[0].note


def test_diff_of_the_container_shows_old_and_new():
    old = ContainerSpec(
        name="x", image="i", command=("--ctx", "4", "--flag"), container_port=1, host_port=2
    )
    new = replace(old, command=("--ctx", "8", "--flag"), environment={"A": "1"})

    diff = container_diff(old, new).splitlines()

    assert "---ctx 4" in diff
    assert "+--ctx 8" in diff
    assert "+A=1" in diff


def test_error_names_the_finding_in_both_languages(demo):
    error = ErrorInfo(
        code=ErrorCode.ENGINE_EXITED,
        params={
            "engine": "vLLM",
            "exit_code": "1",
            "finding_zh_CN": "端口已被占用。",
            "todo_zh_CN": "换一个端口。",
        },
        cause="It exited. The port is taken.",
        remedy="Take another port.",
    )

    assert (cause_text(error), remedy_text(error)) == (error.cause, error.remedy)
    demo.use(language="zh_CN")
    assert cause_text(error) == "vLLM 已退出，退出码 1。端口已被占用。"
    assert remedy_text(error) == "换一个端口。"


def test_bundle_preview_lists_files_and_what_was_replaced():
    title = Text(en="A log", zh_CN="日志")
    bundle = compose(
        [Source(path="log.txt", title=title, text="at 10.0.0.9")],
        redactor=Redactor(),
        made_at="2026-11-29T10:00:00Z",
        version="1",
        missing=[Missing(path="metrics.csv", reason=title)],
    )

    view = present_bundle(bundle, "demo/chat")

    assert [row.path for row in view.rows] == ["log.txt", "manifest.json"]
    assert view.content == "at <ipv4-1>"
    assert view.replaced == "Replaced by stand-ins: IPv4 addresses 1"
    assert view.missing == ("metrics.csv: A log",)


@pytest.fixture
def trouble(demo, wait):
    """The Deployments page on a demo deployment whose start failed for want of memory."""
    host = demo.window.hosts()[0]
    host_id, app = host.settings.id, demo.app

    async def fail():
        profile = replace(
            await app.profiles.load("chat-one-gpu"), model="/models/qwen2.5-7b-instruct"
        )
        plan = await app.deployments.preview(profile, host_id, name="chat")
        try:
            await app.deployments.deploy(_too_little_memory(plan))
        except Exception as error:  # noqa: BLE001 - the failure is what is wanted
            return error
        return None

    error = demo.finish(fail())
    assert error is not None
    demo.window.open_page("deployments")
    page = demo.window.page("deployments")
    wait(lambda: page.detail.findings.panel is not None)
    return page


def test_failed_deployment_shows_its_cause_and_jumps_to_the_line(trouble, wait):
    panel = trouble.detail.findings.panel
    assert panel.cards[0].cause == "kv_cache_smaller_than_max_len"
    assert not trouble.detail.banner.isVisible()
    assert not trouble.detail.chat.isVisible()
    log = trouble.view_model.log
    wait(lambda: log.rowCount() > 0)

    evidence = panel.cards[0].evidence[0]
    trouble.detail.findings.line_wanted.emit(evidence.line, evidence.text)

    wait(lambda: trouble.detail.log.lines.currentIndex().isValid())
    row = trouble.detail.log.lines.currentIndex().row()
    assert evidence.text[:60] in log.text(row)


def test_changed_plan_is_shown_then_deployed_as_a_new_revision(trouble, demo, wait):
    trouble.detail.findings.apply.click()
    wait(lambda: trouble.changes.view.can_deploy)
    sheet = trouble.sheet
    assert "+--max-model-len" in trouble.changes.view.diff
    assert "→" in trouble.changes.view.memory or trouble.changes.view.memory

    field = sheet.fields["context_tokens"]
    field.selectAll()
    demo.qtbot.keyClicks(field, "4096")
    field.editingFinished.emit()
    wait(lambda: "+--max-model-len 4096" in trouble.changes.view.diff)
    sheet.submit()

    def is_serving():
        return any(
            s.state is S.SERVING and s.deployment_revision == 2
            for s in demo.app.deployments.snapshot()
        )

    wait(is_serving)
    wait(lambda: trouble.detail.findings.panel is None)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_findings_speak_chinese_in_both_themes(trouble, demo, wait, theme):
    demo.use(language="zh_CN", theme=theme)

    wait(lambda: trouble.detail.findings.panel.headline.word == "已找到原因")
    assert trouble.detail.findings.apply.text() == "应用修改后的方案…"
    assert trouble.detail.findings.panel.cards[0].steps[0].isascii() is False


def test_support_bundle_is_looked_into_and_saved(trouble, demo, wait, tmp_path):
    trouble.detail.bundle.click()
    demo.qtbot.waitUntil(lambda: trouble.bundles.view.can_save, timeout=30_000)
    sheet = trouble.bundle_sheet

    rows = {row.path for row in trouble.bundles.view.rows}
    assert {"log.txt", "findings.txt", "manifest.json"} <= rows
    sheet.files.setCurrentRow(0)
    assert trouble.bundles.view.selected == trouble.bundles.view.rows[0].path
    assert sheet.content.toPlainText() == trouble.bundles.view.content

    trouble.bundles.save(tmp_path / "bundle.zip")
    wait((tmp_path / "bundle.zip").exists)
    wait(lambda: trouble.bundle_sheet is None)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_on_a_small_screen_findings_and_log_have_room(trouble, demo, wait, language):
    demo.use(language=language)
    demo.qtbot.wait(50)
    demo.window.resize(1024, 700)
    wait(lambda: not trouble.detail._start_card.isVisible())
    demo.qtbot.wait(20)

    findings, log = trouble.detail.findings, trouble.detail.log
    bottom = findings.mapTo(trouble, findings.rect().bottomLeft()).y()
    assert bottom <= log.mapTo(trouble, log.rect().topLeft()).y()
    assert log.height() >= log.minimumSizeHint().height()

    demo.window.resize(1280, 800)
    wait(trouble.detail._start_card.isVisible)
