"""One check in full: what was found, why it matters, what cures it, each command to copy."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLayout, QScrollArea, QVBoxLayout, QWidget

from app.ui.icons import IconSet
from app.ui.theme import Theme, space
from app.ui.viewmodels.fingerprint_checks import CheckDetail
from app.ui.widgets.buttons import icon_button, name_button
from app.ui.widgets.state import StateLabel
from app.ui.widgets.text import label


class CheckDetails(QScrollArea):
    """The panel beside the table."""

    copied = Signal(str)
    """A command that shall go to the clipboard."""

    def __init__(self, icons: IconSet, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._theme = theme
        self._detail: CheckDetail | None = None
        self.setWidgetResizable(True)
        self.setProperty("role", "card")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.show_check(None)

    def show_check(self, detail: CheckDetail | None) -> None:
        """Show one check; nothing when none is chosen."""
        if detail is not None and detail == self._detail:
            return
        self._detail = detail
        card = QFrame()
        card.setProperty("role", "panel")
        layout = QVBoxLayout(card)
        layout.setContentsMargins(space(4), space(4), space(4), space(4))
        layout.setSpacing(space(2))
        if detail is None:
            layout.addWidget(label("muted", self.tr("Choose a check to see more."), wrap=True))
        else:
            self._fill(layout, detail)
        layout.addStretch(1)
        self.setWidget(card)

    def _fill(self, layout: QVBoxLayout, detail: CheckDetail) -> None:
        state = StateLabel(self._icons)
        state.set_state(detail.look.icon, detail.look.word, detail.look.status)
        layout.addWidget(state)
        layout.addWidget(_selectable(label("section", detail.title, wrap=True)))
        layout.addWidget(_selectable(label("body", detail.found, wrap=True)))
        for line in detail.evidence:
            layout.addWidget(self._mono(line))
        self._section(layout, self.tr("Why it matters"))
        layout.addWidget(_selectable(label("body", detail.why, wrap=True)))
        if detail.remedy:
            self._section(layout, self.tr("What to do"))
        for step in detail.remedy:
            layout.addWidget(_selectable(label("body", step.text, wrap=True)))
            if step.command:
                layout.addLayout(self._command(step.command))
        if detail.verify:
            self._section(layout, detail.verify_title)
        for command in detail.verify:
            layout.addLayout(self._command(command))
        source = self.tr("Source: {source}").format(source=detail.source)
        layout.addSpacing(space(2))
        layout.addWidget(_selectable(label("caption", source, wrap=True)))

    def _section(self, layout: QVBoxLayout, title: str) -> None:
        layout.addSpacing(space(2))
        layout.addWidget(label("muted", title))

    def _mono(self, text: str) -> QWidget:
        line = label("caption", _breakable(text), wrap=True)
        line.setFont(self._theme.font("mono"))
        return _selectable(line)

    def _command(self, command: str) -> QLayout:
        row = QHBoxLayout()
        row.setSpacing(space(2))
        button = icon_button(self._icons, "copy", on_click=lambda: self.copied.emit(command))
        name_button(button, self.tr("Copy command"))
        row.addWidget(self._mono(command), 1)
        row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        return row


def _selectable(widget: QWidget) -> QWidget:
    set_flags = getattr(widget, "setTextInteractionFlags", None)
    if set_flags is not None:
        set_flags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return widget


def _breakable(text: str) -> str:
    """Let long words (paths, options) break where a reader expects it."""
    for sign in ("/", ",", "=", ";"):
        text = text.replace(sign, f"{sign}\u200b")
    return text
