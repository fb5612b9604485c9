"""The one asyncio loop on its own thread, for the window; the command line uses ``asyncio.run``."""

import asyncio
import logging
import sys
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, Final, TypeVar

T = TypeVar("T")

SWITCH_INTERVAL_S: Final = 0.0005

_log = logging.getLogger(__name__)


class LoopThread:
    """Run an asyncio loop on a named daemon thread until stopped."""

    def __init__(self, name: str = "pitwall-core") -> None:
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> "LoopThread":
        """Start the thread and wait until the loop takes work."""
        # A painted table asks Python for each cell, and each time waits for the interpreter lock
        # while this thread is busy: 5 ms by default, half a second a picture during a log flood.
        sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_INTERVAL_S))
        self._thread.start()
        self._ready.wait()
        return self

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The running loop."""
        if self._loop is None:
            msg = "the loop thread was not started"
            raise RuntimeError(msg)
        return self._loop

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Schedule ``work`` on the loop; the future may be cancelled from any thread."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def finish(self, work: Coroutine[Any, Any, object], *, timeout_s: float) -> bool:
        """Run ``work`` and wait for its end, a bounded time; True when it ended by itself.

        For the end of the program only, when no window is left that could freeze.
        """
        future = self.submit(work)
        try:
            future.result(timeout_s)
        except TimeoutError:
            future.cancel()
            _log.warning("Closing took longer than %.1f s; what was left was cancelled", timeout_s)
            return False
        return True

    def stop(self, *, timeout_s: float = 3.0) -> bool:
        """Cancel what still runs, stop the loop, wait a bounded time; True when it ended."""
        if self._loop is None or not self._thread.is_alive():
            return True
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            self._loop = runner.get_loop()
            self._loop.call_soon(self._ready.set)
            self._loop.run_forever()
            # Runner.close() cancels and awaits the remaining tasks.
