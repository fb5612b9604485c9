"""Find a way to the container engine of a host.

In this order: its socket (a channel of its own kind, not counted as a session), another socket
that the user may use (rootless Docker, Podman), ``docker system dial-stdio`` (also honours
contexts and DOCKER_HOST there), and the same through ``sudo -n``.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from app.core.errors import DockerError, ErrorCode, HostError
from app.io.docker import errors
from app.io.docker.http import Opener
from app.io.transport.base import Channel, Transport

_log = logging.getLogger(__name__)

USUAL_SOCKET = "/var/run/docker.sock"
_DIAL = ("system", "dial-stdio")
_TIMEOUT_S = 15.0
_PING = b"GET /_ping HTTP/1.1\r\nHost: docker\r\nConnection: close\r\n\r\n"

_LOOK_SCRIPT = b"""
echo "user=$(id -un)"
echo "docker=$(command -v docker)"
id=$(id -u)
for s in "$1" "${DOCKER_HOST#unix://}" /var/run/docker.sock "/run/user/$id/docker.sock" \\
    /run/podman/podman.sock "/run/user/$id/podman/podman.sock"; do
  [ -S "$s" ] || continue
  if [ -r "$s" ] && [ -w "$s" ]; then echo "usable=$s"; else echo "locked=$s"; fi
done
"""
_NO_CHANNEL = {
    ErrorCode.CHANNEL_REFUSED,
    ErrorCode.NOT_FOUND,
    ErrorCode.PERMISSION_DENIED,
    ErrorCode.COMMAND_TIMEOUT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """A way that was tried and answers."""

    opener: Opener
    way: str
    """For people: the socket's path or the command."""
    is_scarce: bool = False
    """Each channel takes one of the connection's few sessions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """What the host says about engines."""

    user: str
    has_docker_command: bool
    usable: tuple[str, ...]
    locked: tuple[str, ...]


async def find(transport: Transport, socket_path: str | None) -> Reach:
    """Return the first way on which an engine answers.

    Raises:
        DockerError: DOCKER_NOT_FOUND, DOCKER_PERMISSION, DOCKER_NOT_REACHABLE.
        HostError: CONNECTION_LOST.
    """
    path = socket_path or USUAL_SOCKET
    tried: list[str] = []
    if reach := await _try_socket(transport, path, tried):
        return reach
    seen = await _look(transport, path)
    others = seen.usable if socket_path is None else ()
    for other in others:
        if other != path and (reach := await _try_socket(transport, other, tried)):
            return reach
    if reach := await _try_commands(transport, socket_path, seen, tried):
        return reach
    if socket_path and socket_path not in (*seen.usable, *seen.locked):
        raise errors.no_such_socket(socket_path, "\n".join(tried))
    raise _failure(seen, path, tried)


async def _try_socket(transport: Transport, path: str, tried: list[str]) -> Reach | None:
    def opener(timeout_s: float) -> Channel:
        return transport.open_unix(path, timeout_s=timeout_s)

    def ping() -> bytes:
        channel = opener(_TIMEOUT_S)
        try:
            channel.settimeout(_TIMEOUT_S)
            channel.sendall(_PING)
            return channel.recv(4096)
        finally:
            channel.close()

    try:
        answer = await transport.blocking(ping, timeout_s=2 * _TIMEOUT_S)
    except HostError as problem:
        if problem.code not in _NO_CHANNEL:
            raise
        tried.append(f"{path}: {problem.cause}")
        return None
    except OSError as problem:
        tried.append(f"{path}: {problem}")
        return None
    if _is_engine(answer):
        return Reach(opener=opener, way=path)
    tried.append(f"{path}: no answer of a container engine")
    return None


async def _look(transport: Transport, path: str) -> _Seen:
    argv = ["sh", "-s", "--", path]
    result = await transport.run(argv, stdin=_LOOK_SCRIPT, timeout_s=_TIMEOUT_S)
    said: dict[str, list[str]] = {}
    for line in result.stdout.decode("utf-8", "replace").splitlines():
        key, _, value = line.partition("=")
        if value:
            said.setdefault(key, []).append(value)
    return _Seen(
        user=next(iter(said.get("user", ())), "?"),
        has_docker_command="docker" in said,
        usable=tuple(dict.fromkeys(said.get("usable", ()))),
        locked=tuple(dict.fromkeys(said.get("locked", ()))),
    )


async def _try_commands(
    transport: Transport, socket_path: str | None, seen: _Seen, tried: list[str]
) -> Reach | None:
    if not seen.has_docker_command:
        tried.append("docker: no such command")
        return None
    docker = ("docker", "-H", f"unix://{socket_path}") if socket_path else ("docker",)
    for argv in ((*docker, *_DIAL), ("sudo", "-n", *docker, *_DIAL)):
        if await _answers(transport, argv, tried):
            _log.info("Docker is reached with “%s”", " ".join(argv))
            return Reach(
                opener=_command_opener(transport, argv), way=" ".join(argv), is_scarce=True
            )
    return None


async def _answers(transport: Transport, argv: Sequence[str], tried: list[str]) -> bool:
    try:
        result = await transport.run(argv, stdin=_PING, timeout_s=_TIMEOUT_S)
    except HostError as problem:
        if problem.code not in {*_NO_CHANNEL, ErrorCode.TOOL_MISSING}:
            raise
        tried.append(f"{' '.join(argv)}: {problem.cause}")
        return False
    if _is_engine(result.stdout):
        return True
    tried.append(f"{' '.join(argv)}: {result.stderr.decode('utf-8', 'replace').strip()[-300:]}")
    return False


def _command_opener(transport: Transport, argv: Sequence[str]) -> Opener:
    def opener(timeout_s: float) -> Channel:
        return transport.open_command(argv, timeout_s=timeout_s)

    return opener


def _is_engine(answer: bytes) -> bool:
    return answer.startswith(b"HTTP/1.1 200")


def _failure(seen: _Seen, path: str, tried: Sequence[str]) -> DockerError:
    details = "\n".join(tried)
    if "ermission denied" in details or (seen.locked and not seen.usable):
        locked = path if path in seen.locked else next(iter(seen.locked), path)
        return errors.no_permission(seen.user, locked, details)
    if seen.usable:
        return errors.not_reachable(tried[0])
    if seen.has_docker_command and "annot connect to the Docker daemon" in details:
        return errors.not_reachable("the docker command is there, its daemon is not running")
    return errors.not_found(details)
