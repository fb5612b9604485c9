"""What a page shows when there is nothing yet: what it is for and what to do next."""

from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.ui.icons import IconSet
from app.ui.theme import letters, space
from app.ui.widgets.icon_label import IconLabel
from app.ui.widgets.text import ElidedLabel, label

_LETTERS: Final = 62


class EmptyState(QWidget):
    """Icon, title, sentence and the next steps, in the middle of the page."""

    def __init__(self, icons: IconSet, icon: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        picture = IconLabel(icons, size=48)
        picture.set(icon, "strong")
        self._title = ElidedLabel(role="section", mode=Qt.TextElideMode.ElideMiddle)
        self._title.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._text = label("muted", wrap=True)
        self._text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        # A fixed width inside a row: with an alignment of its own the label would be given the
        # height of one line too few.
        self._widest = letters(self.font(), _LETTERS)
        self._text.setFixedWidth(self._widest)
        sentence = QHBoxLayout()
        sentence.addStretch(1)
        sentence.addWidget(self._text)
        sentence.addStretch(1)
        self.buttons = QHBoxLayout()
        self.buttons.setSpacing(space(2))
        row = QHBoxLayout()
        row.addStretch(1)
        row.addLayout(self.buttons)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setSpacing(space(2))
        layout.addStretch(2)
        layout.addWidget(picture, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addWidget(self._title)
        layout.addLayout(sentence)
        layout.addSpacing(space(2))
        layout.addLayout(row)
        layout.addStretch(3)

    def minimumSizeHint(self) -> QSize:
        """Ask for a third of the width that the sentence likes best."""
        hint = super().minimumSizeHint()
        return QSize(min(hint.width(), self._widest // 3), hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap the sentence earlier where there is less room, as with large text."""
        super().resizeEvent(event)
        self._text.setFixedWidth(min(self._widest, max(self.width() - 2 * space(4), 1)))

    def set_texts(self, title: str, text: str) -> None:
        """Set both texts."""
        self._title.set_text(title)
        self._text.setText(text)

    def add_button(self, button: QPushButton) -> None:
        """Add a next step."""
        self.buttons.addWidget(button)
