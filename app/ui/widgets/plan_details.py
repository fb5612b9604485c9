"""What the window's details say of a line of the command or an answer of the tree."""

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.core.planning.plan import TreeNode
from app.ui.theme import Theme, space
from app.ui.viewmodels.plan_texts import why
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


def node_details(theme: Theme, node: TreeNode) -> QWidget:
    """Return why an answer of the tree was taken, refused or left."""
    if node.reason is not None:
        reason = why(node.reason)
        return details(theme, reason.text, reason.source)
    if node.state != "lit":
        return details(theme, translate("Plan", "One of the possible answers."), "")
    if node.kind == "question":
        return details(theme, translate("Plan", "A question on the way to the plan."), "")
    text = translate("Plan", "The answer that was given, or follows from host and model.")
    return details(theme, text, "")
