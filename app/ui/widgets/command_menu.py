"""“Copy as command”: one button at the end of each page's title, the same menu everywhere."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from app.ui.icons import IconSet
from app.ui.viewmodels.as_command import CommandLine
from app.ui.widgets.buttons import IconToolButton, name_button


class CommandMenu(IconToolButton):
    """Offer what the page in front does as commands of the command line."""

    def __init__(
        self,
        icons: IconSet,
        lines: Callable[[], Sequence[CommandLine]],
        notify: Callable[[str], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icons = icons
        self._lines = lines
        self._notify = notify
        icons.set_icon(self, "terminal-2")
        self.clicked.connect(self.open_menu)
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text again."""
        name_button(self, self.tr("Copy as command"), "Ctrl+Shift+C")

    def open_menu(self) -> QMenu:
        """Show the commands; each is copied when it is chosen."""
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        self.fill(menu)
        menu.popup(self.mapToGlobal(self.rect().bottomLeft()))
        return menu

    def fill(self, menu: QMenu) -> None:
        """Add the commands of this moment to a menu."""
        lines = self._lines()
        for line in lines:
            action = menu.addAction(self._icons.icon("terminal-2", "muted"), line.text)
            action.triggered.connect(lambda _on=False, line=line: self.copy(line))
        if not lines:
            menu.addAction(self.tr("Choose a host first")).setEnabled(False)

    def copy(self, line: CommandLine) -> None:
        """Put a command on the clipboard."""
        QGuiApplication.clipboard().setText(line.text)
        self._notify(self.tr("Copied: {command}").format(command=line.text))

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)


def add_to_menu(
    menu: QMenu,
    icons: IconSet,
    words: str,
    lines: Sequence[CommandLine],
    copy: Callable[[str], None],
) -> None:
    """Add commands as a submenu named ``words``, such as to a row's context menu."""
    if not lines:
        return
    inner = menu.addMenu(icons.icon("terminal-2"), words)
    for line in lines:
        inner.addAction(line.text).triggered.connect(lambda _on=False, text=line.text: copy(text))
