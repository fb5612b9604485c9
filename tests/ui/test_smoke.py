"""The Smoke run tab: what would be run, and what was found."""

from dataclasses import replace

import pytest
import ui_fakes

from app.core.errors import ErrorCode, ErrorInfo
from app.core.smoke.report import (
    Claim,
    FigureState,
    SmokeDevice,
    SmokeFigure,
    SmokeReport,
    SmokeVerdict,
)
from app.core.smoke.spec import SmokeKind, SmokeQuantity
from app.services.smoke import SmokeWish
from app.ui.viewmodels.fingerprint_smoke import present_smoke, smoke_command

REPORT = SmokeReport(
    host_name="rack-1",
    taken_at="2026-11-30T09:00:00Z",
    engine="vllm",
    image="vllm/vllm-openai:v0.26.0",
    kind=SmokeKind.TORCH,
    command="docker run …",
    verdict=SmokeVerdict.LOW,
    torch="2.11.0",
    devices=(
        SmokeDevice(index=0, gpu=1, name="NVIDIA H200", total_bytes=150 * 2**30, computes=True),
        SmokeDevice(index=1, gpu=None, name="NVIDIA H200", computes=False),
    ),
    figures=(
        SmokeFigure(
            quantity=SmokeQuantity.HOST_TO_DEVICE,
            gpus=(1,),
            gbps=24.0,
            claim=Claim(gbps=63.0, source="PCIe generation 5, 16 lanes"),
            state=FigureState.LOW,
        ),
        SmokeFigure(
            quantity=SmokeQuantity.GPU_TO_GPU,
            gpus=(0, 1),
            state=FigureState.FAILED,
            error="Traceback\nCUDA out of memory",
        ),
        SmokeFigure(quantity=SmokeQuantity.DISK_READ, gbps=1.6, state=FigureState.NO_CLAIM),
    ),
    errors=("one thing",),
    duration_s=31.4,
)


def test_a_report_is_put_into_words() -> None:
    view = present_smoke(REPORT)

    assert view.status == "warn"
    assert "31 s" in view.detail
    assert [(row.gpus, row.measured, row.claimed, row.share, row.status) for row in view.rows] == [
        ("1", "", "", "", "ok"),
        ("1", "", "", "", "error"),
        ("1", "24.0", "63.0", "38%", "warn"),
        ("0–1", "", "", "", "error"),
        ("", "1.6", "", "", "unknown"),
    ]
    assert view.rows[3].note == "CUDA out of memory"
    assert view.errors == "one thing"


@pytest.mark.parametrize("verdict", list(SmokeVerdict))
def test_every_verdict_has_its_words(verdict) -> None:
    assert present_smoke(replace(REPORT, verdict=verdict)).word


def test_the_same_as_a_command() -> None:
    wish = SmokeWish(engine="vllm", image="my image", folder="/models/a b")

    assert smoke_command("rack", wish) == (
        "pitwall smoke rack --engine vllm --image 'my image' --disk '/models/a b'"
    )


@pytest.fixture
def tab(desk):
    # The window's hosts are scripted after the services were built.
    desk.app.smoke._parts = replace(desk.app.smoke._parts, hosts=desk.app.hosts)
    desk.outside.fingerprints["gpu-a"] = ui_fakes.recorded_fingerprint()
    snapshot = desk.add_host(ui_fakes.ssh_settings("gpu-a"))
    desk.window.select_host(snapshot.settings.id)
    desk.window.open_page("fingerprint")
    page = desk.window.page("fingerprint")
    page.tabs.setCurrentWidget(page.smoke)
    return page.smoke


def test_the_exact_command_stands_there_before_anything_runs(tab, desk) -> None:
    desk.qtbot.waitUntil(lambda: "docker run" in tab.command.toPlainText())

    assert "--network none" in tab.command.toPlainText()
    assert tab.run.isEnabled()
    assert not tab.cancel.isEnabled()
    tab.engine.setCurrentText("llama.cpp")
    desk.qtbot.waitUntil(lambda: "--list-devices" in tab.command.toPlainText())


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_stand_beside_their_claims(tab, desk, theme) -> None:
    desk.use(language="zh_CN", theme=theme)
    tab._on_report(REPORT)

    assert tab.model.rowCount() == 5
    assert tab.table.isVisible()
    assert tab.model.index(2, 4).data() == "38%"


def test_a_refusal_reaches_the_page_and_frees_the_button(tab, desk) -> None:
    desk.qtbot.waitUntil(tab.run.isEnabled)
    error = ErrorInfo(code=ErrorCode.IMAGE_MISSING, cause="No image.", remedy="Load it.")
    with desk.qtbot.waitSignal(tab.failed):
        tab.view_model._refuse_run(error)

    assert not tab.view_model.is_running
    assert tab.run.isEnabled()


def test_a_record_or_a_file_from_another_desk_has_nothing_to_run_on(desk):
    made = desk.finish(desk.app.hosts.add_record(ui_fakes.big_fingerprint(2, 0), "sent"))
    desk.window.select_host(made.settings.id)
    desk.window.open_page("fingerprint")
    page = desk.window.page("fingerprint")
    desk.qtbot.waitUntil(lambda: page.view_model.fingerprint is not None)

    page.open_tab(page.smoke)
    desk.qtbot.wait(100)
    page.smoke.show_fingerprint(replace(ui_fakes.big_fingerprint(2, 0), host_id="elsewhere"))
    desk.qtbot.wait(100)

    assert not page._banner.isVisible()
