"""Private keys: from the agent and from files, with or without a passphrase."""

from collections.abc import Sequence
from pathlib import Path

import paramiko
from paramiko.pkey import UnknownKeyType
from paramiko.ssh_exception import PasswordRequiredException, SSHException

from app.core.errors import ErrorCode, HostError

DEFAULT_KEY_NAMES = ("id_ed25519", "id_ecdsa", "id_rsa")


def default_key_files() -> tuple[Path, ...]:
    """Return the usual private key files of this user that exist."""
    folder = Path("~/.ssh").expanduser()
    return tuple(path for name in DEFAULT_KEY_NAMES if (path := folder / name).is_file())


def load_key(path: Path, passphrase: str | None) -> paramiko.PKey:
    """Read a private key; a certificate beside it (``-cert.pub``) comes along.

    Raises:
        HostError: PASSWORD_NEEDED (``what`` is ``passphrase``), AUTH_FAILED for a wrong one,
            KEY_FILE_UNREADABLE.
    """
    try:
        return paramiko.PKey.from_path(path)
    except (TypeError, PasswordRequiredException):
        pass  # it is encrypted
    except OSError as problem:
        raise _unreadable(path, problem.strerror or str(problem)) from problem
    except (ValueError, SSHException, UnknownKeyType) as problem:
        raise _unreadable(path, "it holds no private key of a known kind") from problem
    if passphrase is None:
        raise passphrase_needed(path)
    try:
        # Bytes: cryptography wants them, and paramiko (to 5.1) hands on what it is given.
        return paramiko.PKey.from_path(path, passphrase.encode())  # type: ignore[arg-type]  # ^
    except (ValueError, TypeError, SSHException) as problem:
        raise _wrong_passphrase(path) from problem


def agent_keys() -> tuple[Sequence[paramiko.PKey], paramiko.Agent | None]:
    """Return the agent's keys, and the agent: it must stay open while they are used."""
    try:
        agent = paramiko.Agent()
        return agent.get_keys(), agent
    except (SSHException, OSError):
        return (), None


def passphrase_needed(path: Path) -> HostError:
    """A key file is encrypted."""
    return HostError(
        ErrorCode.PASSWORD_NEEDED,
        {"what": "passphrase", "key_file": path},
        cause=f"The key {path} is protected by a passphrase.",
        remedy="Enter its passphrase, or load it into your SSH agent.",
    )


def _wrong_passphrase(path: Path) -> HostError:
    return HostError(
        ErrorCode.AUTH_FAILED,
        {"what": "passphrase", "key_file": path},
        cause=f"The passphrase does not open the key {path}.",
        remedy="Enter the passphrase again.",
    )


def _unreadable(path: Path, why: str) -> HostError:
    return HostError(
        ErrorCode.KEY_FILE_UNREADABLE,
        {"path": path},
        cause=f"The key file {path} cannot be used: {why}.",
        remedy="Choose a private key file (not the .pub) that you may read.",
    )
