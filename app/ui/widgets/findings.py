"""Findings of a log: causes with their evidence, what to do, and what to collect next.

Used wherever a log was read: under a deployment and on the Inspect page.
"""

import html
import re

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.ui.icons import IconSet
from app.ui.theme import Theme, space
from app.ui.viewmodels.findings import EvidenceRow, FindingCard, FindingsPanel
from app.ui.widgets.buttons import icon_button, name_button, push_button
from app.ui.widgets.state import StateLabel
from app.ui.widgets.text import label, set_status

_URL = re.compile(r"https?://[^\s;,)]+")
_SHOWN_LINES = 6
"""Evidence lines of a card; the rest stands in the copied text."""


class FindingsView(QFrame):
    """Show a `FindingsPanel`; say which line or changed plan somebody wants to see."""

    line_wanted = Signal(int, str)
    """Number and text of an evidence line that was clicked."""
    change_wanted = Signal(str)
    """Cause whose changed plan is to be shown."""
    copied = Signal()

    def __init__(self, theme: Theme, icons: IconSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icons = icons
        self._panel: FindingsPanel | None = None
        self.setProperty("role", "card")
        self._headline = StateLabel(icons)
        self._note = label("muted")
        self.copy_text = icon_button(icons, "copy", on_click=self._on_copy_text)
        self.copy_command = icon_button(icons, "terminal-2", on_click=self._on_copy_command)
        self.apply = push_button(icons, icon="adjustments", kind="primary", on_click=self._on_apply)
        head = QHBoxLayout()
        head.setSpacing(space(2))
        head.addWidget(self._headline)
        head.addWidget(self._note, 1)
        head.addWidget(self.apply)
        head.addWidget(self.copy_text)
        head.addWidget(self.copy_command)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(space(3), space(2), space(2), space(2))
        layout.setSpacing(space(1))
        layout.addLayout(head)
        layout.addWidget(self._area, 1)
        self.retranslate()

    @property
    def panel(self) -> FindingsPanel | None:
        """What is shown."""
        return self._panel

    def show_panel(self, panel: FindingsPanel | None) -> None:
        """Show findings, or with ``None`` nothing at all."""
        if panel == self._panel:
            return
        self._panel = panel
        self.setVisible(panel is not None)
        self._fill()

    def retranslate(self) -> None:
        """Set every text again; the panel itself comes anew in the other language."""
        self.setAccessibleName(self.tr("Findings"))
        self.apply.setText(self.tr("Apply changed plan…"))
        name_button(self.copy_text, self.tr("Copy as text"))
        name_button(self.copy_command, self.tr("Copy as command"))
        self._fill()

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    # Building

    def _fill(self) -> None:
        panel = self._panel
        inside = QWidget()
        inside.setProperty("role", "panel")
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(0, 0, space(2), 0)
        layout.setSpacing(space(3))
        if panel is not None:
            head = panel.headline
            self._headline.set_state(head.icon, head.word, head.status)
            self._note.setText(panel.note)
            self.copy_command.setVisible(bool(panel.command))
            self.apply.setVisible(_applied(panel) is not None)
            for card in panel.cards:
                layout.addWidget(self._card(card))
            if panel.telling:
                title = self.tr("Lines that name a fault Pitwall does not know")
                layout.addWidget(self._lines(title, panel.telling))
            if panel.collect:
                layout.addWidget(self._list(self.tr("What to collect next"), panel.collect))
        layout.addStretch(1)
        self._area.setWidget(inside)

    def _card(self, card: FindingCard) -> QWidget:
        holder = QWidget()
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(space(1))
        layout.addLayout(self._card_head(card))
        if card.explanation:
            layout.addWidget(_selectable(label(text=card.explanation, wrap=True)))
        if card.evidence:
            layout.addWidget(self._lines(self.tr("Evidence"), card.evidence))
        if card.steps:
            layout.addWidget(self._list(self.tr("What to do"), card.steps, numbered=True))
        if card.changes:
            layout.addWidget(self._list(self.tr("Change of the plan"), card.changes))
        layout.addLayout(self._buttons(card))
        if card.sources:
            layout.addWidget(self._sources(card.sources))
        return holder

    def _card_head(self, card: FindingCard) -> QHBoxLayout:
        title = label("section", card.title, wrap=True)
        confidence = label("chip", card.confidence)
        set_status(confidence, card.status)
        cause = _selectable(label("caption", card.cause))
        head = QHBoxLayout()
        head.setSpacing(space(2))
        head.addWidget(title, 1)
        head.addWidget(cause, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(confidence, 0, Qt.AlignmentFlag.AlignTop)
        return head

    def _lines(self, title: str, rows: tuple[EvidenceRow, ...]) -> QWidget:
        holder, layout = _section(title)
        for row in rows[:_SHOWN_LINES]:
            layout.addWidget(self._line(row))
        if len(rows) > _SHOWN_LINES:
            text = self.tr("more lines in the copied text: {count}")
            layout.addWidget(label("caption", text.format(count=len(rows) - _SHOWN_LINES)))
        return holder

    def _line(self, row: EvidenceRow) -> QWidget:
        holder = QWidget()
        layout = QHBoxLayout(holder)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(space(2))
        if row.line:
            jump = push_button(
                self._icons,
                kind="quiet",
                on_click=lambda: self.line_wanted.emit(row.line, row.text),
            )
            jump.setText(row.place)
            jump.setToolTip(self.tr("Show this line in the log"))
            layout.addWidget(jump, 0, Qt.AlignmentFlag.AlignTop)
        else:
            layout.addWidget(label("caption", row.place), 0, Qt.AlignmentFlag.AlignTop)
        # Wrapped: the figure that matters often stands at the line's end.
        text = label(text=row.text, wrap=True)
        text.setFont(self._theme.font("mono"))
        layout.addWidget(_selectable(text), 1)
        return holder

    def _list(self, title: str, texts: tuple[str, ...], *, numbered: bool = False) -> QWidget:
        holder, layout = _section(title)
        for number, text in enumerate(texts, start=1):
            mark = f"{number}." if numbered else "–"
            line = QHBoxLayout()
            line.setSpacing(space(2))
            line.addWidget(label("muted", mark), 0, Qt.AlignmentFlag.AlignTop)
            line.addWidget(_selectable(label(text=text, wrap=True)), 1)
            layout.addLayout(line)
        return holder

    def _buttons(self, card: FindingCard) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(space(2))
        if card.can_apply and not card.is_primary:
            apply = push_button(
                self._icons,
                icon="adjustments",
                on_click=lambda: self.change_wanted.emit(card.cause),
            )
            apply.setText(self.tr("Apply changed plan…"))
            row.addWidget(apply)
        if card.steps:
            copy = push_button(
                self._icons,
                icon="copy",
                kind="quiet",
                on_click=lambda: self._copy("\n".join(card.steps)),
            )
            copy.setText(self.tr("Copy remedy"))
            row.addWidget(copy)
        row.addStretch(1)
        return row

    def _sources(self, sources: tuple[str, ...]) -> QLabel:
        """Sources with their addresses as links, opened in the system's browser."""
        made = QLabel()
        made.setProperty("role", "caption")
        made.setTextFormat(Qt.TextFormat.RichText)
        made.setWordWrap(True)
        made.setOpenExternalLinks(True)
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        lines = "<br>".join(_URL.sub(_link, html.escape(source)) for source in sources)
        made.setText(html.escape(self.tr("Sources:")) + f" {lines}")
        return made

    # Doing

    def _on_apply(self) -> None:
        card = None if self._panel is None else _applied(self._panel)
        if card is not None:
            self.change_wanted.emit(card.cause)

    def _on_copy_text(self) -> None:
        if self._panel is not None:
            self._copy(self._panel.text)

    def _on_copy_command(self) -> None:
        if self._panel is not None:
            self._copy(self._panel.command)

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.copied.emit()


def _applied(panel: FindingsPanel) -> FindingCard | None:
    """Return the card whose change the button above the cards applies."""
    return next((card for card in panel.cards if card.is_primary and card.can_apply), None)


def _section(title: str) -> tuple[QWidget, QVBoxLayout]:
    holder = QWidget()
    layout = QVBoxLayout(holder)
    layout.setContentsMargins(0, space(1), 0, 0)
    layout.setSpacing(2)
    layout.addWidget(label("muted", title))
    return holder, layout


def _selectable(made: QLabel) -> QLabel:
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def _link(found: re.Match[str]) -> str:
    return f'<a href="{found[0]}">{found[0]}</a>'
