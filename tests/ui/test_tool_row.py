"""The buttons beside a page's title, where the window is narrow."""

import pytest
import ui_fakes
from PySide6.QtWidgets import QLabel, QPushButton

from app.ui.widgets.facts import FactList


@pytest.fixture
def page(desk):
    host = desk.add_host(ui_fakes.ssh_settings())
    desk.window.select_host(host.settings.id)
    desk.window.open_page("fingerprint")
    made = desk.window.page("fingerprint")
    desk.qtbot.waitUntil(lambda: made.view_model.fingerprint is not None)
    return made


def buttons(page) -> list[QPushButton]:
    found = [page.tools.itemAt(n).widget() for n in range(page.tools.count())]
    return [b for b in found if isinstance(b, QPushButton) and b.isVisible()]


def cut(page) -> list[str]:
    return [b.text() for b in buttons(page) if b.width() < b.sizeHint().width()]


def narrow(desk) -> None:
    desk.window.resize(1024, 700)
    details = FactList(desk.parts.theme, ())
    details.setMinimumWidth(320)
    desk.window.show_inspector(details, "GPU0")
    desk.qtbot.wait(20)


def test_no_button_is_cut_on_a_small_screen_beside_the_inspector(desk, page) -> None:
    narrow(desk)

    desk.qtbot.waitUntil(lambda: not cut(page))
    assert page._take.text() == "Take again"


def test_a_button_without_words_still_says_them(desk, page) -> None:
    narrow(desk)

    assert page._save.text() == ""
    assert page._save.accessibleName() == "Save as JSON"
    assert page._save.toolTip() == "Save as JSON"


def test_the_words_come_back_with_the_room(desk, page) -> None:
    before = [(b.text(), b.toolTip()) for b in buttons(page)]
    narrow(desk)

    desk.window.hide_inspector()
    desk.window.resize(1280, 800)
    desk.qtbot.waitUntil(lambda: [(b.text(), b.toolTip()) for b in buttons(page)] == before)
    assert page._save.accessibleName() == ""


def test_another_language_reaches_a_button_without_words(desk, page) -> None:
    narrow(desk)

    desk.use(language="zh_CN")

    desk.qtbot.waitUntil(lambda: page._save.toolTip() == "保存为 JSON")
    desk.qtbot.waitUntil(lambda: not cut(page))


@pytest.mark.usefixtures("page")
def test_the_reason_of_a_group_is_shortened_not_cut(desk) -> None:
    desk.window.open_page("topology")
    topology = desk.window.page("topology")
    desk.qtbot.waitUntil(lambda: topology.view_model.fingerprint is not None)
    topology._group_why.resize(40, 20)

    assert isinstance(topology._group_why, QLabel)
    assert topology._group_why.toolTip() or topology._group_why.text().endswith("…")
