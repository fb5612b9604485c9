"""The live page: what stands on the plots, thinning, gaps, CSV, and what drawing costs."""

import math
from array import array
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from app.core.events import DeploymentSnapshot, DeploymentState
from app.core.metrics.definitions import MetricDefinition
from app.core.metrics.rings import Series
from app.core.metrics.vocabulary import Exposure, Metric, SeriesKey
from app.core.texts import Text
from app.io.datafiles import data_root, load_metric_vocabulary
from app.ui.plots.live_decimate import decimate
from app.ui.viewmodels.live_csv import csv_text
from app.ui.viewmodels.live_plots import (
    PlotView,
    Source,
    Subject,
    present_absent,
    present_plots,
    value_text,
)

NAN = math.nan


@pytest.fixture(scope="module")
def definitions() -> dict[Metric, MetricDefinition]:
    return dict(load_metric_vocabulary(data_root()))


def gpu_keys(count: int, metric: Metric = Metric.GPU_MEMORY_USED_MIB) -> list[SeriesKey]:
    return [SeriesKey(metric=metric, host_id="h", gpu_index=index) for index in range(count)]


def plots(definitions, keys=(), *, deployment="qwen", exposure=Exposure.NOT_YET, reason=None):
    views = present_plots(
        Subject(host_id="h", deployment=deployment, engine="llama.cpp"),
        Source(
            definitions=definitions,
            keys=keys,
            latest=lambda _key: 2048.0,
            exposure=lambda _metric: exposure,
            reason=lambda _metric: reason,
        ),
    )
    return {view.id: view for view in views}


def test_a_gpu_keeps_its_colour_and_dashes_begin_with_the_fifth(definitions):
    keys = gpu_keys(6) + gpu_keys(6, Metric.GPU_POWER_W)
    views = plots(definitions, keys)

    memory, power = views["memory"].curves, views["power"].curves
    assert [curve.token for curve in memory] == [curve.token for curve in power]
    assert [curve.dashed for curve in memory] == [False] * 4 + [True] * 2
    assert memory[0].value == "2.0"
    assert views["memory"].words.startswith("GPU memory, GiB: GPU 0 2.0")


def test_what_an_engine_does_not_expose_says_so_with_the_reason(definitions):
    reason = Text(en="It has no such counter.", zh_CN="没有此计数器。")
    view = plots(definitions, exposure=Exposure.NOT_EXPOSED, reason=reason)["ttft"]

    assert view.missing == "not exposed by llama.cpp"
    assert view.why_missing == "It has no such counter."
    assert "llama.cpp" in view.words


@pytest.mark.parametrize(
    ("exposure", "deployment", "text"),
    [
        (Exposure.NOT_YET, "qwen", "no value yet"),
        (Exposure.UNREACHABLE, "qwen", "no answer"),
        (Exposure.NOT_YET, None, "no deployment"),
    ],
)
def test_every_empty_plot_says_why(definitions, exposure, deployment, text):
    views = plots(definitions, deployment=deployment, exposure=exposure)

    assert views["itl"].missing == text


def test_another_deployments_curves_stay_out(definitions):
    other = SeriesKey(metric=Metric.TTFT_P50_S, host_id="h", deployment="other")

    assert not plots(definitions, [other])["ttft"].curves


def test_no_value_is_a_dash_not_a_zero():
    assert value_text(None, 1.0, 0) == "–"
    assert value_text(0.0, 1.0, 1) == "0.0"


def thin(values, columns, times=None):
    times = array("d", times if times is not None else range(len(values)))
    return decimate(times, array("d", values), left_s=0, right_s=times[-1] or 1, columns=columns)


def test_few_points_are_drawn_as_they_are():
    x, y = thin([1, 2, 3], 100)

    assert list(x) == [0, 1, 2]
    assert list(y) == [1, 2, 3]


def test_thinning_keeps_every_peak_and_bounds_the_points():
    values = [1.0] * 3600
    values[1234], values[2345] = 99.0, -5.0

    x, y = thin(values, 300)

    assert len(x) <= 2 * 302
    assert y.max() == 99.0
    assert y.min() == -5.0
    assert np.all(np.diff(x) >= 0)


def test_gaps_stay_gaps_when_thinned():
    values = [1.0] * 1000 + [NAN] + [2.0] * 1000

    _, y = thin(values, 100)

    assert np.isnan(y).any()
    first = int(np.flatnonzero(np.isnan(y))[0])
    assert set(y[:first]) <= {1.0, 2.0}


def test_an_empty_series_draws_nothing():
    x, _ = decimate(array("d"), array("d"), left_s=0, right_s=10, columns=10)

    assert x.size == 0


def test_csv_has_a_row_per_second_and_leaves_gaps_empty(definitions):
    key_a, key_b = gpu_keys(2)
    view: PlotView = plots(definitions, [key_a, key_b])["memory"]
    series = {
        key_a: Series(times_s=array("d", [10.0, 11.0]), values=array("d", [1024.0, NAN])),
        key_b: Series(times_s=array("d", [10.2, 11.2]), values=array("d", [2048.0, 3072.0])),
    }

    text = csv_text((view,), series, 0.0, 100.0)

    assert text.splitlines() == [
        '"time","GPU memory GPU 0 (GiB)","GPU memory GPU 1 (GiB)"',
        "1970-01-01T00:00:10Z,1,2",
        "1970-01-01T00:00:11Z,,3",
    ]


