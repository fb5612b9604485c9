"""This machine as a host: asyncio subprocesses, and sockets as channels."""

import asyncio
import contextlib
import os
import signal
import stat
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeVar

from app.core.errors import HostError
from app.core.events import HostKind
from app.io.transport import failures, local_channels
from app.io.transport.base import Channel, CommandResult, FileEntry
from app.io.transport.host_threads import HostThreads, adopt
from app.io.transport.lines import LineSplitter

T = TypeVar("T")

READ_LIMIT_BYTES = 64 * 1024 * 1024
"""Most that `read_file` returns: headers and configurations, never weights."""

_KILL_AFTER_S = 2.0


class LocalTransport:
    """The machine Pitwall runs on, used like any other host."""

    def __init__(self, name: str = "localhost") -> None:
        self._name = name
        self._threads = HostThreads(name)
        self._is_alive = True
        self._running: set[asyncio.subprocess.Process] = set()

    @property
    def kind(self) -> HostKind:
        """How the host is reached."""
        return HostKind.LOCAL

    @property
    def is_alive(self) -> bool:
        """False once closed."""
        return self._is_alive

    @property
    def latency_s(self) -> float | None:
        """This machine is at hand."""
        return 0.0

    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout_s: float,
        output_limit_bytes: int = 8 * 1024 * 1024,
    ) -> CommandResult:
        """Run one command to its end; a late or cancelled one is killed with its children."""
        process = await self._start(argv, takes_input=bool(stdin))
        try:
            async with asyncio.timeout(timeout_s):
                (stdout, cut_out), (stderr, cut_err), _ = await asyncio.gather(
                    _read_limited(process.stdout, output_limit_bytes),
                    _read_limited(process.stderr, output_limit_bytes),
                    _feed(process.stdin, stdin),
                )
                exit_code = await process.wait()
        except TimeoutError as problem:
            raise failures.command_timeout(self._name, argv[0], timeout_s) from problem
        finally:
            await self._end(process)
        self._check_open()
        return CommandResult(
            exit_code=_shell_code(exit_code),
            stdout=stdout,
            stderr=stderr,
            truncated=cut_out or cut_err,
        )

    def stream_lines(self, argv: Sequence[str]) -> AbstractAsyncContextManager[AsyncIterator[str]]:
        """Run a command that keeps printing; leaving the context ends it."""
        return self._stream(tuple(argv))

    @asynccontextmanager
    async def _stream(self, argv: tuple[str, ...]) -> AsyncIterator[AsyncIterator[str]]:
        process = await self._start(argv, takes_input=False)
        errors = asyncio.ensure_future(_read_limited(process.stderr, 64 * 1024))
        try:
            yield self._lines(argv, process, errors)
        finally:
            await self._end(process)
            await errors

    async def _lines(
        self,
        argv: tuple[str, ...],
        process: asyncio.subprocess.Process,
        errors: "asyncio.Future[tuple[bytes, bool]]",
    ) -> AsyncIterator[str]:
        splitter = LineSplitter()
        while process.stdout is not None and (data := await process.stdout.read(65536)):
            for line in splitter.feed(data):
                yield line
        for line in splitter.finish():
            yield line
        exit_code = await process.wait()
        self._check_open()
        if exit_code != 0:
            stderr, _ = await errors
            text = stderr.decode("utf-8", "replace")
            raise failures.command_failed(self._name, argv, _shell_code(exit_code), text)

    async def list_folder(self, path: str, *, timeout_s: float = 10) -> tuple[FileEntry, ...]:
        """Return a folder's entries, sorted by name; broken links are left out."""
        return await self.blocking(lambda: self._list(path), timeout_s=timeout_s)

    def _list(self, path: str) -> tuple[FileEntry, ...]:
        with self._path_errors(path), os.scandir(Path(path).expanduser()) as found:
            entries = [entry for entry in map(_entry, found) if entry is not None]
        return tuple(sorted(entries, key=lambda entry: entry.name))

    async def read_file(
        self, path: str, *, offset: int = 0, length: int | None = None, timeout_s: float = 20
    ) -> bytes:
        """Return part of a file; for headers, never for whole weights."""
        return await self.blocking(lambda: self._read(path, offset, length), timeout_s=timeout_s)

    def _read(self, path: str, offset: int, length: int | None) -> bytes:
        limit = READ_LIMIT_BYTES if length is None else length
        with self._path_errors(path), Path(path).expanduser().open("rb") as file:
            file.seek(offset)
            data = file.read(limit + 1 if length is None else limit)
        if length is None and len(data) > limit:
            raise failures.too_much_output(self._name, path, limit)
        return data

    def open_tcp(self, address: str, port: int, *, timeout_s: float) -> Channel:
        """Connect to a TCP port of this machine. Blocking."""
        return self._adopted(local_channels.connect_tcp(self._name, address, port, timeout_s))

    def open_unix(self, path: str, *, timeout_s: float) -> Channel:
        """Connect to a Unix socket. Blocking."""
        return self._adopted(local_channels.connect_unix(self._name, path, timeout_s))

    def open_command(self, argv: Sequence[str], *, timeout_s: float) -> Channel:
        """Start a command and return its stdin and stdout as one stream. Blocking."""
        del timeout_s  # starting a process does not wait
        return self._adopted(local_channels.start_command(self._name, argv))

    def _adopted(self, channel: local_channels.SocketChannel) -> Channel:
        adopt(channel)
        return channel

    async def blocking(self, work: Callable[[], T], *, timeout_s: float) -> T:
        """Run blocking ``work`` in this host's own threads, with a deadline."""
        return await self._threads.run(work, timeout_s=timeout_s)

    async def close(self) -> None:
        """End what runs here; safe to call twice."""
        self._is_alive = False
        await asyncio.gather(*(self._end(process) for process in self._running))
        self._threads.close()

    def _check_open(self) -> None:
        if not self._is_alive:
            raise failures.connection_lost(self._name, "it was closed")

    async def _start(self, argv: Sequence[str], *, takes_input: bool) -> asyncio.subprocess.Process:
        self._check_open()
        pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        try:
            process = await asyncio.create_subprocess_exec(
                *argv,
                stdin=pipe if takes_input else nothing,
                stdout=pipe,
                stderr=pipe,
                env=local_channels.command_environment(),
                start_new_session=True,
            )
        except OSError as problem:
            raise local_channels.start_error(self._name, argv[0], problem) from problem
        self._running.add(process)
        return process

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        self._running.discard(process)
        await _end(process)

    @contextlib.contextmanager
    def _path_errors(self, path: str) -> Iterator[None]:
        try:
            yield
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as problem:
            raise failures.path_not_found(self._name, path) from problem
        except PermissionError as problem:
            raise failures.permission_denied(self._name, path) from problem
        except OSError as problem:
            raise self._unreadable(path, problem) from problem

    def _unreadable(self, path: str, problem: OSError) -> HostError:
        return failures.command_failed(self._name, [path], problem.errno or -1, str(problem))


