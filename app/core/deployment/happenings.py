"""What can happen to a deployment, and what is to be done: the words of the state machine."""

from dataclasses import dataclass
from enum import StrEnum

from app.core.errors import ErrorInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployRequested:
    """The user confirmed the plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreflightPassed:
    """Everything that can be checked beforehand was checked."""

    image_present: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageFetched:
    """The image is on the host now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerCreated:
    """The container exists; nothing runs yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineReady:
    """The engine's health answers yes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """One real completion was read and is plausible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyFailed:
    """The completion did not come, or what came is not an answer."""

    error: ErrorInfo
    keeps_serving: bool = False
    """True when the engine answers, but badly: it is left running, as degraded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFailed:
    """A step of ours was refused or ran out of time."""

    error: ErrorInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled:
    """The user stopped the operation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerExited:
    """The engine's process ended. An end nobody asked for is a failure, whatever its code.

    ``error`` carries the lines of the log that tell why.
    """

    at_s: float
    error: ErrorInfo
    exit_code: int | None = None
    restarting: bool = False
    """True when the container engine starts it again by its restart policy."""
    crashes: int = 1
    """How often it has ended since the last look: a quick loop ends several times between two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthLost:
    """The engine runs but does not answer."""

    error: ErrorInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthRegained:
    """The engine answers again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRequested:
    """The user wants it stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """The container was stopped by us."""

    exit_code: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRequested:
    """The user wants a stopped or failed one started again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLost:
    """The host cannot be asked any more."""

    error: ErrorInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionRegained:
    """The host can be asked again."""


class Seen(StrEnum):
    """What the container engine says of a container."""

    MISSING = "missing"
    CREATED = "created"
    RUNNING = "running"
    RESTARTING = "restarting"
    EXITED = "exited"


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """A container was looked at, after a reconnect or when Pitwall starts."""

    seen: Seen
    error: ErrorInfo
    """What to show if this turns out to be a failure."""
    verified: bool = False
    """True when its restart policy is the one that only verified deployments get."""
    healthy: bool = False
    exit_code: int | None = None
    restart_count: int = 0
    at_s: float = 0.0
    """When it was looked at, on the clock of `ContainerExited.at_s`."""
    short_lived: bool = False
    """Its last run was shorter than the time in which three crashes are a loop."""
    cut_off: bool = False
    """This desk was deploying it a moment ago when it lost the host, or was killed."""


DeploymentEvent = (
    DeployRequested
    | PreflightPassed
    | ImageFetched
    | ContainerCreated
    | EngineReady
    | Verified
    | VerifyFailed
    | StepFailed
    | Cancelled
    | ContainerExited
    | HealthLost
    | HealthRegained
    | StopRequested
    | Stopped
    | StartRequested
    | ConnectionLost
    | ConnectionRegained
    | Observed
)


class Action(StrEnum):
    """What the service is to do next."""

    RUN_PREFLIGHT = "run_preflight"
    FETCH_IMAGE = "fetch_image"
    CREATE_CONTAINER = "create_container"
    START_CONTAINER = "start_container"
    WATCH_START = "watch_start"
    VERIFY = "verify"
    KEEP_RUNNING = "keep_running"
    """Set the restart policy to ``unless-stopped``."""
    WATCH_HEALTH = "watch_health"
    STOP_CONTAINER = "stop_container"
    REMOVE_CONTAINER = "remove_container"
    ABANDON = "abandon"
    """End running work; the host cannot be asked."""
    RECONCILE = "reconcile"
    """Look at the container and feed what is seen."""
