"""One plot of the Live page: legend in its top line, curves, marks, a shared cross-hair."""

import html
import time
from collections.abc import Sequence
from typing import Final

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QStackedLayout, QVBoxLayout

from app.core.metrics.vocabulary import SeriesKey
from app.ui.plots.live_decimate import decimate
from app.ui.theme import Theme, letters, space
from app.ui.viewmodels.live import LiveState, LiveViewModel, Mark
from app.ui.viewmodels.live_plots import CurveView, PlotView
from app.ui.widgets.text import label

_MANY: Final = 4
_DASH: Final = (4.0, 3.0)
_STEPS_S: Final = (5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0)


class TimeAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Time of day below a plot."""

    def tickSpacing(
        self,
        minVal: float,  # noqa: N803 - as pyqtgraph names it
        maxVal: float,  # noqa: N803 - as pyqtgraph names it
        size: float,
    ) -> list[tuple[float, float]]:
        """Return steps of whole seconds and minutes, wide enough for the words."""
        room = max(size / (letters(self.label.font(), 8) * 1.6 + 1), 1.0)
        least = (maxVal - minVal) / room
        return [(next((s for s in _STEPS_S if s >= least), _STEPS_S[-1]), 0.0)]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return hours and minutes, with seconds where ticks are close."""
        del scale
        form = "%H:%M:%S" if spacing < 60 else "%H:%M"
        return [time.strftime(form, time.localtime(value)) for value in values]


class ValueAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Values left of a plot, short."""

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return plain figures with as many places as the steps need."""
        del scale
        digits = 0 if spacing >= 1 else 1 if spacing >= 0.1 else 2
        return [f"{value:,.{digits}f}" for value in values]


