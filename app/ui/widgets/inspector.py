"""The details on the right: they open for what is selected and close with Esc."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.ui.icons import IconSet
from app.ui.theme import letters, space
from app.ui.widgets.buttons import icon_button, name_button
from app.ui.widgets.text import ElidedLabel


class Inspector(QFrame):
    """A title, a Close button and whatever a page shows."""

    closed = Signal()

    def __init__(self, icons: IconSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "inspector")
        self._title = ElidedLabel(role="section")
        self._close = icon_button(icons, "x", on_click=self.closed.emit)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(space(4), space(3), space(2), space(2))
        layout.setSpacing(space(2))
        layout.addLayout(head)
        layout.addWidget(self._scroll, 1)
        self.setMinimumWidth(letters(self.font(), 44))
        self.setMaximumWidth(letters(self.font(), 80))
        self.retranslate()
        self.hide()

    def show_widget(self, widget: QWidget, title: str) -> None:
        """Show ``widget``; the one before it is deleted."""
        self._drop()
        self._title.set_text(title)
        self._scroll.setWidget(widget)
        self.show()

    def clear(self) -> None:
        """Close and drop what was shown."""
        self._drop()
        self.hide()

    def retranslate(self) -> None:
        """Set every text again."""
        name_button(self._close, self.tr("Close details"), "Esc")

    def _drop(self) -> None:
        # widget() says None when there is none; the stubs of takeWidget() do not.
        if self._scroll.widget() is not None:
            self._scroll.takeWidget().deleteLater()

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
