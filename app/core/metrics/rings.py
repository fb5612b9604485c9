"""Ring buffers of samples: a fixed amount of memory per series, the oldest sample goes first."""

from array import array
from dataclasses import dataclass
from typing import Final

CAPACITY: Final = 3600
"""One hour at one sample a second."""
NAN: Final = float("nan")


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A copy of one series, oldest first; a gap is a value that is not a number."""

    times_s: "array[float]"
    """Seconds since the epoch."""
    values: "array[float]"


class Ring:
    """Times and values of one series. Not locked: its owner does that."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._times = array("d")
        self._values = array("d")
        self._next = 0

    def __len__(self) -> int:
        """How many samples are held."""
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
        if len(self._times) < self._capacity:
            self._times.append(at_s)
            self._values.append(number)
            self._next = len(self._times) % self._capacity
            return
        self._times[self._next] = at_s
        self._values[self._next] = number
        self._next = (self._next + 1) % self._capacity

    def copy(self) -> Series:
        """Return the samples in order."""
        if len(self._times) < self._capacity:
            return Series(times_s=self._times[:], values=self._values[:])
        cut = self._next
        return Series(
            times_s=self._times[cut:] + self._times[:cut],
            values=self._values[cut:] + self._values[:cut],
        )
