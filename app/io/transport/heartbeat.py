"""Ask the host for a sign of life, since TCP notices a hung or unplugged host only after minutes.

paramiko's own keepalive only sends. Here an answer is needed; anything else that arrives counts
as well, so that a busy line is not taken for a dead one.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from app.io.transport.ssh_channels import WatchedTransport

_log = logging.getLogger(__name__)

INTERVAL_S = 1.0
SILENCE_LIMIT_S = 3.0
"""With the interval: a lost host is seen within 4 s."""
_STEPS = 12
"""Looks within the limit."""


class Heartbeat:
    """Measure the round trip once a second; call ``on_lost`` when the host has gone silent."""

    def __init__(
        self,
        transport: WatchedTransport,
        *,
        host: str,
        on_lost: Callable[[str], None],
        interval_s: float = INTERVAL_S,
        silence_limit_s: float = SILENCE_LIMIT_S,
    ) -> None:
        self._transport = transport
        self._on_lost = on_lost
        self._interval_s = interval_s
        self._silence_limit_s = silence_limit_s
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"pitwall-{host}-heartbeat")
        self._task = asyncio.create_task(self._beat(), name=f"heartbeat {host}")
        self.latency_s: float | None = None

    async def stop(self) -> None:
        """End the heartbeat; the connection is left as it is."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self._thread.shutdown(wait=False)

    async def _beat(self) -> None:
        while self._transport.is_active():
            if not await self._ask():
                self._on_lost(f"no answer for {self._silence_limit_s:g} s")
                return
            await asyncio.sleep(self._interval_s)
        self._on_lost("the other side closed it")

    async def _ask(self) -> bool:
        """Send one request; True when its answer, or anything else, came in time.

        Silence is counted in steps, each for no longer than it was to last: a desk that was busy
        itself, with fifty hosts at once, must not take them for lost.
        """
        heard_s, silent_s = time.monotonic(), 0.0
        answer = asyncio.get_running_loop().run_in_executor(self._thread, self._request)
        while silent_s < self._silence_limit_s:
            step_s = min(self._silence_limit_s / _STEPS, self._silence_limit_s - silent_s)
            done, _ = await asyncio.wait({answer}, timeout=step_s)
            if done:
                self.latency_s = await answer or self.latency_s
                return True
            silent_s += step_s
            if self._transport.last_heard_s > heard_s:
                heard_s, silent_s = self._transport.last_heard_s, 0.0
        return False

    def _request(self) -> float | None:
        started_s = time.monotonic()
        try:
            # Refusing an unknown request is an answer as well.
            self._transport.global_request("keepalive@openssh.com", wait=True)
        except (EOFError, OSError):  # the connection broke while we asked; `_beat` sees that
            return None
        return time.monotonic() - started_s if self._transport.is_active() else None
