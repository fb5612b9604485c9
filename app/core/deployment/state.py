"""The life of a deployment as one pure function: ``(status, event) -> (status, actions)``.

An event that does not belong to a state changes nothing, so late or doubled events do no harm.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, TypeVar, cast

from app.core.deployment import happenings as h
from app.core.deployment.happenings import Action, DeploymentEvent, Seen
from app.core.deployment.stage import DeploymentState
from app.core.errors import ErrorInfo

CRASH_LIMIT: Final = 3
CRASH_WINDOW_S: Final = 600.0
"""A crash loop stops after 3 crashes in 10 minutes (DESIGN §10)."""

S = DeploymentState

WORKING: Final = frozenset({S.PREFLIGHT, S.FETCHING_IMAGE, S.CREATING, S.STARTING, S.VERIFYING})
"""States in which Pitwall itself is doing something that can be cancelled."""
UP: Final = frozenset({S.STARTING, S.VERIFYING, S.SERVING, S.DEGRADED})
"""States in which the engine's process is supposed to run."""
RESTARTABLE: Final = frozenset({S.STOPPED, S.FAILED, S.CRASH_LOOPING})


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentStatus:
    """Where a deployment stands and what must be remembered to decide what follows."""

    state: DeploymentState = S.PLANNED
    has_container: bool = False
    verified: bool = False
    """It has answered sensibly at least once since it was created."""
    crashes: tuple[float, ...] = ()
    """When it crashed within the last ten minutes."""
    error: ErrorInfo | None = None
    exit_code: int | None = None
    before_lost: DeploymentState | None = None
    stop_asked: bool = False
    """It was told to stop, and what came of that was not seen: an end is no failure then."""


Step: TypeAlias = tuple[DeploymentStatus, tuple[Action, ...]]


def step(status: DeploymentStatus, event: DeploymentEvent) -> Step:
    """Return the status after ``event`` and what is to be done then, in this order."""
    return _HANDLERS[type(event)](status, event)


def _stay(status: DeploymentStatus) -> Step:
    return status, ()


def _to(state: DeploymentState, status: DeploymentStatus, *actions: Action) -> Step:
    return replace(status, state=state), actions


def _fail(status: DeploymentStatus, error: ErrorInfo, *actions: Action) -> Step:
    return replace(status, state=S.FAILED, error=error), actions


def _deploy(status: DeploymentStatus, _event: h.DeployRequested) -> Step:
    if status.state != S.PLANNED:
        return _stay(status)
    return _to(S.PREFLIGHT, replace(status, error=None), Action.RUN_PREFLIGHT)


def _preflight_passed(status: DeploymentStatus, event: h.PreflightPassed) -> Step:
    if status.state != S.PREFLIGHT:
        return _stay(status)
    if event.image_present:
        return _to(S.CREATING, status, Action.CREATE_CONTAINER)
    return _to(S.FETCHING_IMAGE, status, Action.FETCH_IMAGE)


def _image_fetched(status: DeploymentStatus, _event: h.ImageFetched) -> Step:
    if status.state != S.FETCHING_IMAGE:
        return _stay(status)
    return _to(S.CREATING, status, Action.CREATE_CONTAINER)


def _created(status: DeploymentStatus, _event: h.ContainerCreated) -> Step:
    if status.state != S.CREATING:
        return _stay(status)
    made = replace(status, has_container=True)
    return _to(S.STARTING, made, Action.START_CONTAINER, Action.WATCH_START)


def _ready(status: DeploymentStatus, _event: h.EngineReady) -> Step:
    return _to(S.VERIFYING, status, Action.VERIFY) if status.state == S.STARTING else _stay(status)


def _verified(status: DeploymentStatus, _event: h.Verified) -> Step:
    if status.state != S.VERIFYING:
        return _stay(status)
    good = replace(status, verified=True, error=None, exit_code=None)
    first = () if status.verified else (Action.KEEP_RUNNING,)
    return _to(S.SERVING, good, *first, Action.WATCH_HEALTH)


