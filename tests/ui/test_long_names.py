"""Names as long as they may be, in any script: everything stays in its place and can be read."""

from dataclasses import replace

import pytest
import ui_fakes
from PySide6.QtWidgets import QDialog, QLabel, QPushButton

from app.ui.pages.registry import load_pages
from app.ui.widgets.hosts_details import HostDetails
from app.ui.widgets.text import ElidedLabel

LATIN = "a-host-whose-name-goes-on-and-on-because-nobody-ever-stopped-it-"
CHINESE = "上海数据中心三号楼七层机房推理服务器" * 3
MIXED = "🏎️ خادم الاستدلال الرئيسي في الرياض 🚥 עברית Ω≈ç√∫ ﷽﷽﷽﷽﷽"
SMALLEST = (1000, 640)


def cut(root) -> list[str]:
    """Return what asks for more room than it has and neither wraps nor ends in an ellipsis."""
    found = []
    for widget in root.findChildren(QLabel) + root.findChildren(QPushButton):
        if not widget.isVisible() or isinstance(widget, ElidedLabel) or not widget.text():
            continue
        if isinstance(widget, QLabel) and widget.wordWrap():
            continue
        if widget.width() < widget.minimumSizeHint().width():
            found.append(widget.text())
    return found


@pytest.mark.parametrize("name", [LATIN, CHINESE, MIXED], ids=["latin", "chinese", "mixed"])
def test_no_name_pushes_the_window_apart(desk, outside, name: str) -> None:
    fingerprint = ui_fakes.recorded_fingerprint()
    gpus = tuple(replace(gpu, name=f"NVIDIA {name}") for gpu in fingerprint.gpus)
    outside.fingerprints[name] = replace(fingerprint, gpus=gpus)
    settings = ui_fakes.ssh_settings(name, address=f"{'sub.' * 50}example.com", user="u" * 32)
    host = desk.add_host(replace(settings, group=name[:64], notes=name * 3))
    desk.window.select_host(host.settings.id)
    desk.window.resize(*SMALLEST)
    wrong = {}
    for spec in load_pages():
        desk.window.open_page(spec.id)
        desk.qtbot.wait(50)
        size = (desk.window.width(), desk.window.height())
        if size != SMALLEST or cut(desk.window.centralWidget()):
            wrong[spec.id] = (size, cut(desk.window.centralWidget()))
    assert wrong == {}
    hosts = desk.window.page("hosts")
    desk.window.open_page("hosts")
    hosts.hosts.looked_at.emit(host.settings.id)
    desk.qtbot.waitUntil(lambda: bool(desk.window.findChildren(HostDetails)))
    desk.qtbot.wait(50)
    assert (desk.window.width(), desk.window.height()) == SMALLEST
    assert cut(desk.window.centralWidget()) == []
    hosts.remove(host.settings.id)
    hosts.edit(host.settings.id)
    dialogs = [one for one in desk.window.findChildren(QDialog) if one.isVisible()]
    assert len(dialogs) == 2
    for dialog in dialogs:
        desk.qtbot.wait(50)
        assert dialog.width() <= SMALLEST[0], type(dialog)
        assert cut(dialog) == []
        dialog.reject()
