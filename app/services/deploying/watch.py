"""Look after what runs: health, restarts and ends; find again what was started before.

A host is its own source of truth: what runs is read from the labels of its containers, so a
deployment made by another desk, or before Pitwall was closed, is taken on like one's own.
"""

import logging
from collections.abc import Iterable, Sequence
from typing import Final

from app.core.deployment import happenings as h
from app.core.deployment.happenings import DeploymentEvent, Seen
from app.core.deployment.state import (
    CRASH_LIMIT,
    CRASH_WINDOW_S,
    RESTARTABLE,
    UP,
    DeploymentStatus,
)
from app.core.diagnosis.finding import Diagnosis
from app.core.events import DeploymentState
from app.core.ids import HostId
from app.core.labels import DeploymentLabels, read_labels
from app.core.logs.stamps import seconds_of
from app.io.containers import ENDED, ContainerEngine, ContainerInfo, age_of
from app.services.deploying import errors
from app.services.deploying.book import Deployment, DeploymentBook
from app.services.deploying.parts import DeployParts
from app.services.deploying.revisions import KEEP_POLICY, by_name, in_force, others_of
from app.services.deploying.steps import DeploySteps

_log = logging.getLogger(__name__)

LOOK_EVERY_S: Final = 2.0
MISSES_TO_DEGRADE: Final = 3
RESUME_WITHIN_S: Final = 600.0
"""How long after its creation a container is started when its deployment was cut off."""

_SEEN: Final = {
    "created": Seen.CREATED,
    "running": Seen.RUNNING,
    "paused": Seen.RUNNING,
    "restarting": Seen.RESTARTING,
}


class HealthWatch:
    """One look at a serving deployment at a time; tells what happened since the last."""

    def __init__(self, parts: DeployParts, steps: DeploySteps) -> None:
        self._parts = parts
        self._steps = steps

    async def next_event(self, deployment: Deployment) -> DeploymentEvent:
        """Look every two seconds until something happens.

        Raises:
            DockerError, HostError: when the container or the host cannot be asked.
        """
        misses = 0
        while True:
            await self._parts.clock.sleep(LOOK_EVERY_S)
            containers = await self._steps.containers(deployment)
            info = await containers.inspect(deployment.container_id or "")
            event = await self._end_of(deployment, containers, info)
            if event is not None:
                return event
            misses = 0 if await self._is_healthy(deployment, info) else misses + 1
            degraded = deployment.status.state is DeploymentState.DEGRADED
            if misses == 0 and degraded and deployment.status.verified:
                deployment.diagnosis = None
                return h.HealthRegained()
            if misses == MISSES_TO_DEGRADE and not degraded:
                return await self._silent(deployment, containers, info)

    async def _silent(
        self, deployment: Deployment, containers: ContainerEngine, info: ContainerInfo
    ) -> h.HealthLost:
        """Its log may say why it answers no more."""
        _, diagnosis = await self._steps.inquest.of_container(deployment, containers, info)
        deployment.diagnosis = diagnosis
        return h.HealthLost(error=errors.not_answering(deployment.engine, diagnosis=diagnosis).info)

    async def _is_healthy(self, deployment: Deployment, info: ContainerInfo) -> bool:
        server = self._steps.data(deployment).engine.server
        path = server.health_path if server else "/health"
        return await self._steps.requests(deployment, info).is_healthy(path)

    async def _end_of(
        self, deployment: Deployment, containers: ContainerEngine, info: ContainerInfo
    ) -> DeploymentEvent | None:
        restarting = info.status == "restarting" or info.restart_count > deployment.restart_count
        if not restarting and info.status not in ENDED:
            return None
        crashes = info.restart_count - deployment.restart_count
        deployment.restart_count = info.restart_count
        telling, diagnosis = await self._steps.inquest.of_container(deployment, containers, info)
        deployment.diagnosis = diagnosis
        failure = errors.exited(
            self._steps.data(deployment).engine.name, info, telling, diagnosis=diagnosis
        )
        deployment.failure = failure
        return h.ContainerExited(
            at_s=self._parts.clock.monotonic_s(),
            error=failure.info,
            exit_code=info.exit_code,
            restarting=restarting,
            crashes=max(crashes, 1),
        )


