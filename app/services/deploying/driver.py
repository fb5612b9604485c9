"""Drive a deployment through the state machine: perform what it asks, feed it what came of it."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Final

from app.core.deployment import happenings as h
from app.core.deployment.happenings import Action, DeploymentEvent
from app.core.errors import AppError, EngineError
from app.core.events import DeploymentState
from app.core.ids import HostId
from app.services.deploying import errors
from app.services.deploying.book import Deployment, DeploymentBook
from app.services.deploying.journal import DeployJournal
from app.services.deploying.steps import DeploySteps

_log = logging.getLogger(__name__)

UNDO_S: Final = 30.0
"""How long undoing a cancelled operation may take."""


Performer = Callable[[Deployment], Awaitable[DeploymentEvent | None]]


class DeployDriver:
    """Runs events to their end, one after the other, for one deployment at a time."""

    def __init__(
        self,
        steps: DeploySteps,
        book: DeploymentBook,
        journal: DeployJournal,
        *,
        watch_health: Callable[[Deployment], None],
        look_at: Callable[[Deployment], Awaitable[h.Observed]],
    ) -> None:
        self._steps = steps
        self._book = book
        self._journal = journal
        self._watch_health = watch_health
        self._performers: dict[Action, Performer] = {
            Action.RUN_PREFLIGHT: steps.preflight,
            Action.FETCH_IMAGE: steps.fetch,
            Action.CREATE_CONTAINER: steps.create,
            Action.START_CONTAINER: steps.start,
            Action.WATCH_START: steps.watch_start,
            Action.VERIFY: steps.verify,
            Action.KEEP_RUNNING: steps.keep_running,
            Action.WATCH_HEALTH: self._look_health,
            Action.STOP_CONTAINER: steps.stop,
            Action.REMOVE_CONTAINER: steps.remove,
            Action.ABANDON: self._nothing,
            Action.RECONCILE: look_at,
        }

    async def drive(self, deployment: Deployment, event: DeploymentEvent) -> None:
        """Feed ``event``, do what follows from it, until nothing follows.

        What goes wrong becomes an event itself and stays in ``deployment.failure``.
        """
        await self.follow(deployment, self.feed(deployment, event))

    def feed(self, deployment: Deployment, event: DeploymentEvent) -> tuple[Action, ...]:
        """Feed ``event`` at once and return what is to be done."""
        actions = self._book.apply(deployment, event)
        self._say_why(deployment)
        return actions

    async def follow(self, deployment: Deployment, actions: Iterable[Action]) -> None:
        """Do what is to be done, and what follows from that."""
        while True:
            await self._note(deployment)
            event = await self._first_event(deployment, actions)
            if event is None:
                return
            actions = self.feed(deployment, event)

    async def _first_event(
        self, deployment: Deployment, actions: Iterable[Action]
    ) -> DeploymentEvent | None:
        for action in actions:
            event = await self._try(deployment, action)
            if event is not None:
                return event
        return None

    async def cancel(self, deployment: Deployment) -> None:
        """Undo what a cancelled operation has made; cancelling again does not cut that short."""
        undo = asyncio.create_task(self.drive(deployment, h.Cancelled()))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(UNDO_S):
                await asyncio.shield(undo)

    async def _try(self, deployment: Deployment, action: Action) -> DeploymentEvent | None:
        try:
            return await self._performers[action](deployment)
        except AppError as exc:
            await self._explain(deployment, exc)
            return self._refused(deployment, action, exc)

    async def _explain(self, deployment: Deployment, exc: AppError) -> None:
        """Name the cause of a refusal; what a log told already stays."""
        if exc.code in errors.LOST or isinstance(exc, EngineError):
            return
        deployment.diagnosis = await self._steps.inquest.of_refusal(deployment, exc)

    def _refused(
        self, deployment: Deployment, action: Action, exc: AppError
    ) -> DeploymentEvent | None:
        if exc.code in errors.LOST:
            deployment.failure = lost = errors.lost(deployment.host_name)
            return h.ConnectionLost(error=lost.info)
        if action is Action.REMOVE_CONTAINER:
            # What led here is what the user has to know.
            _log.info("%s could not be cleaned up: %s", deployment.name, exc)
            return None
        deployment.failure = exc
        return h.StepFailed(error=exc.info)

    async def _look_health(self, deployment: Deployment) -> None:
        self._watch_health(deployment)

    async def _nothing(self, _deployment: Deployment) -> None:
        """Abandoned work has ended already when the machine says so."""

    def _say_why(self, deployment: Deployment) -> None:
        """A crash loop is told as such, with the last crash's own words."""
        status = deployment.status
        failure = deployment.failure
        if status.state is not DeploymentState.CRASH_LOOPING or status.error is None:
            return
        if failure is None or status.error != failure.info:
            return
        loop = errors.crash_loop(deployment.engine, len(status.crashes), failure)
        deployment.failure = loop
        deployment.status = replace(status, error=loop.info)
        self._book.publish(deployment)

    async def _note(self, deployment: Deployment) -> None:
        if deployment.journal_id:
            error = deployment.status.error
            await self._journal.step(
                deployment.journal_id,
                deployment.status.state.value,
                error.cause if error is not None else "",
            )


class StartGates:
    """Starts that share a GPU go one after the other: two at once would misread free memory."""

    def __init__(self) -> None:
        self._locks: dict[tuple[HostId, str], asyncio.Lock] = {}

    @asynccontextmanager
    async def hold(self, deployment: Deployment) -> AsyncIterator[None]:
        """Hold all GPUs of a deployment; always in the same order, so that nobody waits in vain."""
        uuids = deployment.spec.container.gpu_uuids if deployment.spec else ()
        async with AsyncExitStack() as stack:
            for uuid in sorted(set(uuids)):
                key = (deployment.host_id, uuid)
                lock = self._locks.setdefault(key, asyncio.Lock())
                await stack.enter_async_context(lock)
            yield