def _entry(found: "os.DirEntry[str]") -> FileEntry | None:
    try:
        status = found.stat()
    except OSError:  # a link to nowhere
        return None
    is_dir = stat.S_ISDIR(status.st_mode)
    return FileEntry(name=found.name, is_dir=is_dir, size_bytes=0 if is_dir else status.st_size)


async def _read_limited(stream: asyncio.StreamReader | None, limit: int) -> tuple[bytes, bool]:
    """Read to the end, keep the first ``limit`` bytes, say whether more came."""
    kept = bytearray()
    cut = False
    while stream is not None and (data := await stream.read(65536)):
        room = limit - len(kept)
        kept += data[:room]
        cut = cut or len(data) > room
    return bytes(kept), cut


async def _feed(stream: asyncio.StreamWriter | None, data: bytes) -> None:
    if stream is None:
        return
    with contextlib.suppress(ConnectionError):  # the command did not read it all
        stream.write(data)
        await stream.drain()
    stream.close()
    with contextlib.suppress(ConnectionError):
        await stream.wait_closed()


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a command and what it started, first politely; it is our child, so it is collected."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        if process.returncode is not None:
            break
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        with contextlib.suppress(TimeoutError):
            # Not wait_for: until Python 3.12 it may swallow a cancellation.
            async with asyncio.timeout(_KILL_AFTER_S):
                await process.wait()
    # The pipes may be held by a grandchild; closing our ends lets the transport go.
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()


def _shell_code(returncode: int) -> int:
    """Return the exit code a shell would show: 128 + n after signal n."""
    return 128 - returncode if returncode < 0 else returncode
