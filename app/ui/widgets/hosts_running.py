"""What runs on a host: a line per deployment that opens it."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLayoutItem, QVBoxLayout, QWidget

from app.ui.icons import IconSet
from app.ui.theme import space
from app.ui.viewmodels.hosts_rows import RunningRow
from app.ui.widgets.buttons import icon_button, name_button
from app.ui.widgets.state import StateLabel
from app.ui.widgets.text import ElidedLabel, label


class RunningList(QWidget):
    """Deployments of one host."""

    opened = Signal(str)
    """Name of the deployment to be shown."""

    def __init__(self, icons: IconSet) -> None:
        super().__init__()
        self._icons = icons
        self._rows: tuple[RunningRow, ...] | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(space(1))

    def set_rows(self, rows: Sequence[RunningRow]) -> None:
        """Show these deployments; nothing is touched while nothing changed."""
        if self._rows == tuple(rows):
            return
        self._rows = tuple(rows)
        while self._layout.count():
            _drop(self._layout.takeAt(0))
        for row in rows:
            self._layout.addWidget(self._line(row))
        if not rows:
            self._layout.addWidget(label("muted", self.tr("Nothing that Pitwall knows of")))

    def _line(self, row: RunningRow) -> QFrame:
        line = QFrame()
        line.setProperty("role", "card")
        state = StateLabel(self._icons)
        state.set_state(row.state.icon, row.state.word, row.state.status)
        show = icon_button(
            self._icons, "external-link", on_click=lambda: self.opened.emit(row.name)
        )
        name_button(show, self.tr("Open {name}").format(name=row.name))
        head = QHBoxLayout()
        name = ElidedLabel()
        name.set_text(row.name)
        head.addWidget(name, 1)
        head.addWidget(state)
        head.addWidget(show)
        text = ElidedLabel(role="muted")
        text.set_text(row.text)
        column = QVBoxLayout(line)
        column.setContentsMargins(space(3), space(1), space(2), space(2))
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(text)
        return line


def _drop(item: QLayoutItem | None) -> None:
    widget = item.widget() if item is not None else None
    if widget is not None:
        widget.hide()
        widget.deleteLater()