class LivePlot(QFrame):
    """A card with a legend line and a plot, or the reason why there is none."""

    pointed = Signal(object)
    """Time under the pointer in seconds, ``None`` when it left."""

    def __init__(self, theme: Theme, view_model: LiveViewModel) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._theme = theme
        self._vm = view_model
        self._view: PlotView | None = None
        self._state = LiveState()
        self._at_s: float | None = None
        self._curves: dict[SeriesKey, pg.PlotCurveItem] = {}
        self._marks: list[pg.InfiniteLine] = []
        self._shown_marks: tuple[Mark, ...] = ()
        self._legend = QLabel()
        self._legend.setTextFormat(Qt.TextFormat.RichText)
        self._legend.setFont(theme.font("figure"))
        self._legend.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._missing = label("muted")
        self._missing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._plot = self._build_plot()
        # A layout, not a stacked widget: that one would paint the window's colour into the card.
        self._stack = QStackedLayout()
        self._stack.addWidget(self._plot)
        self._stack.addWidget(self._missing)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(space(2), space(1), space(2), space(1))
        layout.setSpacing(0)
        layout.addWidget(self._legend)
        layout.addLayout(self._stack, 1)
        self.setMinimumHeight(110)
        self.restyle()

    @property
    def view(self) -> PlotView | None:
        """What is shown."""
        return self._view

    @property
    def drawn_points(self) -> int:
        """How many points the last drawing had, gaps included."""
        return sum(0 if item.xData is None else len(item.xData) for item in self._curves.values())

    def set_view(self, view: PlotView, state: LiveState) -> None:
        """Take new values; the legend changes now, the curves with `redraw`."""
        self._view, self._state = view, state
        self._stack.setCurrentIndex(1 if view.missing else 0)
        self._missing.setText(view.missing)
        self._missing.setToolTip(view.why_missing)
        self.setAccessibleName(view.words)
        self._show_legend()

    def point_at(self, at_s: float | None) -> None:
        """Show the cross-hair and the values there; ``None`` takes it away."""
        self._at_s = at_s
        self._hair.setVisible(at_s is not None)
        if at_s is not None:
            self._hair.setPos(at_s)
        self._show_legend()

    def redraw(self) -> None:
        """Draw the curves for the range in force."""
        view, state = self._view, self._state
        if view is None or view.missing:
            return
        left, right = state.now_s - state.range_s, state.now_s
        box = self._plot.getPlotItem().vb
        columns = max(round(box.width()), 50)
        self._drop_curves({curve.key for curve in view.curves})
        top = view.axis_max or 0.0
        for curve in view.curves:
            top = max(top, self._draw_curve(view, curve, (left, right), columns))
        box.setXRange(left, right, padding=0)
        if view.axis_max is not None:
            box.setYRange(0, view.axis_max, padding=0.04)
        elif view.from_zero:
            box.setYRange(0, top * 1.12 if top > 0 else 1.0, padding=0)
        else:
            box.enableAutoRange(axis="y")
        self._draw_marks(state.marks, left)

    def restyle(self) -> None:
        """Take the colours of the theme."""
        theme = self._theme
        self._plot.setBackground(theme.color("surface"))
        item = self._plot.getPlotItem()
        font = theme.font("caption")
        for name in ("left", "bottom"):
            axis = item.getAxis(name)
            axis.setPen(pg.mkPen(theme.color("border")))
            axis.setTextPen(pg.mkPen(theme.color("muted")))
            axis.setTickFont(font)
        item.getAxis("left").setWidth(letters(font, 5) + 12)
        self._hair.setPen(pg.mkPen(theme.color("strong"), width=1))
        self._curves_restyle()
        self._drop_marks()
        self._show_legend()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The pointer left the plot."""
        if event.type() == QEvent.Type.Leave:
            self.pointed.emit(None)
        return super().eventFilter(watched, event)

    # Inside

    def _build_plot(self) -> pg.PlotWidget:
        axes = {"left": ValueAxis("left"), "bottom": TimeAxis("bottom")}
        plot = pg.PlotWidget(axisItems=axes)
        plot.setFrameShape(QFrame.Shape.NoFrame)
        plot.setProperty("role", "plain")
        plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        item = plot.getPlotItem()
        item.hideButtons()
        item.setMenuEnabled(False)
        item.setMouseEnabled(x=False, y=False)
        item.showGrid(x=False, y=True, alpha=0.12)
        item.vb.disableAutoRange()
        item.setContentsMargins(0, 2, 4, 0)
        for name in ("left", "bottom"):
            item.getAxis(name).setStyle(tickLength=-3, autoExpandTextSpace=False)
        self._hair = pg.InfiniteLine(angle=90, movable=False)
        self._hair.setVisible(False)
        item.addItem(self._hair, ignoreBounds=True)
        plot.scene().sigMouseMoved.connect(self._on_mouse)
        plot.viewport().installEventFilter(self)
        return plot

    def _on_mouse(self, position: QPointF) -> None:
        box = self._plot.getPlotItem().vb
        inside = box.sceneBoundingRect().contains(position)
        self.pointed.emit(box.mapSceneToView(position).x() if inside else None)

    def _draw_curve(
        self, view: PlotView, curve: CurveView, span: tuple[float, float], columns: int
    ) -> float:
        series = self._vm.series(curve.key)
        item = self._curves.get(curve.key)
        if item is None:
            item = pg.PlotCurveItem(pen=self._pen(curve), antialias=False)
            self._curves[curve.key] = item
            self._plot.addItem(item)
        if series is None:
            item.setData([], [])
            return 0.0
        x, y = decimate(
            series.times_s,
            series.values,
            left_s=span[0],
            right_s=span[1],
            columns=columns,
            scale=view.scale,
        )
        known = y[y == y]  # noqa: PLR0124 - only NaN differs from itself
        # pyqtgraph closes a filled path across its gaps: with a gap there is no fill.
        filled = view.fill and known.size == y.size and len(view.curves) <= _MANY
        item.setFillLevel(0.0 if filled else None)
        if filled:
            color = self._theme.color(curve.token)
            color.setAlphaF(0.14)
            item.setBrush(color)
        item.setData(x, y, connect="finite")
        return float(known.max()) if known.size else 0.0

    def _pen(self, curve: CurveView) -> QPen:
        pen = QPen(self._theme.color(curve.token))
        pen.setWidth(1)
        pen.setCosmetic(True)
        if curve.dashed:
            pen.setDashPattern(_DASH)
        return pen

    def _curves_restyle(self) -> None:
        if self._view is None:
            return
        for curve in self._view.curves:
            item = self._curves.get(curve.key)
            if item is not None:
                item.setPen(self._pen(curve))

    def _drop_curves(self, wanted: set[SeriesKey]) -> None:
        for key in [key for key in self._curves if key not in wanted]:
            self._plot.removeItem(self._curves.pop(key))

    def _draw_marks(self, marks: tuple[Mark, ...], left: float) -> None:
        seen = tuple(mark for mark in marks if mark.at_s >= left)
        if seen == self._shown_marks:
            return
        self._drop_marks()
        self._shown_marks = seen
        labelled = self._view is not None and self._view.id == "memory"
        for number, mark in enumerate(seen):
            token = "accent" if mark.status == "accent" else f"status.{mark.status}"
            pen = pg.mkPen(self._theme.color(token), width=1, style=Qt.PenStyle.DashLine)
            line = pg.InfiniteLine(
                pos=mark.at_s,
                angle=90,
                movable=False,
                pen=pen,
                label=mark.word if labelled else None,
                labelOpts={
                    "position": 0.92 - 0.14 * (number % 4),
                    "color": self._theme.color("muted"),
                    "anchors": _SIDES,
                },
            )
            line.setToolTip(mark.text)
            self._plot.addItem(line, ignoreBounds=True)
            self._marks.append(line)

    def _drop_marks(self) -> None:
        for line in self._marks:
            self._plot.removeItem(line)
        self._marks, self._shown_marks = [], ()

    def _show_legend(self) -> None:
        view = self._view
        if view is None:
            return
        muted = self._theme.color("muted").name()
        unit = f'<span style="color:{muted}">{html.escape(view.shown_unit)}</span>'
        parts = [f"<b>{html.escape(view.title)}</b> {unit}"]
        for curve in view.curves:
            color = self._theme.color(curve.token).name()
            value = curve.value
            if self._at_s is not None:
                value = self._vm.text_at(view, curve.key, self._at_s)
            name = curve.name
            if len(view.curves) > _MANY:
                name = name.removeprefix("GPU ")
            parts.append(
                f'<span style="color:{color}">■</span>&nbsp;'
                f'<span style="color:{muted}">{html.escape(name)}</span>&nbsp;{value}'
            )
        text = " &nbsp;".join(parts)
        if text != self._legend.text():
            self._legend.setText(text)
            self._legend.setToolTip(view.words)


_SIDES: Final = ((0.0, 0.5), (1.0, 0.5))
"""Anchors of a mark's label: right of the line, or left of it near the right edge."""
