"""Ring buffers of samples: a fixed amount of memory per series, the oldest sample goes first.

The last hour is kept as sampled. Behind it a day is kept as the smallest and largest value of each
half minute, so that a spike of one second is still seen after twenty hours.
"""

import math
from array import array
from bisect import bisect_left
from dataclasses import dataclass
from typing import Final

CAPACITY: Final = 3600
"""One hour at one sample a second."""
SPAN_S: Final = 30.0
SPANS: Final = 2880
"""One day of half minutes."""
NAN: Final = float("nan")


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A copy of one series, oldest first; a gap is a value that is not a number."""

    times_s: "array[float]"
    """Seconds since the epoch."""
    values: "array[float]"


class Ring:
    """Times and values of one series. Not locked: its owner does that."""

    def __init__(self, capacity: int = CAPACITY, spans: int = SPANS) -> None:
        self._capacity = capacity
        self._times = array("d")
        self._values = array("d")
        self._next = 0
        self._spans = _Spans(spans)

    def __len__(self) -> int:
        """How many samples are held as they came."""
        return len(self._times)

    @property
    def last_at_s(self) -> float | None:
        """When the newest sample was taken."""
        return self._times[self._next - 1] if self._times else None

    @property
    def last_value(self) -> float | None:
        """The newest value; ``None`` for an empty ring."""
        return self._values[self._next - 1] if self._values else None

    def append(self, at_s: float, value: float | None) -> None:
        """Add a sample; ``None`` is a gap."""
        number = NAN if value is None else float(value)
        self._spans.add(at_s, number)
        if len(self._times) < self._capacity:
            self._times.append(at_s)
            self._values.append(number)
            self._next = len(self._times) % self._capacity
            return
        self._times[self._next] = at_s
        self._values[self._next] = number
        self._next = (self._next + 1) % self._capacity

    def copy(self, since_s: float | None = None) -> Series:
        """Return the samples in order, with what came before them when ``since_s`` asks for it.

        What is older than the samples that are held comes as two points per half minute.
        """
        cut = self._next if len(self._times) == self._capacity else 0
        times = self._times[cut:] + self._times[:cut]
        values = self._values[cut:] + self._values[:cut]
        if not times or since_s is None or since_s >= times[0]:
            return Series(times_s=times, values=values)
        old_times, old_values = self._spans.before(times[0], since_s)
        return Series(times_s=old_times + times, values=old_values + values)


class _Spans:
    """Smallest and largest value per half minute, and whether it held a gap."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._starts = array("d")
        self._low = array("f")
        self._high = array("f")
        self._gaps = bytearray()

    def add(self, at_s: float, value: float) -> None:
        start = at_s // SPAN_S * SPAN_S
        if not self._starts or start > self._starts[-1]:
            self._begin(start)
        if math.isnan(value):
            self._gaps[-1] = 1
            return
        # Comparisons with "not a number" are false: the first value replaces it.
        if not self._low[-1] <= value:
            self._low[-1] = value
        if not self._high[-1] >= value:
            self._high[-1] = value

    def before(self, end_s: float, since_s: float) -> "tuple[array[float], array[float]]":
        """Return times and values of the spans that ended before a time."""
        times, values = array("d"), array("d")
        first = bisect_left(self._starts, since_s - SPAN_S)
        last_s = self._starts[first] if first < len(self._starts) else 0.0
        for number in range(first, bisect_left(self._starts, end_s - SPAN_S)):
            start = self._starts[number]
            if start - last_s > 1.5 * SPAN_S:
                times.append(last_s + SPAN_S)
                values.append(NAN)
            last_s = start
            times.extend((start, start + SPAN_S / 2))
            values.extend((self._low[number], self._high[number]))
            if self._gaps[number]:
                times.append(start + SPAN_S - 1)
                values.append(NAN)
        return times, values

    def _begin(self, start: float) -> None:
        self._starts.append(start)
        self._low.append(NAN)
        self._high.append(NAN)
        self._gaps.append(0)
        # In pieces: taking one from the front moves all others.
        if len(self._starts) > self._limit + self._limit // 16:
            gone = len(self._starts) - self._limit
            for column in (self._starts, self._low, self._high, self._gaps):
                del column[:gone]
