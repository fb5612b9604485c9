"""The newest snapshot of every host, read and changed from any thread, with rising revisions."""

import threading
from collections.abc import Callable
from dataclasses import replace

from app.core.events import HostChanged, HostSnapshot
from app.core.ids import HostId
from app.services.bus import EventBus


class HostBoard:
    """Holds the snapshots and tells of every change."""

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus
        self._lock = threading.Lock()
        self._snapshots: dict[HostId, HostSnapshot] = {}
        self._revision = 0

    def all(self) -> tuple[HostSnapshot, ...]:
        """Return all hosts as they are now."""
        with self._lock:
            return tuple(self._snapshots.values())

    def next_revision(self) -> int:
        """Return the number of the next change."""
        with self._lock:
            self._revision += 1
            return self._revision

    def keep(self, snapshot: HostSnapshot) -> None:
        """Keep a snapshot without telling of it."""
        with self._lock:
            self._snapshots[snapshot.settings.id] = snapshot

    def put(self, snapshot: HostSnapshot) -> HostSnapshot:
        """Keep a snapshot and tell of it."""
        self.keep(snapshot)
        self._bus.publish(HostChanged(snapshot=snapshot))
        return snapshot

    def change(self, host_id: HostId, change: Callable[[HostSnapshot], HostSnapshot]) -> None:
        """Change a host's snapshot and tell of it; of a removed host nobody is told any more."""
        with self._lock:
            now = self._snapshots.get(host_id)
            if now is None:
                return
            self._revision += 1
            changed = replace(change(now), revision=self._revision)
            self._snapshots[host_id] = changed
        self._bus.publish(HostChanged(snapshot=changed))

    def drop(self, host_id: HostId) -> None:
        """Forget a host."""
        with self._lock:
            self._snapshots.pop(host_id, None)
