"""What was just done and can be taken back: one line above the table."""

from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from app.ui.icons import IconSet
from app.ui.theme import space
from app.ui.widgets.buttons import icon_button, name_button, push_button
from app.ui.widgets.text import ElidedLabel, set_status


class UndoStrip(QFrame):
    """Says what happened and undoes it; the newest replaces the one before."""

    def __init__(self, icons: IconSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "banner")
        set_status(self, "unknown")
        self._undo: Callable[[], None] | None = None
        self._words = ElidedLabel()
        self.button = push_button(icons, icon="history", on_click=self.undo)
        self._close = icon_button(icons, "x", on_click=self.clear)
        row = QHBoxLayout(self)
        row.setContentsMargins(space(3), space(1), space(2), space(1))
        row.setSpacing(space(2))
        row.addWidget(self._words, 1)
        row.addWidget(self.button)
        row.addWidget(self._close)
        self.retranslate()
        self.hide()

    @property
    def text(self) -> str:
        """What it says; empty while it is hidden."""
        return self._words.full_text if self._undo is not None else ""

    def retranslate(self) -> None:
        """Set the buttons' words again."""
        self.button.setText(self.tr("Undo"))
        self.button.setToolTip("Ctrl+Z")
        name_button(self._close, self.tr("Close"))

    def offer(self, words: str, undo: Callable[[], None]) -> None:
        """Say what was done and how it is taken back."""
        self._undo = undo
        self._words.set_text(words)
        self.show()

    def undo(self) -> None:
        """Take it back, once."""
        undo = self._undo
        self.clear()
        if undo is not None:
            undo()

    def clear(self) -> None:
        """Offer nothing any more."""
        self._undo = None
        self.hide()
