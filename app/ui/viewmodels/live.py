"""The Live page without widgets: what is watched, how far back, the newest values, CSV.

The clock ticks twice a second while somebody looks; samples themselves cause no drawing.
"""

import asyncio
import math
from array import array
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QBuffer, QIODevice, QObject, QTimer, Signal, Slot
from PySide6.QtGui import QImage

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
from app.core.metrics.rings import CAPACITY, SPAN_S, Series
from app.core.metrics.vocabulary import Exposure, Metric, SeriesKey
from app.services.user_files import save_file
from app.ui.bridge import CoreBridge
from app.ui.viewmodels.base import ViewModel
from app.ui.viewmodels.live_csv import csv_text
from app.ui.viewmodels.live_marks import MarkBook
from app.ui.viewmodels.live_plots import PlotView, Source, Subject, present_plots, value_text
from app.ui.viewmodels.live_span import LONGEST_S, Span, moved, stretched
from app.ui.viewmodels.live_state import LiveState

if TYPE_CHECKING:
    from app.bootstrap import Application

TICK_MS: Final = 500
STALE_S: Final = 5.0
"""A value older than this is no longer current."""
_NOW_S: Final = 1.0
"""A right edge this near to now is now."""
_NOTHING: Final = Series(times_s=array("d"), values=array("d"))
BACK_S: Final = LONGEST_S
"""How far back one can look."""


