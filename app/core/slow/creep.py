"""Memory that creeps up over hours: a slope that single jumps and sawteeth do not move.

The slope is the median over all pairs of samples (Theil and Sen); the lower quartile of the pairs
says whether the rise went on all the time. A step has most pairs at zero, a sawtooth many below.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final

from app.core.diagnosis.comparisons import FactValue

WARM_UP_S: Final = 1800.0
"""Left out: caches, graphs and pools are still being filled."""
EVERY_S: Final = 600.0
"""One sample in so many seconds is kept."""
KEPT: Final = 144
"""A day's worth."""
LEAST_S: Final = 3 * 3600.0
"""Below this a slope says little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slope:
    """How a quantity rose."""

    per_hour: float
    """Median of all pairs."""
    low_per_hour: float
    """A quarter of the pairs rose less than this."""
    hours: float
    added: float
    """What the median slope adds up to."""
    last: float


class Creep:
    """Follows one quantity of one process."""

    def __init__(self) -> None:
        self._began_s: float | None = None
        self._kept: deque[tuple[float, float]] = deque(maxlen=KEPT)
        self._slope: Slope | None = None

    @property
    def slope(self) -> Slope | None:
        """The slope as of the newest sample; ``None`` while it says nothing yet."""
        return self._slope

    def add(self, at_s: float, value: float) -> None:
        """Take a sample."""
        if self._began_s is None:
            self._began_s = at_s
        if at_s - self._began_s < WARM_UP_S:
            return
        if self._kept and at_s - self._kept[-1][0] < EVERY_S:
            return
        self._kept.append((at_s, value))
        self._slope = _slope(tuple(self._kept))

    def forget(self) -> None:
        """Begin anew: the process is another one."""
        self._began_s, self._slope = None, None
        self._kept.clear()


def _slope(samples: tuple[tuple[float, float], ...]) -> Slope | None:
    hours = (samples[-1][0] - samples[0][0]) / 3600
    if hours * 3600 < LEAST_S:
        return None
    slopes = sorted(
        (later[1] - earlier[1]) / (later[0] - earlier[0]) * 3600
        for number, earlier in enumerate(samples)
        for later in samples[number + 1 :]
    )
    median = slopes[len(slopes) // 2]
    return Slope(
        per_hour=median,
        low_per_hour=slopes[len(slopes) // 4],
        hours=hours,
        added=median * hours,
        last=samples[-1][1],
    )


def creep_facts(
    slope: Slope | None, *, total: float | None, unit: str = "mib"
) -> dict[str, FactValue]:
    """Return the slope as figures, with the time until ``total`` is full."""
    if slope is None:
        return {}
    facts: dict[str, FactValue] = {
        f"creep_{unit}_per_h": slope.per_hour,
        f"creep_low_{unit}_per_h": slope.low_per_hour,
        "creep_hours": slope.hours,
        f"creep_added_{unit}": slope.added,
        f"creep_now_{unit}": slope.last,
    }
    if total:
        facts[f"creep_total_{unit}"] = total
        facts["creep_added_percent"] = slope.added / total * 100
        if slope.per_hour > 0:
            facts["creep_hours_left"] = max(total - slope.last, 0.0) / slope.per_hour
    return facts
