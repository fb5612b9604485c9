"""The demo host as a transport: answers in the host's place, and leads to the simulated engines.

Nothing is run on this machine. What was not recorded does not exist on this host.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from typing import Final, TypeVar

from app.core.events import HostKind
from app.core.hardware.frame import encode_frames, read_boundary
from app.io.demo import smi
from app.io.demo.engine import LOOPBACK
from app.io.demo.world import DemoWorld
from app.io.transport import failures, local_channels
from app.io.transport.base import Channel, CommandResult, FileEntry
from app.io.transport.host_threads import HostThreads, adopt
from app.io.transport.local import READ_LIMIT_BYTES

T = TypeVar("T")

LATENCY_S: Final = 0.0004
"""What the badge shows: the demo host is in this process."""

_PLAIN: Final = {
    ("uname", "-a"): "uname",
    ("id",): "id",
    ("df", "-PT", "-B1"): "df",
    ("cat", "/proc/meminfo"): "meminfo",
    ("cat", "/etc/os-release"): "os-release",
    ("lscpu", "-J"): "lscpu-J",
    ("lscpu",): "lscpu",
    ("numactl", "-H"): "numactl",
}


class DemoTransport:
    """One connection to a demo host."""

    def __init__(self, name: str, world: DemoWorld) -> None:
        self._name = name
        self._world = world
        self._threads = HostThreads(name)
        self._is_alive = True
        self._closed = asyncio.Event()

    @property
    def kind(self) -> HostKind:
        """How the host is reached."""
        return HostKind.DEMO

    @property
    def is_alive(self) -> bool:
        """False once closed."""
        return self._is_alive

    @property
    def latency_s(self) -> float | None:
        """A constant: nothing travels anywhere."""
        return LATENCY_S

    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout_s: float,  # noqa: ARG002 - answers come at once
        output_limit_bytes: int = 8 * 1024 * 1024,
    ) -> CommandResult:
        """Answer a command from recordings.

        Raises:
            HostError: TOOL_MISSING for what was not recorded, CONNECTION_LOST after `close`.
        """
        self._check_open()
        exit_code, output = self._answer(tuple(argv), stdin)
        return CommandResult(
            exit_code=exit_code,
            stdout=output[:output_limit_bytes],
            stderr=b"",
            truncated=len(output) > output_limit_bytes,
        )

    def stream_lines(self, argv: Sequence[str]) -> AbstractAsyncContextManager[AsyncIterator[str]]:
        """Stream the lines of a command; only ``nvidia-smi --query-gpu … -lms`` keeps going."""
        return self._stream(tuple(argv))

    async def list_folder(self, path: str, *, timeout_s: float = 10) -> tuple[FileEntry, ...]:  # noqa: ARG002 - at once
        """Return a folder's entries.

        Raises:
            HostError: NOT_FOUND.
        """
        self._check_open()
        return self._world.files.list_folder(path)

    async def read_file(
        self,
        path: str,
        *,
        offset: int = 0,
        length: int | None = None,
        timeout_s: float = 20,  # noqa: ARG002 - at once
    ) -> bytes:
        """Return part of a file.

        Raises:
            HostError: NOT_FOUND, COMMAND_FAILED for more than is read at once.
        """
        self._check_open()
        if length is None and self._world.files.size(path) - offset > READ_LIMIT_BYTES:
            raise failures.too_much_output(self._name, path, READ_LIMIT_BYTES)
        return self._world.files.read(path, offset=offset, length=length)

    def open_tcp(self, address: str, port: int, *, timeout_s: float) -> Channel:
        """Connect to a simulated engine by the port it publishes on the demo host. Blocking.

        Raises:
            HostError: CHANNEL_REFUSED when no simulated engine publishes that port.
        """
        self._check_open()
        real = self._world.containers.port_of(port)
        if address not in ("127.0.0.1", "localhost", "::1") or real is None:
            raise failures.channel_refused(self._name, f"{address}:{port}", "connect-failed")
        channel = local_channels.connect_tcp(self._name, LOOPBACK, real, timeout_s)
        adopt(channel)
        return channel

    def open_unix(self, path: str, *, timeout_s: float) -> Channel:  # noqa: ARG002 - at once
        """Refuse: the demo host has no sockets.

        Raises:
            HostError: CHANNEL_REFUSED.
        """
        self._check_open()
        raise failures.channel_refused(self._name, path, "connect-failed")

    def open_command(self, argv: Sequence[str], *, timeout_s: float) -> Channel:  # noqa: ARG002 - at once
        """Refuse: nothing can be run here.

        Raises:
            HostError: TOOL_MISSING.
        """
        self._check_open()
        raise failures.tool_missing(self._name, argv[0])

    async def blocking(self, work: Callable[[], T], *, timeout_s: float) -> T:
        """Run blocking ``work`` in this host's own threads, with a deadline."""
        return await self._threads.run(work, timeout_s=timeout_s)

    async def close(self) -> None:
        """End the connection; the simulated containers go on. Safe to call twice."""
        self._is_alive = False
        self._closed.set()
        self._threads.close()

    def _check_open(self) -> None:
        if not self._is_alive:
            raise failures.connection_lost(self._name, "it was closed")

    def _answer(self, argv: tuple[str, ...], stdin: bytes) -> tuple[int, bytes]:
        if argv[:2] == ("sh", "-s") and (boundary := read_boundary(stdin)) is not None:
            return 0, encode_frames(self._world.sections(), boundary)
        if argv[:1] == ("nvidia-smi",):
            exit_code, text = smi.answer(self._world, argv[1:])
            return exit_code, text.encode()
        name = _PLAIN.get(argv)
        recorded = self._world.recorded(name) if name is not None else None
        if recorded is None:
            raise failures.tool_missing(self._name, argv[0])
        return recorded.exit_code or 0, recorded.stdout.encode()

    @asynccontextmanager
    async def _stream(self, argv: tuple[str, ...]) -> AsyncGenerator[AsyncIterator[str], None]:
        self._check_open()
        query = smi.read_query(argv[1:]) if argv[:1] == ("nvidia-smi",) else None
        if query is None or query.every_s is None:
            exit_code, output = self._answer(argv, b"")
            lines = self._finite(argv, exit_code, output.decode())
        else:
            lines = self._endless(argv, query, query.every_s)
        async with aclosing(lines):
            yield lines

    async def _finite(
        self, argv: tuple[str, ...], exit_code: int, text: str
    ) -> AsyncGenerator[str, None]:
        for line in text.splitlines():
            yield line
        if exit_code != 0:
            raise failures.command_failed(self._name, argv, exit_code, text)

    async def _endless(
        self, argv: tuple[str, ...], query: smi.Query, every_s: float
    ) -> AsyncGenerator[str, None]:
        header = query.header
        while True:
            self._check_open()
            try:
                lines = self._world.gpus.query(query.columns, header=header, units=query.units)
            except KeyError as exc:
                raise failures.command_failed(self._name, argv, 2, f"no field {exc}") from exc
            header = False
            for line in lines:
                yield line
            await self._pause(every_s)

    async def _pause(self, duration_s: float) -> None:
        """Wait, or until the connection is closed."""
        nap = asyncio.ensure_future(self._world.clock.sleep(duration_s))
        closed = asyncio.ensure_future(self._closed.wait())
        try:
            await asyncio.wait((nap, closed), return_when=asyncio.FIRST_COMPLETED)
        finally:
            nap.cancel()
            closed.cancel()
