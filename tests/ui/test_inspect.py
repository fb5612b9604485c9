"""The Inspect page over real services."""

import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QLabel

from app.core.errors import ErrorCode
from app.core.events import HostState
from app.core.hardware.fingerprint import HostSource
from app.core.inspect.kinds import InspectKind
from app.ui.widgets.table import DataTable

IDLE = Path(__file__).parents[2] / "resources" / "demo" / "h200-x2" / "idle"
LOG = (
    "INFO 01-01 10:00:00 [api_server.py:1] vLLM API server version 0.11.0\n"
    "INFO 01-01 10:00:01 [core.py:1] Initializing a V1 LLM engine (v0.11.0)\n"
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
)


@pytest.fixture
def page(desk):
    desk.window.open_page("inspect")
    return desk.window.page("inspect")


def looked(desk, page):
    desk.qtbot.waitUntil(
        lambda: not page.view_model.is_busy and page.view_model.state.look is not None
    )
    return page.view_model.state.look


def test_an_output_is_shown_as_tables_and_becomes_a_host(desk, page):
    page.view_model.open_path(IDLE / "smi-q-x.txt")
    look = looked(desk, page)
    assert look.kind is InspectKind.SMI_XML
    assert any("616" in row for table in page.view_model.view.tables for row in table.rows)
    page.view_model.use_as_host()
    desk.qtbot.waitUntil(lambda: desk.window.current_page == "fingerprint")
    host = desk.window.current_host
    assert host.is_record
    assert host.state is HostState.DISCONNECTED
    assert host.summary.gpu_count == 2
    fingerprint = desk.window.page("fingerprint")
    desk.qtbot.waitUntil(lambda: fingerprint.view_model.fingerprint is not None)
    assert len(fingerprint.view_model.fingerprint.gpus) == 2


def test_connecting_a_record_rests_with_its_reason(desk, page):
    page.view_model.think_of("2x L40S")
    looked(desk, page)
    page.view_model.use_as_host()
    desk.qtbot.waitUntil(lambda: desk.window.current_host is not None)
    connect = desk.window._host_bar._connect
    assert not connect.isEnabled()
    assert connect.toolTip()


def test_checks_are_one_click_away(desk, page):
    page.view_model.open_path(IDLE)
    looked(desk, page)
    page.view_model.use_as_host("checks")
    desk.qtbot.waitUntil(lambda: desk.window.current_page == "fingerprint")
    fingerprint = desk.window.page("fingerprint")
    assert fingerprint.tabs.currentWidget() is fingerprint.checks


def test_an_empty_clipboard_is_said(page):
    QGuiApplication.clipboard().clear()
    page.paste()

    assert not page.view_model.is_busy
    assert page.view_model.state.look is None


def test_a_pasted_log_is_diagnosed_at_once(desk, page):
    QGuiApplication.clipboard().setText(LOG)
    page.paste()
    desk.qtbot.waitUntil(lambda: page.view_model.state.diagnosis is not None)
    assert page.view_model.state.look.kind is InspectKind.ENGINE_LOG
    assert page.result.findings.panel is not None
    assert not page._use.isVisible()


