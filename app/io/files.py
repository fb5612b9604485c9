"""Files on this desktop, written whole or not at all; devices and pipes are written as they are."""

import errno
import os
import tempfile
from pathlib import Path

from app.core.errors import ErrorCode, StoreError


def write_whole(path: Path, content: bytes) -> None:
    """Write ``content`` beside ``path``, flush it, then put it in place in one step.

    A link stays one: the file it leads to is replaced. What is no file (``/dev/stdout``, a named
    pipe) is written to, never replaced.

    Raises:
        StoreError: STORE_FULL or FILE_UNWRITABLE; what was there before is untouched.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
        else:
            replace_file(path.resolve(), content)
    except OSError as exc:
        full = exc.errno in (errno.ENOSPC, errno.EDQUOT)
        raise StoreError(
            ErrorCode.STORE_FULL if full else ErrorCode.FILE_UNWRITABLE,
            {"file": path, "reason": exc.strerror or type(exc).__name__},
            cause=f"{path} could not be written: {exc.strerror or exc}.",
            remedy="Free some space." if full else "Choose a folder that you may write to.",
        ) from exc


def replace_file(path: Path, content: bytes, *, private: bool = False) -> None:
    """Put a new file in the place of ``path`` in one step.

    Rights stay as they were; a ``private`` one is for the user alone.

    Raises:
        OSError: what was there before is untouched.
    """
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(0o600 if private else mode)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
