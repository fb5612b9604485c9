"""What the window around the pages knows: hosts, the chosen one, running work, recent errors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal, Slot

from app.core.errors import ErrorCode, ErrorInfo
from app.core.events import (
    ActivityChanged,
    AlertChanged,
    FingerprintTaken,
    HostChanged,
    HostKind,
    HostRemoved,
    HostSnapshot,
    HostState,
    SettingsChanged,
)
from app.core.ids import HostId
from app.ui.bridge import CoreBridge
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.viewmodels.base import ViewModel
from app.ui.viewmodels.host_texts import StateView, latency_text, present_state
from app.ui.viewmodels.slow import AlertView, present_alert

if TYPE_CHECKING:
    from app.bootstrap import Application
    from app.services.updates import UpdateState

CONTEXT: Final = "Shell"
ERRORS_KEPT: Final = 20

_WAS_UP: Final = frozenset({HostState.CONNECTED, HostState.LOST})

_ACTIVITIES: Final[Mapping[str, str]] = {
    "connect": QT_TRANSLATE_NOOP("Shell", "Connecting to {subject}"),
    "fingerprint": QT_TRANSLATE_NOOP("Shell", "Taking the fingerprint of {subject}"),
    "smoke": QT_TRANSLATE_NOOP("Shell", "Smoke run on {subject}"),
    "inspect": QT_TRANSLATE_NOOP("Shell", "Looking at {subject}"),
    "record": QT_TRANSLATE_NOOP("Shell", "Reading what {subject} is"),
    "deploy": QT_TRANSLATE_NOOP("Shell", "Deploying {subject}"),
    "start": QT_TRANSLATE_NOOP("Shell", "Starting {subject}"),
    "stop": QT_TRANSLATE_NOOP("Shell", "Stopping {subject}"),
    "restart": QT_TRANSLATE_NOOP("Shell", "Restarting {subject}"),
    "rollback": QT_TRANSLATE_NOOP("Shell", "Rolling {subject} back"),
    "remove": QT_TRANSLATE_NOOP("Shell", "Removing {subject}"),
    "slow": QT_TRANSLATE_NOOP("Shell", "Looking where the time of {subject} goes"),
    "diagnose": QT_TRANSLATE_NOOP("Shell", "Reading {subject} for causes"),
    "bundle": QT_TRANSLATE_NOOP("Shell", "Gathering the support bundle of {subject}"),
    "fetch": QT_TRANSLATE_NOOP("Shell", "Fetching the image for {subject}"),
    "pull": QT_TRANSLATE_NOOP("Shell", "Fetching the image for {subject}"),
    "plan": QT_TRANSLATE_NOOP("Shell", "Planning for {subject}"),
    "models": QT_TRANSLATE_NOOP("Shell", "Looking for models on {subject}"),
    "model": QT_TRANSLATE_NOOP("Shell", "Reading the model {subject}"),
    "measure": QT_TRANSLATE_NOOP("Shell", "Measuring how fast {subject} is read"),
    "save_log": QT_TRANSLATE_NOOP("Shell", "Saving the log of {subject}"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HostBarView:
    """What the host bar shows."""

    name: str
    note: str
    state: StateView
    simulated: bool = False
    can_connect: bool = False
    no_connection_because: str = ""
    """Why the host cannot be connected at all; the button is shown, but rests."""
    can_disconnect: bool = False
    can_fingerprint: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityView:
    """One line of running work."""

    id: str
    text: str
    progress: float | None
    can_cancel: bool


def present_host_bar(snapshot: HostSnapshot | None) -> HostBarView:
    """Return what the host bar shows of a host, or without one."""
    if snapshot is None:
        return HostBarView(
            name=QCoreApplication.translate("Shell", "No host chosen"),
            note=QCoreApplication.translate("Shell", "Choose or add one on the Hosts page"),
            state=StateView(icon="circle-dashed", word="", status="unknown"),
        )
    state = present_state(snapshot)
    latency = latency_text(snapshot.latency_s)
    if snapshot.state is HostState.CONNECTED and latency:
        state = StateView(icon=state.icon, word=f"{state.word} · {latency}", status=state.status)
    connected = snapshot.state is HostState.CONNECTED
    connecting = snapshot.state is HostState.CONNECTING
    return HostBarView(
        name=snapshot.settings.name,
        note=host_note(snapshot),
        state=state,
        simulated=snapshot.settings.kind is HostKind.DEMO,
        can_connect=not connected and not connecting and not snapshot.is_record,
        no_connection_because=_no_connection(snapshot),
        can_disconnect=connected or snapshot.state is HostState.LOST,
        can_fingerprint=connected and not snapshot.is_busy,
    )


def _no_connection(snapshot: HostSnapshot) -> str:
    if not snapshot.is_record:
        return ""
    return QCoreApplication.translate(
        "Shell", "This host is a record of what was sent; there is no machine to connect to."
    )


def host_note(snapshot: HostSnapshot) -> str:
    """Return the hardware in a few words."""
    summary = snapshot.summary
    if summary is None:
        return QCoreApplication.translate("Shell", "No fingerprint yet")
    gpus = summary.gpu_text or (
        QCoreApplication.translate("Shell", "No GPU found")
        if summary.gpus_known
        else QCoreApplication.translate("Shell", "GPUs unknown: the fingerprint says why")
    )
    parts = [gpus]
    if summary.driver_version:
        driver = QCoreApplication.translate("Shell", "driver {version}")
        parts.append(driver.format(version=summary.driver_version))
    if summary.container_text:
        parts.append(summary.container_text)
    return " · ".join(parts)


def present_activity(event: ActivityChanged) -> ActivityView:
    """Return one line of running work."""
    title = _ACTIVITIES.get(event.title_code, QT_TRANSLATE_NOOP("Shell", "Working on {subject}"))
    text = QCoreApplication.translate(CONTEXT, title).format(subject=event.subject)
    if event.progress is not None and 0 < event.progress < 1:
        text += f" · {event.progress:.0%}"
    if event.detail:
        text += f" · {event.detail}"
    if event.ending:
        ending = QCoreApplication.translate("Shell", "Cancelled, being undone: {work}")
        text = ending.format(work=text)
    return ActivityView(
        id=event.id, text=text, progress=event.progress, can_cancel=event.can_cancel
    )


class ShellViewModel(ViewModel):
    """Hold what the window around the pages shows."""

    hosts_changed = Signal(object)
    """``tuple[HostSnapshot, ...]``."""
    host_selected = Signal(object)
    """``HostSnapshot | None``: another host, or the same one with news."""
    activities_changed = Signal(object)
    """``tuple[ActivityView, ...]``."""
    errors_changed = Signal(object)
    """``tuple[ErrorInfo, ...]``, newest first."""
    alerts_changed = Signal(object)
    """``tuple[AlertView, ...]``: those that hold first."""
    settings_changed = Signal()
    update_found = Signal(str)
    """The version of a newer Pitwall; only when the user wants to be told."""
    fingerprint_taken = Signal(str)

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        self._hosts: dict[HostId, HostSnapshot] = {}
        self._current: HostId | None = None
        self._activities: dict[str, ActivityChanged] = {}
        self._errors: tuple[ErrorInfo, ...] = ()
        # Fifty hosts that change at once are one change of the list.
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._announce_hosts)
        self.failed.connect(self.add_error)
        bridge.event_arrived.connect(self._on_event)

    def hosts(self) -> tuple[HostSnapshot, ...]:
        """Return all hosts, by name."""
        return tuple(sorted(self._hosts.values(), key=lambda h: h.settings.name.casefold()))

    @property
    def current_host(self) -> HostSnapshot | None:
        """The host in the host bar."""
        return self._hosts.get(self._current) if self._current else None

    @property
    def alerts(self) -> tuple[AlertView, ...]:
        """Trouble that was noticed while watching: what holds first."""
        return tuple(present_alert(alert) for alert in self._app.watching.alerts())

    @property
    def errors(self) -> tuple[ErrorInfo, ...]:
        """Recent errors, newest first."""
        return self._errors

    def activities(self) -> tuple[ActivityView, ...]:
        """Return what runs, the newest first."""
        return tuple(present_activity(event) for event in reversed(self._activities.values()))

    def reload(self) -> None:
        """Take the hosts from the service as they are now."""
        self._hosts = {s.settings.id: s for s in self._app.hosts.snapshot()}
        if self._current not in self._hosts:
            self._current = None
        self.hosts_changed.emit(self.hosts())
        self.host_selected.emit(self.current_host)

    def select(self, host_id: HostId | None) -> None:
        """Choose the host that the pages speak of."""
        if host_id is not None and host_id not in self._hosts:
            self._hosts = {s.settings.id: s for s in self._app.hosts.snapshot()}
        chosen = host_id if host_id in self._hosts else None
        if chosen != self._current:
            self._current = chosen
            self.host_selected.emit(self.current_host)

    def take_fingerprint(self, host_id: HostId) -> None:
        """Ask the host what it is."""
        self.run(self._app.hosts.take_fingerprint(host_id))

    def disconnect_host(self, host_id: HostId) -> None:
        """Close the connection; what runs on the host goes on."""
        self.run(self._app.hosts.disconnect(host_id))

    def keep_arrangement(self, text: str) -> None:
        """Keep how the pages are arranged; one that cannot be kept harms nothing."""
        self.run(self._app.settings.update(view_state=text), on_error=lambda _: None)

    def look_for_update(self) -> None:
        """Ask for a newer version when the user turned it on; no answer is no trouble."""
        self.run(
            self._app.updates.look_if_wanted(),
            on_result=self._on_update_state,
            on_error=lambda _: None,
        )

    def _on_update_state(self, state: "UpdateState | None") -> None:
        if state is not None and state.is_newer:
            self.update_found.emit(state.newest)

    def cancel_activity(self, activity_id: str) -> None:
        """Cancel running work."""
        self._app.activities.cancel(activity_id)

    def add_error(self, error: ErrorInfo) -> None:
        """Remember an error; the same one twice in a row counts once."""
        if error.code is ErrorCode.CANCELLED or (self._errors and self._errors[0] == error):
            return
        self._errors = (error, *self._errors)[:ERRORS_KEPT]
        self.errors_changed.emit(self._errors)

    def clear_errors(self) -> None:
        """Forget the errors."""
        self._errors = ()
        self.errors_changed.emit(self._errors)

    @Slot()
    def _announce_hosts(self) -> None:
        self.hosts_changed.emit(self.hosts())

    @Slot(object)
    def _on_event(self, event: object) -> None:
        match event:
            case HostChanged():
                self._on_host(event.snapshot)
            case HostRemoved():
                self._on_removed(event.host_id)
            case ActivityChanged():
                self._on_activity(event)
            case AlertChanged():
                self.alerts_changed.emit(self.alerts)
            case SettingsChanged():
                self.settings_changed.emit()
            case FingerprintTaken():
                self.fingerprint_taken.emit(event.host_id)
            case _:
                pass

    def _on_host(self, snapshot: HostSnapshot) -> None:
        host_id = snapshot.settings.id
        known = self._hosts.get(host_id)
        if known is not None and known.revision > snapshot.revision:
            return
        self._hosts[host_id] = snapshot
        if known is not None and known.state in _WAS_UP and snapshot.state is HostState.FAILED:
            # Coming back failed for good: nobody asked for it, so no dialog answers it.
            self._tell(snapshot.error)
        self._soon.start()
        if host_id == self._current:
            self.host_selected.emit(snapshot)

    def _tell(self, error: ErrorInfo | None) -> None:
        if error is not None:
            self.add_error(error)

    def _on_removed(self, host_id: HostId) -> None:
        self._hosts.pop(host_id, None)
        self._soon.start()
        self.alerts_changed.emit(tuple(a for a in self.alerts if a.host_id != host_id))
        if host_id == self._current:
            self._current = None
            self.host_selected.emit(None)

    def _on_activity(self, event: ActivityChanged) -> None:
        if event.finished:
            self._activities.pop(event.id, None)
            # What connecting asks for or fails with is answered where it was asked for.
            if event.error is not None and event.title_code != "connect":
                self.add_error(event.error)
        else:
            self._activities[event.id] = event
        self.activities_changed.emit(self.activities())
