"""Run one operation on a deployment: announced, journalled, cancellable, one at a time.

Cancelling undoes what the operation made. A host that is lost ends it without undoing anything:
what is there is found again by its labels. Another operation may take its place (stop while
starting).
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from app.core.deployment import happenings as h
from app.core.deployment.happenings import Action, DeploymentEvent
from app.core.deployment.state import UP
from app.core.errors import AppError, ErrorCode, ErrorInfo, UserInputError
from app.core.events import DeploymentSnapshot, DeploymentState
from app.services.deploying import errors
from app.services.deploying.book import Deployment, DeploymentBook
from app.services.deploying.driver import DeployDriver, StartGates
from app.services.deploying.parts import DeployParts

_log = logging.getLogger(__name__)

S = DeploymentState
_GOOD: Final = frozenset({S.SERVING, S.DEGRADED, S.STOPPED})


class Operations:
    """Runs operations for the service."""

    def __init__(self, parts: DeployParts, book: DeploymentBook, driver: DeployDriver) -> None:
        self._parts = parts
        self._book = book
        self._driver = driver
        self._gates = StartGates()

    async def run(
        self, deployment: Deployment, operation: str, *events: DeploymentEvent
    ) -> DeploymentSnapshot:
        """Feed ``events`` one after the other and return how it stands then.

        Raises:
            AppError: what it failed with, after the failure was published.
        """
        ref = f"{deployment.host_name}/{deployment.name}"
        async with self._parts.activities.run(operation, ref):
            deployment.began_s = self._parts.clock.monotonic_s()
            deployment.failure = None
            deployment.abandoned = deployment.handed_over = deployment.resumed = False
            # Before the first wait: a look at the host that is under way leaves a record alone
            # that somebody works on, and would take this one for what lies there.
            work = asyncio.create_task(
                self._guarded(deployment, operation, events), name=f"{operation} {deployment.name}"
            )
            deployment.operation = work
            try:
                await work
            except asyncio.CancelledError:
                # It may have been over in the very moment in which it was cancelled.
                over = not work.cancelled() and deployment.status.state in _GOOD
                await self._finish(deployment, "done" if over else "cancelled")
                self._forget_planned(deployment)
                raise
            return await self._conclude(deployment)

    def resume(self, deployment: Deployment, actions: Sequence[Action]) -> None:
        """Go on in the background with what was found on the host."""

        async def go_on() -> None:
            deployment.journal_id = await self._begin(deployment, "deploy")
            await self._parts.journal.step(deployment.journal_id, "resumed")
            try:
                async with self._gates.hold(deployment):
                    await self._driver.follow(deployment, actions)
            except asyncio.CancelledError:
                self._note_abandoned(deployment)
                raise
            finally:
                good = deployment.status.state in _GOOD
                await self._finish(
                    deployment, "done" if good else "failed", deployment.status.error
                )

        deployment.abandoned = deployment.handed_over = False
        deployment.resumed = True
        deployment.operation = asyncio.create_task(go_on(), name=f"resume {deployment.name}")

    async def join(self, deployment: Deployment) -> DeploymentSnapshot:
        """Wait for a resumed start as if it had been begun here; cancelling leaves it running.

        Raises:
            AppError: what it failed with.
        """
        ref = f"{deployment.host_name}/{deployment.name}"
        async with self._parts.activities.run("deploy", ref):
            if deployment.operation is not None:
                await asyncio.wait({deployment.operation})
            return await self._conclude(deployment)

    async def make_way(self, deployment: Deployment) -> None:
        """End a running operation without undoing it, because another takes its place."""
        deployment.handed_over = True
        await self._end(deployment)

    async def abandon(self, deployment: Deployment) -> None:
        """End a running operation because the host cannot be asked."""
        deployment.abandoned = True
        await self._end(deployment)

    async def _end(self, deployment: Deployment) -> None:
        work, deployment.operation = deployment.operation, None
        if work is not None and not work.done():
            work.cancel()
            await asyncio.wait({work})

    async def _guarded(
        self, deployment: Deployment, operation: str, events: Sequence[DeploymentEvent]
    ) -> None:
        try:
            deployment.journal_id = await self._begin(deployment, operation)
            async with self._gates.hold(deployment):
                for event in events:
                    await self._driver.drive(deployment, event)
        except asyncio.CancelledError:
            if self._note_abandoned(deployment) or deployment.handed_over:
                # Whoever waits for this operation is told by its outcome, not by a cancelling
                # of its own.
                return
            if deployment.journal_id:
                await self._driver.cancel(deployment)
            raise

    def _note_abandoned(self, deployment: Deployment) -> bool:
        if deployment.abandoned:
            lost = errors.lost(deployment.host_name)
            deployment.failure = lost
            self._driver.feed(deployment, h.ConnectionLost(error=lost.info))
        return deployment.abandoned

    async def _begin(self, deployment: Deployment, operation: str) -> str:
        return await self._parts.journal.begin(
            operation,
            host_id=deployment.host_id,
            name=deployment.name,
            revision=deployment.revision,
            spec=deployment.spec,
        )

    async def _finish(
        self, deployment: Deployment, outcome: str, error: ErrorInfo | None = None
    ) -> None:
        journal_id, deployment.journal_id = deployment.journal_id, ""
        if journal_id:
            await self._parts.journal.finish(journal_id, outcome, error)

    def _forget_planned(self, deployment: Deployment) -> None:
        """What was cancelled before it became anything leaves nothing in the list."""
        if deployment.status.state is S.PLANNED:
            self._book.drop(deployment)

    async def _conclude(self, deployment: Deployment) -> DeploymentSnapshot:
        if deployment.handed_over:
            await self._finish(deployment, "replaced")
            raise _replaced(deployment)
        good = deployment.status.state in _GOOD
        error = deployment.status.error
        await self._finish(deployment, "done" if good else "failed", error)
        if good:
            return self._book.publish(deployment)
        raise deployment.failure or AppError(
            error.code if error else ErrorCode.INTERNAL,
            error.params if error else None,
            cause=error.cause if error else "The operation did not reach its end.",
            remedy=error.remedy if error else "Look at the deployment's state and try again.",
        )


def is_in_the_way(deployment: Deployment) -> bool:
    """True when it runs, is being worked on or cannot be seen: nothing may take its name."""
    busy = deployment.operation is not None and not deployment.operation.done()
    return busy or deployment.status.state in UP | {S.STOPPING, S.UNKNOWN}


def _replaced(deployment: Deployment) -> UserInputError:
    return UserInputError(
        ErrorCode.CANCELLED,
        {"field": "deployment", "value": deployment.name},
        cause=f"{deployment.host_name}/{deployment.name} was stopped while it was starting.",
        remedy="Start it again when you like.",
    )
