"""The live page looks back, compares, marks what happened, and keeps what is shown."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from app.core.events import DeploymentSnapshot, DeploymentState
from app.core.metrics.definitions import MetricDefinition
from app.core.metrics.vocabulary import Exposure, Metric, SeriesKey
from app.io.datafiles import data_root, load_metric_vocabulary
from app.ui.viewmodels.live_marks import MarkBook, marks_near
from app.ui.viewmodels.live_plots import Source, Subject, present_plots
from app.ui.viewmodels.live_span import LONGEST_S, SHORTEST_S, Span, moved, stretched

NOW_S = 1_800_000_000.0
CHAT = DeploymentSnapshot(
    revision=1, host_id="h", host_name="box", name="chat", state=DeploymentState.SERVING
)


@pytest.fixture(scope="module")
def definitions() -> dict[Metric, MetricDefinition]:
    return dict(load_metric_vocabulary(data_root()))


def test_a_span_moves_between_the_oldest_sample_and_now():
    span = Span(NOW_S - 100, 60)

    assert moved(span, 1_000, NOW_S) == Span(NOW_S, 60)
    assert moved(span, -10, NOW_S).start_s == NOW_S - 170
    assert moved(span, -10 * LONGEST_S, NOW_S).start_s == NOW_S - LONGEST_S


def test_stretching_keeps_the_time_under_the_pointer_where_it_is():
    span = Span(NOW_S - 1_000, 600)
    at_s = span.start_s + 150

    wide = stretched(span, 2.0, at_s, NOW_S)

    assert wide.range_s == 1_200
    assert at_s - wide.start_s == pytest.approx(300)
    assert stretched(span, 1e-6, at_s, NOW_S).range_s == SHORTEST_S
    assert stretched(span, 1e6, at_s, NOW_S) == Span(NOW_S, LONGEST_S)


def test_restarts_revisions_and_states_are_marked_once():
    book = MarkBook([CHAT])
    again = replace(CHAT, restart_count=2)
    book.note(again, NOW_S)
    book.note(again, NOW_S + 1)
    book.note(replace(again, deployment_revision=3), NOW_S + 2)
    book.note(replace(again, deployment_revision=3, state=DeploymentState.FAILED), NOW_S + 3)

    marks = book.of("h")
    assert [mark.text for mark in marks] == ["chat: Restart 2", "chat: Revision 3", "chat: Failed"]
    assert book.of("other") == ()
    assert [mark.word for mark in marks_near(marks, NOW_S + 2.1, 1.0)] == ["Revision 3", "Failed"]


def test_what_ran_before_the_page_was_opened_has_its_start_marked():
    book = MarkBook([replace(CHAT, started_at="2027-01-15T08:00:00Z")])

    assert [mark.at_s for mark in book.of("h")] == [NOW_S]


def views(definitions, **changes):
    keys = [
        SeriesKey(metric=metric, host_id="h", deployment=name)
        for name in ("a", "b")
        for metric in (Metric.TTFT_P50_S, Metric.TTFT_P95_S, Metric.KV_CACHE_USAGE_PERCENT)
    ] + [SeriesKey(metric=Metric.GPU_POWER_W, host_id="h", gpu_index=n) for n in range(3)]
    subject = Subject(
        host_id="h", deployment="a", engine="vLLM", beside=("b",), colors={"a": 0, "b": 3}
    )
    found = present_plots(
        replace(subject, **changes),
        Source(
            definitions=definitions, keys=keys, latest=lambda _key: 1.0,
            exposure=lambda _metric: Exposure.EXPOSED, reason=lambda _metric: None,
        ),
    )  # fmt: skip
    return {view.id: view for view in found}


def test_a_deployment_has_one_colour_in_every_plot(definitions):
    found = views(definitions)

    assert [(c.name, c.token, c.dashed) for c in found["ttft"].curves] == [
        ("a p50", "series.1", False), ("b p50", "series.4", False),
        ("a p95", "series.1", True), ("b p95", "series.4", True),
    ]  # fmt: skip
    assert [(c.name, c.token) for c in found["kv"].curves] == [("a", "series.1"), ("b", "series.4")]


def test_side_by_side_each_has_its_plot_and_one_axis(definitions):
    found = views(definitions, is_split=True)

    assert [curve.name for curve in found["ttft@b"].curves] == ["p50", "p95"]
    assert found["ttft@a"].shares == found["ttft@b"].shares == "ttft"
    assert {c.token for c in found["kv@b"].curves} == {"series.4"}
    assert "ttft" not in found
    assert len(found["power"].curves) == 3


def test_one_gpu_alone_and_owners_switched_off(definitions):
    found = views(definitions, gpu=1, hidden=frozenset({"b"}))

    assert [curve.name for curve in found["power"].curves] == ["GPU 1"]
    assert [curve.is_hidden for curve in found["kv"].curves] == [False, True]


@pytest.fixture
def live(demo):
    demo.window.open_page("live")
    page = demo.window.page("live")
    demo.qtbot.waitUntil(lambda: page.is_ready)
    demo.qtbot.waitUntil(
        lambda: any(view.curves for view in page.view_model.state.plots), timeout=20_000
    )
    return page


def test_keys_move_stretch_and_go_back_to_now(live, demo):
    vm, grid = live.view_model, live.grid
    demo.qtbot.keyClick(grid, Qt.Key.Key_Left)
    assert vm.state.is_paused
    assert live._pause.text() == "Back to now"
    back_s = vm.state.now_s
    demo.qtbot.keyClick(grid, Qt.Key.Key_Minus)
    assert vm.state.range_s == 120
    assert not any(chip.isChecked() for chip in live._chips.values())
    demo.qtbot.keyClick(grid, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    demo.qtbot.keyClick(grid, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert live._at_s == pytest.approx(back_s - 1.2, abs=1e-3)

    demo.qtbot.keyClick(grid, Qt.Key.Key_0)
    assert not vm.state.is_paused
    assert vm.state.now_s > back_s


def test_pulling_a_plot_moves_all_of_them(live, demo):
    vm = live.view_model
    view = live.grid.plots["power"]._plot.viewport()
    middle = view.rect().center()
    demo.qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=middle)
    demo.qtbot.mouseMove(view, middle + type(middle)(40, 0))
    demo.qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=middle)

    assert vm.state.is_paused
    still = vm.state.now_s
    demo.qtbot.waitUntil(lambda: not live.grid._waiting)
    ranges = {
        round(plot._plot.getPlotItem().vb.viewRange()[0][1], 3)
        for name, plot in live.grid.plots.items()
        if plot.view is not None and not plot.view.missing
    }
    assert ranges == {round(still, 3)}


def test_a_click_in_the_legend_switches_a_gpu_off_everywhere(live, demo):
    vm = live.view_model
    live.grid.plots["power"].toggled.emit("GPU 1")

    hidden = {
        plot.id: [curve.name for curve in plot.curves if curve.is_hidden]
        for plot in vm.state.plots
        if plot.id in {"power", "memory"}
    }
    assert hidden == {"power": ["GPU 1"], "memory": ["GPU 1"]}
    demo.qtbot.waitUntil(lambda: len(live.grid.plots["power"]._curves) == 1)


def test_table_and_picture_are_written(live, demo, tmp_path):
    vm = live.view_model
    with demo.qtbot.waitSignal(vm.saved):
        vm.save_csv(tmp_path / "live.csv")
    with demo.qtbot.waitSignal(vm.saved):
        vm.save_picture(live.grid.picture(), tmp_path / "live.png")

    assert (tmp_path / "live.csv").read_text("utf-8").startswith('"time","GPU memory GPU 0')
    assert (tmp_path / "live.png").read_bytes().startswith(b"\x89PNG")


def test_several_deployments_are_chosen_in_a_menu(live, demo):
    vm = live.view_model
    host_id = vm.state.host_id
    found = {name: replace(CHAT, host_id=host_id, name=name) for name in ("chat", "draft", "third")}
    vm.set_visible(visible=False)
    vm._snapshots = found
    vm._change(deployments=tuple(found))
    vm.choose_deployment("chat")
    live._compare.fill()
    actions = {action.text(): action for action in live._compare.menu().actions()}
    actions["third"].trigger()

    assert (vm.state.deployment, vm.state.beside) == ("chat", ("third",))
    assert vm.state.colors == {"chat": 0, "third": 1}
    actions["Side by side"].trigger()
    assert "requests@third" in {plot.id for plot in vm.state.plots}
    demo.qtbot.waitUntil(lambda: "requests@third" in live.grid.plots)
    live._compare.fill()
    actions = {action.text(): action for action in live._compare.menu().actions()}
    actions["chat"].trigger()
    assert (vm.state.deployment, vm.state.beside) == ("third", ())
    assert vm.state.colors == {}