def _verify_failed(status: DeploymentStatus, event: h.VerifyFailed) -> Step:
    if status.state != S.VERIFYING:
        return _stay(status)
    if event.keeps_serving:
        return _to(S.DEGRADED, replace(status, error=event.error), Action.WATCH_HEALTH)
    return _fail(status, event.error, Action.STOP_CONTAINER)


def _step_failed(status: DeploymentStatus, event: h.StepFailed) -> Step:
    if status.state == S.STOPPING:
        return _to(S.UNKNOWN, replace(status, error=event.error), Action.RECONCILE)
    if status.state not in WORKING:
        return _stay(status)
    if status.verified:
        return _fail(status, event.error)
    undo = (Action.REMOVE_CONTAINER,) if _may_have_made_one(status) else ()
    return _fail(replace(status, has_container=False), event.error, *undo)


def _cancelled(status: DeploymentStatus, _event: h.Cancelled) -> Step:
    if status.state == S.STOPPING:  # it may be stopped by now, or not: to be looked at
        return _to(S.UNKNOWN, replace(status, before_lost=S.STOPPING, stop_asked=True))
    if status.state not in WORKING:
        return _stay(status)
    if status.verified:
        return _to(S.STOPPING, status, Action.STOP_CONTAINER)
    undo = (Action.REMOVE_CONTAINER,) if _may_have_made_one(status) else ()
    return _to(S.PLANNED, replace(status, has_container=False), *undo)


def _may_have_made_one(status: DeploymentStatus) -> bool:
    """A creation that was cut off may have left a container without telling its id."""
    return status.has_container or status.state == S.CREATING


def _exited(status: DeploymentStatus, event: h.ContainerExited) -> Step:
    was_asked = status.state in UP and status.stop_asked and not event.restarting
    if status.state == S.STOPPING or was_asked:
        ended = replace(status, exit_code=event.exit_code, error=None, stop_asked=False)
        return _to(S.STOPPED, ended)
    if status.state not in UP:
        return _stay(status)
    crashes = tuple(at for at in status.crashes if event.at_s - at < CRASH_WINDOW_S)
    crashed = replace(
        status,
        crashes=(*crashes, *(event.at_s,) * min(max(event.crashes, 1), CRASH_LIMIT)),
        error=event.error,
        exit_code=event.exit_code,
    )
    if not event.restarting:
        return _fail(crashed, event.error)
    if len(crashed.crashes) >= CRASH_LIMIT:
        return _to(S.CRASH_LOOPING, crashed, Action.STOP_CONTAINER)
    return _to(S.STARTING, crashed, Action.WATCH_START)


def _health_lost(status: DeploymentStatus, event: h.HealthLost) -> Step:
    if status.state != S.SERVING:
        return _stay(status)
    return _to(S.DEGRADED, replace(status, error=event.error))


def _health_regained(status: DeploymentStatus, _event: h.HealthRegained) -> Step:
    if status.state != S.DEGRADED or not status.verified:
        return _stay(status)
    return _to(S.SERVING, replace(status, error=None))


def _stop(status: DeploymentStatus, _event: h.StopRequested) -> Step:
    if status.has_container and status.state in UP | {S.CRASH_LOOPING}:
        return _to(S.STOPPING, status, Action.STOP_CONTAINER)
    return _stay(status)


def _stopped(status: DeploymentStatus, event: h.Stopped) -> Step:
    if status.state != S.STOPPING:
        return _stay(status)
    ended = replace(status, error=None, exit_code=event.exit_code, stop_asked=False)
    return _to(S.STOPPED, ended)


def _start(status: DeploymentStatus, _event: h.StartRequested) -> Step:
    if status.state not in RESTARTABLE or not status.has_container:
        return _stay(status)
    fresh = replace(status, crashes=(), error=None, exit_code=None, stop_asked=False)
    return _to(S.STARTING, fresh, Action.START_CONTAINER, Action.WATCH_START)


