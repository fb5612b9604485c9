"""The Settings page: each setting is checked, kept, in force, and can be taken back."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSplitter, QWidget

from app.ui.pages.registry import PageRequest
from app.ui.theme import Theme
from app.ui.viewmodels.settings_list import SETTINGS
from app.ui.widgets.table import DataTable
from app.ui.window_memory import WindowMemory


@pytest.fixture
def index() -> Iterator[str]:
    """A package index that knows of version 99."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps({"info": {"version": "99.0.0"}}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join(5)


@pytest.fixture
def page(desk):
    desk.window.open_page("settings")
    return desk.window.page("settings")


def kept(desk, name: str) -> object:
    return getattr(desk.app.settings.get(), name)


def test_the_palettes_settings_are_all_on_the_page(page) -> None:
    for name in SETTINGS:
        page.receive(PageRequest(action=name))
        assert page._places()[name].isVisibleTo(page)
    assert set(page._places()) == set(SETTINGS)


def test_mirrors_are_checked_kept_and_told_to_the_deployments(desk, page, wait) -> None:
    page.network.mirrors.setPlainText("docker.io")
    page.network.mirrors.commit()
    assert "REGISTRY = MIRROR" in page.network.fields["image_mirrors"].error
    assert kept(desk, "image_mirrors") == ""

    page.network.mirrors.setPlainText("docker.io = mirror.example:5000")
    page.network.mirrors.commit()

    wait(lambda: kept(desk, "image_mirrors") == "docker.io = mirror.example:5000")
    assert page.network.fields["image_mirrors"].error == ""
    assert desk.app.settings.mirrors() == {"docker.io": "mirror.example:5000"}


def test_a_proxy_that_is_none_is_refused_beside_its_field(desk, page, wait) -> None:
    page.network.proxy.setText("proxy.example")
    page.network.proxy.editingFinished.emit()
    assert "http://HOST:PORT" in page.network.fields["http_proxy"].error

    page.network.proxy.setText("http://proxy.example:3128")
    page.network.proxy.editingFinished.emit()

    wait(lambda: kept(desk, "http_proxy") == "http://proxy.example:3128")
    assert page.network.fields["http_proxy"].error == ""


def test_nobody_is_asked_for_updates_unless_it_is_turned_on(desk, page, index, wait) -> None:
    found: list[str] = []
    desk.window.view_model.update_found.connect(found.append)
    desk.finish(desk.app.settings.update(update_url=index))
    assert kept(desk, "check_for_updates") is False
    assert desk.finish(desk.app.updates.look_if_wanted()) is None

    page.network.updates.click()
    wait(lambda: kept(desk, "check_for_updates") is True)
    desk.window.view_model.look_for_update()

    wait(lambda: found == ["99.0.0"])


def test_looking_now_goes_through_the_proxy_and_says_when_nobody_answers(
    desk, page, index, wait
) -> None:
    # The proxy answers itself: the address asked for does not exist.
    desk.finish(
        desk.app.settings.update(update_url="http://index.invalid/pitwall.json", http_proxy=index)
    )
    page.network.look.click()
    wait(lambda: "99.0.0" in page.network.told.accessibleName())

    desk.finish(desk.app.settings.update(update_url=f"{index}x", http_proxy=""))
    page.network.look.click()
    wait(lambda: "did not answer" in page.network.told.accessibleName())


def test_going_back_to_the_defaults_can_be_undone(desk, page, wait) -> None:
    desk.finish(desk.app.settings.update(text_percent=150, check_for_updates=True))

    page._defaults.click()
    wait(lambda: kept(desk, "text_percent") == 100)
    assert page.undo.text
    page.undo.undo()

    wait(lambda: kept(desk, "text_percent") == 150 and kept(desk, "check_for_updates") is True)


def test_the_size_of_text_is_taken_within_bounds() -> None:
    from app.io.datafiles import load_theme

    theme = Theme({name: load_theme(name) for name in ("light", "dark")})
    points = theme.font().pointSizeF()
    theme.scale_text(150)
    assert theme.font().pointSizeF() == pytest.approx(points * 1.5)
    theme.scale_text(4000)
    assert theme.font().pointSizeF() == pytest.approx(points * 2)


