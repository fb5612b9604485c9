"""Running work for the activity bar: announced, reported on, cancellable by id.

``async with activities.run("fingerprint", "h200-a") as activity: activity.report(0.5)``
"""

import asyncio
import threading
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from app.core.errors import AppError, ErrorCode, ErrorInfo
from app.core.events import ActivityChanged
from app.services.bus import EventBus

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

    def report(self, progress: float | None = None, detail: str = "") -> None:
        """Say how far it is; ``progress`` is 0 to 1."""
        self._publish(progress=progress, detail=detail)

    def finish(self, error: ErrorInfo | None = None) -> None:
        """Close it in the bar."""
        self._publish(progress=None if error else 1.0, finished=True, error=error)

    def _publish(
        self,
        *,
        progress: float | None = None,
        detail: str = "",
        finished: bool = False,
        error: ErrorInfo | None = None,
    ) -> None:
        self._bus.publish(
            ActivityChanged(
                id=self.id,
                title_code=self._title_code,
                subject=self._subject,
                progress=progress,
                detail=detail,
                can_cancel=self._can_cancel and not finished,
                finished=finished,
                error=error,
            )
        )


class Activities:
    """All running work; `cancel` may be called from every thread."""

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus
        self._lock = threading.Lock()
        self._running: dict[str, tuple[asyncio.AbstractEventLoop, asyncio.Task[object]]] = {}

    @asynccontextmanager
    async def run(
        self, title_code: str, subject: str, *, can_cancel: bool = True
    ) -> AsyncIterator[Activity]:
        """Announce work for as long as the block runs; its error closes it too."""
        activity = Activity(self._bus, title_code, subject, can_cancel=can_cancel)
        task = asyncio.current_task()
        if can_cancel and task is not None:
            with self._lock:
                self._running[activity.id] = (asyncio.get_running_loop(), task)
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
            with self._lock:
                self._running.pop(activity.id, None)
            activity.finish(error)

    def cancel(self, activity_id: str) -> bool:
        """Cancel the work behind an id; False when it is over or must not be cancelled."""
        with self._lock:
            found = self._running.get(activity_id)
        if found is None:
            return False
        loop, task = found
        loop.call_soon_threadsafe(task.cancel)
        return True
