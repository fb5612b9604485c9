"""Follow the log of a deployment: cleaned lines, across reconnecting streams, never doubled."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Final

from app.core.errors import AppError
from app.core.events import LogArrived
from app.core.ids import HostId
from app.core.logs.line import LogLine
from app.core.logs.noise import NoiseFilter
from app.core.logs.reader import LogReader
from app.core.logs.stamps import seconds_of
from app.io.containers import ENDED, ContainerEngine, ContainerInfo
from app.services.bus import EventBus
from app.services.clock import Clock
from app.services.deploying import errors
from app.services.streams import ended

AGAIN_AFTER_S: Final = 0.5
BATCH_S: Final = 0.1
BATCH_LINES: Final = 500
NOISY_REACH: Final = 20
"""How much further back a followed log begins where most of its lines may be noise."""


async def read_log(
    containers: ContainerEngine,
    container: str,
    *,
    follow: bool,
    tail: int | None,
    clock: Clock,
) -> AsyncIterator[LogLine]:
    """Yield the lines of a container's log.

    A stream that ends proves nothing: while following, the container is asked, and a new stream
    goes on behind the last line. A container that was stopped ends the log.
    """
    reader = LogReader()
    last_at, since = "", None
    while True:
        stream = containers.logs(container, follow=follow, tail=tail, since=since)
        async with ended(stream) as chunks:
            async for chunk in chunks:
                if since and chunk.at and chunk.at <= since:
                    continue
                last_at = chunk.at or last_at
                yield reader.feed_line(chunk.text, at=chunk.at)
        if not follow or not last_at or _is_over(await containers.inspect(container)):
            return
        await clock.sleep(AGAIN_AFTER_S)
        since, tail = last_at, None
        if _is_ahead(last_at, (await containers.version()).system_time):
            since, tail = None, 0  # the host's clock was set back: what is new cannot be told by it


def _is_ahead(last_at: str, host_now: str) -> bool:
    last_s, now_s = seconds_of(last_at), seconds_of(host_now)
    return last_s is not None and now_s is not None and last_s > now_s


def _is_over(info: ContainerInfo) -> bool:
    return info.status in ENDED or info.status == "created"


class LogFollower:
    """Publish a followed log as events: at most ten a second, the oldest lines dropped first."""

    def __init__(self, bus: EventBus, clock: Clock) -> None:
        self._bus = bus
        self._clock = clock
        self._tasks: dict[tuple[HostId, str], asyncio.Task[None]] = {}

    def start(
        self,
        host_id: HostId,
        name: str,
        read: Callable[..., AsyncIterator[LogLine]],
        noise: NoiseFilter,
        *,
        tail: int,
    ) -> None:
        """Begin to publish without the noise; a follower that runs already goes on.

        Args:
            host_id: Its host.
            name: Which.
            read: Takes ``tail``, how many past lines to begin with.
            noise: What is left out.
            tail: Past lines, without the noise, to begin with.
        """
        lines = partial(read, tail=tail * NOISY_REACH if noise else tail)
        running = self._tasks.get((host_id, name))
        if running is None or running.done():
            self._tasks[host_id, name] = asyncio.create_task(
                self._follow(host_id, name, lines(), noise), name=f"follow {name}"
            )

    def stop(self, host_id: HostId, name: str) -> None:
        """End it."""
        task = self._tasks.pop((host_id, name), None)
        if task is not None:
            task.cancel()

    async def close(self) -> None:
        """End all of them."""
        tasks = tuple(self._tasks.values())
        self._tasks.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _follow(
        self, host_id: HostId, name: str, lines: AsyncIterator[LogLine], noise: NoiseFilter
    ) -> None:
        waiting: deque[str] = deque(maxlen=BATCH_LINES)
        dropped = 0
        sender = asyncio.create_task(self._send(host_id, name, waiting, lambda: dropped))
        try:
            async with ended(lines) as arriving:
                async for line in arriving:
                    if noise.is_noise(line):
                        continue
                    dropped += len(waiting) == waiting.maxlen
                    waiting.append(line.text)
        except AppError as exc:
            waiting.append(str(exc) if exc.code not in errors.LOST else exc.cause)
        finally:
            sender.cancel()
            self._flush(host_id, name, waiting, dropped)

    async def _send(
        self, host_id: HostId, name: str, waiting: deque[str], dropped: Callable[[], int]
    ) -> None:
        while True:
            await self._clock.sleep(BATCH_S)
            self._flush(host_id, name, waiting, dropped())

    def _flush(self, host_id: HostId, name: str, waiting: deque[str], dropped: int) -> None:
        if waiting:
            lines = tuple(waiting)
            waiting.clear()
            self._bus.publish(
                LogArrived(host_id=host_id, deployment=name, lines=lines, dropped=dropped)
            )
