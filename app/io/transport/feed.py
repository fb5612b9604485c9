"""A bounded bridge from one worker thread to one asyncio iterator, without loss.

The thread waits while the reader is slow (so the sender on the host waits too); closing the
iterator frees the thread.
"""

import asyncio
import threading
from collections import deque
from collections.abc import AsyncGenerator
from typing import Generic, TypeVar

T = TypeVar("T")


class Feed(Generic[T]):
    """Items go in from a thread and come out on the loop that made the feed."""

    def __init__(self, limit: int = 1000) -> None:
        self._limit = limit
        self._loop = asyncio.get_running_loop()
        self._changed = threading.Condition()
        self._items: deque[T] = deque()
        self._error: BaseException | None = None
        self._is_finished = False
        self._is_closed = False
        self._wake = asyncio.Event()

    def put(self, item: T) -> bool:
        """Add an item, waiting for room; False when nobody reads any more (thread side)."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or len(self._items) < self._limit)
            if self._is_closed:
                return False
            self._items.append(item)
            was_empty = len(self._items) == 1
        if was_empty:
            self._signal()
        return True

    def finish(self, error: BaseException | None = None) -> None:
        """Say that nothing more comes, or why it broke off (thread side)."""
        with self._changed:
            self._is_finished = True
            self._error = error
        self._signal()

    def close(self) -> None:
        """Stop reading; a waiting `put` returns False."""
        with self._changed:
            self._is_closed = True
            self._items.clear()
            self._changed.notify_all()

    async def items(self) -> AsyncGenerator[T, None]:
        """Yield what arrives until the thread is finished, then raise its error if it had one."""
        while True:
            batch, finished = self._take()
            for item in batch:
                yield item
            if finished and not batch:
                break
            if not batch:
                await self._wake.wait()
        if self._error is not None:
            raise self._error

    def _take(self) -> tuple[tuple[T, ...], bool]:
        self._wake.clear()
        with self._changed:
            batch = tuple(self._items)
            self._items.clear()
            self._changed.notify_all()
            return batch, self._is_finished

    def _signal(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._wake.set)
        except RuntimeError:  # the loop has ended: nobody waits
            self.close()
