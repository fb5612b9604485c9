"""The Hosts page without widgets: rows, the form for one host, and what can be asked for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from app.core.errors import ErrorCode, ErrorInfo
from app.core.events import (
    AuthMethod,
    DeploymentChanged,
    DeploymentRemoved,
    DeploymentSnapshot,
    HostKind,
    HostSettings,
    HostSnapshot,
)
from app.core.ids import HostId
from app.ui.bridge import CoreBridge
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.viewmodels.base import ViewModel

if TYPE_CHECKING:
    from app.bootstrap import Application

CONTEXT: Final = "Hosts"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostForm:
    """What the add and edit dialog holds, as typed."""

    kind: HostKind = HostKind.SSH
    name: str = ""
    address: str = ""
    port: int = 22
    user: str = ""
    auth: AuthMethod = AuthMethod.AUTO
    key_file: str = ""
    docker_socket: str = ""
    model_folder: str = ""
    group: str = ""


_FIELD_ERRORS: Final[Mapping[str, str]] = {
    "name": QT_TRANSLATE_NOOP("Hosts", "At most 64 characters, without / : or .json"),
    "address": QT_TRANSLATE_NOOP("Hosts", "Give a host name or an IP address."),
    "port": QT_TRANSLATE_NOOP("Hosts", "Give a port from 1 to 65535."),
    "user": QT_TRANSLATE_NOOP("Hosts", "Give a user name without blanks."),
    "key_file": QT_TRANSLATE_NOOP("Hosts", "Choose the private key file."),
    "group": QT_TRANSLATE_NOOP("Hosts", "At most 64 characters, in one line."),
}
_LAYOUT: Final = "window.hosts.table"
_NAME_TAKEN: Final = QT_TRANSLATE_NOOP("Hosts", "There is a host of this name already.")


def field_errors(error: ErrorInfo) -> dict[str, str]:
    """Return what is wrong per field of the form; empty when it is no error of a field."""
    if error.code is ErrorCode.NAME_TAKEN:
        return {"name": QCoreApplication.translate(CONTEXT, _NAME_TAKEN)}
    if error.code is not ErrorCode.INVALID_INPUT:
        return {}
    fields = error.params.get("field", "").split(",")
    return {
        field: QCoreApplication.translate(CONTEXT, _FIELD_ERRORS[field])
        for field in fields
        if field in _FIELD_ERRORS
    }


def form_of(settings: HostSettings) -> HostForm:
    """Return the form of a stored host."""
    return HostForm(
        kind=settings.kind,
        name=settings.name,
        address=settings.address,
        port=settings.port,
        user=settings.user,
        auth=settings.auth,
        key_file=settings.key_file or "",
        docker_socket=settings.docker_socket or "",
        model_folder=settings.model_folder or "",
        group=settings.group,
    )


_TARGET: Final = re.compile(
    r"(?:(?P<user>[^@\s]+)@)?(?P<host>\[[^\]\s]+\]|[^:\s@]+)(?::(?P<port>\d{1,5}))?"
)


def split_address(form: HostForm) -> HostForm:
    """Return the form with an address such as ``user@host:port`` put into its three fields."""
    found = _TARGET.fullmatch(form.address.strip())
    if found is None:
        return form
    return replace(
        form,
        address=found["host"].strip("[]"),
        user=found["user"] or form.user,
        port=int(found["port"]) if found["port"] else form.port,
    )


def settings_of(form: HostForm, before: HostSettings | None = None) -> HostSettings:
    """Return the settings that a form means; an empty id is filled in by the service."""
    if form.kind is HostKind.SSH:
        form = split_address(form)
    base = before or HostSettings(id=HostId(""), name=form.name, kind=form.kind)
    name = form.name.strip() or (form.address.strip() if form.kind is HostKind.SSH else "")
    return replace(
        base,
        name=name,
        kind=form.kind,
        address=form.address.strip(),
        port=form.port,
        user=form.user.strip(),
        auth=form.auth,
        key_file=form.key_file.strip() or None,
        docker_socket=form.docker_socket.strip() or None,
        model_folder=form.model_folder.strip() or None,
        group=form.group.strip(),
    )


class HostsViewModel(ViewModel):
    """What the Hosts page can ask for."""

    added = Signal(object)
    """The `HostSnapshot` of a new host."""
    removed = Signal(object)
    """The `HostSnapshot` that went off the list; `restore` brings it back."""
    restored = Signal(object)
    saved = Signal(object)
    form_refused = Signal(object, object)
    """``dict`` of field errors and the `ErrorInfo` when there are none."""
    deployments_changed = Signal()
    secrets_forgotten = Signal(object)
    layout_loaded = Signal(str)
    details_loaded = Signal(object, object)
    """The `HostSnapshot` that was asked for and its newest `Fingerprint` or ``None``."""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        bridge.event_arrived.connect(self._on_event)

    def load_details(self, snapshot: HostSnapshot) -> None:
        """Load what the details of a host show."""
        self.run(
            self._app.hosts.fingerprint(snapshot.settings.id),
            on_result=lambda found: self.details_loaded.emit(snapshot, found),
        )

    def now_s(self) -> float:
        """Return the time, for texts such as “3 min ago”."""
        return self._app.clock.now_s()

    def deployments(self, host_id: HostId) -> tuple[DeploymentSnapshot, ...]:
        """Return the deployments of a host that are known."""
        return self._app.deployments.snapshot(host_id)

    def add_demo(self) -> None:
        """Add the demo host."""
        self.run(self._app.hosts.add_demo(), on_result=self.added.emit)

    def add_local(self, name: str) -> None:
        """Add this computer, or choose it when it is there."""
        for snapshot in self._app.hosts.snapshot():
            if snapshot.settings.kind is HostKind.LOCAL:
                self.added.emit(snapshot)
                return
        self.run(
            self._app.hosts.add(HostSettings(id=HostId(""), name=name, kind=HostKind.LOCAL)),
            on_result=self.added.emit,
        )

    def save(self, form: HostForm, before: HostSettings | None) -> None:
        """Add a host, or change one."""
        settings = settings_of(form, before)
        refused = partial(self._on_refused, form)
        if before is None:
            work = self._app.hosts.add(settings)
            self.run(work, on_result=self._on_added, on_error=refused)
        else:
            change = self._app.hosts.update(settings)
            self.run(change, on_result=self.saved.emit, on_error=refused)

    def remove(self, host_id: HostId) -> None:
        """Take a host off the list."""
        for snapshot in self._app.hosts.snapshot():
            if snapshot.settings.id == host_id:
                work = self._app.hosts.remove(host_id)
                self.run(work, on_result=partial(self._on_removed, snapshot))

    def restore(self, host_id: HostId) -> None:
        """Undo a removal."""
        self.run(self._app.hosts.restore(host_id), on_result=self.restored.emit)

    def change(self, host_id: HostId, **changes: str) -> None:
        """Change a host in place: its notes, its group."""
        for snapshot in self._app.hosts.snapshot():
            settings = snapshot.settings
            if settings.id == host_id and any(
                getattr(settings, name) != value for name, value in changes.items()
            ):
                self.run(self._app.hosts.update(replace(settings, **changes)))  # type: ignore[arg-type]  # texts only

    def disconnect_host(self, host_id: HostId) -> None:
        """Close a connection."""
        self.run(self._app.hosts.disconnect(host_id))

    def take_fingerprint(self, host_id: HostId) -> None:
        """Ask a host again what it is."""
        self.run(self._app.hosts.take_fingerprint(host_id))

    def forget_secrets(self, snapshot: HostSnapshot) -> None:
        """Drop what is remembered of a host's password and passphrase."""
        work = self._app.hosts.forget_secrets(snapshot.settings.id)
        self.run(work, on_result=lambda _: self.secrets_forgotten.emit(snapshot))

    def keep_layout(self, text: str) -> None:
        """Remember how the table is arranged."""
        now = datetime.fromtimestamp(self.now_s(), tz=UTC).isoformat()
        self.run(self._app.last_used.put(_LAYOUT, text, now=now), on_error=lambda _: None)

    def load_layout(self) -> None:
        """Fetch how the table was arranged; `layout_loaded` brings it."""
        self.run(
            self._app.last_used.get(_LAYOUT),
            on_result=lambda text: self.layout_loaded.emit(text or ""),
            on_error=lambda _: None,
        )

    @Slot(object)
    def _on_event(self, event: object) -> None:
        if isinstance(event, DeploymentChanged | DeploymentRemoved):
            self.deployments_changed.emit()

    def _on_removed(self, snapshot: HostSnapshot, _done: None) -> None:
        self.removed.emit(snapshot)

    def _on_added(self, snapshot: HostSnapshot) -> None:
        self.saved.emit(snapshot)
        self.added.emit(snapshot)

    def _on_refused(self, form: HostForm, error: ErrorInfo) -> None:
        wrong = field_errors(error)
        if "address" in wrong and not form.name.strip():
            wrong.pop("name", None)  # an empty name takes the address
        self.form_refused.emit(wrong, error)