def test_a_file_dropped_on_any_page_is_looked_at(desk, tmp_path):
    packed = tmp_path / "host.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(IDLE / "smi.txt", "smi.txt")
    content = QMimeData()
    content.setUrls([QUrl.fromLocalFile(str(packed))])
    desk.window.open_page("hosts")
    args = (QPoint(9, 9), Qt.DropAction.CopyAction, content)
    buttons = (Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    entering = QDragEnterEvent(*args, *buttons)
    desk.window.dragEnterEvent(entering)
    assert entering.isAccepted()
    desk.window.dropEvent(QDropEvent(QPoint(9, 9).toPointF(), *args[1:], *buttons))
    assert desk.window.current_page == "inspect"
    look = looked(desk, desk.window.page("inspect"))
    assert look.fingerprint is not None


def test_a_host_that_is_thought_of_says_where_it_is_from(desk, page):
    page.what_if.setText("4x A100-SXM4-80GB, 2 sockets")
    page._think.click()
    look = looked(desk, page)
    assert look.fingerprint.source is HostSource.CATALOGUE
    assert page.view_model.view.host_command.startswith("pitwall fingerprint --what-if")


def test_an_unknown_gpu_is_answered_on_the_page(desk, page):
    page.view_model.think_of("2x L40X")
    desk.qtbot.waitUntil(lambda: page._banner.error is not None)
    assert page._banner.error.code is ErrorCode.NOT_FOUND


def test_the_page_speaks_chinese(desk, page):
    page.view_model.open_path(IDLE / "smi-topo-m.txt")
    looked(desk, page)
    desk.use(language="zh_CN")
    desk.qtbot.waitUntil(lambda: page._use.text() == "作为主机使用")
    assert page.view_model.view.state.word == "GPU 拓扑矩阵"


def test_the_collector_script_can_be_saved(desk, page, tmp_path):
    target = tmp_path / "collector.sh"
    page.save_script(str(target))
    desk.qtbot.waitUntil(target.exists)
    assert target.read_text(encoding="utf-8").startswith("#!/bin/sh")


def test_what_a_thought_of_host_lacks_is_named_in_chinese_too(desk, page):
    desk.use(language="zh_CN")
    page.view_model.think_of("8x Foo 9000")
    desk.qtbot.waitUntil(page._banner.isVisible)

    words = [label.text() for label in page._banner.findChildren(QLabel)]
    assert any("Foo 9000" in text and "目录" in text for text in words)
    assert any("例如" in text for text in words)


def test_tab_goes_through_the_tables_before_what_stands_below_them(desk, page):
    page.view_model.open_path(IDLE / "smi.txt")
    looked(desk, page)
    page.result._area.setFocus()

    desk.window.focusNextChild()

    assert isinstance(page.focusWidget(), DataTable)


LAUNCH = """docker run --gpus all --ipc=host -p 127.0.0.1:8000:8000 -v hf:/data \\
  vllm/vllm-openai:v0.18.1 some/model \\
  --max-model-lenn 8192 --swap-space 4
"""


def test_a_launch_text_has_its_remarks_beside_the_lines(desk, page):
    QGuiApplication.clipboard().setText(LAUNCH)
    page.paste()
    look = looked(desk, page)
    panel = page.result.clinic
    assert look.kind is InspectKind.DOCKER_RUN
    assert panel.isVisible()
    heads = [panel.remarks.item(row).text() for row in range(panel.remarks.count())]
    row = next(i for i, text in enumerate(heads) if "--max-model-len" in text)

    panel.remarks.setCurrentRow(row)

    assert heads[row].startswith("Line 3")
    assert panel.text.textCursor().blockNumber() == 2
    assert len(panel.text.extraSelections()) == len(heads)


def test_the_corrected_launch_text_can_be_copied(desk, page):
    page.view_model.open_text(LAUNCH)
    looked(desk, page)

    page.result.clinic.copy_corrected.click()

    copied = QGuiApplication.clipboard().text()
    assert "--max-model-len 8192" in copied
    assert "--max-model-lenn" not in copied


def test_remarks_change_their_language(desk, page):
    page.view_model.open_text(LAUNCH)
    looked(desk, page)
    desk.use(language="zh_CN")
    panel = page.result.clinic
    desk.qtbot.waitUntil(lambda: panel.copy_corrected.text() == "复制修正后的文本")
    assert panel.remarks.item(0).text().startswith("第 3 行")


def test_a_tools_output_after_a_launch_text_has_no_remarks(desk, page):
    page.view_model.open_text(LAUNCH)
    looked(desk, page)
    page.view_model.open_path(IDLE / "smi-topo-m.txt")
    desk.qtbot.waitUntil(lambda: page.view_model.state.look.kind is InspectKind.TOPO)
    assert not page.result.clinic.isVisible()
