"""Predicted beside actual: a line in the detail, and the whole table beside the page."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.ui.icons import IconSet
from app.ui.theme import Theme, space
from app.ui.viewmodels.deployments_actuals import ActualRow, ActualsView
from app.ui.widgets.buttons import push_button
from app.ui.widgets.state import StateLabel
from app.ui.widgets.text import label, set_status


class ActualsLine(QWidget):
    """How a start came out in a sentence, and a button for the table."""

    wanted = Signal()

    def __init__(self, icons: IconSet) -> None:
        super().__init__()
        self.state = StateLabel(icons)
        self.button = push_button(
            icons, icon="arrows-diff", kind="quiet", on_click=self.wanted.emit
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.state)
        row.addStretch(1)
        row.addWidget(self.button)
        self.retranslate()
        self.hide()

    def retranslate(self) -> None:
        """Set every text again."""
        self.button.setText(self.tr("Predicted and actual"))

    def show_view(self, view: ActualsView | None) -> None:
        """Show a start, or nothing when none is known."""
        self.setVisible(view is not None)
        if view is not None:
            icon = {"ok": "circle-check", "warn": "alert-triangle"}.get(
                view.status, "question-mark"
            )
            self.state.set_state(icon, view.summary, view.status)


class ActualsTable(QWidget):
    """Each quantity with prediction, actual, difference and band; what is outside stands out."""

    def __init__(self, theme: Theme, icons: IconSet, view: ActualsView) -> None:
        super().__init__()
        self._theme = theme
        self._icons = icons
        self.rows: list[StateLabel] = []
        grid = QGridLayout()
        grid.setHorizontalSpacing(space(3))
        grid.setVerticalSpacing(space(1))
        grid.setColumnStretch(0, 1)
        heads = ("", self.tr("Predicted"), self.tr("Actual"))
        for column, head in enumerate(heads):
            grid.addWidget(label("muted", head), 0, column, _side(column))
        line = 1
        for row in view.rows:
            line = self._add(grid, line, row)
        column_box = QVBoxLayout(self)
        column_box.setContentsMargins(0, 0, space(2), 0)
        column_box.setSpacing(space(3))
        column_box.addLayout(grid)
        for note in view.notes:
            column_box.addWidget(label("muted", note, wrap=True))
        column_box.addStretch(1)

    def _add(self, grid: QGridLayout, line: int, row: ActualRow) -> int:
        """Put a quantity into the grid; return the next free line."""
        for column, text in enumerate((row.name, row.predicted, row.actual)):
            shown = label("body", text)
            if column:
                shown.setFont(self._theme.font("figure"))
            if column == 2 and row.status == "warn":
                set_status(shown, "warn")
            shown.setAccessibleName(f"{row.name}: {text}, {row.verdict}")
            grid.addWidget(shown, line, column, _side(column))
        state = StateLabel(self._icons)
        parts = (row.verdict, row.difference)
        state.set_state(row.icon, " · ".join(part for part in parts if part != "–"), row.status)
        self.rows.append(state)
        grid.addWidget(state, line + 1, 0, 1, 3)
        for text in (row.band, row.why):
            if text:
                grid.addWidget(label("muted", text, wrap=True), line + 2, 0, 1, 3)
                line += 1
        return line + 2


def _side(column: int) -> Qt.AlignmentFlag:
    return Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
