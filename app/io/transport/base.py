"""The border to a host: one authenticated connection, many channels.

Three implementations pass the same contract tests: this machine, SSH, and the demo host.
Everything has a deadline; cancelling an awaiting task closes its channel.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from app.core.events import HostKind

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """What a command on the host left behind."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    truncated: bool = False
    """True when output beyond the limit was thrown away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """One entry of a folder on the host."""

    name: str
    is_dir: bool
    size_bytes: int


class Channel(Protocol):
    """A blocking, socket-like byte stream to something on the host.

    Enough of ``socket.socket`` for ``http.client`` and docker-py: used from worker threads only.
    """

    def sendall(self, data: bytes, /) -> None:
        """Send everything or raise ``OSError``."""

    def recv(self, size: int, /) -> bytes:
        """Return up to ``size`` bytes; ``b""`` at the end."""

    def settimeout(self, timeout_s: float | None, /) -> None:
        """Set the limit of each following call."""

    def close(self) -> None:
        """Close both directions; wakes a blocked reader."""


class Transport(Protocol):
    """A connected host. Raises `app.core.errors.HostError` for everything that goes wrong."""

    @property
    def kind(self) -> HostKind:
        """How the host is reached."""

    @property
    def is_alive(self) -> bool:
        """False once the connection is known to be lost or closed."""

    @property
    def latency_s(self) -> float | None:
        """Round trip of the last heartbeat; ``None`` before the first."""

    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout_s: float,
        output_limit_bytes: int = 8 * 1024 * 1024,
    ) -> CommandResult:
        """Run one command to its end. A script is run as ``["sh", "-s"]`` with the text on stdin.

        Raises:
            HostError: COMMAND_TIMEOUT, TOOL_MISSING (exit 127 of the shell), CONNECTION_LOST.
        """

    def stream_lines(self, argv: Sequence[str]) -> AbstractAsyncContextManager[AsyncIterator[str]]:
        """Run a command that keeps printing; leaving the context ends it on the host."""

    async def list_folder(self, path: str, *, timeout_s: float = 10) -> tuple[FileEntry, ...]:
        """Return a folder's entries, sorted by name; ``~`` is the user's home.

        Raises:
            HostError: NOT_FOUND, PERMISSION_DENIED, CONNECTION_LOST.
        """

    async def read_file(
        self, path: str, *, offset: int = 0, length: int | None = None, timeout_s: float = 20
    ) -> bytes:
        """Return part of a file; for headers, never for whole weights."""

    def open_tcp(self, address: str, port: int, *, timeout_s: float) -> Channel:
        """Connect to a TCP port as seen from the host. Blocking: call it in a worker thread."""

    def open_unix(self, path: str, *, timeout_s: float) -> Channel:
        """Connect to a Unix socket on the host. Blocking: call it in a worker thread."""

    def open_command(self, argv: Sequence[str], *, timeout_s: float) -> Channel:
        """Start a command and return its stdin and stdout as one stream. Blocking."""

    async def blocking(self, work: Callable[[], T], *, timeout_s: float) -> T:
        """Run blocking ``work`` in this host's own small thread pool, with a deadline.

        Raises:
            HostError: COMMAND_TIMEOUT, CONNECTION_LOST.
        """

    async def close(self) -> None:
        """End the connection and everything that runs over it; safe to call twice."""
