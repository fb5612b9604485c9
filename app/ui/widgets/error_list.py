"""Recent errors in full: cause, remedy, details to copy."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.core.errors import ErrorInfo
from app.ui.icons import IconSet
from app.ui.messages import cause_text, details_text, remedy_text
from app.ui.theme import Theme, space
from app.ui.widgets.buttons import icon_button, name_button
from app.ui.widgets.icon_label import IconLabel
from app.ui.widgets.text import MonoBlock, label


class ErrorList(QWidget):
    """A card per error, the newest on top."""

    def __init__(self, icons: IconSet, theme: Theme, errors: tuple[ErrorInfo, ...]) -> None:
        super().__init__()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, space(2), 0)
        layout.setSpacing(space(2))
        for error in errors:
            layout.addWidget(self._card(icons, theme, error))
        layout.addStretch(1)

    def _card(self, icons: IconSet, theme: Theme, error: ErrorInfo) -> QFrame:
        card = QFrame()
        card.setProperty("role", "card")
        picture = IconLabel(icons)
        picture.set("alert-circle", "status.error")
        cause = label(text=cause_text(error), wrap=True)
        remedy = label("muted", remedy_text(error), wrap=True)
        for text in (cause, remedy):
            text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        copy = icon_button(
            icons,
            "copy",
            on_click=lambda: QGuiApplication.clipboard().setText(details_text(error)),
        )
        name_button(copy, self.tr("Copy details"))
        head = QHBoxLayout()
        head.setSpacing(space(2))
        head.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(cause, 1)
        head.addWidget(copy, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(card)
        layout.setContentsMargins(space(3), space(2), space(2), space(3))
        layout.setSpacing(space(1))
        layout.addLayout(head)
        layout.addWidget(remedy)
        if error.details:
            block = MonoBlock(theme, wrap=True)
            block.setPlainText(error.details)
            block.setAccessibleName(self.tr("Details"))
            block.setFixedHeight(self.fontMetrics().height() * 9)
            layout.addWidget(block)
        return card
