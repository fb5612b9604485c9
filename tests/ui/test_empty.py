"""Pages that need a host say why nothing is there, and what comes next."""

import pytest
import ui_fakes

from app.core.events import HostSnapshot, HostState
from app.ui.viewmodels.host_empty import present_away, present_no_host
from app.ui.widgets.host_empty import HostEmpty

PAGES = ("fingerprint", "topology", "plan", "deployments", "live")
CONNECTED_ONLY = ("deployments", "live")


def empty_of(desk, page_id) -> HostEmpty:
    desk.window.open_page(page_id)
    return desk.window.page(page_id).findChild(HostEmpty)


def offered(empty: HostEmpty) -> list[str]:
    return [step for step, button in empty.steps.items() if button.isVisible()]


@pytest.fixture
def record(desk) -> HostSnapshot:
    made = desk.finish(desk.app.hosts.add_record(ui_fakes.big_fingerprint(4, 2), "from-customer"))
    desk.qtbot.waitUntil(lambda: made.settings.id in {h.settings.id for h in desk.window.hosts()})
    desk.window.select_host(made.settings.id)
    return made


@pytest.mark.parametrize("page_id", PAGES)
def test_without_a_host_the_hosts_page_is_one_click_away(desk, page_id) -> None:
    empty = empty_of(desk, page_id)

    assert offered(empty) == ["hosts"]
    empty.steps["hosts"].click()
    assert desk.window.current_page == "hosts"


@pytest.mark.parametrize("page_id", CONNECTED_ONLY)
def test_a_record_is_never_offered_a_connection(desk, record, page_id) -> None:
    empty = empty_of(desk, page_id)

    assert empty.isVisible()
    assert offered(empty) == []
    assert empty._title.text() == f"{record.settings.name} is a record"


def test_a_host_that_is_not_connected_is_connected_from_there(desk) -> None:
    host = desk.add_host(ui_fakes.ssh_settings(), connect=False)
    desk.window.select_host(host.settings.id)
    empty = empty_of(desk, "plan")

    assert offered(empty) == ["connect"]
    empty.steps["connect"].click()
    desk.qtbot.waitUntil(lambda: not empty.isVisible())


def test_while_it_connects_nothing_is_offered() -> None:
    settings = ui_fakes.ssh_settings("gpubox", id="h1")
    view = present_away(
        HostSnapshot(revision=1, settings=settings, state=HostState.CONNECTING), "It is needed."
    )

    assert view.offer == ""
    assert view.text == "It is needed."


def test_a_connected_host_needs_no_words() -> None:
    settings = ui_fakes.ssh_settings("gpubox", id="h1")

    assert (
        present_away(HostSnapshot(revision=1, settings=settings, state=HostState.CONNECTED), "-")
        is None
    )
    assert present_away(None, "-") == present_no_host()


def test_the_steps_follow_the_language(desk) -> None:
    empty = empty_of(desk, "live")
    desk.use(language="zh_CN")

    desk.qtbot.waitUntil(lambda: empty.steps["hosts"].text() == "打开“主机”页")
