"""One plot of the Live page: legend in its top line, curves, marks, a shared cross-hair."""

import html
from typing import Final

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QStackedLayout, QVBoxLayout

from app.core.metrics.vocabulary import SeriesKey
from app.ui.plots.live_axes import MarkedPlot, TimeAxis, ValueAxis, clock_text
from app.ui.plots.live_decimate import decimate
from app.ui.theme import Theme, letters, space
from app.ui.viewmodels.live import LiveViewModel
from app.ui.viewmodels.live_marks import Mark, marks_near
from app.ui.viewmodels.live_plots import CurveView, PlotView
from app.ui.viewmodels.live_state import LiveState
from app.ui.widgets.text import label

_MANY: Final = 4
_DASH: Final = (4.0, 3.0)
_HOVER_PX: Final = 6


class LivePlot(QFrame):
    """A card with a legend line and a plot, or the reason why there is none."""

    pointed = Signal(object)
    """Time under the pointer in seconds, ``None`` when it left."""
    dragged = Signal(float)
    """Pulled by so many seconds, later is more."""
    wheeled = Signal(float, float)
    """Stretched by a factor around a time."""
    toggled = Signal(str)
    """The owner of a curve was clicked in the legend."""

    def __init__(self, theme: Theme, view_model: LiveViewModel) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._theme = theme
        self._vm = view_model
        self._view: PlotView | None = None
        self._state = LiveState()
        self._at_s: float | None = None
        self._curves: dict[SeriesKey, pg.PlotCurveItem] = {}
        self._styles: dict[SeriesKey, tuple[str, bool]] = {}
        self._pulled_x: float | None = None
        self.top = 0.0
        """Largest value of the last drawing."""
        self._legend = QLabel()
        self._legend.linkActivated.connect(self.toggled)
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
        self._plot.is_labelled = view.id == "memory"
        axis = self._plot.getPlotItem().getAxis("left")
        # A unit that is the title's own word says nothing, and turned it cannot be read.
        unit = "" if view.shown_unit == "" or not view.unit.isascii() else view.unit
        unit = view.unit if view.unit.startswith("°") else unit
        if axis.labelText != unit:
            axis.setLabel(unit)
        self._show_legend()

    def point_at(self, at_s: float | None) -> None:
        """Show the cross-hair and the values there; ``None`` takes it away."""
        self._at_s = at_s
        self._plot.set_hair(at_s)
        self._hair.setVisible(at_s is not None)
        if at_s is not None:
            self._hair.setPos(at_s)
        self._show_legend()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say in the legend what there is room for."""
        super().resizeEvent(event)
        self._show_legend()

    def redraw(self, shared_top: float = 0.0) -> None:
        """Draw the curves for the range in force; the value axis reaches ``shared_top`` at least.

        Smallest and largest value per column of pixels are drawn: no spike is lost.
        """
        view, state = self._view, self._state
        if view is None or view.missing:
            return
        left, right = state.now_s - state.range_s, state.now_s
        self._plot.set_marks(tuple(m for m in state.marks if left <= m.at_s <= right))
        box = self._plot.getPlotItem().vb
        columns = max(round(box.width()), 50)
        shown = [curve for curve in view.curves if not curve.is_hidden]
        self._drop_curves({curve.key for curve in shown})
        self.top = view.axis_max or 0.0
        for curve in shown:
            self.top = max(self.top, self._draw_curve(view, curve, (left, right), columns))
        top = max(self.top, shared_top)
        box.setXRange(left, right, padding=0)
        if view.axis_max is not None:
            box.setYRange(0, view.axis_max, padding=0.04)
        elif view.from_zero:
            box.setYRange(0, top * 1.12 if top > 0 else 1.0, padding=0)
        else:
            box.enableAutoRange(axis="y")

    def restyle(self) -> None:
        """Take the colours of the theme."""
        theme = self._theme
        self._plot.setBackground(theme.color("surface"))
        item = self._plot.getPlotItem()
        font = theme.font("caption")
        for name in ("left", "bottom"):
            axis = item.getAxis(name)
            axis.setPen(pg.mkPen(theme.color("strong")))
            axis.setTickPen(pg.mkPen(theme.color("border")))
            axis.setTextPen(pg.mkPen(theme.color("muted")))
            axis.setTickFont(font)
        left = item.getAxis("left")
        left.label.setFont(font)
        left.setLabel(left.labelText, color=theme.color("muted").name())
        left.setWidth(letters(font, 8) + 14)
        self._hair.setPen(pg.mkPen(theme.color("strong"), width=1))
        self._curves_restyle()
        self._show_legend()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Pull with the left button, stretch with the wheel; the pointer left the plot."""
        match event:
            case QWheelEvent():
                at_s = self._seconds_at(event.position().x())
                self.wheeled.emit(0.8 ** (event.angleDelta().y() / 120), at_s)
                return True
            case QMouseEvent():
                self._pull(event)
            case _ if event.type() == QEvent.Type.Leave:
                self.pointed.emit(None)
        return super().eventFilter(watched, event)

    # Inside

    def _build_plot(self) -> MarkedPlot:
        axes = {"left": ValueAxis("left"), "bottom": TimeAxis("bottom")}
        plot = MarkedPlot(self._theme, axes)
        plot.setFrameShape(QFrame.Shape.NoFrame)
        plot.setProperty("role", "plain")
        plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        item = plot.getPlotItem()
        item.hideButtons()
        item.setMenuEnabled(False)
        item.setMouseEnabled(x=False, y=False)
        item.showGrid(x=False, y=True, alpha=1.0)
        item.vb.disableAutoRange()
        item.setContentsMargins(0, 2, 4, 0)
        for name in ("left", "bottom"):
            item.getAxis(name).setStyle(tickLength=-3, autoExpandTextSpace=False)
            # Behind the curves: one that lies on a grid line has to be seen.
            item.getAxis(name).setZValue(-1)
        self._hair = pg.InfiniteLine(angle=90, movable=False)
        self._hair.setVisible(False)
        item.addItem(self._hair, ignoreBounds=True)
        plot.scene().sigMouseMoved.connect(self._on_mouse)
        plot.viewport().installEventFilter(self)
        plot.viewport().setCursor(Qt.CursorShape.CrossCursor)
        return plot

    def _seconds_at(self, x: float) -> float:
        box = self._plot.getPlotItem().vb
        return float(box.mapSceneToView(self._plot.mapToScene(round(x), 0)).x())

    def _pull(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if event.type() == QEvent.Type.MouseButtonPress:
            is_left = event.button() is Qt.MouseButton.LeftButton
            self._pulled_x = x if is_left else None
        elif event.type() == QEvent.Type.MouseButtonRelease:
            self._pulled_x = None
        elif self._pulled_x is not None:
            width = max(self._plot.getPlotItem().vb.width(), 1.0)
            by_s = (self._pulled_x - x) / width * self._state.range_s
            if abs(self._pulled_x - x) >= 1:
                self._pulled_x = x
                self.dragged.emit(by_s)

    def _on_mouse(self, position: QPointF) -> None:
        box = self._plot.getPlotItem().vb
        inside = box.sceneBoundingRect().contains(position)
        at_s = box.mapSceneToView(position).x() if inside else None
        self.pointed.emit(at_s)
        near: tuple[Mark, ...] = ()
        if at_s is not None:
            within_s = _HOVER_PX / max(box.width(), 1.0) * self._state.range_s
            near = marks_near(self._plot.marks, at_s, within_s)
        self._plot.setToolTip("\n".join(f"{clock_text(mark.at_s)}  {mark.text}" for mark in near))

    def _draw_curve(
        self, view: PlotView, curve: CurveView, span: tuple[float, float], columns: int
    ) -> float:
        series = self._vm.series(curve.key)
        item = self._curves.get(curve.key)
        if item is None:
            item = pg.PlotCurveItem(pen=self._pen(curve), antialias=False)
            self._curves[curve.key] = item
            self._plot.addItem(item)
        elif self._styles.get(curve.key) != (curve.token, curve.dashed):
            item.setPen(self._pen(curve))
        self._styles[curve.key] = (curve.token, curve.dashed)
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

    def _legend_width(self, view: PlotView) -> float:
        """Return the room that the legend takes with unit and whole names."""
        metrics = QFontMetricsF(self._legend.font())
        words = [view.title, view.shown_unit]
        words += [f"■ {curve.name} {curve.value}  " for curve in view.curves]
        # The title is bold.
        return metrics.horizontalAdvance("  ".join(words)) + metrics.averageCharWidth()

    def _show_legend(self) -> None:
        view = self._view
        if view is None:
            return
        muted = self._theme.color("muted").name()
        is_narrow = self._legend_width(view) > self._legend.width()
        # The axis says the unit, too: current values are worth more than it is.
        unit = "" if is_narrow else html.escape(view.shown_unit)
        parts = [f'<b>{html.escape(view.title)}</b> <span style="color:{muted}">{unit}</span>']
        for curve in view.curves:
            color = self._theme.color(curve.token).name()
            value = curve.value
            if self._at_s is not None:
                value = self._vm.text_at(view, curve.key, self._at_s)
            name = curve.name
            if len(view.curves) > _MANY or is_narrow:
                name = name.removeprefix("GPU ")
            struck = "line-through" if curve.is_hidden else "none"
            mark = "□" if curve.is_hidden else "┅" if curve.dashed else "■"
            link = html.escape(curve.owner, quote=True)
            words = html.escape(name).replace(" ", "&nbsp;")
            parts.append(
                f'<a href="{link}" style="text-decoration:{struck};color:{muted}">'
                f'<span style="color:{color}">{mark}</span>&nbsp;{words}</a>'
                f"&nbsp;{'' if curve.is_hidden else value}"
            )
        text = " &nbsp;".join(parts)
        if text != self._legend.text():
            self._legend.setText(text)
            self._legend.setToolTip(view.words)
