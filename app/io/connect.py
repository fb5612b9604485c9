"""Open the connection to a host that the settings describe."""

import getpass
from pathlib import Path

from app.core.errors import ErrorCode, HostError
from app.core.events import HostKind, HostSettings
from app.io.transport.base import Transport
from app.io.transport.host_keys import HostKeyStore

CONNECT_DEADLINE_S = 60.0
"""For everything together; each step has its own, shorter limit."""


async def open_transport(
    settings: HostSettings,
    *,
    password: str | None,
    passphrase: str | None,
    host_keys: HostKeyStore,
) -> Transport:
    """Return a connected transport for this machine or a host over SSH.

    The host's key is checked before the user's name or any secret is sent.

    Raises:
        HostError: HOST_KEY_UNKNOWN (accept it with `HostKeyStore.accept_presented`),
            HOST_KEY_CHANGED, HOST_KEY_REVOKED, PASSWORD_NEEDED (params ``what``: password or
            passphrase), AUTH_FAILED, KEY_FILE_UNREADABLE, HOST_NAME_UNKNOWN, HOST_UNREACHABLE,
            CONNECTION_LOST, COMMAND_TIMEOUT.
    """
    match settings.kind:
        case HostKind.LOCAL:
            from app.io.transport.local import LocalTransport

            return LocalTransport(settings.name)
        case HostKind.SSH:
            return await _open_ssh(settings, password, passphrase, host_keys)
        case HostKind.IMPORTED:
            raise HostError(
                ErrorCode.HOST_IS_RECORD,
                {"host": settings.name},
                cause=f"{settings.name} is a record; there is no connection to it.",
                remedy="Add the machine itself to connect to it.",
            )
        case HostKind.DEMO:
            raise HostError(
                ErrorCode.INTERNAL,
                {"host": settings.name},
                cause="The demo host is not reached over a connection.",
                remedy="Please report this.",
            )


async def _open_ssh(
    settings: HostSettings,
    password: str | None,
    passphrase: str | None,
    host_keys: HostKeyStore,
) -> Transport:
    from app.io.transport import ssh_config, ssh_connect
    from app.io.transport.host_threads import HostThreads
    from app.io.transport.ssh import SshTransport
    from app.io.transport.ssh_auth import SignIn

    target = await ssh_config.resolve(
        settings.address, settings.port, settings.user, default_user=_own_name()
    )
    sign_in = SignIn(
        user=target.user,
        method=settings.auth,
        key_file=Path(settings.key_file) if settings.key_file else None,
        identity_files=target.identity_files,
        password=password,
        passphrase=passphrase,
    )
    asked = (settings.address, settings.port)
    threads = HostThreads(settings.name)
    try:
        connection = await threads.run(
            lambda: ssh_connect.connect(target, sign_in, host_keys, asked=asked),
            timeout_s=CONNECT_DEADLINE_S,
            what="Connecting",
        )
    except BaseException:
        threads.close()
        raise
    return SshTransport(settings.name, connection, threads)


def _own_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # an account without a name, as in some containers
        return "root"
