"""Deployments as a service: preview, deploy, stop, start, look after, talk to.

`snapshot` and `find` may be called from every thread; everything else runs on the core loop.
Closing Pitwall ends the watching; what runs on the hosts goes on.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Final

from app.core.deployment import happenings as h
from app.core.deployment.answers import ChatAnswer
from app.core.deployment.happenings import Action
from app.core.deployment.spec import DeploymentSpec, Profile
from app.core.errors import AppError
from app.core.events import DeploymentSnapshot, DeploymentState
from app.core.ids import HostId
from app.core.logs.actuals import Actual
from app.core.logs.line import LogLine
from app.core.logs.noise import NoiseFilter
from app.services.deploying import errors
from app.services.deploying.access import EngineAccess
from app.services.deploying.book import Deployment, DeploymentBook
from app.services.deploying.driver import DeployDriver
from app.services.deploying.keys import carry_over
from app.services.deploying.logs import LogFollower
from app.services.deploying.operations import Operations, is_in_the_way
from app.services.deploying.parts import DeployParts
from app.services.deploying.records import Records
from app.services.deploying.removal import Removal
from app.services.deploying.revisions import Others
from app.services.deploying.rollback import Rollback
from app.services.deploying.steps import DeploySteps
from app.services.deploying.supervisor import Supervisor
from app.services.deploying.watch import Adoption, HealthWatch
from app.services.engine_access import Http
from app.services.host_presence import HostPresence
from app.services.streams import ended

_log = logging.getLogger(__name__)

_NOT_MADE: Final = frozenset({DeploymentState.PREFLIGHT, DeploymentState.FETCHING_IMAGE})
_ENDED: Final = frozenset({DeploymentState.STOPPED, DeploymentState.FAILED})


class DeploymentService:
    """All deployments on all hosts that are connected."""

    def __init__(self, parts: DeployParts) -> None:
        self._parts = parts
        self._book = DeploymentBook(parts.bus)
        self._steps = DeploySteps(parts, self._book)
        self._adoption = Adoption(parts, self._steps, self._book)
        health = HealthWatch(parts, self._steps)
        self._supervisor = Supervisor(health, self._adoption, parts.clock)
        self._driver = DeployDriver(
            self._steps,
            self._book,
            parts.journal,
            watch_health=self._supervisor.watch,
            look_at=self._adoption.look_at,
        )
        self._supervisor.driver = self._driver
        self._operations = Operations(parts, self._book, self._driver)
        self._access = EngineAccess(parts, self._book, self._steps)
        self._follower = LogFollower(parts.bus, parts.clock)
        self._removal = Removal(parts)
        self._rollback = Rollback(parts, self._operations, self._adoption)
        self.records = Records(parts, self._book, self._steps)
        self._refreshing: dict[HostId, asyncio.Lock] = {}
        self._presence = HostPresence(
            parts.bus, came=self._host_came, went=self._host_went, removed=self._host_removed
        )

    async def close(self) -> None:
        """End watches, tunnels and followers; running operations are left as a lost host's."""
        await self._presence.close()
        await self._follower.close()
        await self._access.close()
        for deployment in self._book.all():
            await self._operations.abandon(deployment)
            await self._supervisor.unwatch(deployment)

    # What is there

    def snapshot(self, host_id: HostId | None = None) -> tuple[DeploymentSnapshot, ...]:
        """Return the deployments of a host, or all."""
        return self._book.snapshot(host_id)

    def find(self, ref: str) -> DeploymentSnapshot:
        """Return the deployment ``HOST/NAME``.

        Raises:
            UserInputError: NOT_FOUND, with a suggestion where one is close.
        """
        return self._book.find(ref)

    def actuals(self, host_id: HostId, name: str) -> tuple[Actual, ...]:
        """Return what the engine said at its last start that it took."""
        deployment = self._book.get(host_id, name)
        return deployment.actuals if deployment is not None else ()

    def remaining_s(self, host_id: HostId, name: str) -> float | None:
        """Return how long a start will probably still take; ``None`` when that is not known."""
        deployment = self._book.get(host_id, name)
        return deployment.remaining_s if deployment is not None else None

    async def refresh(self, host_id: HostId) -> tuple[DeploymentSnapshot, ...]:
        """Rebuild a host's deployments from the labels of its containers.

        Raises:
            HostError: NOT_CONNECTED, CONNECTION_LOST.
            DockerError: when the container engine cannot be asked.
        """
        self._presence.listen()
        async with self._refreshing.setdefault(host_id, asyncio.Lock()):
            for deployment, observed in await self._adoption.observe(host_id):
                known = self._book.get(host_id, deployment.name)
                if known is None:
                    self._book.add(deployment, announce=False)
                elif known is not deployment:
                    continue  # a new one took its name while the host was asked
                actions = self._driver.feed(deployment, observed)
                if Action.WATCH_START in actions:
                    self._operations.resume(deployment, actions)
                else:
                    await self._driver.follow(deployment, actions)
        return self.snapshot(host_id)

    def next_revision(self, host_id: HostId, name: str) -> int:
        """Return the revision that the next deployment of a name gets."""
        known = self._book.get(host_id, name)
        if known is None or known.container_id is None:
            return known.revision if known is not None else 1
        return max(known.revision, known.others.newest) + 1

    # Doing

    async def preview(
        self,
        profile: Profile,
        host_id: HostId,
        *,
        name: str | None = None,
        model_path: str | None = None,
    ) -> DeploymentSpec:
        """Resolve a profile against a host: exactly what `deploy` would create.

        Raises:
            UserInputError, PlanError: what does not go together.
            HostError: when the host cannot be asked.
        """
        return await self._parts.resolve(
            profile,
            host_id,
            name=name,
            model_path=model_path,
            revision=lambda wanted: self.next_revision(host_id, wanted),
        )

    async def deploy(
        self,
        spec: DeploymentSpec,
        *,
        secrets: Mapping[str, str] | None = None,
        may_pull: bool = True,
    ) -> DeploymentSnapshot:
        """Check, fetch, create, start, wait, verify; returns when it serves.

        A start of the very same plan that was found on the host, because its Pitwall was closed
        or lost the host, is waited for and verified instead.

        Args:
            spec: What to create, as shown by `preview`.
            secrets: Values for its secret variables; an API key is made up when none is given.
            may_pull: False for a host that must not be expected to reach a registry.

        Raises:
            UserInputError: NAME_TAKEN.
            AppError: what it failed with, after the failure was published. A cancelled or
                refused start leaves no container behind.
        """
        self._presence.listen()
        host = self._parts.hosts.find(spec.host_id)
        before = self._book.get(HostId(spec.host_id), spec.name)
        if before is not None and is_in_the_way(before):
            if before.resumed and before.plan_digest == spec.plan_digest:
                return await self._operations.join(before)
            raise errors.already_deployed(spec.name, host.settings.name)
        await carry_over(before, self._parts.keys)
        deployment = Deployment(
            host_id=host.settings.id,
            host_name=host.settings.name,
            name=spec.name,
            spec=spec,
            revision=spec.revision,
            engine=spec.engine,
            engine_version=spec.engine_version,
            model_name=spec.model_name,
            image=spec.image,
            plan_digest=spec.plan_digest,
            simulated=spec.simulated,
            secrets=dict(secrets or {}),
            may_pull=may_pull,
        )
        self._book.add(deployment)
        return await self._operations.run(deployment, "deploy", h.DeployRequested())

    async def stop(self, host_id: HostId, name: str) -> DeploymentSnapshot:
        """Stop a deployment; one that is starting is stopped where it stands.

        One that has ended already stays as it is.

        Raises:
            UserInputError: NOT_FOUND.
            DockerError, HostError: when it cannot be stopped.
        """
        deployment = await self._take_over(host_id, name)
        await self._access.close_tunnel(deployment)
        if deployment.status.state in _NOT_MADE:
            self._book.drop(deployment)
        if deployment.status.state in _NOT_MADE | _ENDED:
            return self._book.publish(deployment)
        async with self._presence.seen_to_its_end(host_id):
            return await self._operations.run(deployment, "stop", h.StopRequested())

    async def start(self, host_id: HostId, name: str) -> DeploymentSnapshot:
        """Start a stopped or failed deployment again, from the container that is there.

        Raises:
            UserInputError: NOT_FOUND.
            AppError: what it failed with.
        """
        deployment = self._book.need(host_id, name)
        if deployment.operation is not None and not deployment.operation.done():
            raise errors.already_deployed(name, deployment.host_name)
        async with self._presence.seen_to_its_end(host_id):
            return await self._operations.run(deployment, "start", h.StartRequested())

    async def restart(self, host_id: HostId, name: str) -> DeploymentSnapshot:
        """Stop and start; the tunnel stays.

        Raises:
            UserInputError: NOT_FOUND.
            AppError: what it failed with.
        """
        deployment = await self._take_over(host_id, name)
        async with self._presence.seen_to_its_end(host_id):
            return await self._operations.run(
                deployment, "restart", h.StopRequested(), h.StartRequested()
            )

    async def rollback(
        self, host_id: HostId, name: str, *, to: int | None = None
    ) -> DeploymentSnapshot:
        """Put an earlier revision that is still on the host in force again, and verify it.

        When it does not serve, what ran before is started again.

        Args:
            host_id: Its host.
            name: Which.
            to: The revision; ``None`` takes the newest earlier one that has served.

        Raises:
            UserInputError: NOT_FOUND, also when there is no such revision.
            AppError: what it failed with.
        """
        deployment = await self._take_over(host_id, name)
        async with self._presence.seen_to_its_end(host_id):
            return await self._rollback.run(deployment, to)

    async def remove(self, host_id: HostId, name: str) -> None:
        """Remove a deployment with all containers of all its revisions.

        Raises:
            UserInputError: NOT_FOUND.
            DockerError, HostError: when they cannot be removed.
        """
        deployment = await self._take_over(host_id, name)
        await self._access.close_tunnel(deployment)
        async with self._presence.seen_to_its_end(host_id):
            await self._removal.everything(deployment)
        self._book.drop(deployment)

    async def remove_older(self, host_id: HostId, name: str) -> int:
        """Remove the ended containers of other revisions; return how many they were.

        Raises:
            UserInputError: NOT_FOUND.
            DockerError, HostError: when they cannot be removed.
        """
        deployment = self._book.need(host_id, name)
        count = await self._removal.older(deployment)
        deployment.others = Others()
        self._book.publish(deployment)
        return count

    # Talking

    async def logs(
        self, host_id: HostId, name: str, *, follow: bool = False, tail: int | None = None
    ) -> AsyncIterator[LogLine]:
        """Yield cleaned lines of a deployment's log.

        Raises:
            UserInputError: NOT_FOUND.
            DockerError, HostError: when it cannot be read, also in the middle.
        """
        lines = self._access.log(self._book.need(host_id, name), follow=follow, tail=tail)
        async with ended(lines) as arriving:
            async for line in arriving:
                yield line

    async def follow_log(self, host_id: HostId, name: str, *, tail: int = 500) -> None:
        """Publish the log as `LogArrived` events until `unfollow_log`.

        Lines that the engine prints for each poll of its metrics are left out; `logs` has them.
        """
        startup = self._steps.data(self._book.need(host_id, name)).startup
        read = partial(self.logs, host_id, name, follow=True)
        self._follower.start(host_id, name, read, NoiseFilter(startup), tail=tail)

    async def unfollow_log(self, host_id: HostId, name: str) -> None:
        """End publishing the log."""
        self._follower.stop(host_id, name)

    async def open_tunnel(self, host_id: HostId, name: str, local_port: int = 0) -> int:
        """Open a tunnel to the engine and return its port on this desk's loopback.

        Raises:
            UserInputError: NOT_FOUND.
            HostError: when the host is not connected or the port is taken here.
        """
        return await self._access.open_tunnel(self._book.need(host_id, name), local_port)

    async def close_tunnel(self, host_id: HostId, name: str) -> None:
        """Close the tunnel, if one is open."""
        await self._access.close_tunnel(self._book.need(host_id, name))

    async def chat(
        self, host_id: HostId, name: str, prompt: str, *, max_tokens: int = 64
    ) -> ChatAnswer:
        """Send one prompt and return the whole answer with its times.

        Raises:
            UserInputError: NOT_FOUND.
            EngineError: ENGINE_REFUSED_REQUEST.
            HostError: when the host is lost or the engine falls silent.
        """
        return await self._access.chat(self._book.need(host_id, name), prompt, max_tokens)

    async def api_key(self, host_id: HostId, name: str) -> str | None:
        """Return the key that clients of a deployment must send; ``None`` when it wants none.

        The container itself keeps it, so a key made by another desk is found as well.

        Raises:
            UserInputError: NOT_FOUND.
            DockerError: CONTAINER_NOT_FOUND when it has no container.
            HostError: when the host cannot be asked.
        """
        return await self._access.api_key(self._book.need(host_id, name))

    def http(self, host_id: HostId, name: str) -> Http:
        """Return a client for a deployment's engine, for its metrics.

        Raises:
            UserInputError: NOT_FOUND.
            DockerError: CONTAINER_NOT_FOUND when it has no port.
            HostError: NOT_CONNECTED.
        """
        return self._access.http(self._book.need(host_id, name))

    # Inside

    async def _take_over(self, host_id: HostId, name: str) -> Deployment:
        """End what runs for a deployment, so that another operation has it for itself."""
        deployment = self._book.need(host_id, name)
        await self._operations.make_way(deployment)
        await self._supervisor.unwatch(deployment)
        return deployment

    async def _host_came(self, host_id: HostId) -> None:
        try:
            await self.refresh(host_id)
        except AppError as exc:
            _log.info("Deployments of a host cannot be read: %s", exc)

    async def _host_went(self, host_id: HostId) -> None:
        await self._access.close_tunnels_of(host_id)
        for deployment in self._book.of_host(host_id):
            await self._operations.abandon(deployment)
            await self._supervisor.unwatch(deployment)
            lost = errors.lost(deployment.host_name)
            self._driver.feed(deployment, h.ConnectionLost(error=lost.info))

    async def _host_removed(self, host_id: HostId) -> None:
        for deployment in self._book.of_host(host_id):
            await self._supervisor.unwatch(deployment)
            self._book.drop(deployment)
