"""What stands beside the questions: the decision tree, how far it goes, which hardware would do."""

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QTabWidget

from app.ui.icons import IconSet
from app.ui.theme import Theme
from app.ui.viewmodels.plan import PlanViewModel
from app.ui.viewmodels.plan_sizing import PlanSizingViewModel
from app.ui.viewmodels.plan_state import PlanState, Step
from app.ui.widgets.empty import EmptyState
from app.ui.widgets.plan_hardware import HardwarePanel
from app.ui.widgets.plan_reach import ReachPanel
from app.ui.widgets.plan_tree import TreeView

_LEAST_LINES: Final = 10
"""Lines of text that a tab needs to be of use."""
_QUESTION_OF: Final = {
    Step.MODEL: "",
    Step.GOAL: "goal",
    Step.LIMITS: "device",
    Step.ENGINE: "engine",
    Step.CONTAINER: "plan",
}


class PlanAside(QTabWidget):
    """Three tabs; the sizes are asked about only while one of theirs is in front."""

    copied = Signal()

    def __init__(
        self,
        view_model: PlanViewModel,
        sizing: PlanSizingViewModel,
        theme: Theme,
        icons: IconSet,
    ) -> None:
        super().__init__()
        self.tabBar().setElideMode(Qt.TextElideMode.ElideNone)
        self._sizing = sizing
        self._drawn: object = None
        self._marked_step: Step | None = None
        self.tree = TreeView(theme)
        self._tree_empty = EmptyState(icons, "binary-tree")
        self._tree_place = QStackedWidget()
        self._tree_place.addWidget(self._tree_empty)
        self._tree_place.addWidget(self.tree)
        self.reach = ReachPanel(sizing, theme, icons, view_model.set_input)
        self.hardware = HardwarePanel(sizing, view_model, icons)
        self.hardware.copied.connect(self.copied)
        self._reach_place = QScrollArea()
        self._reach_place.setWidgetResizable(True)
        self._reach_place.setFrameShape(QFrame.Shape.NoFrame)
        self._reach_place.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumHeight(self.fontMetrics().height() * _LEAST_LINES)
        self._reach_place.setWidget(self.reach)
        for panel in (self._tree_place, self._reach_place, self.hardware):
            self.addTab(panel, "")
        self.currentChanged.connect(self._on_tab)

    def retranslate(self) -> None:
        """Set every text again."""
        self._name_tabs()
        self.tree.setAccessibleName(self.tr("Decision tree"))
        self._tree_empty.set_texts(
            self.tr("The decision tree"),
            self.tr("It appears with the model, lit along the way that was taken."),
        )
        self.reach.retranslate()
        self.hardware.retranslate()
        self._drawn = None

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Name the tabs as there is room."""
        super().resizeEvent(event)
        self._name_tabs()

    def _name_tabs(self) -> None:
        """Large letters in a narrow place have room for one word each."""
        whole = (self.tr("Decision tree"), self.tr("How far it goes"), self.tr("Which hardware"))
        short = (self.tr("Tree"), self.tr("Reach"), self.tr("Hardware"))
        self._put_names(whole)
        if self.tabBar().sizeHint().width() > self.width():
            self._put_names(short)
        for number, name in enumerate(whole):
            self.setTabToolTip(number, "" if name == self.tabText(number) else name)

    def _put_names(self, names: tuple[str, ...]) -> None:
        for number, name in enumerate(names):
            self.setTabText(number, name)

    def show_state(self, state: PlanState) -> None:
        """Draw the tree of a new result, and mark the question of the step."""
        result = state.result
        self._tree_place.setCurrentIndex(0 if result is None else 1)
        is_new = result is not self._drawn
        if is_new:
            self._drawn = result
            self.tree.draw(() if result is None else result.tree)
        if is_new or state.step is not self._marked_step:
            self._marked_step = state.step
            self.tree.mark(_QUESTION_OF[state.step])

    def open_reach(self) -> None:
        """Show how far the plan goes."""
        self.setCurrentWidget(self._reach_place)

    def open_hardware(self) -> None:
        """Show which hardware would do."""
        self.setCurrentWidget(self.hardware)

    def _on_tab(self, number: int) -> None:
        self._sizing.look(seen=number > 0)
