"""The memory picture: stacked bars with figures inside, a red line at the limit, words for all."""

from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFontMetricsF,
    QHelpEvent,
    QPainter,
    QPainterPath,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QSizePolicy,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from app.core.units import format_bytes
from app.ui.icons import IconSet
from app.ui.theme import Theme, space
from app.ui.viewmodels.plan_memory import (
    PARTS,
    MemoryRow,
    MemoryView,
    Segment,
    gib_figure,
    part_text,
)
from app.ui.widgets.state import StateLabel
from app.ui.widgets.text import ElidedLabel, label

_BAR: Final = 22
_GAP: Final = 6
_KEY: Final = 15
_BETWEEN: Final = 14
_RADIUS: Final = 4
_VERDICT_ICONS: Final = {
    "ok": "circle-check",
    "warn": "alert-triangle",
    "error": "circle-x",
    "unknown": "question-mark",
}


_Key = tuple[str, str, bool]
"""An entry of the legend: token, words, whether it is a line."""


class MemoryBars(QWidget):
    """The bars themselves."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._view = MemoryView()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        theme.changed.connect(self.update)

    def set_view(self, view: MemoryView) -> None:
        """Show a picture."""
        before = self.sizeHint()
        self._view = view
        self.setAccessibleDescription(". ".join(row.text for row in view.rows))
        if self.sizeHint() != before:
            self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """A bar per row and the legend."""
        rows = max(len(self._view.rows), 1)
        return QSize(320, rows * (_BAR + _GAP) + self._legend_height())

    def minimumSizeHint(self) -> QSize:
        """As tall as needed."""
        return QSize(200, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The legend may need another line now."""
        super().resizeEvent(event)
        self.updateGeometry()

    def paintEvent(self, _event: QEvent) -> None:
        """Draw rows and legend."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number, row in enumerate(self._view.rows):
            self._paint_row(painter, row, number)
        self._paint_legend(painter)
        if self.hasFocus():
            painter.setPen(QPen(self._theme.color("accent"), 1, Qt.PenStyle.DotLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def event(self, event: QEvent) -> bool:
        """Say what is under the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            text = self.text_at(QPointF(event.pos()))
            if text:
                QToolTip.showText(event.globalPos(), text, self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def text_at(self, point: QPointF) -> str:
        """Return what stands at a point: a part's size, else the row in words."""
        number = int(point.y() // (_BAR + _GAP))
        if not 0 <= number < len(self._view.rows):
            return ""
        row = self._view.rows[number]
        for area, segment in self._areas(row, number):
            if area.contains(point):
                return segment.note
        return row.text

    def _areas(self, row: MemoryRow, number: int) -> list[tuple[QRectF, Segment]]:
        bar = self._bar_area(number)
        whole = max(sum(segment.size_bytes for segment in row.segments), row.total_bytes or 0, 1)
        x = bar.left()
        areas = []
        for segment in row.segments:
            width = bar.width() * segment.size_bytes / whole
            areas.append((QRectF(x, bar.top(), width, bar.height()), segment))
            x += width
        return areas

    def _bar_area(self, number: int) -> QRectF:
        left = self._title_width()
        right = self._total_width()
        top = number * (_BAR + _GAP) + 2
        return QRectF(left, top, max(self.width() - left - right, 10), _BAR)

    def _paint_row(self, painter: QPainter, row: MemoryRow, number: int) -> None:
        theme, bar = self._theme, self._bar_area(number)
        painter.setFont(theme.font("figure"))
        painter.setPen(theme.color("text"))
        middle = Qt.AlignmentFlag.AlignVCenter
        title = QRectF(0, bar.top(), bar.left() - _GAP, bar.height())
        painter.drawText(title, middle | Qt.AlignmentFlag.AlignLeft, row.title)
        painter.setPen(theme.color("muted"))
        total = "?" if row.total_bytes is None else format_bytes(row.total_bytes)
        rest = QRectF(
            bar.right() + _GAP, bar.top(), self.width() - bar.right() - _GAP, bar.height()
        )
        painter.drawText(rest, middle | Qt.AlignmentFlag.AlignRight, total)
        self._paint_segments(painter, row, number)
        self._paint_limit(painter, row, bar)

    def _paint_segments(self, painter: QPainter, row: MemoryRow, number: int) -> None:
        theme, bar = self._theme, self._bar_area(number)
        painter.save()
        clip = QPainterPath()
        clip.addRoundedRect(bar, _RADIUS, _RADIUS)
        painter.setClipPath(clip)
        painter.fillRect(bar, theme.color("memory.free"))
        metrics = QFontMetricsF(painter.font())
        for area, segment in self._areas(row, number):
            color = theme.color(f"memory.{segment.part}")
            painter.fillRect(area, color)
            painter.fillRect(
                QRectF(area.right() - 1, area.top(), 1, area.height()), theme.color("surface")
            )
            text = gib_figure(segment.size_bytes)
            if text != "0.0" and metrics.horizontalAdvance(text) + 6 <= area.width():
                painter.setPen(self._theme.ink_on(color))
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)
        painter.restore()

    def _paint_limit(self, painter: QPainter, row: MemoryRow, bar: QRectF) -> None:
        if row.limit_bytes is None or not row.total_bytes:
            return
        whole = max(sum(segment.size_bytes for segment in row.segments), row.total_bytes)
        x = bar.left() + bar.width() * min(row.limit_bytes / whole, 1.0)
        painter.setPen(QPen(self._theme.color("memory.limit"), 2))
        painter.drawLine(QPointF(x, bar.top() - 3), QPointF(x, bar.bottom() + 3))

    def _paint_legend(self, painter: QPainter) -> None:
        theme = self._theme
        painter.setFont(theme.font("caption"))
        metrics = QFontMetricsF(painter.font())
        y = len(self._view.rows) * (_BAR + _GAP) + metrics.height() / 2 + 2
        for line in self._legend_lines(self.width()):
            x = 0.0
            for token, words, is_line in line:
                if is_line:
                    painter.setPen(QPen(theme.color(token), 2))
                    painter.drawLine(QPointF(x + 5, y - 6), QPointF(x + 5, y + 6))
                else:
                    painter.setPen(Qt.PenStyle.NoPen)
                    painter.setBrush(theme.color(token))
                    painter.drawRoundedRect(QRectF(x, y - 5, 10, 10), 2, 2)
                painter.setPen(theme.color("muted"))
                width = metrics.horizontalAdvance(words) + 2
                area = QRectF(x + _KEY, y - metrics.height() / 2, width, metrics.height())
                painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, words)
                x += width + _KEY + _BETWEEN
            y += metrics.height() + 4

    def _legend(self) -> list[_Key]:
        shown = {segment.part for row in self._view.rows for segment in row.segments}
        entries = [(f"memory.{part}", part_text(part), False) for part in PARTS if part in shown]
        if any(row.limit_bytes is not None for row in self._view.rows):
            entries.append(("memory.limit", self.tr("Limit"), True))
        return entries

    def _legend_height(self) -> int:
        metrics = QFontMetricsF(self._theme.font("caption"))
        lines = len(self._legend_lines(max(self.width(), 200)))
        return round(lines * (metrics.height() + 4)) + 2

    def _legend_lines(self, width: float) -> list[list[_Key]]:
        """Break the legend into as few lines as possible, none of them much shorter."""
        metrics = QFontMetricsF(self._theme.font("caption"))
        keys = self._legend()
        wide = [metrics.horizontalAdvance(words) + _KEY + _BETWEEN for _, words, _ in keys]
        least = len(_broken(keys, wide, width))
        for narrower in range(int(sum(wide)) // max(least, 1), int(width), 8):
            lines = _broken(keys, wide, narrower)
            if len(lines) <= least:
                return lines
        return _broken(keys, wide, width)

    def _title_width(self) -> float:
        metrics = QFontMetricsF(self._theme.font("figure"))
        widths = [metrics.horizontalAdvance(row.title) for row in self._view.rows]
        return max(widths, default=0.0) + _GAP

    def _total_width(self) -> float:
        return QFontMetricsF(self._theme.font("figure")).horizontalAdvance("000.0 GiB") + _GAP


class MemoryPicture(QFrame):
    """Verdict, bars, legend and what holds the plan back."""

    def __init__(self, theme: Theme, icons: IconSet) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._view = MemoryView()
        self._title = label("section")
        self._verdict = StateLabel(icons)
        self._caption = ElidedLabel(role="muted")
        self._note = ElidedLabel(role="caption")
        self.bars = MemoryBars(theme)
        head = QHBoxLayout()
        head.setSpacing(space(3))
        head.addWidget(self._title)
        head.addWidget(self._verdict)
        head.addWidget(self._caption, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(space(3), space(2), space(3), space(2))
        layout.setSpacing(space(1))
        layout.addLayout(head)
        layout.addWidget(self.bars)
        layout.addWidget(self._note)
        self.retranslate()

    @property
    def view(self) -> MemoryView:
        """What is shown."""
        return self._view

    def set_view(self, view: MemoryView) -> None:
        """Show a picture."""
        self._view = view
        self._verdict.setVisible(bool(view.verdict))
        if view.verdict:
            self._verdict.set_state(_VERDICT_ICONS[view.status], view.verdict, view.status)
        self._title.setText(view.title)
        self._caption.set_text(view.caption)
        self._note.set_text(" ".join(view.notes))
        self._note.setVisible(bool(view.notes))
        self.bars.set_view(view)

    def retranslate(self) -> None:
        """Set the fixed texts again."""
        self.bars.setAccessibleName(self.tr("Memory picture"))
        self.bars.update()


def _broken(keys: list[_Key], widths: list[float], room: float) -> list[list[_Key]]:
    lines: list[list[_Key]] = [[]]
    used = 0.0
    for key, width in zip(keys, widths, strict=True):
        if lines[-1] and used + width - _BETWEEN > room:
            lines.append([])
            used = 0.0
        lines[-1].append(key)
        used += width
    return lines
