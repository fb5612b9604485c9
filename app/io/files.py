"""Files on this desktop, written whole or not at all; devices and pipes are written as they are."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from app.core.errors import ErrorCode, StoreError

_NAME_PART: Final = 40
"""Letters of a name that the file beside it takes over: names have a limit of 255 bytes."""


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
        raise unwritable(path, exc) from exc


def replace_file(path: Path, content: bytes, *, private: bool = False) -> None:
    """Put a new file in the place of ``path`` in one step.

    Rights stay as they were; a ``private`` one is for the user alone.

    Raises:
        OSError: what was there before is untouched.
    """
    with whole_file(path, private=private) as stream:
        stream.write(content)


@contextmanager
def whole_file(path: Path, *, private: bool = False) -> Iterator[IO[bytes]]:
    """Give a file to write to that takes the place of ``path`` at the end, and only then.

    When the block raises, also because it was cancelled, nothing is left of it.

    Raises:
        OSError: what was there before is untouched.
    """
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:_NAME_PART]}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(0o600 if private else mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def unwritable(path: Path, exc: OSError) -> StoreError:
    """Return the error of a file that could not be written."""
    full = exc.errno in (errno.ENOSPC, errno.EDQUOT)
    return StoreError(
        ErrorCode.STORE_FULL if full else ErrorCode.FILE_UNWRITABLE,
        {"file": path, "reason": exc.strerror or type(exc).__name__},
        cause=f"{path} could not be written: {exc.strerror or exc}.",
        remedy="Free some space." if full else "Choose a folder that you may write to.",
    )
