"""The wizard's foot: back and next, what runs and how to stop it, saving and deploying."""

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.ui.icons import IconSet
from app.ui.keys import shown
from app.ui.theme import space
from app.ui.viewmodels.plan_state import PlanState, Step
from app.ui.widgets.buttons import push_button
from app.ui.widgets.text import ElidedLabel

_STEP_OF: Final = {"name": Step.CONTAINER, "port": Step.LIMITS, "own_flags": Step.LIMITS}
"""Where a field with an error stands; the others belong to the goal."""


class PlanFoot(QWidget):
    """Buttons that lead through the steps, and why the last one cannot be pressed."""

    back_wanted = Signal()
    next_wanted = Signal()
    cancel_wanted = Signal()
    save_wanted = Signal()

    def __init__(self, icons: IconSet) -> None:
        super().__init__()
        self._icons = icons
        self.back = push_button(icons, icon="chevron-left", on_click=self.back_wanted.emit)
        self.cancel = push_button(icons, kind="quiet", on_click=self.cancel_wanted.emit)
        self.doing = ElidedLabel(role="muted")
        self.save_button = push_button(icons, icon="device-floppy", on_click=self.save_wanted.emit)
        self.next_button = push_button(icons, kind="primary", on_click=self.next_wanted.emit)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(space(2))
        row.addWidget(self.back)
        row.addWidget(self.doing, 1)
        row.addWidget(self.cancel)
        row.addWidget(self.save_button)
        row.addWidget(self.next_button)

    def retranslate(self) -> None:
        """Set the fixed texts again."""
        self.back.setText(self.tr("Back"))
        self.cancel.setText(self.tr("Cancel"))
        self.save_button.setText(self.tr("Save profile…"))
        self.back.setToolTip(shown("Alt+Left"))

    def show_state(self, state: PlanState) -> None:
        """Show what can be done next."""
        last = state.step is Step.CONTAINER
        self.back.setVisible(state.step is not Step.MODEL)
        self.save_button.setVisible(last)
        self.save_button.setEnabled(state.plan is not None)
        icon = "rocket" if last else "chevron-right"
        self._icons.set_icon(self.next_button, icon, "on_accent")
        self.next_button.setText(self.tr("Deploy…") if last else self.tr("Next"))
        self.next_button.setToolTip("" if last else shown("Alt+Right"))
        # “Next” has its arrow behind the word: it shows where the button leads.
        forward = Qt.LayoutDirection.LeftToRight if last else Qt.LayoutDirection.RightToLeft
        self.next_button.setLayoutDirection(forward)
        ready = state.can_deploy if last else state.can_go(Step(min(state.step + 1, 4)))
        # Not greyed by its own press: the keyboard would be thrown off it.
        self.next_button.setEnabled(ready or state.is_preparing)
        busy = state.is_planning or state.is_finding or state.is_reading or state.is_preparing
        self.cancel.setVisible(busy)
        self.doing.set_text(self._doing_text(state))

    def _doing_text(self, state: PlanState) -> str:
        if state.is_preparing:
            return self.tr("Preparing the deployment …")
        if state.is_planning:
            return self.tr("Planning …")
        if state.is_reading:
            return self.tr("Reading the model …")
        if state.step is Step.CONTAINER:
            return self._why_not(state)
        return ""

    def _why_not(self, state: PlanState) -> str:
        """Say why nothing can be deployed, where the button for it is."""
        for name, problem in state.field_errors.items():
            step = _STEP_OF.get(name, Step.GOAL)
            return self.tr("Step {number}: {problem}").format(number=step + 1, problem=problem)
        if not state.is_connected:
            return self.tr("Connect the host to deploy.")
        return ""
