"""Scripted visitors of a simulated engine, so that the live page has something to show.

They come in waves of a few minutes; the same seed gives the same visits.
"""

import asyncio
import math
import random
from typing import Final

from app.io.demo.generation import Generator, Request
from app.io.demo.pace import Pace

WAVE_S: Final = 180.0
QUIET_RATE: Final = 0.3
BUSY_RATE: Final = 4.0
"""Visits per second at the quietest and busiest moment."""
# A mix of short, middle and long prompts: 50 %, 30 %, 20 % (DESIGN §8's mixed load).
_PROMPTS: Final = (512, 2048, 8192)
_SHARES: Final = (50, 30, 20)
_TTFT_FACTORS: Final = {512: 1.2, 2048: 3.0, 8192: 11.0}
"""Longer prompts take longer; 8192 tokens took 12 times as long as 128 in the measured run."""


class Visitors:
    """Sends requests to a generator until closed."""

    def __init__(self, generator: Generator, *, clock: Pace, seed: int = 1) -> None:
        self._generator = generator
        self._clock = clock
        # Reproducible by design; nothing here is a secret.
        self._random = random.Random(seed)  # noqa: S311
        self._visits: set[asyncio.Task[None]] = set()
        self._coming: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Let visitors come."""
        self._coming = asyncio.create_task(self._come(), name="simulated visitors")

    async def stop(self) -> None:
        """Send everybody away and wait until they are gone."""
        tasks = [task for task in (self._coming, *self._visits) if task is not None]
        self._coming = None
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _come(self) -> None:
        began_s = self._clock.monotonic_s()
        while True:
            passed_s = self._clock.monotonic_s() - began_s
            await self._clock.sleep(self._random.expovariate(visit_rate(passed_s)))
            task = asyncio.create_task(self._visit())
            self._visits.add(task)
            task.add_done_callback(self._visits.discard)

    async def _visit(self) -> None:
        prompt = self._random.choices(_PROMPTS, _SHARES)[0]
        request = Request(
            prompt_tokens=prompt,
            max_tokens=self._random.randint(64, 384),
            ignore_end=True,
            ttft_factor=_TTFT_FACTORS[prompt] * self._random.uniform(0.85, 1.3),
        )
        async for _token in self._generator.play(request):
            pass


def visit_rate(passed_s: float) -> float:
    """Return visits per second at a moment of the wave, starting in the middle."""
    share = (1 + math.sin(2 * math.pi * passed_s / WAVE_S)) / 2
    return QUIET_RATE + (BUSY_RATE - QUIET_RATE) * share
