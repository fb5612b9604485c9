"""States and errors as the eye should meet them: icon, word and colour together."""

from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.core.errors import ErrorCode, ErrorInfo
from app.core.events import HostSnapshot, HostState
from app.core.ids import HostId
from app.ui.icons import IconSet
from app.ui.messages import cause_text, remedy_text
from app.ui.theme import space
from app.ui.widgets.buttons import icon_button, name_button
from app.ui.widgets.icon_label import IconLabel
from app.ui.widgets.text import label, set_status

_OF_THE_LINK: Final = frozenset({ErrorCode.CONNECTION_LOST, ErrorCode.NOT_CONNECTED})


class StateLabel(QWidget):
    """Icon and word of a state."""

    def __init__(self, icons: IconSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = IconLabel(icons)
        self._word = label()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self._icon)
        layout.addWidget(self._word)

    def set_state(self, icon: str, word: str, status: str) -> None:
        """Show a state; ``status`` is ``ok warn error unknown`` or ``accent``."""
        token = status if status in {"accent", "text", "muted"} else f"status.{status}"
        self._icon.set(icon, token)
        self._word.setText(word)
        set_status(self._word, status)
        self.setAccessibleName(word)


class ErrorBanner(QFrame):
    """An error on a page: what happened, what to do; details can be copied."""

    closed = Signal()

    def __init__(self, icons: IconSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._error: ErrorInfo | None = None
        self._host_id: HostId | None = None
        self._host_was_up = False
        self.setProperty("role", "banner")
        set_status(self, "error")
        picture = self._picture = IconLabel(icons, size=20)
        self._cause = label(wrap=True)
        self._remedy = label("muted", wrap=True)
        for part in (self._cause, self._remedy):
            part.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._copy = icon_button(icons, "copy", on_click=self._copy_details)
        self._close = icon_button(icons, "x", on_click=self.clear)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(self._cause)
        texts.addWidget(self._remedy)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(space(3), space(2), space(2), space(2))
        layout.setSpacing(space(3))
        layout.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(texts, 1)
        layout.addWidget(self._copy, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        self.retranslate()
        self.hide()

    @property
    def error(self) -> ErrorInfo | None:
        """The error that is shown."""
        return self._error

    def show_error(self, error: ErrorInfo, *, status: str = "error") -> None:
        """Show an error, or with ``warn`` something that needs no alarm."""
        self._error = error
        set_status(self, status)
        self._picture.set("alert-circle", f"status.{status}")
        self.retranslate()
        self.show()

    def follow_host(self, snapshot: HostSnapshot | None) -> None:
        """Take away what another host's error was, or a lost connection's once it is back."""
        host_id = snapshot.settings.id if snapshot is not None else None
        is_up = snapshot is not None and snapshot.state is HostState.CONNECTED
        is_other, came_back = host_id != self._host_id, is_up and not self._host_was_up
        self._host_id, self._host_was_up = host_id, is_up
        if self._error is not None and (
            is_other or (came_back and self._error.code in _OF_THE_LINK)
        ):
            self.clear()

    def clear(self) -> None:
        """Take the error away."""
        self._error = None
        self.hide()
        self.closed.emit()

    def retranslate(self) -> None:
        """Set every text again."""
        name_button(self._copy, self.tr("Copy details"))
        name_button(self._close, self.tr("Close"))
        if self._error is not None:
            self._cause.setText(cause_text(self._error))
            self._remedy.setText(remedy_text(self._error))
            self.setAccessibleName(self._cause.text())

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _copy_details(self) -> None:
        if self._error is not None:
            parts = (self._error.code, cause_text(self._error), remedy_text(self._error))
            QGuiApplication.clipboard().setText("\n".join((*parts, self._error.details)).strip())