@pytest.fixture
def live(demo):
    demo.window.open_page("live")
    page = demo.window.page("live")
    demo.qtbot.waitUntil(lambda: page.is_ready)
    demo.qtbot.waitUntil(
        lambda: any(view.curves for view in page.view_model.state.plots), timeout=10_000
    )
    return page


def test_plots_move_pause_and_copy(live, demo):
    vm = live.view_model
    first = vm.state.now_s
    demo.qtbot.waitUntil(lambda: vm.state.now_s > first)
    live._pause.click()
    still = vm.state.now_s
    vm.set_range(600)

    assert vm.state.now_s == still
    with demo.qtbot.waitSignal(vm.csv_ready) as caught:
        vm.copy_csv()
    assert caught.args[0].startswith('"time","GPU memory GPU 0 (GiB)"')
    live.refresh()
    assert not vm.state.is_paused


def test_the_cross_hair_goes_through_every_plot_and_shows_values_there(live, demo):
    vm = live.view_model
    demo.qtbot.waitUntil(lambda: live.grid.plots["power"].drawn_points > 1)
    key = live.grid.plots["power"].view.curves[0].key
    at_s = vm.series(key).times_s[-1]

    live.grid.point_at(at_s)

    assert all(plot._hair.isVisible() for plot in live.grid.plots.values())
    shown = vm.text_at(live.grid.plots["power"].view, key, at_s)
    assert shown in live.grid.plots["power"]._legend.text()
    assert vm.text_at(live.grid.plots["power"].view, key, at_s - 9_999) == "–"
    live.grid.point_at(None)
    assert not live.grid.plots["memory"]._hair.isVisible()


def test_a_pointer_over_a_plot_moves_the_hair_and_leaving_takes_it_away(live, demo):
    plot = live.grid.plots["memory"]
    times = []
    plot.pointed.connect(times.append)
    box = plot._plot.getPlotItem().vb.sceneBoundingRect()

    plot._on_mouse(box.center())
    plot._on_mouse(box.topLeft() - box.bottomRight())

    assert isinstance(times[0], float)
    assert times[1] is None
    del demo


def test_each_theme_redraws_in_its_colours(live, demo):
    demo.use(theme="dark")

    axis = live.grid.plots["memory"]._plot.getPlotItem().getAxis("left")
    assert axis.textPen().color() == demo.parts.theme.color("muted")


def test_full_plots_cost_little_and_never_hold_the_window(live, demo, heartbeat):
    """Eight curves of an hour in each of eight plots, drawn as often as the page does."""
    grid, vm = live.grid, live.view_model
    with heartbeat.paused():
        vm.set_visible(visible=False)
        now = 3_600.0
        times = array("d", np.arange(0.0, now))
        keys = [
            SeriesKey(metric=Metric.GPU_POWER_W, host_id="h", gpu_index=index) for index in range(8)
        ]
        waves = {
            key: Series(times_s=times, values=array("d", 300 + 200 * np.sin(np.arange(3600) / 9)))
            for key in keys
        }
        vm._series = waves
        view = present_plots(
            Subject(host_id="h", deployment=None, engine=""),
            Source(
                definitions=vm._definitions, keys=keys, latest=lambda _key: 1.0,
                exposure=lambda _metric: Exposure.EXPOSED, reason=lambda _metric: None,
            ),
        )[2]  # fmt: skip
    state = replace(vm.state, now_s=now, range_s=3600)
    names = [name for name in grid.plots if name != "temperature"]
    with heartbeat.paused():
        for name in names:
            grid.plots[name].set_view(view, state)
    drawn = []

    def one_per_turn() -> bool:
        name = names[len(drawn) % len(names)]
        grid.plots[name].redraw()
        drawn.append(name)
        return len(drawn) >= 2 * len(names)

    demo.qtbot.waitUntil(one_per_turn)

    assert grid.plots["memory"].drawn_points <= 8 * 2 * 700


def test_what_never_comes_has_no_panel_but_a_word(definitions):
    views = tuple(plots(definitions, exposure=Exposure.NOT_EXPOSED).values())

    assert all(view.is_absent for view in views)
    assert present_absent(views) == (
        "not available on this host: GPU memory, GPU utilisation, GPU power, GPU temperature",
        "not exposed by llama.cpp: Requests, KV cache used, Throughput, TTFT, ITL",
    )
    assert not any(view.is_absent for view in plots(definitions).values())


def test_a_title_does_not_repeat_its_unit(definitions):
    views = plots(definitions)

    assert views["requests"].shown_unit == ""
    assert views["tokens"].shown_unit == "tokens/s"


def test_the_page_stays_with_the_deployment_that_is_watched(live, demo):
    vm = live.view_model
    host_id = vm.state.host_id

    def appears(name: str, state: DeploymentState) -> None:
        found[name] = DeploymentSnapshot(
            revision=len(found), host_id=host_id, host_name="demo", name=name, state=state
        )
        vm._reload_deployments()

    found: dict[str, DeploymentSnapshot] = {}
    vm.set_visible(visible=False)
    app, service = vm._app, SimpleNamespace(snapshot=lambda _host: tuple(found.values()))
    vm._app = SimpleNamespace(deployments=service)
    appears("tiny", DeploymentState.SERVING)
    appears("another", DeploymentState.SERVING)
    assert vm.state.deployment == "tiny"

    appears("tiny", DeploymentState.STOPPED)
    assert vm.state.deployment == "another"
    vm._app = app
    del demo
