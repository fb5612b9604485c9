"""Private keys: from the agent and from files, with or without a passphrase."""

import base64
import contextlib
import struct
from collections.abc import Sequence
from pathlib import Path

import paramiko
from paramiko.pkey import UnknownKeyType
from paramiko.ssh_exception import PasswordRequiredException, SSHException

from app.core.errors import ErrorCode, HostError

DEFAULT_KEY_NAMES = ("id_ed25519", "id_ecdsa", "id_rsa")
_OPENSSH = b"openssh-key-v1\0"


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


def public_part(path: Path) -> bytes | None:
    """Return the public key of a private key file, as an agent names it; no passphrase is needed.

    It stands in the file ``.pub`` beside it, and unencrypted within OpenSSH's own format.
    """
    with contextlib.suppress(OSError, ValueError, IndexError):
        words = path.with_name(path.name + ".pub").read_text("ascii").split()
        return base64.b64decode(words[1], validate=True)
    with contextlib.suppress(OSError, ValueError, struct.error):
        lines = path.read_text("ascii").split("-----")[2]
        data = base64.b64decode("".join(lines.split()))
        if data.startswith(_OPENSSH):
            return _fifth_field(data[len(_OPENSSH) :])
    return None


def _fifth_field(data: bytes) -> bytes | None:
    """Return what follows cipher, KDF, its options and the number of keys."""
    for _ in range(3):
        (length,) = struct.unpack_from(">I", data)
        data = data[4 + length :]
    (length,) = struct.unpack_from(">I", data, 4)
    return data[8 : 8 + length] or None


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
