"""Facts as a compact list, for the inspector."""

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.ui.theme import Theme, space
from app.ui.viewmodels.fingerprint_facts import Fact
from app.ui.widgets.text import ElidedLabel, label, set_status

_LONG_WORD: Final = 20


class FactList(QWidget):
    """Label on the left, value on the right; the source as tool tip."""

    def __init__(self, theme: Theme, facts: tuple[Fact, ...]) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, space(2), 0)
        grid.setHorizontalSpacing(space(3))
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        for row, fact in enumerate(facts):
            name = label("muted", fact.label)
            value = _value(fact)
            if fact.value is None:
                value.setProperty("role", "muted")
                font = theme.font()
                font.setItalic(True)
                value.setFont(font)
            elif fact.status:
                set_status(value, fact.status)
            value.setToolTip(" · ".join(part for part in (fact.value, fact.source) if part))
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            value.setAccessibleName(f"{fact.label}: {fact.value or fact.reason}")
            grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(value, row, 1)
        grid.setRowStretch(len(facts), 1)


def _value(fact: Fact) -> QLabel:
    """Return a label that fits: one long word (an UUID) is shortened in its middle."""
    text = fact.reason if fact.value is None else fact.value
    if len(text) > _LONG_WORD and " " not in text:
        return ElidedLabel(text, mode=Qt.TextElideMode.ElideMiddle)
    return label("body", text, wrap=True)
