"""The details of a host that are open in the inspector: shown, followed, their notes kept."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from app.core.events import HostSnapshot
from app.core.hardware.fingerprint import Fingerprint
from app.core.ids import HostId
from app.ui.icons import IconSet
from app.ui.theme import Theme
from app.ui.viewmodels.hosts import HostsViewModel
from app.ui.viewmodels.hosts_rows import present_running
from app.ui.widgets.hosts_acts import HostActs
from app.ui.widgets.hosts_details import HostDetails
from app.ui.widgets.hosts_undo import UndoStrip

Find = Callable[[HostId], HostSnapshot | None]


class HostInspection(QObject):
    """Make the details of a host, and bring them to what is known while they are open."""

    made = Signal(object, str)
    """The details and their title: to be shown."""
    deployment_opened = Signal(str, str)
    """A host's id and the name of a deployment there."""

    def __init__(
        self,
        theme: Theme,
        icons: IconSet,
        view_model: HostsViewModel,
        parent: QObject,
        *,
        find: Find,
        acts: HostActs,
        undo: UndoStrip,
    ) -> None:
        super().__init__(parent)
        self._theme, self._icons = theme, icons
        self._view_model = view_model
        self._find, self._acts, self._undo = find, acts, undo
        self._details: HostDetails | None = None
        view_model.details_loaded.connect(self._on_loaded)

    def shows(self, host_id: HostId) -> bool:
        """Tell whether the details of this host are open."""
        details = self._details
        return details is not None and isValid(details) and details.host_id == host_id

    def follow(self) -> None:
        """Bring the details that are open to what is known now."""
        if self._details is None or not isValid(self._details):
            self._details = None
            return
        snapshot = self._find(self._details.host_id)
        if snapshot is not None:
            running = present_running(self._view_model.deployments(snapshot.settings.id))
            self._details.set_host(snapshot, running, self._acts.quick(snapshot))

    def _on_loaded(self, snapshot: HostSnapshot, found: Fingerprint | None) -> None:
        host_id = snapshot.settings.id
        details = HostDetails(self._icons, self._theme, snapshot, found)
        details.notes_changed.connect(lambda text: self._on_notes(host_id, text))
        details.deployment_opened.connect(
            lambda name: self.deployment_opened.emit(str(host_id), name)
        )
        self._details = details
        self.made.emit(details, snapshot.settings.name)
        self.follow()

    def _on_notes(self, host_id: HostId, text: str) -> None:
        """Keep notes; cleared ones can be had back."""
        snapshot = self._find(host_id)
        self._view_model.change(host_id, notes=text)
        if snapshot is not None and snapshot.settings.notes and not text:
            before = snapshot.settings.notes
            words = self.tr("The notes about {host} were cleared.")
            self._undo.offer(
                words.format(host=snapshot.settings.name),
                lambda: self._view_model.change(host_id, notes=before),
            )