class Adoption:
    """Rebuild the book of a host from the labels of its containers."""

    def __init__(self, parts: DeployParts, steps: DeploySteps, book: DeploymentBook) -> None:
        self._parts = parts
        self._steps = steps
        self._book = book

    async def observe(self, host_id: HostId) -> tuple[tuple[Deployment, h.Observed], ...]:
        """Return what was seen of each deployment that nobody is working on.

        Raises:
            DockerError, HostError: when the host cannot be asked.
        """
        host = self._parts.hosts.find(host_id)
        containers = await self._parts.hosts.container_engine(host_id)
        found = by_name(await self._without_cancelled(host_id, containers))
        seen = self._missing(host_id, found)
        for name, revisions in sorted(found.items()):
            deployment = self._book.get(host_id, name)
            labels, info = in_force(revisions)
            others = others_of(revisions, labels.revision)
            if deployment is not None and deployment.others != others:
                deployment.others = others
                self._book.publish(deployment)
            if deployment is not None and _is_looked_after(deployment):
                continue
            if deployment is not None and _is_unchanged(deployment, info):
                continue
            if deployment is None:
                deployment = Deployment(host_id=host_id, host_name=host.settings.name, name=name)
                deployment.others = others
            deployment.status = DeploymentStatus(
                state=DeploymentState.UNKNOWN, stop_asked=deployment.status.stop_asked
            )
            await self.take_on(deployment, labels, info)
            seen.append((deployment, await self._observed(deployment, containers, info)))
        return tuple(seen)

    async def _without_cancelled(
        self, host_id: HostId, containers: ContainerEngine
    ) -> list[ContainerInfo]:
        """Undo what was cancelled here while the host could not be asked, and leave it out."""
        left = []
        for info in await containers.containers():
            if await self._is_cancelled(host_id, containers, info):
                _log.info("%s was cancelled and is removed", info.name)
                await containers.remove(info.id, force=True)
            else:
                left.append(info)
        return left

    async def _is_cancelled(
        self, host_id: HostId, containers: ContainerEngine, info: ContainerInfo
    ) -> bool:
        labels = read_labels(info.labels)
        if labels is None:
            return False
        deployment = self._book.get(host_id, labels.deployment)
        if deployment is not None and _is_looked_after(deployment):
            return False
        if info.restart_policy == KEEP_POLICY:
            # The host may have done the last step after all; later it is somebody's who found it.
            age_s = age_of(info, await containers.version())
            if age_s is None or age_s > RESUME_WITHIN_S:
                return False
        return await self._parts.journal.was_cancelled(
            host_id, labels.deployment, labels.revision, labels.plan_digest
        )

    async def look_at(self, deployment: Deployment) -> h.Observed:
        """Look at one container again, after a step whose outcome is not known."""
        containers = await self._steps.containers(deployment)
        info = await containers.inspect(deployment.container_id or "")
        return await self._observed(deployment, containers, info)

    def _missing(
        self, host_id: HostId, found: Iterable[str]
    ) -> list[tuple[Deployment, h.Observed]]:
        """What is gone from the host goes from the book, unless it has something to tell."""
        names, told = set(found), []
        for deployment in self._book.of_host(host_id):
            if deployment.name in names or _is_looked_after(deployment):
                continue
            if deployment.status.state is DeploymentState.UNKNOWN:
                told.append((deployment, _gone(deployment)))
            elif deployment.status.has_container and not _was_told_gone(deployment):
                self._book.drop(deployment)
        return told

    async def take_on(
        self, deployment: Deployment, labels: DeploymentLabels, info: ContainerInfo
    ) -> None:
        """Take over what labels and container say; the journal adds what only this desk knows."""
        deployment.revision = labels.revision
        deployment.engine = labels.engine
        deployment.engine_version = labels.engine_version
        deployment.model_name = labels.model
        deployment.plan_digest = labels.plan_digest
        deployment.simulated = labels.simulated
        deployment.image = info.image
        deployment.container_id = info.id
        deployment.restart_count = info.restart_count
        deployment.began_s = self._parts.clock.monotonic_s()
        self._steps.note_container(deployment, info)
        if deployment.spec is None or deployment.spec.revision != labels.revision:
            spec = await self._parts.journal.last_spec(
                deployment.host_id, deployment.name, labels.revision
            )
            deployment.spec = spec if spec and spec.plan_digest == labels.plan_digest else None
        if deployment.spec is not None:
            deployment.image = deployment.spec.image

    async def _observed(
        self, deployment: Deployment, containers: ContainerEngine, info: ContainerInfo
    ) -> h.Observed:
        seen = _SEEN.get(info.status, Seen.EXITED)
        healthy = False
        telling: Sequence[str] = ()
        diagnosis: Diagnosis | None = None
        if seen is Seen.RUNNING:
            server = self._steps.data(deployment).engine.server
            path = server.health_path if server else "/health"
            healthy = await self._steps.requests(deployment, info).is_healthy(path)
        elif seen in {Seen.RESTARTING, Seen.EXITED}:
            telling, diagnosis = await self._steps.inquest.of_container(
                deployment, containers, info
            )
        failure = errors.exited(
            self._steps.data(deployment).engine.name, info, telling, diagnosis=diagnosis
        )
        refusal = None
        if seen is Seen.EXITED:
            refusal = await self._parts.journal.refusal(
                deployment.host_id, deployment.name, deployment.revision
            )
        if refusal is not None:
            failure, diagnosis = errors.told_before(refusal), None
        deployment.diagnosis = diagnosis
        deployment.failure = failure
        return h.Observed(
            seen=seen,
            error=failure.info,
            verified=info.restart_policy == KEEP_POLICY,
            healthy=healthy,
            exit_code=info.exit_code if seen is not Seen.RUNNING else None,
            restart_count=info.restart_count,
            at_s=self._parts.clock.monotonic_s(),
            short_lived=_is_short_lived(info, now_s=await _host_now_s(containers, info)),
            cut_off=seen is Seen.CREATED and await self._was_cut_off(deployment, containers, info),
        )

    async def _was_cut_off(
        self, deployment: Deployment, containers: ContainerEngine, info: ContainerInfo
    ) -> bool:
        """What was to start long ago does not start by itself: its GPUs may be in use by now."""
        age_s = age_of(info, await containers.version())
        if age_s is None or age_s > RESUME_WITHIN_S:
            return False
        return await self._parts.journal.was_cut_off(
            deployment.host_id, deployment.name, deployment.revision
        )


