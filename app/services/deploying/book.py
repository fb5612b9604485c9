"""The book of deployments: one record each, snapshots with a rising revision, news on the bus."""

import asyncio
import difflib
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

from app.core.deployment.happenings import Action, DeploymentEvent
from app.core.deployment.spec import DeploymentSpec
from app.core.deployment.state import DeploymentStatus, step
from app.core.diagnosis.finding import Diagnosis
from app.core.errors import AppError, ErrorCode, UserInputError
from app.core.events import (
    DeploymentChanged,
    DeploymentRemoved,
    DeploymentSnapshot,
    PhaseProgress,
)
from app.core.ids import HostId
from app.core.logs.actuals import Actual
from app.services.bus import EventBus
from app.services.deploying.revisions import Others


@dataclass(slots=True, eq=False)
class Deployment:
    """What is known and running for one deployment; changed on the core loop only."""

    host_id: HostId
    host_name: str
    name: str
    spec: DeploymentSpec | None = None
    status: DeploymentStatus = field(default_factory=DeploymentStatus)
    revision: int = 1
    engine: str = ""
    engine_version: str = ""
    model_name: str = ""
    image: str = ""
    plan_digest: str = ""
    simulated: bool = False
    container_id: str | None = None
    others: Others = field(default_factory=Others)
    """What lies on the host beside this revision."""
    host_port: int | None = None
    tunnel_port: int | None = None
    api_key: str | None = None
    started_at: str | None = None
    restart_count: int = 0
    began_s: float = 0.0
    """When the running operation began, on the service's monotonic clock."""
    own_phases: dict[str, PhaseProgress] = field(default_factory=dict)
    """Phases around the engine's own: preflight, fetch, create, verify."""
    engine_phases: tuple[PhaseProgress, ...] = ()
    remaining_s: float | None = None
    """How long the start will probably still take."""
    verified_text: str = ""
    failure: AppError | None = None
    diagnosis: Diagnosis | None = None
    """Why it failed, from its log; ``None`` while it has not failed."""
    journal_id: str = ""
    operation: asyncio.Task[None] | None = None
    """The running operation, if one runs."""
    watcher: asyncio.Task[None] | None = None
    resumed: bool = False
    """The running operation goes on with a start that was found on the host."""
    abandoned: bool = False
    """The running operation was cancelled because the host cannot be asked."""
    handed_over: bool = False
    """The running operation was cancelled because another one takes its place."""
    secrets: dict[str, str] = field(default_factory=dict)
    may_pull: bool = True
    image_id: str = ""
    leftover: str | None = None
    """A container of ours that never served; it is removed before the new one is made."""
    may_be_unseen: bool = False
    """A creation was begun whose answer did not come: its container may exist."""
    actuals: tuple[Actual, ...] = ()
    """What the engine said at its last start that it took."""

    @property
    def key(self) -> tuple[HostId, str]:
        """Host and name: what identifies it."""
        return self.host_id, self.name

    def phases(self) -> tuple[PhaseProgress, ...]:
        """Return all steps in the order in which they happen."""
        before = [
            self.own_phases[k] for k in ("preflight", "fetch", "create") if k in self.own_phases
        ]
        after = [self.own_phases[k] for k in ("verify", "serving") if k in self.own_phases]
        return (*before, *self.engine_phases, *after)


