"""All series of this session: appended on the core loop, copied from any thread."""

import threading
from typing import Final

from app.core.ids import HostId
from app.core.metrics.rings import Ring, Series
from app.core.metrics.vocabulary import SeriesKey

SERIES_LIMIT: Final = 2000
"""220 MB at most, 110 kB each when a day is full; the one written longest ago goes first."""
GAP_S: Final = 2.5
"""A pause longer than this is shown as a gap."""


class Rings:
    """Ring buffers by series key."""

    def __init__(self, limit: int = SERIES_LIMIT) -> None:
        self._lock = threading.Lock()
        self._limit = limit
        self._rings: dict[SeriesKey, Ring] = {}

    def append(self, key: SeriesKey, at_s: float, value: float | None) -> None:
        """Add a sample; a pause before it becomes a gap."""
        with self._lock:
            ring = self._rings.get(key)
            if ring is None:
                ring = self._rings[key] = Ring()
                self._make_room()
            last_s = ring.last_at_s
            if last_s is not None and at_s - last_s > GAP_S:
                ring.append(last_s + 1.0, None)
            ring.append(at_s, value)

    def gap(self, key: SeriesKey, at_s: float) -> None:
        """Mark that nothing is known from now on; a gap is marked once."""
        with self._lock:
            ring = self._rings.get(key)
            if ring is None:
                return
            last = ring.last_value
            if last is not None and last == last:  # noqa: PLR0124 - only NaN differs from itself
                ring.append(at_s, None)

    def keys(self, host_id: HostId) -> tuple[SeriesKey, ...]:
        """Return the series of a host."""
        with self._lock:
            return tuple(key for key in self._rings if key.host_id == host_id)

    def copy(self, key: SeriesKey, since_s: float | None = None) -> Series:
        """Return a copy of a series from a time on, empty when there is none."""
        with self._lock:
            return self._rings.get(key, Ring()).copy(since_s)

    def drop(self, host_id: HostId, deployment: str | None = None) -> None:
        """Forget a deployment's series, or all of a host."""
        with self._lock:
            for key in tuple(self._rings):
                if key.host_id == host_id and deployment in {None, key.deployment}:
                    del self._rings[key]

    def _make_room(self) -> None:
        """Drop the series written longest ago; the one just made is still empty and stays."""
        if len(self._rings) <= self._limit:
            return
        written = {key: ring.last_at_s for key, ring in self._rings.items() if len(ring)}
        oldest = min(written, key=lambda key: written[key] or 0.0)
        del self._rings[oldest]
