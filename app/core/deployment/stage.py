"""Where a deployment stands, and how far a step of its start is.

Below events and state machine, so that both can speak of it without importing each other.
"""

from dataclasses import dataclass
from enum import StrEnum


class DeploymentState(StrEnum):
    """Where a deployment stands (DESIGN §10)."""

    PLANNED = "planned"
    PREFLIGHT = "preflight"
    FETCHING_IMAGE = "fetching_image"
    CREATING = "creating"
    STARTING = "starting"
    VERIFYING = "verifying"
    SERVING = "serving"
    DEGRADED = "degraded"
    STOPPING = "stopping"
    STOPPED = "stopped"
    FAILED = "failed"
    CRASH_LOOPING = "crash_looping"
    UNKNOWN = "unknown"
    """The host cannot be asked at the moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseProgress:
    """One step of a start, for the phase track."""

    phase: str
    """Phase id of the engine's ``startup.toml`` or one of fetch, create, verify, serving."""
    started_s: float | None
    """Seconds after the operation began; ``None`` when not reached."""
    duration_s: float | None
    """``None`` while it runs or when not reached."""
    progress: float | None = None
    """0 to 1 where it can be known."""
    detail: str = ""
