"""Running work for the activity bar: announced, reported on, cancellable by id.

``async with activities.run("fingerprint", "h200-a") as activity: activity.report(0.5)``

Work that mostly takes no time is announced only when it takes longer: ``after_s=NOTICED_S``.
"""

import asyncio
import threading
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from app.core.errors import AppError, ErrorCode, ErrorInfo
from app.core.events import ActivityChanged
from app.services.bus import EventBus

NOTICED_S: Final = 0.3
"""What takes no longer than this is over before anybody could cancel it."""
CANCELLED: Final = ErrorInfo(
    code=ErrorCode.CANCELLED, cause="Stopped as asked.", remedy="Start it again when you like."
)


class Activity:
    """One piece of running work."""

    def __init__(self, bus: EventBus, title_code: str, subject: str, *, can_cancel: bool) -> None:
        self.id: Final = uuid.uuid4().hex
        self._bus = bus
        self._title_code = title_code
        self._subject = subject
        self._can_cancel = can_cancel
        self._ending = False
        self.is_announced = False

    def report(self, progress: float | None = None, detail: str = "") -> None:
        """Say how far it is; ``progress`` is 0 to 1."""
        self._publish(progress=progress, detail=detail)

    def end(self) -> None:
        """Say that it was cancelled and is being undone."""
        self._ending = True
        self._publish(progress=None)

    def finish(self, error: ErrorInfo | None = None) -> None:
        """Close it in the bar."""
        if not self.is_announced:
            return
        self._publish(progress=None if error else 1.0, finished=True, error=error)

    def _publish(
        self,
        *,
        progress: float | None = None,
        detail: str = "",
        finished: bool = False,
        error: ErrorInfo | None = None,
    ) -> None:
        self.is_announced = True
        self._bus.publish(
            ActivityChanged(
                id=self.id,
                title_code=self._title_code,
                subject=self._subject,
                progress=progress,
                detail=detail,
                can_cancel=self._can_cancel and not finished and not self._ending,
                ending=self._ending and not finished,
                finished=finished,
                error=error,
            )
        )


@dataclass(frozen=True, slots=True)
class _Running:
    loop: asyncio.AbstractEventLoop
    task: "asyncio.Task[object]"
    activity: Activity

    def cancel(self) -> None:
        if self.task.cancel():
            self.activity.end()


class Activities:
    """All running work; `cancel` may be called from every thread."""

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus
        self._lock = threading.Lock()
        self._running: dict[str, _Running] = {}

    @asynccontextmanager
    async def run(
        self, title_code: str, subject: str, *, can_cancel: bool = True, after_s: float = 0.0
    ) -> AsyncIterator[Activity]:
        """Announce work for as long as the block runs; its error closes it too.

        Args:
            title_code: What it is.
            subject: Host or deployment that it is about.
            can_cancel: Whether `cancel` may end it.
            after_s: Announce it when it has taken that long.
        """
        activity = Activity(self._bus, title_code, subject, can_cancel=can_cancel)
        task = asyncio.current_task()
        if can_cancel and task is not None:
            with self._lock:
                self._running[activity.id] = _Running(asyncio.get_running_loop(), task, activity)
        waiting = None
        if after_s > 0:
            waiting = asyncio.get_running_loop().call_later(after_s, activity.report)
        else:
            activity.report()
        error: ErrorInfo | None = None
        try:
            yield activity
        except AppError as exc:
            error = exc.info
            raise
        except asyncio.CancelledError:
            error = CANCELLED
            raise
        finally:
            if waiting is not None:
                waiting.cancel()
            with self._lock:
                self._running.pop(activity.id, None)
            activity.finish(error)

    def cancel(self, activity_id: str) -> bool:
        """Cancel the work behind an id; False when it is over or must not be cancelled."""
        with self._lock:
            found = self._running.get(activity_id)
        if found is None:
            return False
        found.loop.call_soon_threadsafe(found.cancel)
        return True
