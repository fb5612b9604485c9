"""Buttons as the window uses them: verbs, at most one primary per view, named icons."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QStyleOptionButton,
    QToolButton,
    QVBoxLayout,
)

from app.ui.icons import IconSet
from app.ui.theme import space
from app.ui.widgets.icon_label import IconLabel
from app.ui.widgets.text import label, set_style_property

_SPACE: Final = "\N{NO-BREAK SPACE}"


class IconToolButton(QToolButton):
    """A tool button that Enter presses as Space does."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press with Enter, too."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and not event.isAutoRepeat():
            self.click()
            return
        super().keyPressEvent(event)


class ClearableLine(QLineEdit):
    """An input with a cross that empties it, of our icons: Qt's own is filled."""

    def __init__(self, icons: IconSet) -> None:
        super().__init__()
        self.setClearButtonEnabled(True)
        # Kept: the icon set renews only what somebody holds.
        self._cross = self.findChild(QAction, "_q_qlineeditclearaction")
        if isinstance(self._cross, QAction):
            icons.set_icon(self._cross, "x", "muted")

    def name_cross(self, words: str) -> None:
        """Say what the cross does."""
        for button in self.findChildren(QToolButton):
            button.setAccessibleName(words)
            button.setToolTip(words)


class VerbButton(QPushButton):
    """A button whose icon keeps a letter's distance from its words; Qt leaves 4 pixels at most."""

    def initStyleOption(self, option: QStyleOptionButton) -> None:
        """Draw the words with a space before them."""
        super().initStyleOption(option)
        if not option.icon.isNull() and option.text:
            option.text = _SPACE + option.text

    def sizeHint(self) -> QSize:
        """Leave room for the space."""
        hint = super().sizeHint()
        if self.icon().isNull() or not self.text():
            return hint
        return QSize(hint.width() + self.fontMetrics().horizontalAdvance(_SPACE), hint.height())


def push_button(
    icons: IconSet,
    *,
    icon: str = "",
    kind: str = "",
    on_click: Callable[[], object] | None = None,
) -> QPushButton:
    """Return a button of kind ``primary danger quiet`` or plain; its text is set by the page."""
    button = VerbButton()
    # Qt presses the focused button with Enter only inside dialogs; here it does everywhere.
    button.setAutoDefault(True)
    button.setProperty("kind", kind)
    button.setCursor(Qt.CursorShape.ArrowCursor)
    if icon:
        token = {"primary": "on_accent", "danger": "status.error"}.get(kind, "text")
        icons.set_icon(button, icon, token)
        button.setIconSize(QSize(16, 16))
    if on_click is not None:
        button.clicked.connect(lambda: on_click())  # noqa: PLW0108 - leaves `checked` out
    return button


def set_primary(icons: IconSet, button: QPushButton, icon: str, *, primary: bool) -> None:
    """Make a button the view's primary one, or a plain one while another is."""
    set_style_property(button, "kind", "primary" if primary else "")
    icons.set_icon(button, icon, "on_accent" if primary else "text")


def icon_button(
    icons: IconSet,
    icon: str,
    *,
    token: str = "text",  # noqa: S107 - a colour's name
    on_click: Callable[[], object] | None = None,
    checkable: bool = False,
) -> QToolButton:
    """Return a button with an icon only; give it its words with `name_button`."""
    button = IconToolButton()
    icons.set_icon(button, icon, token)
    button.setIconSize(QSize(16, 16))
    button.setCheckable(checkable)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    if on_click is not None:
        button.clicked.connect(lambda: on_click())  # noqa: PLW0108 - leaves `checked` out
    return button


def name_button(button: QToolButton | QPushButton, words: str, shortcut: str = "") -> None:
    """Give an icon-only control its accessible name and its tool tip."""
    button.setAccessibleName(words)
    button.setToolTip(f"{words} ({shortcut})" if shortcut else words)


class ChoiceButton(QPushButton):
    """A large choice: icon, a word or two, a sentence."""

    def __init__(self, icons: IconSet, icon: str) -> None:
        super().__init__()
        self.setAutoDefault(True)
        self.setProperty("kind", "choice")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        picture = IconLabel(icons, size=28)
        picture.set(icon, "accent")
        self._title = label("section")
        self._text = label("muted", wrap=True)
        layout = self._texts = QVBoxLayout(self)
        layout.setContentsMargins(space(4), space(4), space(4), space(4))
        layout.setSpacing(space(2))
        for part in (picture, self._title, self._text):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            layout.addWidget(part)
        layout.addStretch(1)

    def set_texts(self, title: str, text: str) -> None:
        """Set both texts."""
        self._title.setText(title)
        self._text.setText(text)
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Take the size of the texts, which the button's own hint knows nothing of."""
        return self._texts.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """As `sizeHint`, a little narrower."""
        return self._texts.minimumSize()

    def heightForWidth(self, width: int) -> int:
        """Grow with wrapped text."""
        return self._texts.heightForWidth(width)

    def hasHeightForWidth(self) -> bool:
        """Tell layouts that the height depends on the width."""
        return True
