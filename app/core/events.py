"""Events and snapshots: what services tell the window and the command line.

Events are in the past tense and carry ids and values only. A snapshot is complete; its
``revision`` rises with each change, so a receiver can tell old from new.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from app.core.deployment.stage import DeploymentState as DeploymentState  # noqa: PLC0414 - told on
from app.core.deployment.stage import PhaseProgress as PhaseProgress  # noqa: PLC0414 - told on
from app.core.errors import ErrorInfo
from app.core.hardware.fingerprint import FingerprintSummary
from app.core.ids import HostId

if (
    TYPE_CHECKING
):  # the rules of findings and alerts take long to load, and lists of hosts have none
    from app.core.diagnosis.finding import Diagnosis, Finding
    from app.core.slow.alerts import Alert


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


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentSnapshot:
    """Everything that is shown about one deployment."""

    revision: int
    host_id: HostId
    host_name: str
    name: str
    state: DeploymentState
    container_id: str | None = None
    deployment_revision: int = 1
    engine: str = ""
    engine_version: str = ""
    model_name: str = ""
    image: str = ""
    host_port: int | None = None
    """Port on the host's loopback."""
    tunnel_port: int | None = None
    """Port on this desktop's loopback while a tunnel is open."""
    started_at: str | None = None
    phases: tuple[PhaseProgress, ...] = ()
    error: ErrorInfo | None = None
    restart_count: int = 0
    exit_code: int | None = None
    verified: bool = False
    verified_text: str = ""
    """What the verifying completion answered."""
    simulated: bool = False
    plan_digest: str = ""
    older_revisions: int = 0
    """Stopped containers of other revisions that still lie on the host."""
    newest_revision: int = 1
    """The highest revision on the host; above this one's after a rollback."""
    rollback_to: int | None = None
    """The earlier revision that a rollback goes to; ``None`` when there is none."""
    diagnosis: "Diagnosis | None" = None
    """What its log tells of a failure; ``None`` before it was read."""

    @property
    def findings(self) -> "tuple[Finding, ...]":
        """What was found in its log, the cause first."""
        return () if self.diagnosis is None else self.diagnosis.findings

    @property
    def ref(self) -> str:
        """``HOST/NAME``."""
        return f"{self.host_name}/{self.name}"


class EventCode(StrEnum):
    """Kinds of events, for JSON Lines and filters."""

    HOST_CHANGED = "host_changed"
    HOST_REMOVED = "host_removed"
    FINGERPRINT_TAKEN = "fingerprint_taken"
    DEPLOYMENT_CHANGED = "deployment_changed"
    DEPLOYMENT_REMOVED = "deployment_removed"
    METRICS_SAMPLED = "metrics_sampled"
    LOG_ARRIVED = "log_arrived"
    ACTIVITY_CHANGED = "activity_changed"
    SETTINGS_CHANGED = "settings_changed"
    ALERT_CHANGED = "alert_changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostChanged:
    """A host's snapshot changed."""

    snapshot: HostSnapshot
    code: EventCode = EventCode.HOST_CHANGED


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRemoved:
    """A host was removed from the list."""

    host_id: HostId
    code: EventCode = EventCode.HOST_REMOVED


@dataclass(frozen=True, slots=True, kw_only=True)
class FingerprintTaken:
    """A new fingerprint was stored; ask the hosts service for it."""

    host_id: HostId
    taken_at: str
    code: EventCode = EventCode.FINGERPRINT_TAKEN


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentChanged:
    """A deployment's snapshot changed."""

    snapshot: DeploymentSnapshot
    code: EventCode = EventCode.DEPLOYMENT_CHANGED


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentRemoved:
    """A deployment and its containers are gone."""

    host_id: HostId
    name: str
    code: EventCode = EventCode.DEPLOYMENT_REMOVED


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsSampled:
    """New samples are in the ring buffers of a host or deployment."""

    host_id: HostId
    deployment: str | None
    at_s: float
    """Seconds since the epoch."""
    code: EventCode = EventCode.METRICS_SAMPLED


@dataclass(frozen=True, slots=True, kw_only=True)
class LogArrived:
    """New lines of a followed log, already cleaned for showing."""

    host_id: HostId
    deployment: str
    lines: tuple[str, ...]
    dropped: int = 0
    """Lines left out because the receiver was too slow."""
    code: EventCode = EventCode.LOG_ARRIVED


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityChanged:
    """Running work for the activity bar; ``finished`` closes it."""

    id: str
    title_code: str
    """For example ``deploy``, ``fingerprint``, ``connect``."""
    subject: str
    """Host or deployment it is about."""
    progress: float | None = None
    detail: str = ""
    can_cancel: bool = False
    ending: bool = False
    """It was cancelled, and what it made is being undone."""
    finished: bool = False
    error: ErrorInfo | None = None
    code: EventCode = EventCode.ACTIVITY_CHANGED


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertChanged:
    """Trouble of a serving deployment or its host began, came again, or is over."""

    alert: "Alert"
    code: EventCode = EventCode.ALERT_CHANGED


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsChanged:
    """Language, theme or another preference changed."""

    code: EventCode = EventCode.SETTINGS_CHANGED


Event = (
    HostChanged
    | HostRemoved
    | FingerprintTaken
    | DeploymentChanged
    | DeploymentRemoved
    | MetricsSampled
    | LogArrived
    | ActivityChanged
    | AlertChanged
    | SettingsChanged
)
