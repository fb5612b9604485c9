"""The two crossings between the core loop's thread and the GUI thread, in one place.

Calls go over as coroutines and come back as finished futures; events come over coalesced: the
latest value per key, at most ten times a second. Nothing here waits.
"""

import logging
import threading
import time
from collections.abc import Callable, Coroutine, Hashable
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, Final, TypeVar

import shiboken6
from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from app.core.events import (
    ActivityChanged,
    AlertChanged,
    DeploymentChanged,
    Event,
    HostChanged,
    LogArrived,
    MetricsSampled,
    SettingsChanged,
)
from app.services.bus import EventBus
from app.services.runtime import LoopThread

T = TypeVar("T")

FLUSH_INTERVAL_S: Final = 0.1
LOG_LINES_LIMIT: Final = 2_000
"""Lines kept of one deployment's log between two deliveries; the oldest go and are counted."""

_log = logging.getLogger(__name__)


def coalescing_key(event: Event) -> Hashable | None:
    """Return what an event replaces the older news of; ``None``: it must arrive by itself."""
    parts: tuple[Hashable, ...] | None = None
    match event:
        case HostChanged():
            parts = (event.snapshot.settings.id,)
        case DeploymentChanged():
            parts = (event.snapshot.host_id, event.snapshot.name)
        case MetricsSampled() | LogArrived():
            parts = (event.host_id, event.deployment)
        case ActivityChanged():
            parts = (event.id,)
        case AlertChanged():
            parts = (event.alert.key,)
        case SettingsChanged():
            parts = ()
        case _:
            return None
    return (event.code, *parts)


class EventQueue:
    """Events waiting for the GUI thread, newest per key, in the order of their last change."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[Hashable, Event] = {}
        self._number = 0

    def put(self, event: Event) -> bool:
        """Add an event; True when the queue was empty, so that the receiver must be woken."""
        with self._lock:
            was_empty = not self._waiting
            key = coalescing_key(event)
            if key is None:
                self._number += 1
                key = self._number
            # Taken out first: the newest stands last, so a removal between two changes of one
            # host keeps its place.
            older = self._waiting.pop(key, None)
            self._waiting[key] = _joined(older, event)
            return was_empty

    def take(self) -> tuple[Event, ...]:
        """Return everything that waits, and forget it."""
        with self._lock:
            events = tuple(self._waiting.values())
            self._waiting.clear()
            return events


def _joined(older: Event | None, newer: Event) -> Event:
    if not (isinstance(older, LogArrived) and isinstance(newer, LogArrived)):
        return newer
    lines = older.lines + newer.lines
    kept = lines[-LOG_LINES_LIMIT:]
    dropped = older.dropped + newer.dropped + len(lines) - len(kept)
    return replace(newer, lines=kept, dropped=dropped)


class CoreBridge(QObject):
    """Carry calls to the core loop; bring results and events to the GUI thread."""

    event_arrived = Signal(object)
    """One coalesced `Event`, on the GUI thread."""

    _finished = Signal(object, object)
    _woken = Signal()

    def __init__(self, loop: LoopThread, bus: EventBus, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._loop = loop
        self._queue = EventQueue()
        self._detached = False
        # Guards the flag against a future that ends while the window is taken down: after
        # detach() has returned, no other thread touches a signal of this object.
        self._guard = threading.Lock()
        self._flushed_at_s = 0.0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._flush)
        self._finished.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._woken.connect(self._schedule, Qt.ConnectionType.QueuedConnection)
        self._unsubscribe = bus.subscribe(self._on_event)

    @property
    def is_detached(self) -> bool:
        """True once `detach` was called."""
        return self._detached

    def call(self, work: Coroutine[Any, Any, T], done: Callable[[Future[T]], None]) -> Future[T]:
        """Run ``work`` on the core loop, then call ``done(future)`` on the GUI thread.

        ``done`` is best a method of a `QObject`: it is left out once that object is gone.
        """
        if self._detached:
            work.close()
            cancelled: Future[T] = Future()
            cancelled.cancel()
            return cancelled
        future = self._loop.submit(work)
        future.add_done_callback(lambda ended: self._emit_finished(done, ended))
        return future

    def detach(self) -> None:
        """Stop listening; what arrives from now on is dropped. Safe to call twice."""
        self._unsubscribe()
        with self._guard:
            self._detached = True
        self._timer.stop()

    def _emit_finished(self, done: Callable[[Future[T]], None], future: Future[T]) -> None:
        with self._guard:
            if not self._detached:
                self._finished.emit(done, future)

    def _on_event(self, event: Event) -> None:
        """Take an event on whichever thread published it."""
        if self._queue.put(event):
            with self._guard:
                if not self._detached:
                    self._woken.emit()

    @Slot(object, object)
    def _deliver(self, done: Callable[[Future[Any]], None], future: Future[Any]) -> None:
        owner = getattr(done, "__self__", None)
        if self._detached or (isinstance(owner, QObject) and not shiboken6.isValid(owner)):
            return
        done(future)

    @Slot()
    def _schedule(self) -> None:
        wait_s = self._flushed_at_s + FLUSH_INTERVAL_S - time.monotonic()
        if wait_s <= 0:
            self._flush()
        elif not self._timer.isActive():
            self._timer.start(round(wait_s * 1000))

    @Slot()
    def _flush(self) -> None:
        if self._detached:
            return
        self._flushed_at_s = time.monotonic()
        for event in self._queue.take():
            self.event_arrived.emit(event)
