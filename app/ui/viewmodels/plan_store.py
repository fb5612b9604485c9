"""The wizard's state and its signals, for the view-model and the parts it is made of."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.ui.bridge import CoreBridge
from app.ui.viewmodels.base import ViewModel
from app.ui.viewmodels.plan_state import PlanState

if TYPE_CHECKING:
    from app.bootstrap import Application


class PlanStore(ViewModel):
    """Keep the state; whoever changes it tells everybody."""

    changed = Signal(object)
    """The new `PlanState`."""
    saved = Signal(object)
    """Path of the profile."""
    prepared = Signal(object)
    """`DeploymentSpec`: exactly what would be created."""
    deploying = Signal(object)
    """`DeploymentSpec` of the deployment that has just begun."""
    profiles_listed = Signal(object)
    """Tuple of `ProfileEntry`: the user's own, then the shipped ones."""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self.app = app
        self._state = PlanState()

    @property
    def state(self) -> PlanState:
        """What is known now."""
        return self._state

    def put(self, state: PlanState) -> None:
        """Begin with another state."""
        self._state = state
        self.changed.emit(state)

    def change(self, **changes: Any) -> None:  # noqa: ANN401 - as dataclasses.replace takes them
        """Change some of the state."""
        self.put(replace(self._state, **changes))