def _lost(status: DeploymentStatus, event: h.ConnectionLost) -> Step:
    if status.state == S.UNKNOWN or not (status.has_container or status.state in WORKING):
        return _stay(status)
    stop_asked = status.stop_asked or status.state == S.STOPPING
    lost = replace(status, error=event.error, before_lost=status.state, stop_asked=stop_asked)
    return _to(S.UNKNOWN, lost, Action.ABANDON)


def _regained(status: DeploymentStatus, _event: h.ConnectionRegained) -> Step:
    return (status, (Action.RECONCILE,)) if status.state == S.UNKNOWN else _stay(status)


def _observed(status: DeploymentStatus, event: h.Observed) -> Step:
    if status.state not in {S.UNKNOWN, S.PLANNED}:
        return _stay(status)
    seen = replace(
        status,
        has_container=event.seen != Seen.MISSING,
        verified=event.verified,
        exit_code=event.exit_code,
        error=None,
        before_lost=None,
    )
    return _OBSERVED[event.seen](seen, event)


def _seen_missing(status: DeploymentStatus, event: h.Observed) -> Step:
    return _fail(status, event.error)


def _seen_created(status: DeploymentStatus, event: h.Observed) -> Step:
    """A start that was cut off before its container ran goes on; any other waits for a person."""
    if event.cut_off:
        return _to(S.STARTING, status, Action.START_CONTAINER, Action.WATCH_START)
    return _to(S.STOPPED, status)


def _seen_running(status: DeploymentStatus, event: h.Observed) -> Step:
    if event.verified and event.healthy:
        return _to(S.SERVING, status, Action.WATCH_HEALTH)
    # Between two crashes of a loop it runs as well: then the next crash is one too many.
    crashes = min(event.restart_count, CRASH_LIMIT - 1) if event.short_lived else 0
    seen = replace(status, crashes=(event.at_s,) * crashes)
    return _to(S.STARTING, seen, Action.WATCH_START)


def _seen_restarting(status: DeploymentStatus, event: h.Observed) -> Step:
    """While we were away the engine's own back-off ran; its count is judged now."""
    if event.restart_count >= CRASH_LIMIT:
        looping = replace(status, error=event.error)
        return _to(S.CRASH_LOOPING, looping, Action.STOP_CONTAINER)
    return _to(S.STARTING, status, Action.WATCH_START)


def _seen_exited(status: DeploymentStatus, event: h.Observed) -> Step:
    """A verified one is restarted by the engine unless a person, or our breaker, stopped it."""
    if event.verified and event.short_lived and event.restart_count >= CRASH_LIMIT:
        return _to(S.CRASH_LOOPING, replace(status, error=event.error))
    if event.verified or status.stop_asked:
        return _to(S.STOPPED, replace(status, stop_asked=False))
    return _fail(status, event.error)


_OBSERVED: Final = {
    Seen.MISSING: _seen_missing,
    Seen.CREATED: _seen_created,
    Seen.RUNNING: _seen_running,
    Seen.RESTARTING: _seen_restarting,
    Seen.EXITED: _seen_exited,
}

E = TypeVar("E")
_Handler: TypeAlias = Callable[[DeploymentStatus, DeploymentEvent], Step]


def _on(handler: Callable[[DeploymentStatus, E], Step]) -> _Handler:
    return cast("_Handler", handler)


_HANDLERS: Final[dict[type, _Handler]] = {
    h.DeployRequested: _on(_deploy),
    h.PreflightPassed: _on(_preflight_passed),
    h.ImageFetched: _on(_image_fetched),
    h.ContainerCreated: _on(_created),
    h.EngineReady: _on(_ready),
    h.Verified: _on(_verified),
    h.VerifyFailed: _on(_verify_failed),
    h.StepFailed: _on(_step_failed),
    h.Cancelled: _on(_cancelled),
    h.ContainerExited: _on(_exited),
    h.HealthLost: _on(_health_lost),
    h.HealthRegained: _on(_health_regained),
    h.StopRequested: _on(_stop),
    h.Stopped: _on(_stopped),
    h.StartRequested: _on(_start),
    h.ConnectionLost: _on(_lost),
    h.ConnectionRegained: _on(_regained),
    h.Observed: _on(_observed),
}
