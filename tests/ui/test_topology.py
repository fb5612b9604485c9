"""The topology picture: where things stand, what they say, what can be chosen."""

from dataclasses import replace
from itertools import combinations

import pytest
import ui_fakes

from app.core.hardware.fingerprint import Cpu, Gpu, LinkKind, MigDevice, Topology
from app.ui.scenes.topology_items import GpuItem
from app.ui.viewmodels.topology import lane_text, present_groups, ranges_text, selection_facts
from app.ui.viewmodels.topology_faults import mig_text, present_faults
from app.ui.viewmodels.topology_layout import lay_out
from app.ui.viewmodels.topology_shapes import Box, Sizes

SIZES = Sizes(letter=8, line=17)


def overlap(first: Box, second: Box) -> bool:
    return (
        first.x < second.right
        and second.x < first.right
        and first.y < second.bottom
        and second.y < first.bottom
    )


@pytest.mark.parametrize(("gpus", "nics"), [(1, 0), (2, 1), (4, 4), (8, 8), (16, 10)])
def test_no_two_devices_overlap(gpus: int, nics: int) -> None:
    scene = lay_out(ui_fakes.big_fingerprint(gpus, nics), SIZES)

    boxes = [card.box for card in scene.cards] + [nic.box for nic in scene.nics]

    assert len(scene.cards) == gpus
    assert len(scene.nics) == nics
    assert not any(overlap(a, b) for a, b in combinations(boxes, 2))
    for box in boxes:
        assert box.x >= 0
        assert box.right <= scene.width
        assert box.bottom <= scene.height


def test_sixteen_gpus_and_ten_nics_stay_readable_on_a_small_screen() -> None:
    scene = lay_out(ui_fakes.big_fingerprint(16, 10), SIZES)

    # 1,160 × 580 is what a window of 1,280 × 800 leaves for the picture.
    assert scene.width <= 1400
    assert scene.height <= 560


def test_an_island_with_equal_links_is_drawn_as_one_bus() -> None:
    scene = lay_out(ui_fakes.big_fingerprint(16, 0), SIZES)

    assert [len(bus.members) for bus in scene.buses] == [8, 8]
    assert not any(wire.link.kind is LinkKind.NVLINK for wire in scene.wires)


def _with_links(host, change):
    links = tuple(change(link) for link in host.topology.links)
    return replace(host, topology=replace(host.topology, links=links))


def _below_shared_switches(link):
    if link.a.startswith("GPU") and link.b.startswith("NIC"):
        shared = int(link.a[3:]) // 2 == int(link.b[3:])
        return replace(link, kind=LinkKind.PXB if shared else LinkKind.NODE)
    return link


def test_gpus_of_one_pcie_switch_stand_together_below_its_bar() -> None:
    host = _with_links(ui_fakes.big_fingerprint(16, 8), _below_shared_switches)
    scene = lay_out(host, SIZES)

    assert len(scene.switches) == 8
    cards = {card.key: card.box for card in scene.cards}
    for bar in scene.switches:
        below = [cards[name] for name in bar.switch.members if name in cards]
        assert len(below) == 2
        assert all(bar.box.bottom < box.y for box in below)
        assert all(bar.box.x <= box.x and box.right <= bar.box.right for box in below)
    assert not any(overlap(a.box, b.box) for a, b in combinations(scene.switches, 2))
    assert scene.height <= 620


def test_nvswitch_is_told_from_links_between_gpus() -> None:
    (first, _) = lay_out(ui_fakes.big_fingerprint(16, 0), SIZES).buses
    assert first.by_switch
    host = ui_fakes.big_fingerprint(4, 0)
    direct = _with_links(host, lambda link: replace(link, nvlink_count=4, kind=LinkKind.NVLINK))
    (bus,) = lay_out(direct, SIZES).buses
    assert not bus.by_switch


