"""Carry a followed log from the core loop to the window in batches."""

import threading
from collections import deque
from typing import TYPE_CHECKING, Final

from app.core.diagnosis.context import DiagnosisContext
from app.core.diagnosis.finding import Diagnosis
from app.core.events import DeploymentSnapshot
from app.core.ids import HostId
from app.core.logs.line import LogLevel, LogLine

if TYPE_CHECKING:
    from app.bootstrap import Application

TAIL: Final = 5_000
"""Lines of the past that are read when a log is opened."""
DIAGNOSE_EVERY_S: Final = 2.0
"""A followed log is judged again at most so often, and only when it said something serious."""
_CALM: Final = frozenset({LogLevel.DEBUG, LogLevel.INFO})
_CATCH_UP_S: Final = 0.05
WAITING_LIMIT: Final = 20_000
"""Lines that may wait for the window; the oldest go first."""


def context_of(snapshot: DeploymentSnapshot) -> DiagnosisContext:
    """Return what is known beside the log of a deployment that runs."""
    return DiagnosisContext(
        engine=snapshot.engine or None,
        engine_version=snapshot.engine_version or None,
        is_starting=True,
    )


class LogFeed:
    """Lines on their way between two threads."""

    def __init__(self, context: DiagnosisContext | None = None) -> None:
        self.context = context or DiagnosisContext()
        self.diagnosis: Diagnosis | None = None
        """What the log says so far; set on the core loop, read by the window."""
        self._lock = threading.Lock()
        self._waiting: deque[LogLine] = deque(maxlen=WAITING_LIMIT)
        self._dropped = 0

    def put(self, line: LogLine) -> None:
        """Add a line (core loop)."""
        with self._lock:
            self._dropped += len(self._waiting) == WAITING_LIMIT
            self._waiting.append(line)

    def take_dropped(self) -> int:
        """Return how many lines went since this was last asked (GUI thread)."""
        with self._lock:
            dropped, self._dropped = self._dropped, 0
            return dropped

    @property
    def is_full(self) -> bool:
        """True while the window should catch up first (core loop)."""
        return len(self._waiting) > WAITING_LIMIT // 2

    def take(self, most: int) -> list[LogLine]:
        """Return the lines that wait, at most so many (GUI thread)."""
        with self._lock:
            count = min(most, len(self._waiting))
            return [self._waiting.popleft() for _ in range(count)]


async def follow(
    app: "Application", host_id: HostId, name: str, feed: LogFeed, tail: int | None = TAIL
) -> None:
    """Put a log's lines into a feed, and what they tell, until it ends or is cancelled.

    Reading waits while the window is behind: a whole log comes faster than it can be shown.
    """
    diagnosis = await app.diagnosis.begin(feed.context)
    next_s = app.clock.monotonic_s() + DIAGNOSE_EVERY_S
    is_new = False
    async for line in app.deployments.logs(host_id, name, follow=True, tail=tail):
        while feed.is_full:
            await app.clock.sleep(_CATCH_UP_S)
        feed.put(line)
        diagnosis.feed_line(line)
        is_new = is_new or line.level not in _CALM
        if is_new and app.clock.monotonic_s() >= next_s:
            feed.diagnosis, is_new = diagnosis.result(), False
            next_s = app.clock.monotonic_s() + DIAGNOSE_EVERY_S
    feed.diagnosis = diagnosis.result()
