"""How far the plan goes: longest context, most requests, fewest GPUs, beside what runs already."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.ui.icons import STATUS_ICONS, IconSet
from app.ui.theme import Theme, letters, space
from app.ui.viewmodels.plan_hardware import Reach, present_reach
from app.ui.viewmodels.plan_sizing import PlanSizingViewModel, SizingState
from app.ui.widgets.buttons import push_button
from app.ui.widgets.form import Field
from app.ui.widgets.state import ErrorBanner, StateLabel
from app.ui.widgets.text import label

_MOST_ROWS: Final = 4


class _Row:
    """One question with its answer, in a grid."""

    def __init__(
        self,
        grid: QGridLayout,
        place: int,
        icons: IconSet,
        theme: Theme,
        on_take: Callable[[str, str], None],
    ) -> None:
        self._reach: Reach | None = None
        self._on_take = on_take
        self.question = label("muted", wrap=True)
        self.answer = StateLabel(icons)
        self.answer.setFont(theme.font("figure"))
        self.note = label("caption", wrap=True)
        self.note.setContentsMargins(0, 0, 0, space(1))
        self.take = push_button(icons, kind="chip", on_click=self._take)
        # As high as the button, which only some of the rows have.
        grid.setRowMinimumHeight(2 * place, self.take.sizeHint().height())
        grid.addWidget(self.question, 2 * place, 0)
        grid.addWidget(self.answer, 2 * place, 1)
        grid.addWidget(self.take, 2 * place, 2)
        grid.addWidget(self.note, 2 * place + 1, 1, 1, 2, Qt.AlignmentFlag.AlignTop)

    def show(self, reach: Reach | None, take: str) -> None:
        """Show an answer, or nothing."""
        self._reach = reach
        for part in (self.question, self.answer, self.note, self.take):
            part.setVisible(reach is not None)
        if reach is None:
            return
        self.question.setText(reach.question)
        self.answer.set_state(STATUS_ICONS[reach.status], reach.value, reach.status)
        self.note.setText(reach.note)
        self.note.setVisible(bool(reach.note))
        self.take.setVisible(bool(reach.name))
        self.take.setText(take)
        self.take.setAccessibleName(f"{take}: {reach.question} {reach.value}")

    def _take(self) -> None:
        if self._reach is not None:
            self._on_take(self._reach.name, self._reach.text)


class ReachPanel(QWidget):
    """Four answers, and what others hold on the GPUs."""

    def __init__(
        self,
        view_model: PlanSizingViewModel,
        theme: Theme,
        icons: IconSet,
        on_input: Callable[[str, str], None],
    ) -> None:
        super().__init__()
        self._vm = view_model
        self._reaches: tuple[Reach, ...] = ()
        self._banner = ErrorBanner(icons)
        self._empty = label("muted", wrap=True)
        self._answers = QWidget()
        grid = QGridLayout(self._answers)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(space(3))
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(1, 1)
        self._rows = [_Row(grid, place, icons, theme, on_input) for place in range(_MOST_ROWS)]
        self.others = QLineEdit()
        self.others.setFixedWidth(letters(self.font(), 14))
        self.others_field = Field(self.others, is_flat=True)
        self.others.textEdited.connect(view_model.set_others)
        self.cancel = push_button(icons, kind="chip", on_click=view_model.stop)
        foot = QHBoxLayout()
        foot.addWidget(self.others_field, 1)
        foot.addWidget(self.cancel, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, space(2), 0, 0)
        layout.setSpacing(space(2))
        layout.addWidget(self._banner)
        layout.addWidget(self._empty)
        layout.addWidget(self._answers)
        layout.addLayout(foot)
        layout.addStretch(1)
        view_model.changed.connect(self._show)
        self.retranslate()

    @property
    def reaches(self) -> tuple[Reach, ...]:
        """What is shown."""
        return self._reaches

    def take(self, place: int) -> None:
        """Press the button of one of the answers."""
        self._rows[place].take.click()

    def retranslate(self) -> None:
        """Set every text again."""
        self.others_field.set_words(
            self.tr("And if &others held"),
            self.tr("Memory on the fullest GPU, such as 40 GiB. Empty: as the host was found."),
        )
        self.cancel.setText(self.tr("Cancel"))
        self._show(self._vm.state)

    def _show(self, state: SizingState) -> None:
        asked, answer = state.asked, state.answer
        self._reaches = present_reach(asked, answer) if asked and answer else ()
        for place, row in enumerate(self._rows):
            reach = self._reaches[place] if place < len(self._reaches) else None
            row.show(reach, self.tr("Use it"))
        if state.error is None:
            self._banner.clear()
        elif state.error is not self._banner.error:
            self._banner.show_error(state.error)
        self._empty.setText(
            self.tr("Looking how far it goes …")
            if state.is_asking
            else self.tr("It is answered as soon as there is a plan.")
        )
        self._empty.setVisible(not self._reaches and state.error is None)
        self._answers.setVisible(bool(self._reaches))
        # What was typed there may be why there is no answer: it stays to be changed.
        can_say = bool(self._reaches) or bool(state.others)
        self.others_field.setVisible(can_say and not _on_cpu(state))
        self.cancel.setVisible(state.is_asking)
        if state.others_error:
            self.others_field.set_error(state.others_error)
        elif self.others_field.error:
            self.others_field.clear_error()


def _on_cpu(state: SizingState) -> bool:
    return state.asked is not None and state.asked.device.is_cpu
