"""The exact container as text; each line tells what it does, by pointer and by keyboard."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QTextCursor, QTextFormat
from PySide6.QtWidgets import QTextEdit, QToolTip

from app.ui.theme import Theme
from app.ui.viewmodels.plan_command import CommandLine
from app.ui.widgets.text import MonoBlock


class ExplainedBlock(MonoBlock):
    """A mono block whose lines are explained."""

    line_chosen = Signal(int)
    """A line was clicked, or Enter was pressed on it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._theme = theme
        self._lines: tuple[CommandLine, ...] = ()
        self._hovered = -1
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        theme.changed.connect(self._mark)

    @property
    def lines(self) -> tuple[CommandLine, ...]:
        """What is shown."""
        return self._lines

    def set_lines(self, lines: tuple[CommandLine, ...]) -> None:
        """Show a command."""
        if lines == self._lines:
            return
        same_text = [line.text for line in lines] == [line.text for line in self._lines]
        self._lines = lines
        if not same_text:
            self.setPlainText("\n".join(line.text for line in lines))
            self._hovered = -1
            self._mark()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Mark the line under the pointer."""
        super().mouseMoveEvent(event)
        line = self.cursorForPosition(event.position().toPoint()).blockNumber()
        if line != self._hovered:
            self._hovered = line
            self._mark()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at."""
        super().leaveEvent(event)
        self._hovered = -1
        self._mark()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click without selecting tells about the line."""
        super().mouseReleaseEvent(event)
        if not self.textCursor().hasSelection():
            self._choose(self.cursorForPosition(event.position().toPoint()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter tells about the line the cursor stands in."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._choose(self.textCursor())
            return
        super().keyPressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Explain the line under the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            number = self.cursorForPosition(event.pos()).blockNumber()
            if 0 <= number < len(self._lines):
                line = self._lines[number]
                QToolTip.showText(event.globalPos(), f"{line.why}\n({line.source})", self)
            return True
        return super().viewportEvent(event)

    def _choose(self, cursor: QTextCursor) -> None:
        number = cursor.blockNumber()
        if 0 <= number < len(self._lines):
            self.line_chosen.emit(number)

    def _mark(self) -> None:
        if self._hovered < 0 or self._hovered >= self.blockCount():
            self.setExtraSelections([])
            return
        selection = QTextEdit.ExtraSelection()
        selection.format.setBackground(self._theme.color("hover"))
        selection.format.setProperty(int(QTextFormat.Property.FullWidthSelection), True)
        cursor = QTextCursor(self.document().findBlockByNumber(self._hovered))
        selection.cursor = cursor
        self.setExtraSelections([selection])
