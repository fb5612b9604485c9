"""The wizard's steps on top: number, name, the answer so far."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.ui.theme import letters, space
from app.ui.viewmodels.plan_state import StepView
from app.ui.widgets.text import ElidedLabel, set_status


class StepButton(QPushButton):
    """One step."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number
        self.setAutoDefault(True)
        self.setProperty("kind", "choice")
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._title = ElidedLabel()
        self._answer = ElidedLabel(role="caption", mode=Qt.TextElideMode.ElideMiddle)
        layout = self._texts = QVBoxLayout(self)
        layout.setContentsMargins(space(3), space(1), space(2), space(1))
        layout.setSpacing(0)
        for part in (self._title, self._answer):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            layout.addWidget(part)

    def show_view(self, view: StepView) -> None:
        """Show a step."""
        font = self._title.font()
        font.setBold(view.current)
        self._title.setFont(font)
        self._title.set_text(f"{self._number}  {view.title}")
        self._title.setEnabled(view.enabled)
        set_status(self._title, "" if view.enabled else "unknown")
        self._answer.set_text(view.answer or "–")
        self.setChecked(view.current)
        self.setEnabled(view.enabled)
        self.setAccessibleName(f"{self._number} {view.title}")
        self.setAccessibleDescription(view.answer)

    def sizeHint(self) -> QSize:
        """Two lines of text."""
        return QSize(letters(self.font(), 18), self._texts.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """A few letters."""
        return QSize(letters(self.font(), 8), self._texts.sizeHint().height())


class StepBar(QWidget):
    """All steps side by side."""

    step_chosen = Signal(int)

    def __init__(self, count: int) -> None:
        super().__init__()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(space(2))
        self.buttons: list[StepButton] = []
        for number in range(count):
            button = StepButton(number + 1)
            button.clicked.connect(lambda _checked, step=number: self._on_clicked(step))
            self.buttons.append(button)
            layout.addWidget(button, 1)

    def show_steps(self, steps: tuple[StepView, ...]) -> None:
        """Show the steps."""
        for button, view in zip(self.buttons, steps, strict=True):
            button.show_view(view)

    def _on_clicked(self, step: int) -> None:
        self.step_chosen.emit(step)
