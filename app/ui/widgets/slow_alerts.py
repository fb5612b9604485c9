"""Trouble that was noticed while watching, as cards for the inspector."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.ui.icons import IconSet
from app.ui.theme import Theme, space
from app.ui.viewmodels.findings import FindingCard
from app.ui.viewmodels.slow import AlertView
from app.ui.widgets.buttons import icon_button, name_button, push_button
from app.ui.widgets.icon_label import IconLabel
from app.ui.widgets.text import label

_TOKENS = {"error": "status.error", "warn": "status.warn", "unknown": "status.unknown"}


class AlertList(QWidget):
    """A card per alert: those that hold first."""

    deployment_wanted = Signal(str, str)
    """Host id and name."""

    def __init__(self, icons: IconSet, theme: Theme, alerts: tuple[AlertView, ...]) -> None:
        super().__init__()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, space(2), 0)
        layout.setSpacing(space(2))
        if not alerts:
            layout.addWidget(label("muted", self.tr("Nothing was noticed."), wrap=True))
        for alert in alerts:
            layout.addWidget(self._card(icons, theme, alert))
        layout.addStretch(1)

    def _card(self, icons: IconSet, theme: Theme, alert: AlertView) -> QFrame:
        card = QFrame()
        card.setProperty("role", "card")
        picture = IconLabel(icons)
        picture.set("alert-triangle", _TOKENS[alert.status])
        copy = icon_button(
            icons, "copy", on_click=lambda: QGuiApplication.clipboard().setText(alert.text)
        )
        name_button(copy, self.tr("Copy as text"))
        head = QHBoxLayout()
        head.setSpacing(space(2))
        head.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(_selectable(alert.card.title), 1)
        head.addWidget(copy, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(card)
        layout.setContentsMargins(space(3), space(2), space(2), space(3))
        layout.setSpacing(space(1))
        layout.addLayout(head)
        layout.addLayout(self._place(alert))
        fill_finding(layout, theme, alert.card)
        if alert.deployment:
            layout.addLayout(self._way_there(icons, alert))
        return card

    def _place(self, alert: AlertView) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(space(2))
        words = f"{alert.subject} · {alert.when}"
        row.addWidget(label("muted", words, wrap=True), 1)
        if alert.simulated:
            row.addWidget(label("badge", self.tr("Simulated")), 0, Qt.AlignmentFlag.AlignTop)
        return row

    def _way_there(self, icons: IconSet, alert: AlertView) -> QHBoxLayout:
        to = push_button(
            icons,
            icon="rocket",
            kind="quiet",
            on_click=lambda: self.deployment_wanted.emit(alert.host_id, alert.deployment),
        )
        to.setText(self.tr("Show deployment"))
        row = QHBoxLayout()
        row.addWidget(to)
        row.addStretch(1)
        return row


def fill_finding(layout: QVBoxLayout, theme: Theme, card: FindingCard) -> None:
    """Add what a finding means, its figures and what to do."""
    layout.addWidget(_selectable(card.explanation))
    for row in card.evidence:
        figures = _selectable(row.text)
        figures.setFont(theme.font("mono"))
        layout.addWidget(figures)
    for step in card.steps or card.changes:
        layout.addWidget(_selectable(f"– {step}"))


def _selectable(text: str) -> QWidget:
    made = label(text=text, wrap=True)
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made
