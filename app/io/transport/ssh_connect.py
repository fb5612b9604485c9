"""Make the connection: socket, key exchange, host key check. Only then a sign-in may follow."""

import contextlib
import errno
import socket
import time

import paramiko
from paramiko.ssh_exception import IncompatiblePeer, SSHException

from app.core.errors import ErrorCode, HostError
from app.io.transport.host_keys import HostKeyStore
from app.io.transport.host_threads import adopt
from app.io.transport.known_hosts import HostKey
from app.io.transport.ssh_auth import Authenticator, SignIn
from app.io.transport.ssh_channels import WatchedTransport
from app.io.transport.ssh_config import SshTarget

CONNECT_TIMEOUT_S = 10.0
"""For the socket and, again, for the key exchange."""
SIGN_IN_TIMEOUT_S = 30.0
"""Some servers wait a while on purpose after a wrong password."""


def connect(
    target: SshTarget, sign_in: SignIn, host_keys: HostKeyStore, *, asked: tuple[str, int]
) -> WatchedTransport:
    """Return a signed-in connection. Blocking; every step has its own limit.

    Raises:
        HostError: HOST_NAME_UNKNOWN, HOST_UNREACHABLE (params ``reason``: refused, timeout,
            no-route, not-ssh, too-old), HOST_KEY_*, AUTH_FAILED, PASSWORD_NEEDED,
            KEY_FILE_UNREADABLE, CONNECTION_LOST.
    """
    transport = WatchedTransport(_open_socket(target))
    adopt(transport)
    try:
        types = host_keys.preferred_types(target.known_as, target.port)
        _exchange_keys(transport, target, types)
        shown = transport.get_remote_server_key()
        key = HostKey(key_type=shown.get_name(), blob=shown.asbytes())
        host_keys.check(target.known_as, target.port, key, asked=asked)
        transport.auth_timeout = SIGN_IN_TIMEOUT_S
        Authenticator(transport, target.host, sign_in).run()
    except BaseException:
        close_transport(transport)
        raise
    return transport


def close_transport(transport: paramiko.Transport) -> None:
    """End a connection and its thread."""
    transport.close()
    with contextlib.suppress(RuntimeError):  # it was never started
        transport.join(2)
    transport.sock.close()


def _open_socket(target: SshTarget) -> socket.socket:
    try:
        connected = socket.create_connection((target.host, target.port), CONNECT_TIMEOUT_S)
    except (socket.gaierror, UnicodeError) as problem:
        raise HostError(
            ErrorCode.HOST_NAME_UNKNOWN,
            {"host": target.host},
            cause=f"The name {target.host} is not known.",
            remedy="Check the spelling, or use the IP address; some names need a VPN.",
        ) from problem
    except OSError as problem:
        raise _unreachable(target, problem) from problem
    # paramiko leaves Nagle's algorithm on: 55 instead of 7 ms for a round trip (measured).
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connected


def _unreachable(target: SshTarget, problem: OSError) -> HostError:
    if isinstance(problem, TimeoutError) or problem.errno == errno.ETIMEDOUT:
        reason, words = "timeout", f"does not answer within {CONNECT_TIMEOUT_S:g} s"
    elif problem.errno == errno.ECONNREFUSED:
        reason, words = "refused", "refuses the connection: nothing listens on that port"
    else:
        reason, words = "no-route", f"cannot be reached ({problem.strerror or problem})"
    return _host_unreachable(
        target, reason, words, "Check address, port, network and VPN, and that sshd runs there."
    )


def _exchange_keys(transport: WatchedTransport, target: SshTarget, types: tuple[str, ...]) -> None:
    options = transport.get_security_options()
    # An RSA key may sign with newer hashes, which have names of their own.
    rsa = ("rsa-sha2-512", "rsa-sha2-256", "ssh-rsa")
    wanted = [name for kind in types for name in (rsa if kind == "ssh-rsa" else (kind,))]
    options.key_types = tuple(name for name in wanted if name in options.key_types)
    transport.banner_timeout = CONNECT_TIMEOUT_S
    started_s = time.monotonic()
    try:
        transport.start_client(timeout=CONNECT_TIMEOUT_S)
    except IncompatiblePeer as problem:
        raise _host_unreachable(
            target,
            "too-old",
            f"speaks no secure protocol that Pitwall knows ({problem})",
            "Its SSH server is too old: update it (OpenSSH 6.5 or newer).",
        ) from problem
    except (SSHException, EOFError, OSError) as problem:
        raise _no_ssh(target, problem, time.monotonic() - started_s) from problem
    if not transport.initial_kex_done:
        raise _no_ssh(target, TimeoutError(), CONNECT_TIMEOUT_S)


def _no_ssh(target: SshTarget, problem: Exception, took_s: float) -> HostError:
    if took_s >= CONNECT_TIMEOUT_S * 0.9:
        reason, words = "timeout", f"accepts the connection but says nothing for {took_s:.0f} s"
    else:
        reason, words = (
            "not-ssh",
            f"does not answer as an SSH server ({str(problem) or 'it hung up'})",
        )
    return _host_unreachable(
        target, reason, words, "Check the port; the host or its sshd may be overloaded or hung."
    )


def _host_unreachable(target: SshTarget, reason: str, words: str, remedy: str) -> HostError:
    return HostError(
        ErrorCode.HOST_UNREACHABLE,
        {"host": target.host, "port": target.port, "reason": reason},
        cause=f"{target.host}, port {target.port}, {words}.",
        remedy=remedy,
    )
