"""What the pre-flight says of the chosen model, and a button that measures the disk."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.core.models.preflight import ModelPreflight
from app.ui.icons import IconSet
from app.ui.theme import space
from app.ui.viewmodels.plan_model_check import FindingRow, present_preflight
from app.ui.widgets.buttons import push_button
from app.ui.widgets.icon_label import IconLabel
from app.ui.widgets.text import label


class ModelCheck(QWidget):
    """A summary and the findings that did not pass."""

    measure = Signal()
    """The disk's speed is asked for."""

    def __init__(self, icons: IconSet) -> None:
        super().__init__()
        self._icons = icons
        self._report: ModelPreflight | None = None
        self._icon = IconLabel(icons)
        self.summary = label("body", wrap=True)
        self.button = push_button(icons, icon="gauge", kind="quiet", on_click=self.measure.emit)
        head = QHBoxLayout()
        head.setSpacing(space(1))
        head.addWidget(self._icon)
        head.addWidget(self.summary, 1)
        head.addWidget(self.button)
        self._rows = QGridLayout()
        self._rows.setHorizontalSpacing(space(1))
        self._rows.setVerticalSpacing(2)
        self._rows.setColumnStretch(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(space(1))
        layout.addLayout(head)
        layout.addLayout(self._rows)
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text again."""
        self.button.setText(self.tr("Measure the load time"))
        self.button.setToolTip(
            self.tr("Reads up to 256 MiB of the weights from the disk; nothing is written.")
        )
        report, self._report = self._report, None
        self.show_report(report, is_busy=False)

    def show_report(self, report: ModelPreflight | None, *, is_busy: bool) -> None:
        """Show what was found; nothing while nobody looked."""
        self.setVisible(report is not None)
        self.button.setEnabled(not is_busy)
        if report is None or report == self._report:
            self._report = report
            return
        self._report = report
        view = present_preflight(report)
        self._icon.set(view.look.icon, view.look.token)
        self.summary.setText(view.summary)
        self.summary.setAccessibleName(f"{view.look.word}. {view.summary}")
        self.button.setVisible(view.can_measure)
        self._clear()
        for row in view.rows:
            self._add(row)

    def _add(self, row: FindingRow) -> None:
        at = self._rows.rowCount()
        icon = IconLabel(self._icons)
        icon.set(row.look.icon, row.look.token)
        text = label("body", row.text, wrap=True)
        text.setToolTip(row.details)
        text.setAccessibleName(f"{row.look.word}. {row.text}")
        text.setAccessibleDescription(row.details)
        self._rows.addWidget(icon, at, 0)
        self._rows.addWidget(text, at, 1)
        if row.remedy:
            self._rows.addWidget(label("muted", row.remedy, wrap=True), at + 1, 1)

    def _clear(self) -> None:
        while self._rows.count():
            item = self._rows.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()
