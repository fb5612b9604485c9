"""Blocking channels on this machine: a socket, or a command's stdin and stdout as one stream."""

import contextlib
import errno
import os
import socket
import subprocess
from collections.abc import Sequence

from app.core.errors import HostError
from app.io.transport import failures


class SocketChannel:
    """A connected socket as a channel whose close wakes a blocked reader."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        connected.settimeout(None)

    def sendall(self, data: bytes, /) -> None:
        """Send everything or raise ``OSError``."""
        self._socket.sendall(data)

    def recv(self, size: int, /) -> bytes:
        """Return up to ``size`` bytes; ``b""`` at the end."""
        return self._socket.recv(size)

    def settimeout(self, timeout_s: float | None, /) -> None:
        """Set the limit of each following call."""
        self._socket.settimeout(timeout_s)

    def shutdown_write(self) -> None:
        """Say that nothing more will be sent; reading goes on."""
        self._socket.shutdown(socket.SHUT_WR)

    def is_open(self) -> bool:
        """False when the other side has closed; for a channel that nobody reads just now."""
        try:
            limit_s = self._socket.gettimeout()
            self._socket.settimeout(0)
            try:
                return self._socket.recv(1, socket.MSG_PEEK) != b""
            finally:
                self._socket.settimeout(limit_s)
        except BlockingIOError:
            return True
        except OSError:
            return False

    def close(self) -> None:
        """Close both directions; wakes a blocked reader."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


class CommandChannel(SocketChannel):
    """A running command; closing the channel ends it."""

    def __init__(self, connected: socket.socket, process: "subprocess.Popen[bytes]") -> None:
        super().__init__(connected)
        self._process = process

    def close(self) -> None:
        """Close the stream, end the command and collect it."""
        super().close()
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.wait(1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def connect_tcp(host: str, address: str, port: int, timeout_s: float) -> SocketChannel:
    """Connect to a TCP port.

    Raises:
        HostError: CHANNEL_REFUSED when nothing listens, COMMAND_TIMEOUT.
    """
    target = f"{address}:{port}"
    try:
        connected = socket.create_connection((address, port), timeout_s)
    except OSError as problem:
        raise _connect_error(host, target, timeout_s, problem) from problem
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return SocketChannel(connected)


def connect_unix(host: str, path: str, timeout_s: float) -> SocketChannel:
    """Connect to a Unix socket.

    Raises:
        HostError: NOT_FOUND, PERMISSION_DENIED, CHANNEL_REFUSED, COMMAND_TIMEOUT.
    """
    connecting = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connecting.settimeout(timeout_s)
        connecting.connect(path)
    except OSError as problem:
        connecting.close()
        raise _connect_error(host, path, timeout_s, problem) from problem
    return SocketChannel(connecting)


def start_command(host: str, argv: Sequence[str]) -> CommandChannel:
    """Start a command whose stdin and stdout become one stream; stderr is thrown away.

    Raises:
        HostError: TOOL_MISSING, PERMISSION_DENIED.
    """
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            process = subprocess.Popen(
                argv,
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=subprocess.DEVNULL,
                env=command_environment(),
                start_new_session=True,
            )
        except OSError as problem:
            ours.close()
            raise start_error(host, argv[0], problem) from problem
    return CommandChannel(ours, process)


def command_environment() -> dict[str, str]:
    """Return our environment with the fixed locale that parsers rely on."""
    return {**os.environ, "LC_ALL": "C"}


def start_error(host: str, tool: str, problem: OSError) -> HostError:
    """Say why a command could not be started."""
    if problem.errno == errno.ENOENT:
        return failures.tool_missing(host, tool)
    if problem.errno == errno.EACCES:
        return failures.permission_denied(host, tool, details=str(problem))
    return failures.command_failed(host, [tool], problem.errno or -1, str(problem))


def _connect_error(host: str, target: str, timeout_s: float, problem: OSError) -> HostError:
    if isinstance(problem, TimeoutError):
        return failures.command_timeout(host, f"Connecting to {target}", timeout_s)
    match problem.errno:
        case errno.ENOENT:
            return failures.path_not_found(host, target)
        case errno.EACCES | errno.EPERM:
            return failures.permission_denied(host, target, details=str(problem))
        case _:
            return failures.channel_refused(host, target, "connect-failed", str(problem))
