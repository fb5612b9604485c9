"""The bar at the bottom: what runs, how far it is, Cancel; the last thing that went wrong."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QSizePolicy, QWidget

from app.core.errors import ErrorInfo
from app.ui.icons import IconSet
from app.ui.messages import cause_text
from app.ui.theme import letters, space
from app.ui.viewmodels.shell import ActivityView
from app.ui.viewmodels.slow import AlertView
from app.ui.widgets.buttons import icon_button, name_button, push_button
from app.ui.widgets.icon_label import IconLabel
from app.ui.widgets.text import ElidedLabel


class ActivityBar(QFrame):
    """Show running work and the last error; its height never changes."""

    cancel_clicked = Signal(str)
    errors_clicked = Signal()
    errors_dismissed = Signal()
    activities_clicked = Signal()
    alerts_clicked = Signal()

    def __init__(self, icons: IconSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._activities: tuple[ActivityView, ...] = ()
        self._errors: tuple[ErrorInfo, ...] = ()
        self._alerts: tuple[AlertView, ...] = ()
        self._note = ""
        self.setProperty("role", "activitybar")
        self._icon = IconLabel(icons)
        self._text = ElidedLabel(role="muted")
        self._progress = QProgressBar()
        self._progress.setTextVisible(False)
        self._progress.setFixedWidth(letters(self.font(), 22))
        self._more = push_button(icons, kind="quiet", on_click=self.activities_clicked.emit)
        self._cancel = push_button(icons, kind="quiet", icon="x", on_click=self._on_cancel)
        self._error = push_button(
            icons, kind="quiet", icon="alert-circle", on_click=self.errors_clicked.emit
        )
        icons.set_icon(self._error, "alert-circle", "status.error")
        # It may be as wide as the room, but a narrow window is not held open by it.
        self._error.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._error.setMinimumWidth(letters(self.font(), 12))
        self.dismiss = icon_button(icons, "x", on_click=self.errors_dismissed.emit)
        self._icons = icons
        self.alerts = push_button(
            icons, kind="quiet", icon="alert-triangle", on_click=self.alerts_clicked.emit
        )
        layout = QHBoxLayout(self)
        layout.setContentsMargins(space(3), 0, space(2), 0)
        layout.setSpacing(space(2))
        layout.addWidget(self._icon)
        layout.addWidget(self._text, 1)
        for part in (self._more, self._progress, self._cancel, self.alerts):
            layout.addWidget(part)
        layout.addWidget(self._error)
        layout.addWidget(self.dismiss)
        self.setFixedHeight(round(self.fontMetrics().height() * 2.2))
        self.retranslate()

    def set_activities(self, activities: tuple[ActivityView, ...]) -> None:
        """Show what runs, the newest first."""
        self._activities = activities
        if activities:
            self._note = ""
        self._show()

    def set_errors(self, errors: tuple[ErrorInfo, ...]) -> None:
        """Show the newest error."""
        self._errors = errors
        self._show()

    def set_alerts(self, alerts: tuple[AlertView, ...]) -> None:
        """Show how much trouble there is; the count is of what holds now."""
        self._alerts = alerts
        self._show()

    def set_note(self, text: str) -> None:
        """Say that something was done, until the next work starts."""
        self._note = text
        self._show()

    def retranslate(self) -> None:
        """Set every text again."""
        self._cancel.setText(self.tr("Cancel"))
        self._progress.setAccessibleName(self.tr("Progress"))
        name_button(self.dismiss, self.tr("Dismiss"))
        self._show()

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten the error for the new width."""
        super().resizeEvent(event)
        self._show_errors()

    def _show(self) -> None:
        newest = self._activities[0] if self._activities else None
        self._icon.set(self._icon_name(), "muted" if newest is None else "accent")
        self._text.set_text(newest.text if newest else self._note or self.tr("Ready"))
        self._more.setVisible(len(self._activities) > 1)
        self._more.setText(self.tr("{count} more").format(count=len(self._activities) - 1))
        self._progress.setVisible(newest is not None)
        self._cancel.setVisible(newest is not None and newest.can_cancel)
        if newest is not None:
            known = newest.progress is not None
            self._progress.setRange(0, 1000 if known else 0)
            self._progress.setValue(round((newest.progress or 0) * 1000))
        self._show_alerts()
        self._show_errors()

    def _show_errors(self) -> None:
        self._error.setVisible(bool(self._errors))
        self.dismiss.setVisible(bool(self._errors))
        if self._errors:
            text = self.fontMetrics().elidedText(
                cause_text(self._errors[0]), Qt.TextElideMode.ElideRight, self._error_room()
            )
            self._error.setText(text.replace("&", "&&"))
            self._error.setToolTip(cause_text(self._errors[0]))

    def _error_room(self) -> int:
        """Return the width that what else stands in the bar leaves for the error's words."""
        others = (self._icon, self._more, self._progress, self._cancel, self.alerts, self.dismiss)
        shown = [part for part in others if part.isVisibleTo(self)]
        said = self.fontMetrics().horizontalAdvance(self._text.full_text)
        used = sum(part.sizeHint().width() for part in shown) + min(said, self.width() // 3)
        gaps = space(3) + space(2) * (len(shown) + 2)
        icon_and_frame = letters(self.font(), 8)
        return max(self.width() - used - gaps - icon_and_frame, letters(self.font(), 12))

    def _show_alerts(self) -> None:
        holding = [alert for alert in self._alerts if alert.is_active]
        self.alerts.setVisible(bool(self._alerts))
        self.alerts.setText(self.tr("Alerts: {count}").format(count=len(holding)))
        worst = next((a.status for a in holding if a.status == "error"), "warn")
        token = f"status.{worst}" if holding else "muted"
        self._icons.set_icon(self.alerts, "alert-triangle", token)
        lines = (f"{alert.subject}: {alert.card.title}" for alert in holding[:3])
        self.alerts.setToolTip("\n".join(lines))

    def _icon_name(self) -> str:
        if self._activities:
            return "loader-2"
        return "check" if self._note else "circle-check"

    def _on_cancel(self) -> None:
        if self._activities:
            self.cancel_clicked.emit(self._activities[0].id)