class LiveViewModel(ViewModel):
    """Watch a host while somebody looks."""

    changed = Signal(object)
    """The new `LiveState`, twice a second and after each intent."""
    csv_ready = Signal(str)
    saved = Signal(object)
    """Path of a picture or table that was written."""

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
        self._book = MarkBook(app.deployments.snapshot())
        self._order: dict[str, int] = {}
        self._chosen = False
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)
        bridge.event_arrived.connect(self._on_event)
        for snapshot in app.deployments.snapshot():
            for alert in app.watching.alerts_of(snapshot.host_id, snapshot.name):
                self._book.note_alert(alert)
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
        # Samples of the last hour are a second apart, older ones half a minute.
        is_old = series.times_s[-1] - at_s > CAPACITY
        if abs(series.times_s[best] - at_s) > (SPAN_S if is_old else 1.5) or math.isnan(value):
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
                beside=() if is_new else self._state.beside,
                gpu=None if is_new else self._state.gpu,
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
        self._take_chosen(name, ())
        self._refresh()

    def choose_deployments(self, names: Sequence[str]) -> None:
        """Compare some deployments; the first one is the main one."""
        known = [name for name in names if name in self._snapshots]
        self._chosen = bool(known)
        self._take_chosen(known[0] if known else None, tuple(known[1:]))
        self._refresh()

    def set_split(self, split: bool) -> None:
        """Show compared deployments side by side, or one over the other."""
        self._change(is_split=split)
        self._refresh()

    def choose_gpu(self, index: int | None) -> None:
        """Look at one GPU only, or at all."""
        self._change(gpu=index)
        self._refresh()

    def toggle(self, owner: str) -> None:
        """Switch the curves of a GPU, a deployment or a name off in every plot, or on again."""
        self._change(hidden=self._state.hidden ^ {owner})
        self._refresh()

    def set_range(self, range_s: float) -> None:
        """Show so many seconds."""
        self._change(range_s=range_s)
        self._refresh()

    def set_paused(self, paused: bool) -> None:
        """Stand still; samples go on being taken."""
        if paused:
            self._hold()
        self._change(is_paused=paused)
        if not paused:
            self._tick()

    def move(self, by_s: float) -> None:
        """Look earlier or later; at now it goes on by itself."""
        self._look(moved(self._span(), by_s, self._app.clock.now_s()))

    def stretch(self, factor: float, at_s: float | None = None) -> None:
        """Look at more or less time; what is at ``at_s`` stays where it is seen."""
        span = self._span()
        if at_s is None or not self._state.is_paused:
            at_s = span.end_s
        self._look(stretched(span, factor, at_s, self._app.clock.now_s()))

    def save_csv(self, path: Path) -> None:
        """Write a table of what is shown to a file."""
        work = self._csv()

        async def save() -> Path:
            return await save_file(path, (await asyncio.to_thread(work)).encode())

        self.run(save(), on_result=self.saved.emit)

    def save_picture(self, picture: QImage, path: Path) -> None:
        """Write a picture of the plots to a file."""

        async def save() -> Path:
            return await save_file(path, await asyncio.to_thread(png_bytes, picture))

        self.run(save(), on_result=self.saved.emit)

    def copy_csv(self) -> None:
        """Make a table of what is shown; it arrives as `csv_ready`."""
        self.run(asyncio.to_thread(self._csv()), on_result=self.csv_ready.emit)

    def refresh_texts(self) -> None:
        """Write every text again."""
        self._refresh()

    def dispose(self) -> None:
        """Let go."""
        self._timer.stop()
        super().dispose()

    # Inside

    def _csv(self) -> Callable[[], str]:
        span, series = self._span(), dict(self._series)
        return partial(csv_text, self._state.plots, series, span.start_s, span.end_s)

    def _span(self) -> Span:
        return Span(self._state.now_s, self._state.range_s)

    def _look(self, span: Span) -> None:
        """Look at a span; one that ends before now stands still."""
        is_now = span.end_s >= self._app.clock.now_s() - _NOW_S
        if not is_now and not self._state.is_paused:
            self._hold()
        self._change(now_s=span.end_s, range_s=span.range_s, is_paused=not is_now)
        if is_now:
            self._tick()

    def _hold(self) -> None:
        """Keep all of the day at hand: what is shown may be moved through it."""
        since_s = self._app.clock.now_s() - BACK_S
        metrics = self._app.metrics
        self._series = {key: metrics.series(key, since_s) for key in self._series}

    def _take_chosen(self, deployment: str | None, beside: tuple[str, ...]) -> None:
        colors = {}
        if deployment is not None and beside:
            for name in (deployment, *beside):
                colors[name] = self._order.setdefault(name, len(self._order))
        self._change(deployment=deployment, beside=beside, colors=colors)

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
        beside = tuple(n for n in self._state.beside if n in names and n != chosen)
        self._state = replace(self._state, deployments=names)
        self._take_chosen(chosen, beside)

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
        keys = [key for key in metrics.keys(host_id) if self._is_looked_at(key)]
        if not state.is_paused:
            since_s = state.now_s - state.range_s
            self._series = {key: metrics.series(key, since_s) for key in keys}
        elif keys != list(self._series):
            self._series = dict.fromkeys(keys, _NOTHING)
            self._hold()
        engine = ""
        if state.deployment is not None and state.deployment in self._snapshots:
            engine = self._snapshots[state.deployment].engine
            engine = self._engines[engine].engine.name if engine in self._engines else engine
        plots = present_plots(
            Subject(
                host_id=host_id,
                deployment=state.deployment,
                engine=engine,
                beside=state.beside,
                colors=state.colors,
                is_split=state.is_split,
                gpu=state.gpu,
                hidden=state.hidden,
            ),
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
        gpus = sorted({key.gpu_index for key in keys if key.gpu_index is not None})
        self._change(plots=plots, marks=self._book.of(host_id), gpus=tuple(gpus))

    def _is_looked_at(self, key: SeriesKey) -> bool:
        state = self._state
        return key.deployment is None or key.deployment in {state.deployment, *state.beside}

    def _latest(self, key: SeriesKey) -> float | None:
        series = self._series.get(key)
        if series is None or not series.values:
            return None
        if self._state.is_paused:
            return self.value_at(key, self._state.now_s)
        value = series.values[-1]
        is_old = self._state.now_s - series.times_s[-1] > STALE_S
        return None if is_old or math.isnan(value) else value

    @Slot(object)
    def _on_event(self, event: object) -> None:
        if isinstance(event, AlertChanged):
            self._book.note_alert(event.alert)
        elif isinstance(event, DeploymentChanged):
            self._book.note(event.snapshot, self._app.clock.now_s())
            if event.snapshot.host_id == self._state.host_id:
                self._reload_deployments()
        elif isinstance(event, DeploymentRemoved) and event.host_id == self._state.host_id:
            self._reload_deployments()


def png_bytes(picture: QImage) -> bytes:
    """Return a picture as PNG."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    # QImage names its formats as text, whatever its stub says.
    picture.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())
