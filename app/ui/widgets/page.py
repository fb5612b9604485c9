"""The base of every page: a title row with actions, a body, and what the window tells it."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.ui.theme import space
from app.ui.widgets.text import ElidedLabel, label
from app.ui.widgets.tool_row import ToolFitter


class Page(QWidget):
    """A page. Subclasses fill ``body`` and ``tools`` and override what concerns them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.title_label = label("title")
        self.note_label = ElidedLabel(role="muted")
        self.tools = QHBoxLayout()
        self.tools.setSpacing(space(2))
        self.head = QWidget()
        head = QHBoxLayout(self.head)
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(space(3))
        head.addWidget(self.title_label)
        head.addWidget(self.note_label, 1)
        head.addLayout(self.tools)
        self.body = QVBoxLayout()
        self.body.setSpacing(space(3))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(space(4), space(3), space(4), space(4))
        layout.setSpacing(space(3))
        layout.addWidget(self.head)
        layout.addLayout(self.body, 1)
        self.fitter = ToolFitter(self.head, self.title_label, self.tools)
        # The row keeps its height whether or not it has buttons, so that pages do not jump.
        self.head.setMinimumHeight(round(self.fontMetrics().height() * 2.1))

    def set_title(self, title: str, note: str = "") -> None:
        """Set the page's title and the quiet words beside it."""
        self.title_label.setText(title)
        self.note_label.set_text(note)

    def retranslate(self) -> None:
        """Set every text again; called once by the subclass and on each change of language."""

    def activated(self) -> None:
        """The page came to the front."""

    def deactivated(self) -> None:
        """Another page came to the front."""

    def refresh(self) -> None:
        """F5."""

    def receive(self, request: object) -> None:
        """Take what another page hands over (`PageRequest`)."""

    def escape(self) -> bool:
        """Esc, when no inspector was open; True when something was cancelled."""
        return False

    def dispose(self) -> None:
        """The window closes: cancel calls, let go."""

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
