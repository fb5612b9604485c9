"""Bars for how full something is: as a widget, and in a table's cell."""

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.ui.models.roles import BAR_ROLE
from app.ui.theme import Theme
from app.ui.viewmodels.bar import Bar

_HEIGHT: Final = 6
_RADIUS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class BarColors:
    """The colours of a bar."""

    track: QColor
    edge: QColor
    fill: QColor


def bar_colors(theme: Theme, fraction: float | None) -> BarColors:
    """Return the colours for a level; nearly full is said by colour beside the number."""
    token = "status.warn" if fraction is not None and fraction >= 0.95 else "accent"
    return BarColors(track=theme.color("track"), edge=theme.color("edge"), fill=theme.color(token))


def draw_bar(painter: QPainter, area: QRectF, fraction: float | None, colors: BarColors) -> None:
    """Draw a rounded bar; unknown is an empty track."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    # The track is as quiet as a selected row: its edge shows how long the bar is.
    painter.setPen(QPen(colors.edge, 1))
    painter.setBrush(colors.track)
    painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
    painter.setPen(Qt.PenStyle.NoPen)
    if fraction:
        filled = QRectF(area)
        filled.setWidth(max(area.width() * min(fraction, 1.0), 2.0))
        painter.setBrush(colors.fill)
        painter.drawRoundedRect(filled, _RADIUS, _RADIUS)
    painter.restore()


class MemoryBar(QWidget):
    """A bar with its figure on the right: used of total."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._bar = Bar(fraction=None, text="")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def set_bar(self, bar: Bar) -> None:
        """Show a level."""
        self._bar = bar
        self.setAccessibleName(bar.text)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Leave room for the figure."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._bar.text) + 80, metrics.height() + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw bar and figure."""
        painter = QPainter(self)
        _draw_bar_and_text(painter, QRectF(event.rect()), self._bar, self._theme, self.font())
        painter.end()


class BarDelegate(QStyledItemDelegate):
    """Draw a cell's `BAR_ROLE` as a bar with its figure."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw the cell."""
        bar = index.data(BAR_ROLE)
        if not isinstance(bar, Bar):
            super().paint(painter, option, index)
            return
        self.initStyleOption(option, index)
        option.text = ""
        widget = option.widget
        widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, widget)
        area = QRectF(option.rect).adjusted(8, 0, -8, 0)
        _draw_bar_and_text(painter, area, bar, self._theme, self._theme.font("figure"))

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Leave room for bar and figure."""
        hint = super().sizeHint(option, index)
        return QSize(hint.width() + 80, hint.height())


def _draw_bar_and_text(
    painter: QPainter, area: QRectF, bar: Bar, theme: Theme, font: QFont
) -> None:
    painter.setFont(font)
    role = "muted" if bar.fraction is None else "text"
    painter.setPen(theme.color(role))
    align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
    painter.drawText(area, align, bar.text)
    if bar.fraction is None:
        return
    text_width = painter.fontMetrics().horizontalAdvance(bar.text)
    width = area.width() - text_width - 8
    if width >= 16:
        top = area.center().y() - _HEIGHT / 2
        track = QRectF(area.left(), top, width, _HEIGHT)
        draw_bar(painter, track, bar.fraction, bar_colors(theme, bar.fraction))