def test_own_data_files_are_shown_as_such(desk, page, wait) -> None:
    folder = desk.app.folders.overrides / "engines" / "vllm"
    folder.mkdir(parents=True)
    (folder / "metrics.toml").write_text("")
    (folder / "mine.toml").write_text("")

    page.activated()

    wait(lambda: page.own_files._rows.rowCount() == 2)
    words = [
        page.own_files._rows.itemAt(row, page.own_files._rows.ItemRole.FieldRole).widget().text()
        for row in range(2)
    ]
    assert words == ["changes shipped data", "adds data"]


def test_arrangement_is_kept_over_a_restart_and_can_be_reset(desk, wait) -> None:
    desk.window.open_page("fingerprint")
    page = desk.window.page("fingerprint")
    first = page.tabs.currentIndex()
    page.tabs.setCurrentIndex(1)
    wait(lambda: "fingerprint/checks-search" in desk.window._memory._followed)
    page.checks.table.horizontalHeader().moveSection(0, 1)
    page.checks.search.setText("nvlink")
    table: DataTable = page.checks.table
    table.sortByColumn(2, Qt.SortOrder.DescendingOrder)
    wait(lambda: "checks-search" in str(kept(desk, "view_state")))

    again = WindowMemory(desk.window.window_state()["view_state"])
    from app.ui.pages.fingerprint import FingerprintPage

    other = FingerprintPage(page._context)
    desk.qtbot.addWidget(other)
    again.follow("fingerprint", other)
    assert other.tabs.currentIndex() == 1
    wait(lambda: "fingerprint/checks-search" in again._followed)
    assert other.checks.search.text() == "nvlink"
    header = other.checks.table.horizontalHeader()
    assert header.visualIndex(0) == 1
    assert (header.sortIndicatorSection(), header.sortIndicatorOrder()) == (
        2,
        Qt.SortOrder.DescendingOrder,
    )
    other.dispose()

    desk.window.forget_arrangement()
    assert page.tabs.currentIndex() == first
    assert page.checks.search.text() == ""
    assert page.checks.table.horizontalHeader().visualIndex(0) == 0


@pytest.mark.parametrize("text", ["", "{", "[]", '{"fingerprint/x": 3}', "x" * 70_000])
def test_a_spoiled_memory_harms_nothing(qtbot, text: str) -> None:
    memory = WindowMemory(text)
    splitter = QSplitter()
    qtbot.addWidget(splitter)
    memory.follow("page", splitter)
    assert memory.text() == "{}"


def test_what_is_gone_is_not_arranged_and_its_successor_is(qtbot) -> None:
    memory, page = WindowMemory(""), QWidget()
    qtbot.addWidget(page)
    for _ in range(2):
        splitter = QSplitter(page)
        splitter.addWidget(QLabel("a"))
        splitter.addWidget(QLabel("b"))
        memory.follow("page", page)
        assert len(memory._first) == 1
        shiboken6.delete(splitter)
        memory.forget()
        assert not memory._first


def test_cleared_notes_can_be_had_back(desk, wait) -> None:
    import ui_fakes

    host = desk.add_host(ui_fakes.ssh_settings(notes="rack 4"), connect=False)
    desk.window.open_page("hosts")
    page = desk.window.page("hosts")
    host_id = host.settings.id

    page.inspection._on_notes(host_id, "")
    wait(lambda: desk.app.hosts.find(host_id).settings.notes == "")
    assert "cleared" in page.undo.text
    page.undo.undo()

    wait(lambda: desk.app.hosts.find(host_id).settings.notes == "rack 4")


def test_a_theme_reaches_a_hidden_page_when_it_is_shown(desk) -> None:
    from PySide6.QtCore import QEvent, QObject

    class Count(QObject):
        styled = 0

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
            self.styled += event.type() == QEvent.Type.StyleChange
            return super().eventFilter(watched, event)

    desk.window.open_page("about")
    desk.window.open_page("settings")
    hidden = desk.window.page("about")
    count = Count(desk.window)
    hidden.parts.installEventFilter(count)

    desk.parts.theme.choose("dark")
    assert count.styled == 0
    desk.window.open_page("about")

    assert count.styled > 0
    ground = hidden.grab().toImage().pixelColor(4, hidden.height() - 4)
    assert ground == desk.parts.theme.color("window")
    desk.parts.theme.choose("light")
    assert hidden.grab().toImage().pixelColor(4, hidden.height() - 4) != ground
