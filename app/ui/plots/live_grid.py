"""All plots of the Live page: built and drawn one per turn of the event loop."""

from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QImage, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QScrollArea, QWidget

from app.ui.plots.live_plot import LivePlot
from app.ui.theme import Theme, space
from app.ui.viewmodels.live import LiveViewModel
from app.ui.viewmodels.live_plots import PLOTS
from app.ui.viewmodels.live_state import LiveState

_THREE_FROM: Final = 860
_TWO_FROM: Final = 620


_STEP: Final = 0.2
"""Share of the range that a key moves."""
_HAIR_STEP: Final = 0.01


class PlotGrid(QScrollArea):
    """The grid: one time axis and one cross-hair through all plots, by mouse and by keys."""

    built = Signal()
    pointed = Signal(object)

    def __init__(self, theme: Theme, view_model: LiveViewModel) -> None:
        super().__init__()
        self._theme = theme
        self._vm = view_model
        self._columns = 0
        self._shown: tuple[str, ...] = ()
        self.plots: dict[str, LivePlot] = {}
        self._waiting: list[str] = []
        self._is_built = False
        self._to_build = [view.id for view in view_model.state.plots] or list(PLOTS)
        self._at_s: float | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setWidgetResizable(True)
        self._inner = QWidget()
        self._grid = QGridLayout(self._inner)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(space(2))
        self.setWidget(self._inner)
        self._turn = QTimer(self)
        self._turn.setSingleShot(True)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._next)
        theme.changed.connect(self.restyle)
        self._turn.start()

    @property
    def is_built(self) -> bool:
        """True once every plot was there; later ones join in one by one."""
        return self._is_built

    def show_state(self, state: LiveState) -> None:
        """Take new values; legends change now, curves are drawn one plot per turn."""
        for view in state.plots:
            plot = self.plots.get(view.id)
            if plot is not None:
                plot.set_view(view, state)
            elif view.id not in self._to_build:
                self._to_build.append(view.id)
        self._arrange()
        self._ask_for_all()

    def point_at(self, at_s: float | None) -> None:
        """Move the cross-hair of every plot."""
        self._at_s = at_s
        for plot in self.plots.values():
            plot.point_at(at_s)
        self.pointed.emit(at_s)

    def picture(self) -> QImage:
        """Return all plots as a picture, also those that are scrolled away."""
        return self._inner.grab().toImage()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows move the time, with Shift the cross-hair; + and - stretch; 0 goes back to now."""
        range_s = self._vm.state.range_s
        with_shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                sign = 1 if event.key() == Qt.Key.Key_Right else -1
                if with_shift:
                    self._move_hair(sign * range_s * _HAIR_STEP)
                else:
                    self._vm.move(sign * range_s * _STEP)
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self._vm.stretch(0.5, self._at_s)
            case Qt.Key.Key_Minus:
                self._vm.stretch(2.0, self._at_s)
            case Qt.Key.Key_0 | Qt.Key.Key_End:
                self._vm.set_paused(False)
            case _:
                super().keyPressEvent(event)

    def _move_hair(self, by_s: float) -> None:
        state = self._vm.state
        left = state.now_s - state.range_s
        at_s = state.now_s if self._at_s is None else self._at_s + by_s
        self.point_at(min(max(at_s, left), state.now_s))

    @Slot()
    def restyle(self) -> None:
        """Take the colours of the theme."""
        for plot in self.plots.values():
            plot.restyle()
        self._ask_for_all()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Use as many columns as fit."""
        super().resizeEvent(event)
        self._arrange()
        self._ask_for_all()

    def _ask_for_all(self) -> None:
        # What waits keeps its place: a slow desk must not starve the last plots.
        self._waiting = [name for name in self._waiting if name in self._shown]
        self._waiting += [n for n in self._shown if n in self.plots and n not in self._waiting]
        if self._waiting:
            self._turn.start()

    @Slot()
    def _next(self) -> None:
        if self._to_build:
            self._build_one()
        elif self._waiting:
            plot = self.plots[self._waiting.pop(0)]
            plot.redraw(self._shared_top(plot))
        if self._to_build or self._waiting:
            self._turn.start()

    def _shared_top(self, plot: LivePlot) -> float:
        """Return how far the plots reach that are compared with one."""
        word = plot.view.shares if plot.view is not None else ""
        if not word:
            return 0.0
        alike = (other for name, other in self.plots.items() if name in self._shown)
        tops = (o.top for o in alike if o.view is not None and o.view.shares == word)
        return max(tops, default=0.0)

    def _build_one(self) -> None:
        name = self._to_build.pop(0)
        plot = LivePlot(self._theme, self._vm)
        plot.pointed.connect(self.point_at)
        plot.dragged.connect(self._vm.move)
        plot.wheeled.connect(self._vm.stretch)
        plot.toggled.connect(self._vm.toggle)
        self.plots[name] = plot
        self._columns = 0
        self._arrange()
        state = self._vm.state
        for view in state.plots:
            if view.id == name:
                plot.set_view(view, state)
                self._waiting.append(name)
        if not self._to_build and not self._is_built:
            self._is_built = True
            self.built.emit()

    def _arrange(self) -> None:
        width = self.viewport().width()
        columns = 3 if width >= _THREE_FROM else 2 if width >= _TWO_FROM else 1
        views = self._vm.state.plots
        shown = tuple(view.id for view in views if not view.is_absent) if views else tuple(PLOTS)
        state = self._vm.state
        if state.is_split and state.beside:
            # A column for each deployment.
            columns = min(columns, len(state.beside) + 1)
        columns = max(min(columns, len(shown)), 1)
        if columns == self._columns and shown == self._shown:
            return
        self._columns, self._shown = columns, shown
        for name, plot in self.plots.items():
            plot.setVisible(name in shown)
        # The host's own plots first, then each compared metric in a row of its own.
        own = [name for name in shown if "@" not in name]
        compared = [name for name in shown if "@" in name]
        first = len(own) + -len(own) % columns
        places = [*enumerate(own), *enumerate(compared, start=first)]
        for number, name in places:
            if name in self.plots:
                self._grid.addWidget(self.plots[name], number // columns, number % columns)
        rows = places[-1][0] // columns + 1 if places else 0
        for row in range(max(len(self.plots), rows)):
            self._grid.setRowStretch(row, 1 if row < rows else 0)
        for column in range(3):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
