"""Dialogs: opened, never executed; one primary button; errors stay inside until they are solved."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.core.errors import ErrorInfo
from app.ui.icons import IconSet
from app.ui.theme import letters, space
from app.ui.widgets.buttons import push_button
from app.ui.widgets.icon_label import IconLabel
from app.ui.widgets.state import ErrorBanner
from app.ui.widgets.text import label


class FormDialog(QDialog):
    """A title, a body to fill, an error if there is one, Cancel and one primary button."""

    def __init__(self, icons: IconSet, parent: QWidget | None, *, kind: str = "primary") -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(True)
        self.icons = icons
        self.picture = IconLabel(icons, size=24)
        self.picture.hide()
        self.heading = label("section", wrap=True)
        self.body = QVBoxLayout()
        self.body.setSpacing(space(2))
        self.banner = ErrorBanner(icons)
        self.cancel_button = push_button(icons, on_click=self.reject)
        self.accept_button = push_button(icons, kind=kind, on_click=self.submit)
        self.accept_button.setDefault(True)
        self.buttons = QHBoxLayout()
        self.buttons.setSpacing(space(2))
        self.buttons.addStretch(1)
        self.buttons.addWidget(self.cancel_button)
        self.buttons.addWidget(self.accept_button)
        head = QHBoxLayout()
        head.setSpacing(space(2))
        head.addWidget(self.picture)
        head.addWidget(self.heading, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(space(4), space(4), space(4), space(4))
        layout.setSpacing(space(3))
        layout.addLayout(head)
        layout.addLayout(self.body, 1)
        layout.addWidget(self.banner)
        layout.addLayout(self.buttons)
        self.setMinimumWidth(letters(self.font(), 64))
        # The first in the order of Tab would be Cancel, against the button that stands out.
        self.accept_button.setFocus()

    def set_words(self, title: str, verb: str, cancel: str) -> None:
        """Set title and buttons."""
        self.setWindowTitle(title)
        self.heading.setText(title)
        self.accept_button.setText(verb)
        self.cancel_button.setText(cancel)

    def set_picture(self, icon: str, token: str) -> None:
        """Show an icon beside the title."""
        self.picture.set(icon, token)
        self.picture.show()

    def prefer_cancel(self) -> None:
        """Let Enter cancel until the user goes to the other button; a focused button acts."""
        self.accept_button.setDefault(False)
        self.cancel_button.setDefault(True)
        self.cancel_button.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for the height that wrapped texts take in this width: Qt forgets it in windows."""
        super().resizeEvent(event)
        self._fit_height()

    def event(self, event: QEvent) -> bool:
        """Follow what is shown or hidden inside."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit_height()
        return done

    def _fit_height(self) -> None:
        layout = self.layout()
        if layout is not None and layout.hasHeightForWidth():
            self.setMinimumHeight(layout.minimumHeightForWidth(self.width()))

    def submit(self) -> None:
        """Act on the primary button; subclasses check first."""
        self.accept()

    def show_error(self, error: ErrorInfo) -> None:
        """Show an error inside the dialog."""
        self.banner.show_error(error)

    def set_busy(self, *, busy: bool) -> None:
        """Lock the primary button while its work runs."""
        self.accept_button.setEnabled(not busy)


class ConfirmDialog(FormDialog):
    """Ask before something that cannot be undone."""

    def __init__(
        self,
        icons: IconSet,
        parent: QWidget | None,
        *,
        title: str,
        text: str,
        verb: str,
        on_yes: Callable[[], None],
    ) -> None:
        super().__init__(icons, parent, kind="danger")
        self.set_picture("alert-triangle", "status.warn")
        self.body.addWidget(label("body", text, wrap=True))
        self.set_words(title, verb, self.tr("Cancel"))
        self.prefer_cancel()
        self.accepted.connect(on_yes)


def shortcut(parent: QWidget, keys: str | QKeySequence, act: Callable[[], object]) -> QShortcut:
    """Bind a key sequence to an action within ``parent``."""
    made = QShortcut(QKeySequence(keys), parent)
    made.activated.connect(lambda: act())  # noqa: PLW0108 - a bound method would keep parent
    return made
