"""Make a channel look like a socket, as far as ``http.client`` looks.

A real socket stays open while a file made from it is in use; ``http.client`` relies on that
when an answer ends with the connection.
"""

import io
from typing import Protocol, runtime_checkable

from app.io.transport.base import Channel


@runtime_checkable
class _KnowsItsState(Protocol):
    def is_open(self) -> bool:
        """False when the other side has closed."""


class ChannelSocket:
    """A channel with the methods of ``socket.socket`` that HTTP clients use."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self._readers = 0
        self._is_closed = False

    @property
    def is_open(self) -> bool:
        """False when a new request must not be sent over it."""
        if self._is_closed:
            return False
        return self.channel.is_open() if isinstance(self.channel, _KnowsItsState) else True

    def sendall(self, data: bytes, /) -> None:
        """Send everything."""
        self.channel.sendall(bytes(data))

    def settimeout(self, timeout_s: float | None, /) -> None:
        """Set the limit of each following call."""
        self.channel.settimeout(timeout_s)

    def makefile(self, _mode: str = "rb", _buffering: int = -1) -> io.BufferedReader:
        """Return a reader; the channel stays open until it is closed, too."""
        self._readers += 1
        return io.BufferedReader(_Reader(self), 65536)

    def shutdown(self, _how: int, /) -> None:
        """Cut the connection, whoever still reads."""
        self.channel.close()

    def close(self) -> None:
        """Close once no reader is left."""
        self._is_closed = True
        if self._readers == 0:
            self.channel.close()

    def recv(self, size: int) -> bytes:
        """Return up to ``size`` bytes; ``b""`` at the end."""
        return self.channel.recv(size)

    def reader_closed(self) -> None:
        """A file made by `makefile` was closed."""
        self._readers -= 1
        if self._is_closed:
            self.close()


class _Reader(io.RawIOBase):
    def __init__(self, owner: ChannelSocket) -> None:
        self._owner = owner

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # a bytearray or alike
        data = self._owner.recv(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._owner.reader_closed()
