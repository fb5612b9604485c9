"""Connecting a host: every question that may come up on the way, asked one after the other.

Nothing secret is kept here: a password goes from the dialog to the service and is forgotten.
"""

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal

from app.core.errors import ErrorCode, ErrorInfo
from app.core.events import AuthMethod, HostSnapshot
from app.core.ids import HostId
from app.services.host_secrets import KeyringState, keyring_unusable
from app.ui.bridge import CoreBridge
from app.ui.viewmodels.base import ViewModel

if TYPE_CHECKING:
    from app.bootstrap import Application

_KEY_CHANGED: Final = {ErrorCode.HOST_KEY_CHANGED, ErrorCode.HOST_KEY_REVOKED}
_SECRETS: Final = {ErrorCode.PASSWORD_NEEDED, ErrorCode.AUTH_FAILED}


class ConnectViewModel(ViewModel):
    """Drive one connection attempt at a time per host."""

    key_unknown = Signal(object, object)
    """``HostSnapshot, ErrorInfo``: show the key and ask."""
    key_changed = Signal(object, object)
    password_needed = Signal(object, object)
    """``HostSnapshot, ErrorInfo``; the error says whether one was refused already."""
    passphrase_needed = Signal(object, object)
    connected = Signal(object)
    """The `HostSnapshot`."""
    keyring_known = Signal(object)
    """How the keyring stands, for whoever asked with `look_at_keyring`."""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        self._running: set[HostId] = set()
        self._to_keep: set[HostId] = set()
        self._waiting: dict[str, list[HostSnapshot]] = {}
        """Key file → hosts that wait for the one question about its passphrase."""

    def connect_host(
        self,
        snapshot: HostSnapshot,
        *,
        password: str | None = None,
        passphrase: str | None = None,
        remember: bool = False,
    ) -> None:
        """Connect; what is missing comes back as a signal.

        Args:
            snapshot: The host.
            password: As it was typed.
            passphrase: As it was typed.
            remember: Both go into the system's keyring once they have proved right.
        """
        host_id = snapshot.settings.id
        if host_id in self._running:
            return
        if remember:
            self._to_keep.add(host_id)
        self._running.add(host_id)
        self.run(
            self._app.hosts.connect(host_id, password=password, passphrase=passphrase),
            on_result=self._on_connected,
            on_error=lambda error: self._on_error(snapshot, error),
            on_cancel=lambda: self._running.discard(host_id),
        )

    def accept_key(self, snapshot: HostSnapshot, sha256: str) -> None:
        """Trust the key that was shown, then connect again."""
        self.run(
            self._app.hosts.accept_key(snapshot.settings.id, sha256),
            on_result=lambda _: self.connect_host(snapshot),
        )

    def answer_passphrase(
        self, snapshot: HostSnapshot, error: ErrorInfo, passphrase: str, *, remember: bool
    ) -> None:
        """Connect the host that asked, and every other one that waits for the same key."""
        for host in (snapshot, *self._waiting.pop(_key_of(error), ())):
            self.connect_host(host, passphrase=passphrase, remember=remember)

    def refuse_passphrase(self, error: ErrorInfo) -> None:
        """The question was closed: nobody waits for its answer any more."""
        self._waiting.pop(_key_of(error), None)

    def look_at_keyring(self) -> None:
        """Find out whether secrets can be remembered; `keyring_known` tells."""
        self.run(self._app.credentials.keyring_state(), on_result=self.keyring_known.emit)

    def _on_connected(self, snapshot: HostSnapshot) -> None:
        host_id = snapshot.settings.id
        self._running.discard(host_id)
        self.connected.emit(snapshot)
        if host_id in self._to_keep:
            self._to_keep.discard(host_id)
            self.run(
                self._app.hosts.keep_secrets(host_id),
                on_result=lambda state: self._on_kept(snapshot, state),
            )

    def _on_kept(self, snapshot: HostSnapshot, state: KeyringState) -> None:
        if not state.is_usable:
            self.failed.emit(keyring_unusable(snapshot.settings.name, state).info)

    def _on_error(self, snapshot: HostSnapshot, error: ErrorInfo) -> None:
        self._running.discard(snapshot.settings.id)
        if error.code is ErrorCode.HOST_KEY_UNKNOWN:
            self.key_unknown.emit(snapshot, error)
        elif error.code in _KEY_CHANGED:
            self.key_changed.emit(snapshot, error)
        elif error.params.get("what") == "passphrase" and error.code in _SECRETS:
            self._ask_passphrase(snapshot, error)
        elif error.code is ErrorCode.PASSWORD_NEEDED or _password_may_help(snapshot, error):
            self.password_needed.emit(snapshot, error)
        else:
            self._to_keep.discard(snapshot.settings.id)
            self.failed.emit(error)

    def _ask_passphrase(self, snapshot: HostSnapshot, error: ErrorInfo) -> None:
        """Ask once per key file, however many hosts are opened with it."""
        key = _key_of(error)
        if key in self._waiting:
            self._waiting[key].append(snapshot)
        else:
            self._waiting[key] = []
            self.passphrase_needed.emit(snapshot, error)


def _key_of(error: ErrorInfo) -> str:
    return error.params.get("key_file", "")


def _password_may_help(snapshot: HostSnapshot, error: ErrorInfo) -> bool:
    """Tell whether another password could get in: it was refused, and the host takes passwords."""
    accepts = error.params.get("accepts", "password")
    return (
        error.code is ErrorCode.AUTH_FAILED
        and "next" not in error.params
        and ("password" in accepts or "keyboard-interactive" in accepts)
        and snapshot.settings.auth is AuthMethod.PASSWORD
    )
