"""Labels and text blocks in the roles the style sheet knows."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QSizePolicy, QWidget

from app.ui.theme import Theme, letters


def label(role: str = "body", text: str = "", *, wrap: bool = False) -> QLabel:
    """Return a label of a role: ``title section body caption muted error badge chip``."""
    made = QLabel(text)
    made.setProperty("role", role)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setWordWrap(wrap)
    return made


def set_status(widget: QWidget, status: str) -> None:
    """Give a widget the colours of ``ok warn error unknown`` (or none with an empty text)."""
    set_style_property(widget, "status", status)


def set_style_property(widget: QWidget, name: str, value: object) -> None:
    """Set a property that the style sheet looks at, and have it looked at again."""
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)
    widget.update()


class ElidedLabel(QLabel):
    """A one-line label that shortens its text instead of asking for room."""

    def __init__(
        self,
        text: str = "",
        *,
        role: str = "body",
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__()
        self._full = ""
        self._mode = mode
        self.setProperty("role", role)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.set_text(text)

    @property
    def full_text(self) -> str:
        """The text as it was set."""
        return self._full

    def set_text(self, text: str) -> None:
        """Set the text; where it is cut, the tool tip shows all of it."""
        self._full = text
        self.setAccessibleName(text)
        self._shorten()

    def minimumSizeHint(self) -> QSize:
        """Ask for a few letters only."""
        return QSize(letters(self.font(), 4), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten for the new width."""
        super().resizeEvent(event)
        self._shorten()

    def _shorten(self) -> None:
        width = max(self.contentsRect().width(), 0)
        shown = self.fontMetrics().elidedText(self._full, self._mode, width)
        if shown != self.text():
            self.setText(shown)
        self.setToolTip(self._full if shown != self._full else "")


class MonoBlock(QPlainTextEdit):
    """Commands, logs and raw output: read-only, monospaced, can be copied by keyboard."""

    def __init__(self, theme: Theme, *, wrap: bool = False) -> None:
        super().__init__()
        self._theme = theme
        self.setReadOnly(True)
        self.setProperty("role", "mono")
        mode = self.LineWrapMode.WidgetWidth if wrap else self.LineWrapMode.NoWrap
        self.setLineWrapMode(mode)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._restyle()
        theme.changed.connect(self._restyle)

    def _restyle(self) -> None:
        self.setFont(self._theme.font("mono"))
