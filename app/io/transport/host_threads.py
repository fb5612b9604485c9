"""A host's own small thread pool: blocking calls with a deadline.

A blocked thread cannot be cancelled, but the channel it waits on can be closed. Every channel
that is opened inside a call is adopted by that call; when the call is cancelled or late, its
channels are closed and the thread comes free.
"""

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

from app.io.transport import failures

_log = logging.getLogger(__name__)
_current = threading.local()

T = TypeVar("T")

POOL_SIZE = 12
"""Eight sessions may run at once; the rest is for Docker and HTTP over direct channels."""


class Closable(Protocol):
    """Something that can be closed from another thread."""

    def close(self) -> None:
        """Close it; wakes whoever waits on it."""


class Call:
    """One piece of work and the channels it opened."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._channels: list[Closable] = []
        self._aborted = False

    @property
    def is_aborted(self) -> bool:
        """True when nobody waits for the result any more."""
        return self._aborted

    def adopt(self, channel: Closable) -> None:
        """Tie a channel to this call; closes it at once when the call was aborted."""
        with self._lock:
            if not self._aborted:
                self._channels.append(channel)
                return
        close_quietly(channel)

    def release(self) -> None:
        """Forget the channels: from now on they belong to whoever got them."""
        with self._lock:
            self._channels.clear()

    def abort(self) -> None:
        """Close everything this call opened."""
        with self._lock:
            self._aborted = True
            channels, self._channels = self._channels, []
        for channel in channels:
            close_quietly(channel)

    def __enter__(self) -> "Call":
        """Make this the call that adopts channels opened by the current thread."""
        _current.call = self
        return self

    def __exit__(self, *_exc: object) -> None:
        """Stop adopting."""
        _current.call = None
        self.release()


def adopt(channel: Closable) -> None:
    """Tie a new channel to the call that runs in this thread, if there is one."""
    call: Call | None = getattr(_current, "call", None)
    if call is not None:
        call.adopt(channel)


def close_quietly(channel: Closable) -> None:
    """Close a channel whose connection may be gone already."""
    try:
        channel.close()
    except (OSError, EOFError) as problem:
        _log.debug("Closing a channel: %s", problem)


class HostThreads:
    """Run blocking work for one host in named threads."""

    def __init__(self, host: str, *, size: int = POOL_SIZE) -> None:
        self._host = host
        self._pool = ThreadPoolExecutor(size, thread_name_prefix=f"pitwall-{host}")
        # Closing a channel sends a message, which can wait as well: never on the loop.
        self._closer = ThreadPoolExecutor(1, thread_name_prefix=f"pitwall-{host}-closer")
        self._running: set[Call] = set()
        self._is_closed = False

    async def run(
        self, work: Callable[[], T], *, timeout_s: float, what: str = "The operation"
    ) -> T:
        """Run ``work`` in the pool; waiting for a free thread counts as well.

        Raises:
            HostError: COMMAND_TIMEOUT when the deadline passed, CONNECTION_LOST after `close`.
        """
        if self._is_closed:
            raise failures.connection_lost(self._host, "it was closed")
        call = Call()
        self._running.add(call)

        def body() -> T:
            with call:
                return work()

        try:
            async with asyncio.timeout(timeout_s):
                return await asyncio.get_running_loop().run_in_executor(self._pool, body)
        except asyncio.CancelledError:
            self.soon(call.abort)
            if self._is_closed and not _is_cancelling():
                raise failures.connection_lost(self._host, "it was closed") from None
            raise
        except TimeoutError as problem:  # our deadline, or a socket's own
            self.soon(call.abort)
            raise failures.command_timeout(self._host, what, timeout_s) from problem
        finally:
            self._running.discard(call)

    def soon(self, work: Callable[[], None]) -> None:
        """Run something short (closing a channel) off the loop, without waiting for it."""
        try:
            self._closer.submit(work)
        except RuntimeError:  # closed: so are the channels
            _log.debug("%s is closed already", self._host)

    def close(self) -> None:
        """Take no more work; what runs has its channels closed, so that its thread comes free."""
        self._is_closed = True
        for call in self._running:
            self.soon(call.abort)
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._closer.shutdown(wait=False)


def _is_cancelling() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
