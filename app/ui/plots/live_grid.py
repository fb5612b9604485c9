"""All plots of the Live page: built and drawn one per turn of the event loop."""

from typing import Final

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QScrollArea, QWidget

from app.ui.plots.live_plot import LivePlot
from app.ui.theme import Theme, space
from app.ui.viewmodels.live import LiveState, LiveViewModel
from app.ui.viewmodels.live_plots import PLOTS

_THREE_FROM: Final = 860
_TWO_FROM: Final = 620


class PlotGrid(QScrollArea):
    """The grid; one cross-hair through all plots."""

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
        self._to_build = list(PLOTS)
        self.setWidgetResizable(True)
        inner = QWidget()
        self._grid = QGridLayout(inner)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(space(2))
        self.setWidget(inner)
        self._turn = QTimer(self)
        self._turn.setSingleShot(True)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._next)
        theme.changed.connect(self.restyle)
        self._turn.start()

    @property
    def is_built(self) -> bool:
        """True once every plot is there."""
        return not self._to_build

    def show_state(self, state: LiveState) -> None:
        """Take new values; legends change now, curves are drawn one plot per turn."""
        for view in state.plots:
            plot = self.plots.get(view.id)
            if plot is not None:
                plot.set_view(view, state)
        self._arrange()
        self._ask_for_all()

    def point_at(self, at_s: float | None) -> None:
        """Move the cross-hair of every plot."""
        for plot in self.plots.values():
            plot.point_at(at_s)
        self.pointed.emit(at_s)

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
        self._waiting += [n for n in PLOTS if n in self.plots and n not in self._waiting]
        if self._waiting:
            self._turn.start()

    @Slot()
    def _next(self) -> None:
        if self._to_build:
            self._build_one()
        elif self._waiting:
            self.plots[self._waiting.pop(0)].redraw()
        if self._to_build or self._waiting:
            self._turn.start()

    def _build_one(self) -> None:
        name = self._to_build.pop(0)
        plot = LivePlot(self._theme, self._vm)
        plot.pointed.connect(self.point_at)
        self.plots[name] = plot
        self._columns = 0
        self._arrange()
        state = self._vm.state
        for view in state.plots:
            if view.id == name:
                plot.set_view(view, state)
                self._waiting.append(name)
        if not self._to_build:
            self.built.emit()

    def _arrange(self) -> None:
        width = self.viewport().width()
        columns = 3 if width >= _THREE_FROM else 2 if width >= _TWO_FROM else 1
        absent = {view.id for view in self._vm.state.plots if view.is_absent}
        shown = tuple(name for name in PLOTS if name not in absent)
        columns = max(min(columns, len(shown)), 1)
        if columns == self._columns and shown == self._shown:
            return
        self._columns, self._shown = columns, shown
        for name, plot in self.plots.items():
            plot.setVisible(name in shown)
        for number, name in enumerate(shown):
            if name in self.plots:
                self._grid.addWidget(self.plots[name], number // columns, number % columns)
        rows = -(-len(shown) // columns)
        for row in range(len(PLOTS)):
            self._grid.setRowStretch(row, 1 if row < rows else 0)
        for column in range(3):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
