"""Details stand beside what they are of, and tables read as tables."""

from dataclasses import replace

import pytest
import ui_fakes
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QToolButton

from app.core.hardware.fingerprint import MigDevice
from app.core.inspect.kinds import InspectKind
from app.services.inspecting import Look
from app.ui.models.inspect import TextTableModel
from app.ui.viewmodels.fingerprint_warnings import warning_facts
from app.ui.viewmodels.inspect_texts import present_look
from app.ui.viewmodels.topology_layout import lay_out
from app.ui.viewmodels.topology_shapes import Sizes
from app.ui.widgets.facts import FactList

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def show_a_gpu(desk) -> None:
    desk.window.show_inspector(FactList(desk.parts.theme, ()), "GPU3")
    assert desk.window._inspector.isVisible()


@pytest.fixture
def page(desk):
    host = desk.add_host(ui_fakes.ssh_settings())
    desk.window.select_host(host.settings.id)
    desk.window.open_page("fingerprint")
    made = desk.window.page("fingerprint")
    desk.qtbot.waitUntil(lambda: made.view_model.fingerprint is not None)
    return made


@pytest.mark.usefixtures("page")
def test_details_of_one_host_never_stand_beside_another(desk) -> None:
    other = desk.add_host(ui_fakes.ssh_settings("other"), connect=False)
    show_a_gpu(desk)

    desk.window.select_host(other.settings.id)

    assert not desk.window._inspector.isVisible()


@pytest.mark.usefixtures("page")
def test_news_of_the_same_host_leave_its_details_open(desk) -> None:
    show_a_gpu(desk)

    desk.finish(desk.app.hosts.take_fingerprint(desk.window.current_host.settings.id))
    desk.qtbot.wait(50)

    assert desk.window._inspector.isVisible()


def test_details_close_with_their_tab(desk, page) -> None:
    show_a_gpu(desk)

    page.open_tab(page.checks)

    assert not desk.window._inspector.isVisible()


def test_raw_output_is_offered_only_where_there_is_some(desk, page) -> None:
    assert page._raw.isEnabled()
    page._raw.click()
    outside = ui_fakes.big_fingerprint(4, 0)
    desk.outside.fingerprints["bare"] = outside
    bare = desk.add_host(ui_fakes.ssh_settings("bare"))
    desk.window.select_host(bare.settings.id)
    desk.qtbot.waitUntil(lambda: page.view_model.fingerprint.host_name == "bare")

    assert not page._raw.isEnabled()
    assert page._raw.toolTip()
    assert page.details.gpus_view.isVisible()


def test_figures_stand_to_the_right_and_words_take_the_room() -> None:
    table = TextTableModel(("Name", "Used, MiB", "°C"), (("A", "12", "–"), ("B", "7,5", "41")))

    role = Qt.ItemDataRole.TextAlignmentRole
    assert [table.data(table.index(0, column), role) for column in range(3)] == [None, RIGHT, RIGHT]
    assert table.headerData(1, Qt.Orientation.Horizontal, role) == RIGHT
    assert table.stretched() == 0


def test_facts_and_values_stay_beside_each_other() -> None:
    table = TextTableModel(("Fact", "Value"), (("Sockets", "2"),))

    assert table.figures == frozenset()
    assert table.stretched() == 1


def test_a_failure_is_said_once() -> None:
    text = "NVIDIA-SMI has failed: it is not there."
    found = {"driver_version": None, "cause": "driver_not_loaded", "remedy": "Load it."}
    warning = "driver_not_loaded: NVIDIA-SMI has failed"
    look = Look(
        name="paste", kind=InspectKind.SMI_ERROR, result=found, warnings=(warning,), text=text
    )

    view = present_look(look, {})

    assert [fact.value for fact in view.facts] == ["driver_not_loaded", "Load it."]
    assert view.warnings == ()


def test_evidence_follows_its_sentence() -> None:
    warnings = ("cut: the banner is missing", "numa_memory_contradicts: sizes", "cut: ")
    found = replace(ui_fakes.big_fingerprint(1, 0), warnings=warnings)

    assert [fact.value for fact in warning_facts(found, {})] == [
        "An output is cut off: the banner is missing",
        "The sizes of the NUMA nodes do not add up to the machine's memory.",
        "An output is cut off.",
    ]
    assert {fact.label for fact in warning_facts(found, {})} == {"Finding"}


def test_cards_have_room_for_mig_instances_and_lanes_for_their_title() -> None:
    host = ui_fakes.big_fingerprint(2, 0)
    slices = tuple(MigDevice(index=i, profile=p) for i, p in enumerate(["1g.18gb", "3g.71gb"] * 2))
    mixed = replace(host, gpus=(replace(host.gpus[0], mig_mode=True, mig_devices=slices),))
    sizes = Sizes(letter=8, line=17)

    usual, wide = lay_out(host, sizes), lay_out(mixed, sizes)

    assert wide.cards[0].box.width == 8 * 26
    assert usual.cards[0].box.width == 8 * 17
    assert all(lane.box.width >= 8 * 44 for lane in usual.lanes)


def test_every_cross_that_clears_an_input_has_a_name(desk) -> None:
    for page_id in ("hosts", "deployments", "inspect"):
        desk.window.open_page(page_id)
    lines = [line for line in desk.window.findChildren(QLineEdit) if line.isClearButtonEnabled()]

    crosses = [button for line in lines for button in line.findChildren(QToolButton)]
    assert len(crosses) >= 3
    assert [button for button in crosses if not button.accessibleName()] == []


def test_a_comparison_goes_with_the_host_it_was_made_with(desk, page) -> None:
    other = desk.add_host(ui_fakes.ssh_settings("other"))
    page.open_tab(page.compare)
    compare = page.compare.view_model
    desk.qtbot.waitUntil(lambda: any(c.label == "other" for c in compare.state.others))
    compare.choose_other(next(c for c in compare.state.others if c.label == "other"))
    desk.qtbot.waitUntil(lambda: compare.state.comparison is not None)

    desk.finish(desk.app.hosts.remove(other.settings.id))

    desk.qtbot.waitUntil(lambda: compare.state.comparison is None)
    assert compare.state.other is None


def test_the_versions_are_named_in_the_language_in_force(desk) -> None:
    desk.window.open_page("about")
    about = desk.window.page("about")
    assert about._names[-1].text() == "System"

    desk.use(language="zh_CN")

    desk.qtbot.waitUntil(lambda: about._names[-1].text() == "系统")


def test_there_and_back_the_themes_leave_nothing_behind(desk, page) -> None:
    page.open_tab(page.checks)
    desk.qtbot.waitUntil(lambda: page.checks.view_model.report is not None)
    desk.qtbot.wait(50)
    light = desk.window.grab().toImage()

    desk.use(theme="dark")
    desk.qtbot.wait(50)
    dark = desk.window.grab().toImage()
    desk.use(theme="light")
    desk.qtbot.wait(50)

    assert dark.pixelColor(300, 780).lightness() < light.pixelColor(300, 780).lightness()
    assert desk.window.grab().toImage() == light
