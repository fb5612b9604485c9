"""Ask OpenSSH what the user's configuration says about a name (``ssh -G``).

Only what Pitwall can honour: HostName, Port, User, IdentityFile, HostKeyAlias. A jump host or
proxy command is not passed over in silence; it is refused.
"""

import asyncio
import contextlib
import ipaddress
import logging
import shutil
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import ErrorCode, HostError

_log = logging.getLogger(__name__)

DEADLINE_S = 5.0
"""The configuration may run programs (``Match exec``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SshTarget:
    """Where a name leads."""

    host: str
    port: int
    user: str
    identity_files: tuple[Path, ...] = ()
    host_key_alias: str = ""

    @property
    def known_as(self) -> str:
        """The name under which the host's key is kept."""
        return self.host_key_alias or self.host


async def resolve(
    address: str, port: int, user: str, *, default_user: str, ssh: str | None = None
) -> SshTarget:
    """Return the target for what the user entered; what was entered outweighs the configuration.

    Args:
        address: Name or alias; an IP address is taken as it is.
        port: 22 leaves the port to the configuration.
        user: Empty leaves the user to the configuration.
        default_user: Used when neither says who.
        ssh: The ssh program; ``None`` looks for it, and without one nothing is resolved.

    Raises:
        HostError: HOST_UNREACHABLE (reason ``proxy``) when a jump host would be needed.
    """
    plain = SshTarget(host=address, port=port, user=user or default_user)
    program = ssh or shutil.which("ssh")
    if program is None or _is_ip(address):
        return plain
    said = read_answer(await ask_openssh(program, address))
    for key in ("proxyjump", "proxycommand"):
        value = next(iter(said.get(key, ())), "none")
        if value != "none":
            raise _needs_proxy(address, key, value)
    found_port = int(next(iter(said.get("port", ())), "22"))
    found_user = next(iter(said.get("user", ())), default_user)
    target = SshTarget(
        host=next(iter(said.get("hostname", ())), address),
        port=port if port != 22 else found_port,
        user=user or found_user,
        host_key_alias=next(iter(said.get("hostkeyalias", ())), ""),
    )
    files = tuple(expand(text, target) for text in said.get("identityfile", ()))
    return SshTarget(
        host=target.host,
        port=target.port,
        user=target.user,
        identity_files=files,
        host_key_alias=target.host_key_alias,
    )


async def ask_openssh(program: str, address: str, *options: str) -> str:
    """Return what ``ssh -G`` prints about a name; empty when it fails or takes too long."""
    process = await asyncio.create_subprocess_exec(
        program,
        "-G",
        *options,
        "--",
        address,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(DEADLINE_S):  # not wait_for: it may swallow a cancellation
            stdout, _ = await process.communicate()
    except TimeoutError:
        _log.info("ssh -G %s did not answer within %g s; going on without", address, DEADLINE_S)
        return ""
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return stdout.decode("utf-8", "replace") if process.returncode == 0 else ""


def read_answer(text: str) -> dict[str, list[str]]:
    """Return the values of each keyword in the order in which they were printed."""
    said: dict[str, list[str]] = {}
    for line in text.splitlines():
        key, _, value = line.partition(" ")
        if value:
            said.setdefault(key.lower(), []).append(value.strip())
    return said


def expand(text: str, target: SshTarget) -> Path:
    """Return a path with its ``~`` and %-tokens filled in."""
    for token, value in (
        ("%d", str(Path.home())),
        ("%h", target.host),
        ("%p", str(target.port)),
        ("%r", target.user),
        ("%%", "%"),
    ):
        text = text.replace(token, value)
    return Path(text).expanduser()


def _is_ip(address: str) -> bool:
    try:
        ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return True


def _needs_proxy(address: str, key: str, value: str) -> HostError:
    return HostError(
        ErrorCode.HOST_UNREACHABLE,
        {"host": address, "reason": "proxy", "proxy": value},
        cause=f"Your SSH configuration reaches {address} through another host ({key} {value}), "
        "which Pitwall cannot do yet.",
        remedy="Open a forward with ssh yourself (ssh -L PORT:HOST:22 JUMP) and add the host as "
        "127.0.0.1 with that port.",
    )
