"""Where models usually lie on a host, offered while none was found yet."""

from functools import partial
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QPushButton, QWidget

from app.ui.icons import IconSet
from app.ui.theme import space
from app.ui.widgets.buttons import push_button
from app.ui.widgets.text import label

PLACES: Final = ("/models", "/data/models", "~/.cache/huggingface/hub", "~")
"""“~” is the home of the user who is logged in on the host."""
_IN_A_ROW: Final = 2


class UsualPlaces(QWidget):
    """A button for each folder; pressing one looks for models there."""

    chosen = Signal(str)

    def __init__(self, icons: IconSet) -> None:
        super().__init__()
        self._words = label("muted", wrap=True)
        self.buttons: dict[str, QPushButton] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(space(2))
        grid.addWidget(self._words, 0, 0, 1, _IN_A_ROW + 1)
        for number, folder in enumerate(PLACES):
            button = push_button(icons, icon="search", on_click=partial(self.chosen.emit, folder))
            button.setText(folder)
            self.buttons[folder] = button
            grid.addWidget(button, 1 + number // _IN_A_ROW, number % _IN_A_ROW)
        grid.setColumnStretch(_IN_A_ROW, 1)
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text again."""
        self._words.setText(self.tr("Models often lie in one of these:"))
        self.buttons["~"].setText(self.tr("Home folder"))
