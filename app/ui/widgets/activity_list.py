"""Everything that runs, each with how far it is and Cancel; for the inspector."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.ui.icons import IconSet
from app.ui.theme import space
from app.ui.viewmodels.shell import ActivityView
from app.ui.widgets.buttons import icon_button, name_button
from app.ui.widgets.text import label


class ActivityList(QWidget):
    """A card per piece of running work, the newest on top."""

    cancel_clicked = Signal(str)

    def __init__(self, icons: IconSet) -> None:
        super().__init__()
        self._icons = icons
        self._shown: list[QWidget] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, space(2), 0)
        self._layout.setSpacing(space(2))
        self._layout.addStretch(1)

    def set_activities(self, activities: tuple[ActivityView, ...]) -> None:
        """Show what runs now."""
        for widget in self._shown:
            self._layout.removeWidget(widget)
            widget.deleteLater()
        self._shown = [self._card(activity) for activity in activities]
        if not activities:
            self._shown.append(label("muted", self.tr("Nothing runs at the moment.")))
        for number, widget in enumerate(self._shown):
            self._layout.insertWidget(number, widget)

    def _card(self, activity: ActivityView) -> QFrame:
        card = QFrame()
        card.setProperty("role", "card")
        progress = QProgressBar()
        progress.setTextVisible(False)
        progress.setAccessibleName(activity.text)
        progress.setRange(0, 1000 if activity.progress is not None else 0)
        progress.setValue(round((activity.progress or 0) * 1000))
        head = QHBoxLayout()
        head.addWidget(label("body", activity.text, wrap=True), 1)
        if activity.can_cancel:
            cancel = icon_button(
                self._icons, "x", on_click=lambda: self.cancel_clicked.emit(activity.id)
            )
            name_button(cancel, self.tr("Cancel"))
            head.addWidget(cancel)
        column = QVBoxLayout(card)
        column.setContentsMargins(space(3), space(2), space(2), space(3))
        column.addLayout(head)
        column.addWidget(progress)
        return card
