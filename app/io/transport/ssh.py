"""A host over one SSH connection with many channels.

paramiko blocks, so every call runs in the host's own threads with a deadline; long streams have
a thread of their own. When the connection ends, everything in flight ends with CONNECTION_LOST.
"""

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from paramiko.ssh_exception import SSHException

from app.core.events import HostKind
from app.io.transport import failures, shell, ssh_connect
from app.io.transport.base import Channel, CommandResult, FileEntry
from app.io.transport.feed import Feed
from app.io.transport.heartbeat import Heartbeat
from app.io.transport.host_threads import Call, HostThreads, adopt, close_quietly
from app.io.transport.lines import LineSplitter
from app.io.transport.local import READ_LIMIT_BYTES
from app.io.transport.ssh_channels import (
    ADMINISTRATIVELY_PROHIBITED,
    ChannelRefusedError,
    SessionChannel,
    SshChannel,
    WatchedTransport,
)
from app.io.transport.ssh_exec import Limited, pump
from app.io.transport.ssh_sessions import SessionSlot, SessionSlots

_log = logging.getLogger(__name__)

T = TypeVar("T")

_STREAM_OPEN_TIMEOUT_S = 20.0
_STDERR_LIMIT_BYTES = 64 * 1024
_CLOSE_TIMEOUT_S = 3.0
_SIGNAL_EXIT = 255
"""What OpenSSH's client returns for a command that a signal ended."""
_LOSS_SEEN_S = 0.5
"""paramiko ends the channels a moment before it says that the connection is gone."""


