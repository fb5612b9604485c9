"""The wizard's five questions, one panel a step, each made when its step is first visited."""

from functools import cached_property
from typing import TypeVar

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget

from app.ui.icons import IconSet
from app.ui.theme import Theme, letters
from app.ui.viewmodels.plan import PlanViewModel
from app.ui.viewmodels.plan_state import PlanState, Step
from app.ui.widgets.plan_container import ContainerPanel
from app.ui.widgets.plan_engine import EnginePanel
from app.ui.widgets.plan_goal import GoalPanel
from app.ui.widgets.plan_limits import LimitsPanel
from app.ui.widgets.plan_model import ModelPanel

_Panel = ModelPanel | GoalPanel | LimitsPanel | EnginePanel | ContainerPanel
_P = TypeVar("_P", ModelPanel, GoalPanel, LimitsPanel, EnginePanel, ContainerPanel)


class Questions(QStackedWidget):
    """The panel of the step in force; all five at once would hold the window."""

    made = Signal(object)
    """A panel, the moment its step is first visited."""

    def __init__(self, view_model: PlanViewModel, theme: Theme, icons: IconSet) -> None:
        super().__init__()
        self._vm = view_model
        self._theme = theme
        self._icons = icons
        self._panels: dict[Step, _Panel] = {}
        for _ in Step:
            area = QScrollArea()
            area.setWidgetResizable(True)
            area.setFrameShape(QFrame.Shape.NoFrame)
            self.addWidget(area)
        self.setMinimumWidth(letters(self.font(), 56))

    @cached_property
    def model(self) -> ModelPanel:
        """Step 1."""
        return self._place(Step.MODEL, ModelPanel(self._vm, self._theme, self._icons))

    @cached_property
    def goal(self) -> GoalPanel:
        """Step 2."""
        panel = self._place(Step.GOAL, GoalPanel(self._vm, self._icons))
        panel.fit(self.height())
        return panel

    @cached_property
    def limits(self) -> LimitsPanel:
        """Step 3."""
        return self._place(Step.LIMITS, LimitsPanel(self._vm, self._theme, self._icons))

    @cached_property
    def engine(self) -> EnginePanel:
        """Step 4."""
        return self._place(Step.ENGINE, EnginePanel(self._vm, self._theme, self._icons))

    @cached_property
    def container(self) -> ContainerPanel:
        """Step 5."""
        return self._place(Step.CONTAINER, ContainerPanel(self._vm, self._theme, self._icons))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit what can do with less room."""
        super().resizeEvent(event)
        if Step.GOAL in self._panels:
            self.goal.fit(self.height())

    def show_state(self, state: PlanState) -> None:
        """Open the step in force, and tell every panel that was made what is known."""
        self.setCurrentIndex(state.step)
        self._panel(state.step)
        for panel in self._panels.values():
            panel.show_state(state)

    def retranslate(self) -> None:
        """Set every text again."""
        for panel in self._panels.values():
            panel.retranslate()

    def _place(self, step: Step, panel: _P) -> _P:
        area = self.widget(step)
        if isinstance(area, QScrollArea):
            area.setWidget(panel)
        panel.show_state(self._vm.state)
        self._panels[step] = panel
        self.made.emit(panel)
        return panel

    def _panel(self, step: Step) -> _Panel:
        match step:
            case Step.MODEL:
                return self.model
            case Step.GOAL:
                return self.goal
            case Step.LIMITS:
                return self.limits
            case Step.ENGINE:
                return self.engine
            case Step.CONTAINER:
                return self.container
