"""Quantiles from histograms: of what was observed lately, not since the engine started.

A histogram's buckets only ever grow. The difference between two readings holds what was observed
between them; a sliding window of readings makes it steady at one reading a second.
"""

import math
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final

WINDOW_S: Final = 30.0

Buckets = Mapping[float, float]
"""Upper bound → how many were at most that (cumulative), with ``inf``."""


def quantile(q: float, buckets: Buckets) -> float | None:
    """Return the ``q`` quantile of cumulative buckets; ``None`` when nothing was observed.

    Within a bucket the observations are taken as evenly spread, as Prometheus does. What lies
    above the last finite bound is told as that bound.

    Example: bounds 1, 2, ∞ with 5, 10, 10 → the median is 1.0, the 95 % quantile 1.9.
    """
    bounds = sorted(buckets)
    total = buckets[bounds[-1]] if bounds else 0.0
    if total <= 0 or math.isnan(total):
        return None
    rank = q * total
    lower_bound, lower_count = 0.0, 0.0
    for bound in bounds:
        count = buckets[bound]
        if count >= rank and count > lower_count:
            if math.isinf(bound):
                return lower_bound
            share = (rank - lower_count) / (count - lower_count)
            return lower_bound + (bound - lower_bound) * max(share, 0.0)
        lower_bound, lower_count = (bound if not math.isinf(bound) else lower_bound), count
    return lower_bound


def difference(later: Buckets, earlier: Buckets) -> dict[float, float] | None:
    """Return what was observed between two readings; ``None`` when the histogram was reset."""
    added = {bound: count - earlier.get(bound, 0.0) for bound, count in later.items()}
    return None if any(count < 0 for count in added.values()) else added


class HistogramWindow:
    """The readings of one histogram within the window."""

    def __init__(self, window_s: float = WINDOW_S) -> None:
        self._window_s = window_s
        self._readings: deque[tuple[float, Buckets]] = deque()
        self.ever_observed = False

    def update(self, at_s: float, buckets: Buckets) -> None:
        """Take a reading."""
        self.ever_observed = self.ever_observed or any(count > 0 for count in buckets.values())
        if self._readings and difference(buckets, self._readings[-1][1]) is None:
            self._readings.clear()
        self._readings.append((at_s, buckets))
        # The reading just outside stays: it is where the window begins.
        while len(self._readings) > 2 and self._readings[1][0] <= at_s - self._window_s:
            self._readings.popleft()

    def quantiles(self, wanted: Sequence[float]) -> tuple[float | None, ...]:
        """Return quantiles of what the window holds; ``None`` when it holds nothing."""
        if len(self._readings) < 2:
            return (None,) * len(wanted)
        added = difference(self._readings[-1][1], self._readings[0][1]) or {}
        return tuple(quantile(q, added) for q in wanted)

    def forget(self) -> None:
        """Drop all readings."""
        self._readings.clear()
