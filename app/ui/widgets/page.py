"""The base of every page: a title row with actions, a body, and what the window tells it."""

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QVBoxLayout, QWidget

from app.ui.keys import shown
from app.ui.models.commands import OfferedTool
from app.ui.theme import space
from app.ui.viewmodels.as_command import CommandLine
from app.ui.widgets.command_menu import CommandMenu
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
        self._head_row = head
        self._commands: CommandMenu | None = None
        self._is_behind = False
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

    def command_lines(self) -> tuple[CommandLine, ...]:
        """Return what this page does, as commands of the command line, as things are now."""
        return ()

    def offer_commands(self, menu: CommandMenu) -> None:
        """Take the button that copies `command_lines`; a page without any has none."""
        if type(self).command_lines is not Page.command_lines:
            self._commands = menu
            self._head_row.addWidget(menu)

    def show_commands(self) -> None:
        """Open the menu of `command_lines`."""
        if self._commands is not None:
            self._commands.open_menu()

    def offered(self) -> tuple[OfferedTool, ...]:
        """Return what the buttons beside the title do now, for the palette."""
        items = [self.tools.itemAt(number) for number in range(self.tools.count())]
        widgets = [item.widget() for item in items if item is not None]
        return tuple(
            OfferedTool(words=words, run=button.click, keys=shown(button.shortcut().toString()))
            for button in widgets
            if isinstance(button, QAbstractButton) and button.isEnabled() and not button.isHidden()
            if (words := (button.text().replace("&", "") or button.accessibleName()))
        )

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

    def event(self, event: QEvent) -> bool:
        """Take a new language when the page is seen: the pages behind cost no time now."""
        if event.type() == QEvent.Type.LanguageChange and not self.isVisible():
            self._is_behind = True
            return True
        return super().event(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Take the language that was chosen meanwhile."""
        super().showEvent(event)
        if self._is_behind:
            self._is_behind = False
            QCoreApplication.sendEvent(self, QEvent(QEvent.Type.LanguageChange))

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