@pytest.mark.parametrize(
    ("sockets", "told"), [(2, ["Socket 0", "Socket 1"]), (1, ["Socket 0"] * 2), (None, None)]
)
def test_sockets_are_named_where_the_counts_leave_no_choice(sockets, told) -> None:
    host = replace(ui_fakes.big_fingerprint(4, 0), cpu=Cpu(sockets=sockets))
    titles = [lane_text(lane) for lane in lay_out(host, SIZES).lanes]

    if told is None:
        assert all(title.startswith("NUMA node") for title in titles)
    else:
        assert [title.split(" · ")[0] for title in titles] == told


def test_a_switch_stays_whole_when_one_gpu_fell_off_the_fabric() -> None:
    host = _with_links(ui_fakes.big_fingerprint(8, 4), _below_shared_switches)
    host = replace(host, topology=replace(host.topology, nvlink_islands=((0, 1, 2, 3, 4, 6, 7),)))
    scene = lay_out(host, SIZES)

    assert not any(overlap(a.box, b.box) for a, b in combinations(scene.switches, 2))


def _off_the_fabric(link):
    if link.kind is LinkKind.NVLINK and "GPU5" in (link.a, link.b):
        return replace(link, kind=LinkKind.SYS, nvlink_count=None, bandwidth_gbps=None)
    if (link.a, link.b) == ("GPU0", "GPU1"):
        return replace(link, nvlink_count=17)
    return link


def test_faulty_links_stand_out_and_are_told() -> None:
    host = _with_links(ui_fakes.big_fingerprint(8, 0), _off_the_fabric)
    host = replace(host, topology=replace(host.topology, nvlink_islands=((0, 1, 2, 3, 4, 6, 7),)))
    notes = present_faults(host)
    scene = lay_out(host, SIZES)

    assert notes.status == "error"
    assert notes.cards[5].color == "status.error"
    assert notes.pairs == {frozenset({"GPU0", "GPU1"})}
    assert "GPU 5 has no NVLink" in notes.sentences[0]
    assert "0–1" in notes.sentences[1]
    (bus,) = scene.buses
    assert not bus.all_pairs
    assert [(wire.a, wire.b) for wire in scene.wires] == [("GPU0", "GPU1")]


def test_a_sound_host_has_nothing_to_tell() -> None:
    assert present_faults(ui_fakes.recorded_fingerprint()).sentences == ()


def test_mig_instances_are_counted_by_profile() -> None:
    slices = tuple(
        MigDevice(index=i, profile=p) for i, p in enumerate(["1g.18gb"] * 2 + ["3g.71gb"])
    )

    assert mig_text(Gpu(index=0, mig_mode=True, mig_devices=slices)) == "MIG 2 × 1g.18gb, 3g.71gb"
    assert mig_text(Gpu(index=0, mig_mode=True)) == "MIG on, no instance"
    assert mig_text(Gpu(index=0)) == ""


def test_two_gpus_are_joined_by_one_labelled_wire() -> None:
    scene = lay_out(ui_fakes.recorded_fingerprint(), SIZES)

    (wire,) = scene.wires
    assert (wire.a, wire.b) == ("GPU0", "GPU1")
    assert wire.labelled
    assert wire.link.nvlink_count == 18
    assert scene.buses == ()


def test_an_island_with_unequal_links_is_drawn_pair_by_pair() -> None:
    found = ui_fakes.big_fingerprint(4, 0)
    links = tuple(
        replace(link, nvlink_count=1) if (link.a, link.b) == ("GPU0", "GPU3") else link
        for link in found.topology.links
    )

    scene = lay_out(replace(found, topology=replace(found.topology, links=links)), SIZES)

    assert scene.buses == ()
    assert len([wire for wire in scene.wires if wire.link.kind is LinkKind.NVLINK]) == 6


def test_gpus_without_a_numa_node_get_a_lane_of_their_own() -> None:
    found = ui_fakes.big_fingerprint(2, 0)
    gpus = tuple(replace(gpu, numa_node=None) for gpu in found.gpus)

    scene = lay_out(replace(found, gpus=gpus, topology=Topology()), SIZES)

    assert [lane.numa for lane in scene.lanes] == [None]
    assert scene.trunks
    assert scene.wires == ()


def test_ranges_are_written_short() -> None:
    assert ranges_text({0, 1, 2, 3, 6}) == "0–3, 6"
    assert ranges_text({5}) == "5"


