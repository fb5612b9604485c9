"""Notes about a host, edited where they stand: they are kept when the field is left."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QFocusEvent, QHideEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.ui.theme import space


class NotesEdit(QPlainTextEdit):
    """A few lines of plain text; `committed` carries them once they are done."""

    committed = Signal(str)

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._kept = text
        self.setTabChangesFocus(True)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * 4 + 2 * space(2))

    def commit(self) -> None:
        """Hand the text over when it changed."""
        text = self.toPlainText().strip()
        if text != self._kept.strip():
            self._kept = text
            self.committed.emit(text)

    def set_text(self, text: str) -> None:
        """Show a text that was changed elsewhere, unless somebody is writing here."""
        if not self.hasFocus() and text != self._kept:
            self._kept = text
            self.setPlainText(text)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Keep what was written."""
        super().focusOutEvent(event)
        self.commit()

    def hideEvent(self, event: QHideEvent) -> None:
        """Keep what was written also when the details close."""
        super().hideEvent(event)
        self.commit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ctrl+S keeps it at once."""
        if event.matches(QKeySequence.StandardKey.Save):
            self.commit()
        else:
            super().keyPressEvent(event)