async def _host_now_s(containers: ContainerEngine, info: ContainerInfo) -> float | None:
    """Return the time by the host's own clock, where it is needed: ours may differ by years."""
    if info.status != "running" or not info.restart_count:
        return None
    return seconds_of((await containers.version()).system_time)


def _is_short_lived(info: ContainerInfo, *, now_s: float | None) -> bool:
    """Tell whether its last run, or the one that goes on, is as short as a crash loop's."""
    began_s = seconds_of(info.started_at)
    ended_s = now_s if info.status == "running" else seconds_of(info.finished_at)
    if began_s is None or ended_s is None or ended_s < began_s:
        return False
    return ended_s - began_s < CRASH_WINDOW_S / CRASH_LIMIT


def _is_looked_after(deployment: Deployment) -> bool:
    """True while an operation or a watch keeps its record true."""
    for task in (deployment.operation, deployment.watcher):
        if task is not None and not task.done():
            return True
    return False


def _is_unchanged(deployment: Deployment, info: ContainerInfo) -> bool:
    """True when a stopped or failed one still lies there as it was left."""
    return (
        deployment.status.state in RESTARTABLE
        and deployment.container_id == info.id
        and info.status in ENDED
    )


def _was_told_gone(deployment: Deployment) -> bool:
    """True when its container vanished while it ran: that stays until somebody has read it."""
    return deployment.container_id is None and deployment.status.state is DeploymentState.FAILED


def _gone(deployment: Deployment) -> h.Observed:
    """Its container is not there: it was lost while being made, or someone removed it."""
    made = deployment.status.before_lost in UP | {DeploymentState.STOPPED}
    error = errors.gone(deployment.name, deployment.host_name).info
    if not made and deployment.status.error is not None:
        error = deployment.status.error
    deployment.container_id = None
    return h.Observed(seen=Seen.MISSING, error=error)