class SshTransport:
    """A host reached over SSH. Make it with `app.io.connect.open_transport`."""

    def __init__(self, name: str, transport: WatchedTransport, threads: HostThreads) -> None:
        self._name = name
        self._transport = transport
        self._threads = threads
        self._sessions = SessionSlots(name)
        self._lost_reason = ""
        self._is_closed = False
        self._heartbeat = Heartbeat(transport, host=name, on_lost=self._on_lost)

    @property
    def kind(self) -> HostKind:
        """How the host is reached."""
        return HostKind.SSH

    @property
    def is_alive(self) -> bool:
        """False once the connection is known to be lost or closed."""
        return not self._is_closed and self._transport.is_active()

    @property
    def latency_s(self) -> float | None:
        """Round trip of the last heartbeat; ``None`` before the first."""
        return self._heartbeat.latency_s

    @property
    def session_limit(self) -> int:
        """Commands that may run at once on this host, as far as is known."""
        return self._sessions.limit

    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout_s: float,
        output_limit_bytes: int = 8 * 1024 * 1024,
    ) -> CommandResult:
        """Run one command to its end.

        A late or cancelled command without input is ended on the host as well; one with input
        sees its input and output closed.
        """
        deadline_s = time.monotonic() + timeout_s
        return await self._threads.run(
            lambda: self._run(tuple(argv), stdin, deadline_s, output_limit_bytes),
            timeout_s=timeout_s,
            what=argv[0],
        )

    def _run(
        self, argv: tuple[str, ...], stdin: bytes, deadline_s: float, limit: int
    ) -> CommandResult:
        out, err = Limited(limit, bytearray()), Limited(limit, bytearray())
        line = shell.direct_command(argv) if stdin else shell.watched_command(argv)
        with self._errors(argv[0]), self._session(line, argv[0], deadline_s) as session:

            def on_stdout(data: bytes) -> bool:
                out.add(data)
                return True

            exit_code = pump(
                session.channel.inner,
                stdin=stdin,
                on_stdout=on_stdout,
                on_stderr=err.add,
                deadline_s=deadline_s,
            )
            if exit_code < 0:  # no exit status: ended by a signal, or with the connection
                self._check_not_lost()
                exit_code = _SIGNAL_EXIT
        stderr = bytes(err.kept)
        shell.check_started(self._name, argv, exit_code, stderr.decode("utf-8", "replace"))
        return CommandResult(
            exit_code=exit_code,
            stdout=bytes(out.kept),
            stderr=stderr,
            truncated=out.cut or err.cut,
        )

    def stream_lines(self, argv: Sequence[str]) -> AbstractAsyncContextManager[AsyncIterator[str]]:
        """Run a command that keeps printing; leaving the context ends it on the host."""
        return self._stream(tuple(argv))

    @asynccontextmanager
    async def _stream(self, argv: tuple[str, ...]) -> AsyncIterator[AsyncIterator[str]]:
        feed: Feed[str] = Feed()
        call = Call()
        thread = threading.Thread(
            target=self._read_stream,
            args=(argv, feed, call),
            name=f"pitwall-{self._name}-stream",
            daemon=True,
        )
        thread.start()
        items = feed.items()
        try:
            async with contextlib.aclosing(items):
                yield items
        finally:
            feed.close()
            self._threads.soon(call.abort)

    def _read_stream(self, argv: tuple[str, ...], feed: Feed[str], call: Call) -> None:
        try:
            with call:
                self._pump_stream(argv, feed, call)
        except Exception as problem:  # noqa: BLE001 - the reader gets it; else it waits for ever
            feed.finish(problem)
        else:
            feed.finish()

    def _pump_stream(self, argv: tuple[str, ...], feed: Feed[str], call: Call) -> None:
        splitter = LineSplitter()
        err = Limited(_STDERR_LIMIT_BYTES, bytearray())
        gave_way = threading.Event()

        def on_stdout(data: bytes) -> bool:
            return all(feed.put(line) for line in splitter.feed(data))

        def give_way() -> None:
            gave_way.set()
            self._threads.soon(call.abort)

        deadline_s = time.monotonic() + _STREAM_OPEN_TIMEOUT_S
        line = shell.watched_command(argv)
        with self._errors(argv[0]), self._session(line, argv[0], deadline_s, give_way) as session:
            exit_code = pump(
                session.channel.inner,
                stdin=b"",
                on_stdout=on_stdout,
                on_stderr=err.add,
                deadline_s=None,
            )
        for text in splitter.finish():
            feed.put(text)
        if gave_way.is_set():
            raise failures.channel_refused(
                self._name, argv[0], "sessions", "it gave way to a command"
            )
        if not call.is_aborted:
            self._check_stream_end(argv, exit_code, err.kept.decode("utf-8", "replace"))

    def _check_stream_end(self, argv: tuple[str, ...], exit_code: int, stderr: str) -> None:
        if exit_code < 0:
            self._check_not_lost()
        if exit_code != 0:
            shell.check_started(self._name, argv, exit_code, stderr)
            raise failures.command_failed(self._name, argv, exit_code, stderr)

    async def list_folder(self, path: str, *, timeout_s: float = 10) -> tuple[FileEntry, ...]:
        """Return a folder's entries, sorted by name; broken links are left out."""
        script = shell.LIST_SCRIPT.encode()
        result = await self.run(shell.script_argv(path), stdin=script, timeout_s=timeout_s)
        return shell.parse_listing(self._name, path, result)

    async def read_file(
        self, path: str, *, offset: int = 0, length: int | None = None, timeout_s: float = 20
    ) -> bytes:
        """Return part of a file; for headers, never for whole weights."""
        limit = READ_LIMIT_BYTES if length is None else length
        count = limit + 1 if length is None else limit
        result = await self.run(
            shell.script_argv(path, str(offset), str(count)),
            stdin=shell.READ_SCRIPT.encode(),
            timeout_s=timeout_s,
            output_limit_bytes=count,
        )
        shell.check_path_result(self._name, path, result)
        if length is None and len(result.stdout) > limit:
            raise failures.too_much_output(self._name, path, limit)
        return result.stdout

    def open_tcp(self, address: str, port: int, *, timeout_s: float) -> Channel:
        """Connect to a TCP port as seen from the host. Blocking."""
        fields = (address, port, "127.0.0.1", 0)
        return self._open_direct("direct-tcpip", fields, f"{address}:{port}", timeout_s)

    def open_unix(self, path: str, *, timeout_s: float) -> Channel:
        """Connect to a Unix socket on the host. Blocking."""
        fields = (path, "", 0)
        return self._open_direct("direct-streamlocal@openssh.com", fields, path, timeout_s)

    def _open_direct(
        self, kind: str, fields: tuple[str | int, ...], target: str, timeout_s: float
    ) -> Channel:
        with self._errors(target, timeout_s):
            self._check_open()
            channel = self._transport.open_kind(kind, fields, timeout_s)
        adopt(channel)
        return channel

    def open_command(self, argv: Sequence[str], *, timeout_s: float) -> Channel:
        """Start a command and return its stdin and stdout as one stream. Blocking."""
        deadline_s = time.monotonic() + timeout_s
        with self._errors(argv[0], timeout_s):
            slot, channel = self._open_session(argv[0], deadline_s, None)
            owned = SessionChannel(channel.inner, lambda: self._sessions.release(slot))
            adopt(owned)
            channel.inner.exec_command(shell.direct_command(argv))
        return owned

    async def blocking(self, work: Callable[[], T], *, timeout_s: float) -> T:
        """Run blocking ``work`` in this host's own threads, with a deadline."""
        return await self._threads.run(work, timeout_s=timeout_s)

    async def close(self) -> None:
        """End the connection and everything that runs over it; safe to call twice."""
        if self._is_closed:
            return
        self._is_closed = True
        await self._heartbeat.stop()
        self._sessions.close()
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()

        def end() -> None:
            ssh_connect.close_transport(self._transport)
            with contextlib.suppress(RuntimeError):  # the loop did not wait for us
                loop.call_soon_threadsafe(ended.set)

        self._threads.soon(end)
        # Not wait_for: until Python 3.12 it may swallow a cancellation.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_TIMEOUT_S):
                await ended.wait()
        self._threads.close()

    def _on_lost(self, reason: str) -> None:
        """The heartbeat found the host silent or gone: end everything that still waits."""
        if self._is_closed:
            return
        self._lost_reason = reason
        _log.info("The connection to %s was lost: %s", self._name, reason)
        self._sessions.close()
        self._threads.soon(self._transport.close)

    @contextlib.contextmanager
    def _session(
        self,
        line: str,
        what: str,
        deadline_s: float,
        give_way: Callable[[], None] | None = None,
    ) -> Iterator["_Session"]:
        slot, channel = self._open_session(what, deadline_s, give_way)
        try:
            adopt(channel)
            channel.inner.exec_command(line)
            yield _Session(slot, channel)
        finally:
            close_quietly(channel)
            self._sessions.release(slot)

    def _open_session(
        self, what: str, deadline_s: float, give_way: Callable[[], None] | None
    ) -> tuple[SessionSlot, SshChannel]:
        """Take a slot and open a session; a refused one waits for its turn."""
        while True:
            self._check_open()
            slot = self._sessions.take(max(0.0, deadline_s - time.monotonic()), give_way)
            try:
                left_s = max(0.1, deadline_s - time.monotonic())
                return slot, self._transport.open_kind("session", (), left_s)
            except ChannelRefusedError as refusal:
                if not self._sessions.refused(slot):
                    raise failures.channel_refused(
                        self._name, what, "sessions", refusal.text
                    ) from refusal
            except BaseException:
                self._sessions.release(slot)
                raise

    def _check_open(self) -> None:
        if not self.is_alive:
            raise failures.connection_lost(self._name, self._lost_reason)

    def _check_not_lost(self) -> None:
        """Raise when the connection has ended, or ends in the next moment."""
        self._transport.join(_LOSS_SEEN_S)
        self._check_open()

    @contextlib.contextmanager
    def _errors(self, what: str, timeout_s: float | None = None) -> Iterator[None]:
        """Turn what paramiko and sockets raise into our errors."""
        started_s = time.monotonic()
        try:
            yield
        except ChannelRefusedError as refusal:
            forbidden = refusal.code == ADMINISTRATIVELY_PROHIBITED
            reason = "forbidden" if forbidden else "connect-failed"
            raise failures.channel_refused(self._name, what, reason, refusal.text) from refusal
        except TimeoutError as problem:
            self._check_open()
            limit_s = timeout_s or time.monotonic() - started_s
            raise failures.command_timeout(self._name, what, limit_s) from problem
        except (SSHException, EOFError, OSError) as problem:
            self._check_not_lost()
            raise failures.channel_refused(self._name, what, "sessions", str(problem)) from problem


@dataclass(frozen=True, slots=True)
class _Session:
    slot: SessionSlot
    channel: SshChannel
