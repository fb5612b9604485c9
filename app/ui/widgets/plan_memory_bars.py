"""The memory picture's bars: stacked, with figures inside and a red line at the limit."""

from typing import Final

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.core.units import format_bytes
from app.ui.theme import Theme
from app.ui.viewmodels.plan_memory import (
    PARTS,
    MemoryRow,
    MemoryView,
    Segment,
    gib_figure,
    part_text,
)

_BAR: Final = 22
_GAP: Final = 6
_KEY: Final = 15
_BETWEEN: Final = 14
_RADIUS: Final = 4

_KEYBOARD: Final = frozenset({Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason})

_Key = tuple[str, str, bool]
"""An entry of the legend: token, words, whether it is a line."""


class MemoryBars(QWidget):
    """The bars themselves; a click, or arrow keys and Enter, choose one of their numbers."""

    chosen = Signal(str)
    """A part of the picture (`PARTS`, or ``limit``) whose arithmetic is wanted."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._view = MemoryView()
        self._at = 0
        self._by_keys = False
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        theme.changed.connect(self.update)

    def set_view(self, view: MemoryView) -> None:
        """Show a picture."""
        before = self.sizeHint()
        self._view = view
        self._at = min(self._at, max(len(self._numbers()) - 1, 0))
        self._describe()
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
        if self.hasFocus() and self._by_keys:
            self._paint_focus(painter)
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

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Open the number under the pointer."""
        part = self.part_at(event.position())
        self._by_keys = False
        if part and event.button() is Qt.MouseButton.LeftButton:
            self.chosen.emit(part)
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show where a click opens something."""
        shape = Qt.CursorShape.PointingHandCursor
        is_open = bool(self.part_at(event.position()))
        self.setCursor(shape if is_open else Qt.CursorShape.ArrowCursor)
        super().mouseMoveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from number to number with the arrows; Enter and Space open one."""
        self._by_keys = True
        numbers = self._numbers()
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}
        if not numbers:
            super().keyPressEvent(event)
        elif event.key() in steps:
            self._at = (self._at + steps[Qt.Key(event.key())]) % len(numbers)
            self._describe()
            self.update()
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}:
            self.chosen.emit(numbers[self._at][1].part)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show which number the keyboard is at."""
        super().focusInEvent(event)
        # Given back when the details close: whoever opened them with a click looks for no frame.
        self._by_keys = self._by_keys or event.reason() in _KEYBOARD
        self._describe()
        self.update()

    def part_at(self, point: QPointF) -> str:
        """Return the part of a plan's bar, or of the legend, at a point; empty elsewhere."""
        for number, row in enumerate(self._view.rows):
            if row.limit_bytes is None:
                continue
            for area, segment in self._areas(row, number):
                if area.contains(point):
                    return segment.part
        explained = {segment.part for _, segment in self._numbers()} | {"limit"}
        for area, (token, _, _) in self._legend_areas():
            part = token.removeprefix("memory.")
            if area.contains(point) and part in explained:
                return part
        return ""

    def _numbers(self) -> list[tuple[int, Segment]]:
        """Return the numbers that open: those of the first bar that the plan is in."""
        for number, row in enumerate(self._view.rows):
            if row.limit_bytes is not None:
                return [(number, segment) for segment in row.segments]
        return []

    def _describe(self) -> None:
        rows = ". ".join(row.text for row in self._view.rows)
        numbers = self._numbers()
        at = f"{numbers[self._at][1].note}. " if numbers and self.hasFocus() else ""
        self.setAccessibleDescription(at + rows)

    def _paint_focus(self, painter: QPainter) -> None:
        """Frame the number that the arrow keys stand at; without numbers the whole picture."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        numbers = self._numbers()
        if not numbers:
            painter.setPen(QPen(self._theme.color("accent"), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
            return
        number, wanted = numbers[self._at]
        for area, segment in self._areas(self._view.rows[number], number):
            if segment is wanted:
                frame = area.adjusted(-1, -1, 1, 1)
                painter.setPen(QPen(self._theme.color("surface"), 4))
                painter.drawRect(frame)
                painter.setPen(QPen(self._theme.color("accent"), 2))
                painter.drawRect(frame)

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
        total = _total(row)
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
            if text != "0.0" and metrics.horizontalAdvance(text) + 2 <= area.width():
                painter.setPen(self._theme.ink_on(color))
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)
        painter.restore()
        painter.setPen(QPen(theme.color("edge"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(bar.adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)

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
        for area, (token, words, is_line) in self._legend_areas():
            x, y = area.left(), area.center().y()
            if is_line:
                painter.setPen(QPen(theme.color(token), 2))
                painter.drawLine(QPointF(x + 5, y - 6), QPointF(x + 5, y + 6))
            else:
                free = token == "memory.free"  # noqa: S105 - a colour's name
                painter.setPen(QPen(theme.color("edge" if free else token), 1))
                painter.setBrush(theme.color(token))
                painter.drawRoundedRect(QRectF(x + 0.5, y - 4.5, 9, 9), 2, 2)
            painter.setPen(theme.color("muted"))
            painter.drawText(area.adjusted(_KEY, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, words)

    def _legend_areas(self) -> list[tuple[QRectF, _Key]]:
        metrics = QFontMetricsF(self._theme.font("caption"))
        y = len(self._view.rows) * (_BAR + _GAP) + 2.0
        areas = []
        for line in self._legend_lines(self.width()):
            x = 0.0
            for key in line:
                width = metrics.horizontalAdvance(key[1]) + 2 + _KEY
                areas.append((QRectF(x, y, width, metrics.height()), key))
                x += width + _BETWEEN
            y += metrics.height() + 4
        return areas

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
        metrics = QFontMetricsF(self._theme.font("figure"))
        least = metrics.horizontalAdvance("000.0 GiB")
        widths = [metrics.horizontalAdvance(_total(row)) for row in self._view.rows]
        return max(widths, default=least) + _GAP


def _total(row: MemoryRow) -> str:
    """Return a bar's size; where it stands for several GPUs, that it is the size of each."""
    if row.total_bytes is None:
        return "?"
    size = format_bytes(row.total_bytes)
    if row.gpus == 1:
        return size
    return QCoreApplication.translate("Plan", "{size} per GPU").format(size=size)


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