def test_groups_say_why() -> None:
    words = [group.words for group in present_groups(ui_fakes.big_fingerprint())]

    assert words == ["TP 2: GPU 0–1", "TP 4: GPU 0–3", "TP 8: GPU 0–7"]
    assert present_groups(ui_fakes.recorded_fingerprint())[0].why.startswith("Every pair")


def test_facts_of_several_gpus_add_their_memory_and_name_the_links() -> None:
    facts = {f.label: f for f in selection_facts(ui_fakes.big_fingerprint(), frozenset({0, 8}))}

    assert facts["Memory together"].value == "287,542\u00a0MiB (280.8\u00a0GiB)"
    assert facts["between NUMA nodes"].value == "SYS (0–8)"
    assert facts["between NUMA nodes"].status == "warn"
    assert facts["NUMA nodes"].value == "0, 1"


def test_unknown_memory_of_one_gpu_makes_the_sum_unknown() -> None:
    found = ui_fakes.big_fingerprint(2, 0)
    gpus = (found.gpus[0], replace(found.gpus[1], memory_total_mib=None))

    facts = {f.label: f for f in selection_facts(replace(found, gpus=gpus), frozenset({0, 1}))}

    assert facts["Memory together"].value is None
    assert facts["Memory together"].reason == "not reported"


@pytest.fixture
def page(desk):
    desk.outside.fingerprints["big"] = ui_fakes.big_fingerprint()
    snapshot = desk.add_host(ui_fakes.ssh_settings("big"))
    desk.window.select_host(snapshot.settings.id)
    desk.window.open_page("topology")
    page = desk.window.page("topology")
    desk.qtbot.waitUntil(lambda: page.view_model.fingerprint is not None)
    return page


def test_clicks_choose_gpus_and_ctrl_adds(page, desk) -> None:
    page.scene.gpu_clicked.emit(1, False)
    page.scene.gpu_clicked.emit(2, True)

    assert page.view_model.selected == {1, 2}
    assert page.view_model.selected_uuids[0].startswith("GPU-00000001")
    assert desk.window._inspector.isVisible()
    page.view.clear_wanted.emit()
    assert page.view_model.selected == frozenset()
    assert not desk.window._inspector.isVisible()


def test_pointing_at_a_gpu_fades_what_is_not_connected(page) -> None:
    page.scene.point_at("GPU0")

    faded = {key for key, item in page.scene._devices.items() if item.opacity() < 1}
    assert "GPU8" in faded
    assert "GPU7" not in faded
    page.scene.point_at("")
    assert all(item.opacity() == 1 for item in page.scene._devices.values())


def test_keys_move_choose_zoom_and_fit(page, desk) -> None:
    from PySide6.QtCore import Qt

    view = page.view
    view.setFocus()
    desk.qtbot.keyClick(view, Qt.Key.Key_Right)
    desk.qtbot.keyClick(view, Qt.Key.Key_Space)
    assert len(page.view_model.selected) == 1
    desk.qtbot.keyClick(view, Qt.Key.Key_Return)
    before = view.zoom
    desk.qtbot.keyClick(view, Qt.Key.Key_Plus)
    assert view.zoom > before
    desk.qtbot.keyClick(view, Qt.Key.Key_0)
    for _ in range(20):
        view.zoom_by(1.5)
    assert view.zoom <= 4.01


def test_the_picture_is_saved_as_png_and_svg(page, desk, tmp_path) -> None:
    for name in ("a.png", "a.svg"):
        with desk.qtbot.waitSignal(page.view_model.saved):
            page.export(tmp_path / name)

    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "a.svg").read_text("utf-8")


def test_a_simulated_host_carries_its_badge_in_the_picture(page, desk) -> None:
    demo = desk.finish(desk.app.hosts.add_demo())
    desk.window.connect_host(demo.settings.id)
    desk.window.select_host(demo.settings.id)
    desk.qtbot.waitUntil(lambda: len(page.scene.gpu_indices) == 2)

    texts = [item.text() for item in page.scene.items() if hasattr(item, "text")]

    assert "Simulated" in texts
    assert any(isinstance(item, GpuItem) for item in page.scene.items())
