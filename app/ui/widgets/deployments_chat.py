"""“Say something”: one prompt, its answer, its times."""

from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QTextBrowser, QVBoxLayout, QWidget

from app.ui.icons import IconSet
from app.ui.theme import space
from app.ui.viewmodels.deployments_texts import ChatView
from app.ui.widgets.buttons import push_button
from app.ui.widgets.state import ErrorBanner
from app.ui.widgets.text import label


class AnswerView(QTextBrowser):
    """The answer; its last line is never cut in half."""

    def __init__(self) -> None:
        super().__init__()
        self._spare = 0

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out below what holds no whole line."""
        super().resizeEvent(event)
        room = self.contentsRect().height() - round(self.document().documentMargin())
        spare = room % max(self.fontMetrics().lineSpacing(), 1)
        if spare != self._spare:
            self._spare = spare
            self.setViewportMargins(0, 0, 0, spare)


_TITLE_LINES: Final = 10
"""Lines of text from which on a title has room above field, answer and figures."""


class ChatBox(QFrame):
    """Ask the engine."""

    said = Signal(str)

    def __init__(self, icons: IconSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._view = ChatView()
        self._is_open = False
        self._title = label("section")
        self.prompt = QLineEdit()
        self.prompt.returnPressed.connect(self._send)
        self.send = push_button(icons, icon="send", on_click=self._send)
        self.answer = AnswerView()
        self.answer.setProperty("role", "plain")
        self.answer.document().setDocumentMargin(0)
        self.answer.setMinimumHeight(self.answer.fontMetrics().height() * 2)
        self._facts = label("caption", wrap=True)
        self._banner = ErrorBanner(icons)
        row = QHBoxLayout()
        row.setSpacing(space(2))
        row.addWidget(self.prompt, 1)
        row.addWidget(self.send)
        layout = QVBoxLayout(self)
        # Dense enough that a small window has room for the figures below the answer.
        layout.setContentsMargins(space(3), space(2), space(3), space(2))
        layout.setSpacing(space(1))
        layout.addWidget(self._title)
        layout.addLayout(row)
        layout.addWidget(self._banner)
        layout.addWidget(self.answer, 1)
        layout.addWidget(self._facts)
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text again."""
        self._title.setText(self.tr("Say something"))
        self.prompt.setPlaceholderText(self.tr("One question to the model"))
        self.prompt.setAccessibleName(self.tr("Prompt"))
        self.answer.setAccessibleName(self.tr("Answer"))
        self.send.setText(self.tr("Send"))
        self._show()

    def set_open(self, *, is_open: bool) -> None:
        """Allow asking only while something answers."""
        if is_open != self._is_open:
            self._is_open = is_open
            self._show()

    def clear_prompt(self) -> None:
        """Another deployment was chosen: its question is another one."""
        self.prompt.clear()

    def set_view(self, view: ChatView) -> None:
        """Show question and answer."""
        if view != self._view:
            self._view = view
            self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the title out where the answer would have no room: the field says what it is."""
        super().resizeEvent(event)
        self._title.setVisible(self.height() >= self.fontMetrics().height() * _TITLE_LINES)

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _show(self) -> None:
        view = self._view
        can_ask = self._is_open and not view.is_waiting
        self.prompt.setEnabled(can_ask)
        self.send.setEnabled(can_ask)
        if view.error is None:
            self._banner.clear()
        elif self._banner.error is not view.error:
            self._banner.show_error(view.error)
        self.answer.setVisible(view.error is None)
        self.answer.setPlainText(self._text())
        self._facts.setText(view.facts)
        self._facts.setVisible(bool(view.facts))

    def _text(self) -> str:
        view = self._view
        if view.is_waiting:
            return self.tr("Waiting for the answer …")
        if view.answer:
            return view.answer
        if not self._is_open:
            return self.tr("Possible while the deployment serves.")
        return self.tr("Sends one request with up to 64 tokens, over the host's own connection.")

    def _send(self) -> None:
        text = self.prompt.text().strip()
        if text and self._is_open:
            self.said.emit(text)
            self.prompt.setFocus(Qt.FocusReason.OtherFocusReason)
