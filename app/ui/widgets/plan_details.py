"""What the window's details say of a line of the command or an answer of the tree."""

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.ui.theme import Theme, space
from app.ui.widgets.text import label

translate = QCoreApplication.translate


def details(theme: Theme, text: str, source: str, *, command: str = "") -> QWidget:
    """Return a text with its source, below the command that it is about."""
    box = QWidget()
    column = QVBoxLayout(box)
    column.setContentsMargins(0, 0, space(2), 0)
    column.setSpacing(space(2))
    if command:
        mono = label("body", command.strip(), wrap=True)
        mono.setFont(theme.font("mono"))
        column.addWidget(mono)
    body = label("body", text, wrap=True)
    body.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    column.addWidget(body)
    if source:
        column.addWidget(label("muted", translate("Plan", "Source"), wrap=True))
        column.addWidget(label("caption", source, wrap=True))
    column.addStretch(1)
    return box
