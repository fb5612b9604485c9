"""Time as something that is passed in, so that tests need not wait."""

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """What services may ask about time."""

    def now_s(self) -> float:
        """Seconds since the epoch."""

    def monotonic_s(self) -> float:
        """Seconds that never go back."""

    async def sleep(self, duration_s: float) -> None:
        """Wait on the loop."""


class SystemClock:
    """The machine's clock."""

    def now_s(self) -> float:
        """Return seconds since the epoch."""
        return time.time()

    def monotonic_s(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()

    async def sleep(self, duration_s: float) -> None:
        """Wait on the loop."""
        await asyncio.sleep(duration_s)


def utc_text(at_s: float) -> str:
    """Write an epoch time as ISO 8601 in UTC with ``Z``, to the second."""
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
