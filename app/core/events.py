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
from app.core.host import AuthMethod as AuthMethod  # noqa: PLC0414 - told on
from app.core.host import HostKind as HostKind  # noqa: PLC0414 - told on
from app.core.host import HostSettings as HostSettings  # noqa: PLC0414 - told on
from app.core.host import HostSnapshot as HostSnapshot  # noqa: PLC0414 - told on
from app.core.host import HostState as HostState  # noqa: PLC0414 - told on
from app.core.ids import HostId

if TYPE_CHECKING:  # they take long to load, and most commands tell of none
    from app.core.diagnosis.finding import Diagnosis, Finding
    from app.core.slow.alerts import Alert


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
