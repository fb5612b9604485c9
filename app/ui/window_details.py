"""What the activity bar opens on the right: recent errors, alerts, running work."""

from PySide6.QtCore import QCoreApplication

from app.core.ids import HostId
from app.ui.parts import WindowParts
from app.ui.viewmodels.shell import ShellViewModel
from app.ui.widgets.activity_list import ActivityList
from app.ui.widgets.error_list import ErrorList
from app.ui.widgets.slow_alerts import AlertList
from app.ui.window_face import WindowFace

translate = QCoreApplication.translate


class WindowDetails:
    """Lists of the whole window, shown in its inspector."""

    def __init__(self, view_model: ShellViewModel, parts: WindowParts, window: WindowFace) -> None:
        self._view_model = view_model
        self._parts = parts
        self._window = window

    def show_errors(self) -> None:
        """Show recent errors, if there are any."""
        errors = self._view_model.errors
        if errors:
            shown = ErrorList(self._parts.icons, self._parts.theme, errors)
            self._window.show_inspector(shown, translate("MainWindow", "Recent errors"))

    def show_alerts(self) -> None:
        """Show what the watched deployments raise."""
        shown = AlertList(self._parts.icons, self._parts.theme, self._view_model.alerts)
        shown.deployment_wanted.connect(
            lambda host_id, name: self._window.open_deployment(HostId(host_id), name)
        )
        self._window.show_inspector(shown, translate("MainWindow", "Alerts"))

    def show_activities(self) -> None:
        """Show running work; each can be cancelled."""
        shown = ActivityList(self._parts.icons)
        shown.set_activities(self._view_model.activities())
        shown.cancel_clicked.connect(self._view_model.cancel_activity)
        # The list is deleted with the inspector's contents, and this connection with it.
        self._view_model.activities_changed.connect(shown.set_activities)
        self._window.show_inspector(shown, translate("MainWindow", "Running work"))
