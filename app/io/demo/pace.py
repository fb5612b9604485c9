"""What the simulation needs to know about time; the services' clock fits."""

from datetime import UTC, datetime
from typing import Protocol


class Pace(Protocol):
    """Time as it passes for the simulation."""

    def now_s(self) -> float:
        """Seconds since the epoch."""

    def monotonic_s(self) -> float:
        """Seconds that never go back."""

    async def sleep(self, duration_s: float) -> None:
        """Wait on the loop."""


def stamp(at_s: float) -> str:
    """Write an epoch time as container engines do: RFC 3339 in UTC with nanoseconds."""
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f") + "000Z"
