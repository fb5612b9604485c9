"""The watch over what serves: one task per deployment, for as long as it is up.

What happens is fed to the state machine; a host that is lost ends the watch, and the refresh
after its return begins a new one. A container engine that is away for a while is asked again.
"""

import asyncio
from typing import Final

from app.core.deployment import happenings as h
from app.core.deployment.happenings import DeploymentEvent
from app.core.errors import AppError, ErrorCode
from app.core.events import DeploymentState
from app.io.tasks import end_task
from app.services.clock import Clock
from app.services.deploying import errors
from app.services.deploying.book import Deployment
from app.services.deploying.driver import DeployDriver
from app.services.deploying.watch import Adoption, HealthWatch

ASK_AGAIN_S: Final = 5.0

_WATCHED: Final = frozenset({DeploymentState.SERVING, DeploymentState.DEGRADED})


class Supervisor:
    """Starts and ends the watches."""

    def __init__(self, health: HealthWatch, adoption: Adoption, clock: Clock) -> None:
        self._health = health
        self._adoption = adoption
        self._clock = clock
        self.driver: DeployDriver | None = None
        """Set once by the service: the driver needs the supervisor, too."""

    def watch(self, deployment: Deployment) -> None:
        """Watch a deployment unless it is watched already."""
        if deployment.watcher is None or deployment.watcher.done():
            deployment.watcher = asyncio.create_task(
                self._supervise(deployment), name=f"watch {deployment.name}"
            )

    async def unwatch(self, deployment: Deployment) -> None:
        """End the watch and wait until it has ended."""
        watcher, deployment.watcher = deployment.watcher, None
        if watcher is not None and watcher is not asyncio.current_task():
            await end_task(watcher)

    async def _supervise(self, deployment: Deployment) -> None:
        driver = self.driver
        while driver is not None and deployment.status.state in _WATCHED:
            try:
                event = await self._health.next_event(deployment)
            except AppError as exc:
                if not await self._blind(deployment, driver, exc):
                    return
            else:
                await driver.drive(deployment, event)

    async def _blind(self, deployment: Deployment, driver: DeployDriver, exc: AppError) -> bool:
        """Act on a look that failed; False when the watch ends with it."""
        deployment.failure = exc
        if exc.code is ErrorCode.CONTAINER_NOT_FOUND:
            await driver.drive(deployment, self._removed(deployment))
            return False
        error = errors.lost(deployment.host_name).info if exc.code in errors.LOST else exc.info
        await driver.drive(deployment, h.ConnectionLost(error=error))
        if exc.code in errors.LOST:
            return False
        seen = await self._ask_again(deployment)
        if seen is not None:
            await driver.drive(deployment, seen)
        return seen is not None

    async def _ask_again(self, deployment: Deployment) -> h.Observed | None:
        """Ask until the container engine answers; ``None`` when the host is lost meanwhile."""
        while True:
            await self._clock.sleep(ASK_AGAIN_S)
            try:
                return await self._adoption.look_at(deployment)
            except AppError as exc:
                if exc.code in errors.LOST:
                    return None

    def _removed(self, deployment: Deployment) -> DeploymentEvent:
        failure = errors.gone(deployment.name, deployment.host_name)
        deployment.failure = failure
        deployment.container_id = None
        return h.ContainerExited(at_s=self._clock.monotonic_s(), error=failure.info)