class DeploymentBook:
    """Holds the records; `snapshot` and `find` may be called from every thread."""

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus
        self._lock = threading.Lock()
        self._revision = 0
        self._records: dict[tuple[HostId, str], Deployment] = {}
        self._snapshots: dict[tuple[HostId, str], DeploymentSnapshot] = {}

    def get(self, host_id: HostId, name: str) -> Deployment | None:
        """Return a record, if there is one."""
        return self._records.get((host_id, name))

    def need(self, host_id: HostId, name: str) -> Deployment:
        """Return a record.

        Raises:
            UserInputError: NOT_FOUND.
        """
        found = self.get(host_id, name)
        if found is None:
            raise _not_found(name, (other for host, other in self._records if host == host_id))
        return found

    def of_host(self, host_id: HostId) -> tuple[Deployment, ...]:
        """Return the records of a host."""
        return tuple(d for d in self._records.values() if d.host_id == host_id)

    def all(self) -> tuple[Deployment, ...]:
        """Return every record."""
        return tuple(self._records.values())

    def add(self, deployment: Deployment, *, announce: bool = True) -> Deployment:
        """Take a record in; unannounced, it is announced with its first change."""
        self._records[deployment.key] = deployment
        if announce:
            self.publish(deployment)
        return deployment

    def drop(self, deployment: Deployment) -> None:
        """Take a record out and announce it."""
        self._records.pop(deployment.key, None)
        with self._lock:
            self._snapshots.pop(deployment.key, None)
        self._bus.publish(DeploymentRemoved(host_id=deployment.host_id, name=deployment.name))

    def apply(self, deployment: Deployment, event: DeploymentEvent) -> tuple[Action, ...]:
        """Feed the state machine, announce a change, return what is to be done."""
        before = deployment.status
        deployment.status, actions = step(before, event)
        if deployment.status != before:
            self.publish(deployment)
        return actions

    def publish(self, deployment: Deployment) -> DeploymentSnapshot:
        """Make a new snapshot and announce it; one that is not in the book is not announced."""
        with self._lock:
            self._revision += 1
            snapshot = _snapshot(deployment, self._revision)
            known = self._records.get(deployment.key) is deployment
            if known:
                self._snapshots[deployment.key] = snapshot
        if known:
            self._bus.publish(DeploymentChanged(snapshot=snapshot))
        return snapshot

    def snapshot(self, host_id: HostId | None = None) -> tuple[DeploymentSnapshot, ...]:
        """Return the snapshots of one host or of all."""
        with self._lock:
            found = tuple(self._snapshots.values())
        return tuple(s for s in found if host_id is None or s.host_id == host_id)

    def find(self, ref: str) -> DeploymentSnapshot:
        """Return the snapshot of ``HOST/NAME``.

        Raises:
            UserInputError: NOT_FOUND, with a suggestion where one is close.
        """
        snapshots = self.snapshot()
        for snapshot in snapshots:
            if snapshot.ref == ref:
                return snapshot
        raise _not_found(ref, (snapshot.ref for snapshot in snapshots))


def _not_found(name: str, known: Iterable[str]) -> UserInputError:
    close = difflib.get_close_matches(name, list(known), n=1)
    hint = f"Did you mean {close[0]}?" if close else "“pitwall ps” lists the deployments."
    return UserInputError(
        ErrorCode.NOT_FOUND,
        {"field": "deployment", "value": name, "suggestion": close[0] if close else ""},
        cause=f"There is no deployment {name}.",
        remedy=hint,
    )


def _snapshot(deployment: Deployment, revision: int) -> DeploymentSnapshot:
    status = deployment.status
    return DeploymentSnapshot(
        revision=revision,
        host_id=deployment.host_id,
        host_name=deployment.host_name,
        name=deployment.name,
        state=status.state,
        container_id=deployment.container_id,
        deployment_revision=deployment.revision,
        engine=deployment.engine,
        engine_version=deployment.engine_version,
        model_name=deployment.model_name,
        image=deployment.image,
        host_port=deployment.host_port,
        tunnel_port=deployment.tunnel_port,
        started_at=deployment.started_at,
        phases=deployment.phases(),
        error=status.error,
        restart_count=deployment.restart_count,
        exit_code=status.exit_code,
        verified=status.verified,
        verified_text=deployment.verified_text,
        simulated=deployment.simulated,
        plan_digest=deployment.plan_digest,
        older_revisions=deployment.others.ended,
        newest_revision=max(deployment.others.newest, deployment.revision),
        rollback_to=deployment.others.before,
        diagnosis=deployment.diagnosis,
    )
