"""Step 2: what matters most, and numbers that are to be met."""

from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.core.planning.plan import GoalKind
from app.ui.icons import IconSet
from app.ui.theme import space
from app.ui.viewmodels.plan import PlanViewModel
from app.ui.viewmodels.plan_inputs import PlanInputs
from app.ui.viewmodels.plan_state import PlanState
from app.ui.viewmodels.plan_texts import GoalChoice, present_goals
from app.ui.widgets.form import Field
from app.ui.widgets.icon_label import IconLabel
from app.ui.widgets.text import label, set_style_property

_INPUTS: Final = ("ttft", "itl", "concurrency", "context", "output", "memory")
_COLUMNS: Final = 3
_FULL_LINES: Final = 25
"""Lines of text that the whole panel is as high as."""


class GoalButton(QPushButton):
    """One kind of goal: icon, words, a sentence."""

    def __init__(self, icons: IconSet, choice: GoalChoice) -> None:
        super().__init__()
        self.setAutoDefault(True)
        self.setProperty("kind", "choice")
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        picture = IconLabel(icons, size=20)
        picture.set(choice.icon, "accent")
        self._title = label("body")
        font = self._title.font()
        font.setBold(True)
        self._title.setFont(font)
        self._text = label("caption", wrap=True)
        texts = QVBoxLayout()
        texts.setSpacing(1)
        texts.addWidget(self._title)
        texts.addWidget(self._text)
        texts.addStretch(1)
        layout = self._texts = QHBoxLayout(self)
        layout.setContentsMargins(space(2), space(2), space(2), space(2))
        layout.setSpacing(space(2))
        layout.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(texts, 1)
        for part in (picture, self._title, self._text):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.show_choice(choice)

    def show_choice(self, choice: GoalChoice) -> None:
        """Set both texts."""
        self._title.setText(choice.title)
        self._text.setText(choice.text)
        self.setAccessibleName(choice.title)
        self.setAccessibleDescription(choice.text)
        self.updateGeometry()

    def set_compact(self, *, compact: bool) -> None:
        """Leave the sentence to the tool tip, or show it again."""
        self._text.setVisible(not compact)
        self.setToolTip(self._text.text() if compact else "")
        set_style_property(self, "tight", "true" if compact else "false")
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Take the size of the texts."""
        return self._texts.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """As `sizeHint`, narrower."""
        return self._texts.minimumSize()

    def heightForWidth(self, width: int) -> int:
        """Grow with wrapped text."""
        return self._texts.heightForWidth(width)

    def hasHeightForWidth(self) -> bool:
        """Tell layouts whether the height depends on the width: without a sentence it does not."""
        return self._texts.hasHeightForWidth()


class GoalPanel(QWidget):
    """Six kinds of goals, optional numbers, and what the answers are for."""

    def __init__(self, view_model: PlanViewModel, icons: IconSet) -> None:
        super().__init__()
        self._vm = view_model
        self._question = label("section")
        self._group = QButtonGroup(self)
        self.buttons: dict[GoalKind, GoalButton] = {}
        goals = QGridLayout()
        goals.setSpacing(space(2))
        for number, choice in enumerate(present_goals()):
            button = GoalButton(icons, choice)
            button.clicked.connect(lambda _on, kind=choice.kind: self._vm.choose_goal(kind))
            self._group.addButton(button)
            self.buttons[choice.kind] = button
            goals.addWidget(button, number // 2, number % 2)
        self._numbers = label("section")
        self.fields: dict[str, Field] = {}
        numbers = QGridLayout()
        numbers.setHorizontalSpacing(space(2))
        numbers.setVerticalSpacing(space(1))
        for number, name in enumerate(_INPUTS):
            field = text_field(view_model, name)
            self.fields[name] = field
            numbers.addWidget(field, number // _COLUMNS, number % _COLUMNS)
        self.structured, self.for_others = QCheckBox(), QCheckBox()
        self.structured.toggled.connect(lambda on: self._vm.choose_answers(structured=on))
        self.for_others.toggled.connect(lambda on: self._vm.choose_answers(for_others=on))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, space(2), 0)
        layout.setSpacing(space(2))
        layout.addWidget(self._question)
        layout.addLayout(goals)
        layout.addWidget(self._numbers)
        layout.addLayout(numbers)
        layout.addWidget(self.structured)
        layout.addWidget(self.for_others)
        layout.addStretch(1)
        self.retranslate()

    def fit(self, height: int) -> None:
        """Leave the goals' sentences out where they would push the numbers out of sight."""
        compact = height < self.fontMetrics().height() * _FULL_LINES
        for button in self.buttons.values():
            button.set_compact(compact=compact)

    def retranslate(self) -> None:
        """Set every text again."""
        self._question.setText(self.tr("What matters most?"))
        self._numbers.setText(self.tr("Numbers to meet, if there are any"))
        for choice in present_goals():
            self.buttons[choice.kind].show_choice(choice)
        words = {
            "ttft": (self.tr("&First token"), self.tr("TTFT, such as 500 ms")),
            "itl": (self.tr("&Per token"), self.tr("ITL, such as 20 ms")),
            "concurrency": (self.tr("&Requests"), self.tr("at once, such as 64")),
            "context": (self.tr("&Context"), self.tr("tokens, such as 32k")),
            "output": (self.tr("&Answers"), self.tr("tokens, such as 1k")),
            "memory": (self.tr("&Memory per GPU"), self.tr("at most, such as 40 GiB")),
        }
        for name, (title, hint) in words.items():
            self.fields[name].set_words(title, hint)
        self.fields["ttft"].setToolTip(self.tr("Time from sending a request to its first token"))
        self.fields["itl"].setToolTip(self.tr("Time between two tokens of one answer"))
        self.fields["output"].setToolTip(
            self.tr("How long answers get; the context has to hold them beside the prompt")
        )
        self.fields["memory"].setToolTip(
            self.tr("Take no more of each GPU than this, for example beside another model")
        )
        self.structured.setText(self.tr("&Grammar or JSON schema"))
        self.structured.setToolTip(self.tr("Answers have to follow a grammar or a JSON schema"))
        self.for_others.setText(self.tr("&Offered to others"))
        self.for_others.setToolTip(self.tr("The model's licence matters then"))
        self.show_state(self._vm.state)

    def show_state(self, state: PlanState) -> None:
        """Show what is known."""
        self.buttons[state.inputs.kind].setChecked(True)
        show_checked(self.structured, on=state.inputs.structured)
        show_checked(self.for_others, on=state.inputs.for_others)
        for name, field in self.fields.items():
            show_text(field, input_text(state.inputs, name), state.field_errors.get(name, ""))


def show_checked(box: QCheckBox, *, on: bool) -> None:
    """Show a choice without taking it for the user's own."""
    box.blockSignals(True)
    box.setChecked(on)
    box.blockSignals(False)


def text_field(view_model: PlanViewModel, name: str) -> Field:
    """Return a field whose text is the view-model's input of this name."""
    edit = QLineEdit()
    field = Field(edit)
    # After the field's own connection, which takes the last error away.
    edit.textEdited.connect(lambda text: view_model.set_input(name, text))
    return field


def show_text(field: Field, text: str, error: str) -> None:
    """Show an input's text and its error; what is being typed is left alone."""
    editor = field.editor
    if isinstance(editor, QLineEdit) and editor.text() != text:
        editor.setText(text)
    if error:
        field.set_error(error)
    elif field.error:
        field.clear_error()


def input_text(inputs: PlanInputs, name: str) -> str:
    """Return one of the text inputs."""
    return str(getattr(inputs, name))
