"""How many sessions may be open at once on one connection.

sshd counts sessions (commands), not forwarded channels, against MaxSessions: 10 unless changed.
Eight are used at most. When the host refuses earlier, the limit is learned, a command waits for
a free session, and a long stream gives way: its owner sees an error and can start it again.
"""

import logging
import threading
import time
from collections.abc import Callable

_log = logging.getLogger(__name__)

MAX_SESSIONS = 8
_SETTLING_S = 3.0
_RETRY_S = 0.03


class SessionSlot:
    """One session in use."""

    def __init__(self, give_way: Callable[[], None] | None) -> None:
        self.give_way = give_way


class SessionSlots:
    """Hand out sessions; blocking, used from the host's worker threads."""

    def __init__(self, host: str, limit: int = MAX_SESSIONS) -> None:
        self._host = host
        self._limit = limit
        self._changed = threading.Condition()
        self._used: list[SessionSlot] = []
        self._is_closed = False
        self._released_s = float("-inf")

    @property
    def limit(self) -> int:
        """Sessions that may be open at once, as far as is known."""
        return self._limit

    def take(self, timeout_s: float, give_way: Callable[[], None] | None = None) -> SessionSlot:
        """Wait for a free session.

        Args:
            timeout_s: How long to wait.
            give_way: For a long stream: called (once) when a command needs its session.

        Raises:
            TimeoutError: None came free.
            EOFError: The connection was closed.
        """
        deadline = time.monotonic() + timeout_s
        with self._changed:
            while not self._is_closed and len(self._used) >= self._limit:
                if give_way is None:
                    self._ask_stream_to_end()
                left = deadline - time.monotonic()
                if left <= 0 or not self._changed.wait(left):
                    msg = "no session came free"
                    raise TimeoutError(msg)
            if self._is_closed:
                raise EOFError
            slot = SessionSlot(give_way)
            self._used.append(slot)
            return slot

    def release(self, slot: SessionSlot) -> None:
        """Give a session back."""
        with self._changed:
            if slot in self._used:
                self._used.remove(slot)
                self._released_s = time.monotonic()
            self._changed.notify_all()

    def refused(self, slot: SessionSlot) -> bool:
        """Learn from a refused session and drop its slot; False when waiting cannot help.

        A session that was just closed here may still be counted on the host.
        """
        with self._changed:
            self._used.remove(slot)
            others = len(self._used)
            if 0 < others < self._limit:
                self._limit = others
                _log.info("%s allows %d sessions at once; commands take turns", self._host, others)
            is_settling = time.monotonic() - self._released_s < _SETTLING_S
            if others == 0 and is_settling:
                self._changed.wait(_RETRY_S)
            self._changed.notify_all()
        return others > 0 or is_settling

    def close(self) -> None:
        """Wake everyone who waits."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _ask_stream_to_end(self) -> None:
        for slot in self._used:
            if slot.give_way is not None:
                give_way, slot.give_way = slot.give_way, None
                give_way()
                return
