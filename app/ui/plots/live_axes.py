"""What stands around and over the curves of a live plot: axes, marks, the hair line."""

import time
from collections.abc import Sequence
from typing import Final

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from app.ui.theme import Theme, letters
from app.ui.viewmodels.live_marks import Mark

_STEPS_S: Final = (
    5.0,
    10.0,
    15.0,
    20.0,
    30.0,
    60.0,
    120.0,
    300.0,
    600.0,
    900.0,
    1800.0,
    3600.0,
    7200.0,
    10_800.0,
    21_600.0,
)

_LABELS: Final = 12
"""Marks in view up to which they are labelled in the first plot."""


class TimeAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Time of day below a plot."""

    def tickSpacing(
        self,
        minVal: float,  # noqa: N803 - as pyqtgraph names it
        maxVal: float,  # noqa: N803 - as pyqtgraph names it
        size: float,
    ) -> list[tuple[float, float]]:
        """Return steps of whole seconds and minutes, wide enough for the words.

        One of them may be cut off at an edge: closer steps leave two in sight.
        """
        room = max(size / (letters(self.label.font(), 8) * 1.25 + 1), 1.0)
        least = (maxVal - minVal) / room
        return [(next((s for s in _STEPS_S if s >= least), _STEPS_S[-1]), 0.0)]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return hours and minutes, with seconds where ticks are close."""
        del scale
        form = "%H:%M:%S" if spacing < 60 else "%H:%M"
        return [time.strftime(form, time.localtime(value)) for value in values]


class ValueAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Values left of a plot, short."""

    def boundingRect(self) -> QRectF:
        """Return room for half a figure below the lowest line: what does not fit is left out."""
        half = QFontMetricsF(self.label.font()).height() / 2
        whole: QRectF = super().boundingRect()
        return whole.adjusted(0, 0, 0, half)

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return plain figures with as many places as the steps need."""
        del scale
        digits = 0 if spacing >= 1 else 1 if spacing >= 0.1 else 2
        return [f"{value:,.{digits}f}" for value in values]


class MarkedPlot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """A plot with what happened as thin verticals, all drawn in one pass over the curves.

    One line item per mark and plot would make each drawing slower with every event.
    """

    def __init__(self, theme: Theme, axes: dict[str, pg.AxisItem]) -> None:
        super().__init__(axisItems=axes)
        self._theme = theme
        self.marks: tuple[Mark, ...] = ()
        self.is_labelled = False
        self._hair_s: float | None = None

    def set_hair(self, at_s: float | None) -> None:
        """Write the cross-hair's time beside it, in the plot that has the labels."""
        if self.is_labelled and at_s != self._hair_s:
            self._hair_s = at_s
            self.viewport().update()

    def set_marks(self, marks: tuple[Mark, ...]) -> None:
        """Show these marks."""
        if marks != self.marks:
            self.marks = marks
            self.viewport().update()

    def drawForeground(self, painter: QPainter, _rect: QRectF) -> None:
        """Draw the marks over the curves, and the time of the cross-hair."""
        if not self.marks and self._hair_s is None:
            return
        box = self.getPlotItem().vb
        area = box.sceneBoundingRect()
        painter.save()
        painter.setClipRect(area)
        painter.setFont(self._theme.font("caption"))
        height = painter.fontMetrics().height()
        for number, mark in enumerate(self.marks):
            x = box.mapViewToScene(QPointF(mark.at_s, 0.0)).x()
            pen = QPen(self.color_of(mark))
            pen.setStyle(Qt.PenStyle.DashLine)
            painter.setPen(pen)
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            if self.is_labelled and len(self.marks) <= _LABELS:
                painter.setPen(self._theme.color("muted"))
                width = painter.fontMetrics().horizontalAdvance(mark.word)
                left = x + 3 if x + 3 + width <= area.right() else x - 3 - width
                painter.drawText(QPointF(left, area.top() + height * (1 + number % 4)), mark.word)
        if self._hair_s is not None:
            self._write_time(painter, area, box.mapViewToScene(QPointF(self._hair_s, 0.0)).x())
        painter.restore()

    def _write_time(self, painter: QPainter, area: QRectF, x: float) -> None:
        metrics, words = painter.fontMetrics(), clock_text(self._hair_s or 0.0)
        width, height = metrics.horizontalAdvance(words) + 6, metrics.height()
        left = x + 2 if x + 2 + width <= area.right() else x - 2 - width
        ground = QRectF(left, area.bottom() - height - 2, width, height)
        painter.fillRect(ground, self._theme.color("raised"))
        painter.setPen(self._theme.color("text"))
        painter.drawText(ground, Qt.AlignmentFlag.AlignCenter, words)

    def color_of(self, mark: Mark) -> QColor:
        """Return a mark's colour."""
        name = mark.status
        return self._theme.color(name if name == "accent" else f"status.{name}")


def clock_text(at_s: float) -> str:
    """Write a time of day as the axis does."""
    return time.strftime("%H:%M:%S", time.localtime(at_s))
