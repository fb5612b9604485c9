"""The Live page without widgets: what is watched, how far back, the newest values, CSV.

The clock ticks twice a second while somebody looks; samples themselves cause no drawing.
"""

import asyncio
import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal, Slot

from app.core.deployment.state import UP, WORKING
from app.core.engines.spec import EngineData
from app.core.events import (
    AlertChanged,
    DeploymentChanged,
    DeploymentRemoved,
    DeploymentSnapshot,
    DeploymentState,
    HostSnapshot,
    HostState,
)
from app.core.ids import HostId
from app.core.metrics.definitions import MetricDefinition
from app.core.metrics.rings import Series
from app.core.metrics.vocabulary import Exposure, Metric, SeriesKey
from app.core.slow.alerts import Alert
from app.ui.bridge import CoreBridge
from app.ui.viewmodels.base import ViewModel
from app.ui.viewmodels.deployments_texts import snapshot_view
from app.ui.viewmodels.live_plots import PlotView, Source, Subject, present_plots, value_text
from app.ui.viewmodels.slow import present_alert

if TYPE_CHECKING:
    from app.bootstrap import Application

translate = QCoreApplication.translate

RANGES_S: Final = (60, 600, 3600)
TICK_MS: Final = 500
STALE_S: Final = 5.0
"""A value older than this is no longer current."""
_MARK_LIMIT: Final = 200
_MARKED: Final = frozenset(
    {
        DeploymentState.STARTING,
        DeploymentState.SERVING,
        DeploymentState.DEGRADED,
        DeploymentState.STOPPED,
        DeploymentState.FAILED,
        DeploymentState.CRASH_LOOPING,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Something that happened, on the time axis."""

    at_s: float
    text: str
    word: str
    """The state alone, for the plot."""
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveState:
    """Everything the page shows, but for the curves' points."""

    host_id: HostId | None = None
    host_name: str = ""
    is_connected: bool = False
    is_simulated: bool = False
    deployments: tuple[str, ...] = ()
    deployment: str | None = None
    range_s: int = RANGES_S[0]
    is_paused: bool = False
    now_s: float = 0.0
    """Right edge of the time axis; stands still while paused."""
    plots: tuple[PlotView, ...] = ()
    marks: tuple[Mark, ...] = ()


class LiveViewModel(ViewModel):
    """Watch a host while somebody looks."""

    changed = Signal(object)
    """The new `LiveState`, twice a second and after each intent."""
    csv_ready = Signal(str)

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        self._state = LiveState()
        self._watched: HostId | None = None
        self._was_visible = False
        self._definitions: Mapping[Metric, MetricDefinition] = {}
        self._engines: Mapping[str, EngineData] = {}
        self._series: dict[SeriesKey, Series] = {}
        self._snapshots: dict[str, DeploymentSnapshot] = {}
        self._marks: list[tuple[HostId, Mark]] = []
        self._last_states: dict[tuple[HostId, str], DeploymentState] = {}
        self._chosen = False
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)
        bridge.event_arrived.connect(self._on_event)
        for snapshot in app.deployments.snapshot():
            self._last_states[snapshot.host_id, snapshot.name] = snapshot.state
        self.run(self._read_data(), on_result=self._on_data)

    @property
    def state(self) -> LiveState:
        """What is shown now."""
        return self._state

    def series(self, key: SeriesKey) -> Series | None:
        """Return a curve's points as of the last tick."""
        return self._series.get(key)

    def value_at(self, key: SeriesKey, at_s: float) -> float | None:
        """Return a curve's value at a time; ``None`` in a gap."""
        series = self._series.get(key)
        if series is None or not series.times_s:
            return None
        position = bisect_left(series.times_s, at_s)
        near = [i for i in (position - 1, position) if 0 <= i < len(series.times_s)]
        best = min(near, key=lambda i: abs(series.times_s[i] - at_s))
        value = series.values[best]
        if abs(series.times_s[best] - at_s) > 1.5 or math.isnan(value):
            return None
        return value

    def text_at(self, plot: PlotView, key: SeriesKey, at_s: float) -> str:
        """Return a curve's value at a time in shown units."""
        return value_text(self.value_at(key, at_s), plot.scale, plot.digits)

    # Intents

    def show_host(self, host: HostSnapshot | None) -> None:
        """Look at a host."""
        if host is None:
            self._change(host_id=None, host_name="", is_connected=False, deployment=None, plots=())
        else:
            is_new = host.settings.id != self._state.host_id
            if is_new:
                self._chosen = False
                self._series = {}
            self._change(
                host_id=host.settings.id,
                host_name=host.settings.name,
                is_connected=host.state is HostState.CONNECTED,
                is_simulated=host.settings.kind.value == "demo",
                deployment=None if is_new else self._state.deployment,
            )
        self._reload_deployments()
        self._watch()

    def set_visible(self, *, visible: bool) -> None:
        """Tick only while somebody looks."""
        self._was_visible = self._was_visible or visible
        if visible:
            self._timer.start()
        else:
            self._timer.stop()
        self._watch()
        if visible:
            self._tick()

    def choose_deployment(self, name: str | None) -> None:
        """Show a deployment's engine."""
        self._chosen = name is not None
        self._change(deployment=name)
        self._refresh()

    def set_range(self, range_s: int) -> None:
        """Show the last so many seconds."""
        self._change(range_s=range_s)
        self._refresh()

    def set_paused(self, paused: bool) -> None:
        """Stand still; samples go on being taken."""
        self._change(is_paused=paused)
        if not paused:
            self._tick()

    def copy_csv(self) -> None:
        """Make a table of what is shown; it arrives as `csv_ready`."""
        plots = self._state.plots
        start = self._state.now_s - self._state.range_s
        self.run(
            asyncio.to_thread(csv_text, plots, dict(self._series), start, self._state.now_s),
            on_result=self.csv_ready.emit,
        )

    def refresh_texts(self) -> None:
        """Write every text again."""
        self._refresh()

    def dispose(self) -> None:
        """Let go."""
        self._timer.stop()
        super().dispose()

    # Inside

    def _change(self, **changes: Any) -> None:  # noqa: ANN401 - as dataclasses.replace takes them
        self._state = replace(self._state, **changes)
        self.changed.emit(self._state)

    async def _read_data(
        self,
    ) -> tuple[Mapping[Metric, MetricDefinition], Mapping[str, EngineData]]:
        def read() -> tuple[Mapping[Metric, MetricDefinition], Mapping[str, EngineData]]:
            return self._app.data.vocabulary, dict(self._app.engines)

        return await asyncio.to_thread(read)

    def _on_data(
        self, data: tuple[Mapping[Metric, MetricDefinition], Mapping[str, EngineData]]
    ) -> None:
        self._definitions, self._engines = data
        self._refresh()

    def _watch(self) -> None:
        """Watch the host that is shown, and no other.

        Once the page was seen, sampling goes on behind it: who comes back from deploying wants
        to see what happened meanwhile.
        """
        state = self._state
        wanted = state.host_id if self._was_visible and state.is_connected else None
        if wanted == self._watched:
            return
        if self._watched is not None:
            self.run(self._app.metrics.unwatch(self._watched))
        self._watched = wanted
        if wanted is not None:
            self.run(self._app.metrics.watch(wanted))

    def _reload_deployments(self) -> None:
        host_id = self._state.host_id
        found = () if host_id is None else self._app.deployments.snapshot(host_id)
        self._snapshots = {snapshot.name: snapshot for snapshot in found}
        names = tuple(sorted(self._snapshots))
        chosen = self._state.deployment
        if chosen is None or chosen not in names or not self._may_stay(chosen):
            self._chosen = False
            serving = [n for n in names if self._snapshots[n].state is DeploymentState.SERVING]
            chosen = next(iter((*serving, *names)), None)
        self._change(deployments=names, deployment=chosen)

    def _may_stay(self, name: str) -> bool:
        """Stay with what is watched, whoever else appears, unless it ended by itself."""
        return self._chosen or self._snapshots[name].state in WORKING | UP

    @Slot()
    def _tick(self) -> None:
        if not self._state.is_paused:
            self._state = replace(self._state, now_s=self._app.clock.now_s())
            self._refresh()

    def _refresh(self) -> None:
        """Copy the series that are drawn and present them."""
        state = self._state
        if state.host_id is None or not self._definitions:
            return
        metrics, host_id = self._app.metrics, state.host_id
        keys = metrics.keys(host_id, state.deployment)
        if not state.is_paused or not self._series:
            self._series = {key: metrics.series(key) for key in keys}
        engine = ""
        if state.deployment is not None and state.deployment in self._snapshots:
            engine = self._snapshots[state.deployment].engine
            engine = self._engines[engine].engine.name if engine in self._engines else engine
        plots = present_plots(
            Subject(host_id=host_id, deployment=state.deployment, engine=engine),
            Source(
                definitions=self._definitions,
                keys=tuple(self._series),
                latest=self._latest,
                exposure=lambda metric: (
                    metrics.exposure(host_id, state.deployment, metric)
                    if state.is_connected
                    else Exposure.UNREACHABLE
                ),
                reason=lambda metric: metrics.reason(host_id, state.deployment, metric),
            ),
        )
        marks = tuple(mark for host, mark in self._marks if host == host_id)
        self._change(plots=plots, marks=marks)

    def _latest(self, key: SeriesKey) -> float | None:
        series = self._series.get(key)
        if series is None or not series.values:
            return None
        value = series.values[-1]
        is_old = self._state.now_s - series.times_s[-1] > STALE_S
        return None if is_old or math.isnan(value) else value

    def _note(self, snapshot: DeploymentSnapshot) -> None:
        key = (snapshot.host_id, snapshot.name)
        before = self._last_states.get(key)
        self._last_states[key] = snapshot.state
        if before == snapshot.state or snapshot.state not in _MARKED:
            return
        view = snapshot_view(snapshot)
        text = f"{snapshot.name}: {view.word}"
        mark = Mark(at_s=self._app.clock.now_s(), text=text, word=view.word, status=view.status)
        self._marks.append((snapshot.host_id, mark))
        del self._marks[:-_MARK_LIMIT]

    def _note_alert(self, alert: Alert) -> None:
        """Trouble that begins is a mark; that it is over is none."""
        if not alert.is_active:
            return
        view = present_alert(alert)
        text = f"{view.subject}: {view.card.title}"
        word = translate("Live", "Alert")
        mark = Mark(at_s=alert.last_s, text=text, word=word, status=view.status)
        self._marks.append((alert.key.host_id, mark))
        del self._marks[:-_MARK_LIMIT]

    @Slot(object)
    def _on_event(self, event: object) -> None:
        if isinstance(event, AlertChanged):
            self._note_alert(event.alert)
        elif isinstance(event, DeploymentChanged):
            self._note(event.snapshot)
            if event.snapshot.host_id == self._state.host_id:
                self._reload_deployments()
        elif isinstance(event, DeploymentRemoved) and event.host_id == self._state.host_id:
            self._reload_deployments()


def csv_text(
    plots: tuple[PlotView, ...], series: Mapping[SeriesKey, Series], start_s: float, end_s: float
) -> str:
    """Return the curves of some time as CSV: one row per second, one column per curve."""
    columns: list[dict[int, float]] = []
    head = ["time"]
    for plot in plots:
        for curve in plot.curves:
            head.append(f"{plot.title} {curve.name} ({plot.unit})")
            columns.append(_by_second(series.get(curve.key), plot.scale, start_s, end_s))
    seconds = sorted({second for column in columns for second in column})
    rows = [",".join(f'"{name}"' for name in head)]
    for second in seconds:
        moment = datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        values = (column.get(second) for column in columns)
        rows.append(",".join([moment, *("" if v is None else f"{v:.6g}" for v in values)]))
    return "\n".join(rows) + "\n"


def _by_second(
    series: Series | None, scale: float, start_s: float, end_s: float
) -> dict[int, float]:
    if series is None:
        return {}
    return {
        int(at_s): value * scale
        for at_s, value in zip(series.times_s, series.values, strict=True)
        if start_s <= at_s <= end_s and not math.isnan(value)
    }
