"""The rail on the left: one button per page, icon and word."""

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QToolButton, QVBoxLayout, QWidget

from app.ui.icons import IconSet
from app.ui.theme import Theme, space
from app.ui.widgets.buttons import IconToolButton


class Rail(QFrame):
    """Choose a page."""

    page_chosen = Signal(str)

    def __init__(self, icons: IconSet, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._theme = theme
        self._buttons: dict[str, QToolButton] = {}
        self._icon_names: dict[str, str] = {}
        self._group = QButtonGroup(self)
        self.setProperty("role", "rail")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, space(2), 6, space(2))
        layout.setSpacing(space(1))
        self._pages = QVBoxLayout()
        self._pages.setSpacing(space(1))
        self._foot = QVBoxLayout()
        self._foot.setSpacing(space(1))
        layout.addLayout(self._pages)
        layout.addStretch(1)
        layout.addLayout(self._foot)

    def add_page(self, page_id: str, icon: str, *, at_foot: bool = False) -> None:
        """Add a page's button."""
        button = IconToolButton()
        button.setProperty("kind", "rail")
        button.setCheckable(True)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setIconSize(QSize(20, 20))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._icons.set_icon(button, icon, "muted")
        button.clicked.connect(lambda: self.page_chosen.emit(page_id))
        self._group.addButton(button)
        (self._foot if at_foot else self._pages).addWidget(button)
        self._buttons[page_id] = button
        self._icon_names[page_id] = icon

    def set_words(self, words: Mapping[str, str], keys: Mapping[str, str]) -> None:
        """Set the words and shortcuts; all buttons take the width of the longest word."""
        metrics = self.fontMetrics()
        width = max((metrics.horizontalAdvance(word) for word in words.values()), default=0)
        for page_id, button in self._buttons.items():
            word = words[page_id]
            button.setText(word)
            button.setAccessibleName(word)
            key = keys.get(page_id, "")
            button.setToolTip(f"{word} ({key})" if key else word)
            button.setFixedWidth(max(width + space(2), 60))

    def select(self, page_id: str) -> None:
        """Mark the page that is shown."""
        for name, button in self._buttons.items():
            chosen = name == page_id
            button.setChecked(chosen)
            self._icons.set_icon(button, self._icon_names[name], "accent" if chosen else "muted")
