"""Archives that somebody sent: read in memory, within limits, never unpacked onto the disk."""

import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from app.core.errors import ErrorCode, UserInputError

MEMBER_LIMIT: Final = 500
FILE_LIMIT_BYTES: Final = 16 * 1024 * 1024
TOTAL_LIMIT_BYTES: Final = 128 * 1024 * 1024
_ENDINGS: Final = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2")


def is_archive(path: Path) -> bool:
    """Tell an archive by its name."""
    return path.name.lower().endswith(_ENDINGS)


def read_archive(path: Path) -> dict[str, bytes]:
    """Return the regular files in an archive by their path inside it.

    Links, devices and encrypted members are left out; names lead nowhere, since nothing is
    written.

    Raises:
        UserInputError: FILE_UNREADABLE when it is none, or larger than what tools print.
    """
    found: dict[str, bytes] = {}
    total = 0
    try:
        for name, content in _members(path):
            total += len(content)
            if len(found) >= MEMBER_LIMIT or total > TOTAL_LIMIT_BYTES:
                raise _refused(path, "it holds more than the outputs of tools")
            found[_inside(name)] = content
    except (OSError, EOFError, zipfile.BadZipFile, tarfile.TarError, NotImplementedError,
            RuntimeError, ValueError) as error:  # fmt: skip
        raise _refused(path, getattr(error, "strerror", None) or str(error)) from error
    return found


def _members(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.name.lower().endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                is_link = (member.external_attr >> 16) & 0o170000 == 0o120000
                if not member.is_dir() and not is_link and not member.flag_bits & 1:
                    with archive.open(member) as stream:
                        yield member.filename, stream.read(FILE_LIMIT_BYTES)
        return
    with tarfile.open(path) as archive:
        for entry in archive:
            if entry.size > TOTAL_LIMIT_BYTES:  # even stepping over it costs minutes
                raise _refused(path, f"“{_inside(entry.name)}” is too large")
            content = archive.extractfile(entry) if entry.isfile() else None
            if content is not None:
                yield entry.name, content.read(FILE_LIMIT_BYTES)


def _inside(name: str) -> str:
    """Return a name without ``..``, drive or leading slash: it is shown, never opened."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    parts = tuple(part for part in parts if part not in {"..", "/"})
    return "/".join(parts) or "file"


def _refused(path: Path, reason: str) -> UserInputError:
    return UserInputError(
        ErrorCode.FILE_UNREADABLE,
        {"field": "file", "file": path.name, "path": str(path)},
        cause=f"The archive “{path.name}” cannot be read: {reason}.",
        remedy="Unpack it and give the folder, or ask for the single files.",
    )
