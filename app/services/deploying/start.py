"""Watch one start: follow the log through its phases, ask for health, notice the end.

The log is followed for what it tells; whether the engine runs and is ready is asked of the
container engine and of the engine's health check, because a log that ends proves nothing.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from app.core.deployment.happenings import ContainerExited, EngineReady
from app.core.diagnosis.finding import Diagnosis
from app.core.diagnosis.log_diagnosis import LogDiagnosis
from app.core.engines.spec import EngineData
from app.core.errors import AppError
from app.core.events import PhaseProgress
from app.core.logs.actuals import Actual, ActualsReader
from app.core.logs.phases import PhaseTracker
from app.core.logs.reader import LogReader
from app.core.logs.stamps import seconds_of, stamp_of
from app.core.logs.telling import TellingLines
from app.io.containers import ENDED, ContainerEngine, ContainerInfo, LogChunk
from app.io.tasks import end_task
from app.services.clock import Clock
from app.services.deploying import errors
from app.services.deploying.requests import EngineRequests
from app.services.streams import ended

_log = logging.getLogger(__name__)

QUICK_S: Final = 0.25
SLOW_S: Final = 1.0
QUICK_FOR_S: Final = 15.0
LAST_WORDS_S: Final = 2.0
LAST_WORDS_OF_A_LOOP_S: Final = 0.5
"""The stream of a container that is started again does not end by itself."""
CATCH_UP_S: Final = 0.05
CATCH_UP_LOOKS: Final = 10
"""A quick engine answers before its last lines are read: half a second is theirs."""
DEFAULT_PATIENCE_S: Final = 600.0


class StartWatch:
    """One start of one container, from its creation to ready or ended."""

    def __init__(
        self,
        *,
        name: str,
        container: str,
        containers: ContainerEngine,
        requests: Callable[[ContainerInfo], EngineRequests],
        data: EngineData,
        clock: Clock,
        learned: Mapping[str, float],
        began_s: float,
        known_restarts: int,
        changed: Callable[["StartWatch"], None],
        log_diagnosis: LogDiagnosis | None,
        conclude: Callable[[ContainerInfo | None], Awaitable[Diagnosis | None]],
    ) -> None:
        self._name = name
        self._container = container
        self._containers = containers
        self._requests = requests
        self._data = data
        self._clock = clock
        self._began_s = began_s
        self._known_restarts = known_restarts
        self._changed = changed
        self._log_diagnosis = log_diagnosis
        self._conclude = conclude
        self._tracker = PhaseTracker(data.startup, learned=learned)
        self._telling = TellingLines()
        self._actuals = ActualsReader(data.startup)
        self._reader = LogReader()
        self._start_s = clock.monotonic_s()
        self._said_s = self._start_s
        self._container_start_s: float | None = None
        self.info: ContainerInfo | None = None
        self.failure: AppError | None = None
        """The error of a start that ended, with the lines that tell why."""
        self.diagnosis: Diagnosis | None = None
        """The cause of a start that ended."""

    async def run(self) -> EngineReady | ContainerExited:
        """Wait until it is ready or has ended.

        Raises:
            EngineError: ENGINE_NEVER_READY when nothing new is said for too long.
            DockerError, HostError: when the container or the host cannot be asked.
        """
        self.info = await self._containers.inspect(self._container)
        self._container_start_s = seconds_of(self.info.started_at)
        self._tracker.begin(self._start_s - self._began_s)
        self._changed(self)
        follower = asyncio.create_task(self._follow(self.info), name=f"start log {self._name}")
        try:
            return await self._until_decided(follower)
        finally:
            await end_task(follower)
            self._tracker.end(self._clock.monotonic_s() - self._began_s)
            self._changed(self)

    def phases(self) -> tuple[PhaseProgress, ...]:
        """Return the engine's phases so far."""
        return self._tracker.phases()

    def remaining_s(self) -> float | None:
        """Return how long the rest will probably take."""
        return self._tracker.remaining_s(self._clock.monotonic_s() - self._began_s)

    def durations(self) -> dict[str, float]:
        """Return what the phases took."""
        return self._tracker.durations()

    def actuals(self) -> tuple[Actual, ...]:
        """Return what the engine said that it took."""
        return self._actuals.actuals()

    def chosen(self) -> Mapping[str, str]:
        """Return what the engine said that it chose."""
        return self._actuals.chosen()

    async def _until_decided(self, follower: asyncio.Task[None]) -> EngineReady | ContainerExited:
        path = self._data.engine.server.health_path if self._data.engine.server else "/health"
        while True:
            info = self.info = await self._containers.inspect(self._container)
            restarting = info.status == "restarting" or info.restart_count > self._known_restarts
            if restarting or info.status in ENDED:
                return await self._exited(info, follower, restarting=restarting)
            if info.status == "running" and await self._requests(info).is_healthy(path):
                await self._catch_up(follower)
                return EngineReady()
            await self._check_patience(info)
            waited_s = self._clock.monotonic_s() - self._start_s
            await self._clock.sleep(QUICK_S if waited_s < QUICK_FOR_S else SLOW_S)

    async def _catch_up(self, follower: asyncio.Task[None]) -> None:
        """Let what the log already says arrive: phases that it told late were gone through, too."""
        for _ in range(CATCH_UP_LOOKS):
            if follower.done() or self._tracker.is_at_last:
                return
            await self._clock.sleep(CATCH_UP_S)

    async def _exited(
        self, info: ContainerInfo, follower: asyncio.Task[None], *, restarting: bool
    ) -> ContainerExited:
        """Read the last words, then say what happened."""
        if restarting:
            await self._clock.sleep(LAST_WORDS_OF_A_LOOP_S)
        else:
            await asyncio.wait({follower}, timeout=LAST_WORDS_S)
        self.diagnosis = await self._conclude(info)
        failure = errors.exited(
            self._data.engine.name, info, self._telling.lines, diagnosis=self.diagnosis
        )
        self.failure = failure
        return ContainerExited(
            at_s=self._clock.monotonic_s(),
            error=failure.info,
            exit_code=info.exit_code,
            restarting=restarting,
            crashes=max(info.restart_count - self._known_restarts, 1),
        )

    async def _check_patience(self, info: ContainerInfo) -> None:
        server = self._data.engine.server
        patience_s = server.ready_timeout_s if server else DEFAULT_PATIENCE_S
        silent_s = self._clock.monotonic_s() - self._said_s
        if silent_s > patience_s:
            self.diagnosis = await self._conclude(info)
            raise errors.never_ready(
                self._data.engine.name, silent_s, self._telling.lines, diagnosis=self.diagnosis
            )

    async def _follow(self, info: ContainerInfo) -> None:
        """Follow the log of this start only; an earlier start's lines would mislead."""
        earlier = info.restart_count > 0 or info.restart_policy != "no"
        since = None
        if earlier and self._container_start_s is not None:
            since = stamp_of(self._container_start_s - 0.1)
        stream = self._containers.logs(self._container, follow=True, since=since)
        try:
            async with ended(stream) as chunks:
                async for chunk in chunks:
                    self._take(chunk)
        except AppError as exc:
            # Inspecting the container decides; without its log the phases stay where they are.
            _log.info("The log of %s ended: %s", self._name, exc)

    def _take(self, chunk: LogChunk) -> None:
        line = self._reader.feed_line(chunk.text, at=chunk.at)
        self._said_s = self._clock.monotonic_s()
        self._telling.feed(line)
        if self._log_diagnosis is not None:
            self._log_diagnosis.feed_line(line)
        self._actuals.feed(line)
        if self._tracker.feed(line, self._at_s(chunk.at)):
            self._changed(self)

    def _at_s(self, stamp: str) -> float:
        """Return a line's time after the operation began, by the host's own clock if it says."""
        offset_s = self._start_s - self._began_s
        at_s = seconds_of(stamp)
        now_s = self._clock.monotonic_s() - self._began_s
        if at_s is None or self._container_start_s is None:
            return now_s
        # No line is older than the start or younger than now: then the host's clock was set.
        return min(offset_s + max(at_s - self._container_start_s, 0.0), max(now_s, offset_s))
