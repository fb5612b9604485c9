"""The phases of a start as a horizontal track: done, running, still to come, with times."""

from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.ui.icons import IconSet
from app.ui.theme import Theme
from app.ui.viewmodels.deployments_phases import PhaseView

_DOT: Final = 16
_SMALLEST: Final = 0.78
_ICONS: Final = {
    "done": ("circle-check", "status.ok"),
    "running": ("loader-2", "accent"),
    "failed": ("circle-x", "status.error"),
    "skipped": ("circle-minus", "muted"),
    "waiting": ("circle-dashed", "strong"),
}


class PhaseTrack(QWidget):
    """Draw the phases; words stay readable by wrapping into two lines."""

    def __init__(self, theme: Theme, icons: IconSet) -> None:
        super().__init__()
        self._theme = theme
        self._icons = icons
        self._phases: tuple[PhaseView, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    @property
    def phases(self) -> tuple[PhaseView, ...]:
        """What is shown."""
        return self._phases

    def set_phases(self, phases: tuple[PhaseView, ...]) -> None:
        """Show the phases."""
        if phases == self._phases:
            return
        self._phases = phases
        words = (
            self.tr("{phase}: {state} {time}").format(
                phase=phase.word, state=self._state_word(phase.status), time=phase.time
            )
            for phase in phases
        )
        self.setAccessibleDescription("; ".join(word.strip() for word in words))
        self.update()

    def sizeHint(self) -> QSize:
        """Dots, two lines of words, one of times."""
        line = QFontMetricsF(self._theme.font("caption")).height()
        return QSize(400, round(_DOT + 6 + 3 * line + 4))

    def minimumSizeHint(self) -> QSize:
        """As tall as needed."""
        return QSize(200, self.sizeHint().height())

    def paintEvent(self, _event: QEvent) -> None:
        """Draw line, dots and words."""
        if not self._phases:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_line(painter)
        for number, phase in enumerate(self._phases):
            self._paint_phase(painter, self._cell(number), phase)
        painter.end()

    def event(self, event: QEvent) -> bool:
        """Explain the phase under the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            for number, phase in enumerate(self._phases):
                if self._cell(number).contains(QPointF(event.pos())):
                    QToolTip.showText(event.globalPos(), phase.tip, self)
                    return True
            QToolTip.hideText()
            return True
        return super().event(event)

    def _cell(self, number: int) -> QRectF:
        width = self.width() / max(len(self._phases), 1)
        return QRectF(number * width, 0, width, self.height())

    def _paint_line(self, painter: QPainter) -> None:
        y = _DOT / 2
        for number, (before, after) in enumerate(zip(self._phases, self._phases[1:], strict=False)):
            start = self._cell(number).center().x() + _DOT / 2 + 3
            end = self._cell(number + 1).center().x() - _DOT / 2 - 3
            reached = after.status != "waiting"
            painter.setPen(QPen(self._theme.color("status.ok" if reached else "border"), 2))
            painter.drawLine(QPointF(start, y), QPointF(end, y))
            if not reached and before.progress is not None:
                painter.setPen(QPen(self._theme.color("accent"), 2))
                middle = start + (end - start) * before.progress
                painter.drawLine(QPointF(start, y), QPointF(middle, y))

    def _paint_phase(self, painter: QPainter, cell: QRectF, phase: PhaseView) -> None:
        theme = self._theme
        icon, token = _ICONS[phase.status]
        dot = QRectF(cell.center().x() - _DOT / 2, 0, _DOT, _DOT)
        self._icons.icon(icon, token).paint(painter, dot.toRect())
        font = self._font(cell.width() - 2)
        metrics = QFontMetricsF(font)
        font.setBold(phase.status in {"running", "failed"})
        painter.setFont(font)
        painter.setPen(theme.color("muted" if phase.status in {"waiting", "skipped"} else "text"))
        flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        area = QRectF(cell.left() + 2, _DOT + 5, cell.width() - 4, 2 * metrics.height())
        painter.drawText(area, int(flags | Qt.TextFlag.TextWordWrap), phase.word)
        used = painter.boundingRect(area, int(flags | Qt.TextFlag.TextWordWrap), phase.word)
        painter.setFont(font)
        painter.setPen(theme.color("muted"))
        below = QRectF(cell.left(), used.bottom() + 1, cell.width(), metrics.height())
        painter.drawText(below, int(flags), phase.time)

    def _font(self, room: float) -> QFont:
        """Return the caption's font, a little smaller where the longest word would be cut."""
        font = self._theme.font("caption")
        metrics = QFontMetricsF(font)
        words = (word for phase in self._phases for word in (*phase.word.split(), phase.time))
        widest = max((metrics.horizontalAdvance(word) for word in words), default=0.0)
        if widest > room > 0:
            font.setPointSizeF(font.pointSizeF() * max(room / widest, _SMALLEST))
        return font

    def _state_word(self, status: str) -> str:
        words = {
            "done": self.tr("done"),
            "running": self.tr("running"),
            "failed": self.tr("failed"),
            "skipped": self.tr("skipped"),
            "waiting": self.tr("not reached"),
        }
        return words[status]
