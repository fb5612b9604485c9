"""A host as the desk lists it: how it is reached, how its connection stands."""

from dataclasses import dataclass
from enum import StrEnum

from app.core.errors import ErrorInfo
from app.core.hardware.fingerprint import FingerprintSummary
from app.core.ids import HostId


class HostKind(StrEnum):
    """How a host is reached."""

    LOCAL = "local"
    SSH = "ssh"
    DEMO = "demo"
    IMPORTED = "imported"
    """A record of what somebody sent, or a host only thought of: there is nothing to connect to."""


class HostState(StrEnum):
    """The connection to a host."""

    DISCONNECTED = "disconnected"
    CONNECTING = "connecting"
    CONNECTED = "connected"
    LOST = "lost"
    """Was connected, is being tried again with back-off."""
    FAILED = "failed"


class AuthMethod(StrEnum):
    """How we prove who we are."""

    AUTO = "auto"
    """Agent and the usual key files."""
    KEY = "key"
    PASSWORD = "password"  # noqa: S105 - a method's name


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSettings:
    """What is stored of a host; never a secret."""

    id: HostId
    name: str
    kind: HostKind
    address: str = ""
    port: int = 22
    user: str = ""
    auth: AuthMethod = AuthMethod.AUTO
    key_file: str | None = None
    docker_socket: str | None = None
    """Path of the container engine's socket; ``None`` means the usual one."""
    model_folder: str | None = None
    """Where models were last looked for."""
    notes: str = ""
    group: str = ""
    """What it is listed under; empty is no group."""
    keeps_secrets: bool = False
    """True when the user had its password or passphrase kept in the system's keyring."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSnapshot:
    """Everything a list shows about one host."""

    revision: int
    settings: HostSettings
    state: HostState
    error: ErrorInfo | None = None
    latency_s: float | None = None
    summary: FingerprintSummary | None = None
    is_busy: bool = False
    """A fingerprint is being taken."""
    last_seen_at: str | None = None

    @property
    def is_record(self) -> bool:
        """True when it was made from what somebody sent and cannot be connected."""
        return self.settings.kind is HostKind.IMPORTED
