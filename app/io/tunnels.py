"""Carry connections from this desktop's loopback to a port on a host.

Blocking channels, so each connection has two threads, one per direction; either side may close
its half first. The listener ends with the connection to the host.
"""

import asyncio
import contextlib
import errno
import logging
import socket
import threading
from typing import Protocol, runtime_checkable

from app.core.errors import AppError, ErrorCode, HostError
from app.io.transport.base import Channel, Transport
from app.io.transport.host_threads import close_quietly

_log = logging.getLogger(__name__)

MAX_CONNECTIONS = 128
"""At once; further ones wait."""
_PIECE_BYTES = 65536
_OPEN_TIMEOUT_S = 15.0
_ACCEPT_TURN_S = 0.5
_CLOSE_TIMEOUT_S = 3.0


async def open_tunnel(
    transport: Transport,
    remote_port: int,
    *,
    remote_address: str = "127.0.0.1",
    local_port: int = 0,
) -> "Tunnel":
    """Listen on 127.0.0.1 and carry each connection to the host's port.

    Args:
        transport: The host's connection; the tunnel ends with it.
        remote_port: Port as seen from the host.
        remote_address: Address as seen from the host.
        local_port: 0 takes a free one.

    Raises:
        HostError: PORT_IN_USE when the local port is taken, PERMISSION_DENIED for a low one.
    """
    try:
        listener = socket.create_server(("127.0.0.1", local_port), backlog=MAX_CONNECTIONS)
    except OSError as problem:
        raise _cannot_listen(local_port, problem) from problem
    return Tunnel(transport, listener, (remote_address, remote_port))


class Tunnel:
    """An open tunnel."""

    def __init__(
        self, transport: Transport, listener: socket.socket, target: tuple[str, int]
    ) -> None:
        self._transport = transport
        self._listener = listener
        self._target = target
        self._lock = threading.Lock()
        self._links: set[_Link] = set()
        self._room = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self._is_closed = False
        self._refused = False
        self.local_port: int = listener.getsockname()[1]
        listener.settimeout(_ACCEPT_TURN_S)
        self._thread = threading.Thread(
            target=self._accept, name=f"pitwall-tunnel-{self.local_port}", daemon=True
        )
        self._thread.start()

    @property
    def is_open(self) -> bool:
        """False once closed or ended with the connection to the host."""
        return not self._is_closed

    async def close(self) -> None:
        """Stop listening and end what runs through it; safe to call twice."""
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()

        def end() -> None:
            self._shut()
            self._thread.join(_CLOSE_TIMEOUT_S)
            with contextlib.suppress(RuntimeError):  # the loop did not wait for us
                loop.call_soon_threadsafe(ended.set)

        threading.Thread(target=end, name="pitwall-tunnel-end", daemon=True).start()
        # Not wait_for: until Python 3.12 it may swallow a cancellation.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_TIMEOUT_S):
                await ended.wait()

    def _shut(self) -> None:
        self._is_closed = True
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            links = tuple(self._links)
        for link in links:
            link.close()

    def _accept(self) -> None:
        while not self._is_closed and self._transport.is_alive:
            if not self._room.acquire(timeout=_ACCEPT_TURN_S):
                continue
            try:
                client, _ = self._listener.accept()
            except OSError as problem:  # a turn without a client, or closed
                self._room.release()
                if not isinstance(problem, TimeoutError):
                    break
                continue
            threading.Thread(
                target=self._serve, args=(client,), name="pitwall-tunnel-link", daemon=True
            ).start()
        self._shut()

    def _serve(self, client: socket.socket) -> None:
        try:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            channel = self._open_channel()
            if channel is None:
                client.close()
                return
            self._carry(_Link(client, channel))
        finally:
            self._room.release()

    def _open_channel(self) -> Channel | None:
        try:
            channel = self._transport.open_tcp(*self._target, timeout_s=_OPEN_TIMEOUT_S)
        except AppError as problem:
            # Once in a row: a browser tries again and again while an engine starts.
            level = logging.DEBUG if self._refused else logging.INFO
            _log.log(level, "Tunnel on port %d: %s", self.local_port, problem.cause)
            self._refused = True
            return None
        self._refused = False
        return channel

    def _carry(self, link: "_Link") -> None:
        with self._lock:
            self._links.add(link)
        try:
            if not self._is_closed:
                link.run()
        finally:
            link.close()
            with self._lock:
                self._links.discard(link)


@runtime_checkable
class _HasHalves(Protocol):
    def shutdown_write(self) -> None:
        """Say that nothing more will be sent."""


class _Link:
    """One carried connection."""

    def __init__(self, client: socket.socket, channel: Channel) -> None:
        self._client = client
        self._channel = channel

    def run(self) -> None:
        """Carry both directions until both have ended."""
        up = threading.Thread(target=self._up, name="pitwall-tunnel-up", daemon=True)
        up.start()
        self._down()
        up.join()

    def close(self) -> None:
        """Cut both sides; wakes both threads."""
        with contextlib.suppress(OSError):
            self._client.shutdown(socket.SHUT_RDWR)
        self._client.close()
        close_quietly(self._channel)

    def _up(self) -> None:
        try:
            while data := self._client.recv(_PIECE_BYTES):
                self._channel.sendall(data)
            if isinstance(self._channel, _HasHalves):
                self._channel.shutdown_write()
        except (OSError, EOFError):
            self.close()

    def _down(self) -> None:
        try:
            while data := self._channel.recv(_PIECE_BYTES):
                self._client.sendall(data)
            self._client.shutdown(socket.SHUT_WR)
        except (OSError, EOFError):
            self.close()


def _cannot_listen(port: int, problem: OSError) -> HostError:
    if problem.errno == errno.EACCES:
        return HostError(
            ErrorCode.PERMISSION_DENIED,
            {"what": f"port {port}"},
            cause=f"You may not listen on port {port} of this computer.",
            remedy="Choose a port above 1023.",
        )
    return HostError(
        ErrorCode.PORT_IN_USE,
        {"port": port},
        cause=f"Port {port} of this computer is in use.",
        remedy="Choose another port, or 0 for a free one.",
    )
