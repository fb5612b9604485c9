"""The memory picture: verdict, bars, what holds the plan back, and the way to its arithmetic."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from app.ui.icons import STATUS_ICONS, IconSet
from app.ui.theme import Theme, space
from app.ui.viewmodels.plan_arithmetic import QUANTITY_OF_PART
from app.ui.viewmodels.plan_memory import MemoryView
from app.ui.widgets.buttons import name_button, push_button
from app.ui.widgets.plan_memory_bars import MemoryBars
from app.ui.widgets.state import StateLabel
from app.ui.widgets.text import ElidedLabel, label


class MemoryPicture(QFrame):
    """Verdict, bars, legend and what holds the plan back."""

    explained = Signal(str)
    """A number whose arithmetic is wanted; empty for all of them."""

    def __init__(self, theme: Theme, icons: IconSet) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._view = MemoryView()
        self._title = label("section")
        self._verdict = StateLabel(icons)
        self._caption = ElidedLabel(role="muted")
        self._note = ElidedLabel(role="caption")
        self.arithmetic = push_button(icons, kind="chip", on_click=lambda: self.explained.emit(""))
        self.bars = MemoryBars(theme)
        self.bars.chosen.connect(lambda part: self.explained.emit(QUANTITY_OF_PART[part]))
        head = QHBoxLayout()
        head.setSpacing(space(3))
        head.addWidget(self._title)
        head.addWidget(self._verdict)
        head.addStretch(1)
        head.addWidget(self.arithmetic)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(space(3), space(2), space(3), space(2))
        layout.setSpacing(space(1))
        layout.addLayout(head)
        layout.addWidget(self._caption)
        layout.addWidget(self.bars)
        layout.addWidget(self._note)
        self.retranslate()

    @property
    def view(self) -> MemoryView:
        """What is shown."""
        return self._view

    def set_view(self, view: MemoryView) -> None:
        """Show a picture."""
        self._view = view
        self._verdict.setVisible(bool(view.verdict))
        if view.verdict:
            self._verdict.set_state(STATUS_ICONS[view.status], view.verdict, view.status)
        self._title.setText(view.title)
        self._caption.set_text(view.caption)
        self._caption.setVisible(bool(view.caption))
        self.arithmetic.setVisible(bool(view.verdict))
        self._note.set_text(" ".join(view.notes))
        self._note.setVisible(bool(view.notes))
        self.bars.set_view(view)

    def retranslate(self) -> None:
        """Set the fixed texts again."""
        self.bars.setAccessibleName(self.tr("Memory picture"))
        self.arithmetic.setText(self.tr("Arithmetic"))
        name_button(self.arithmetic, self.tr("Show how each number came about"))
        self.bars.update()
