"""Keep what cannot be read: move it out of the way under a telling name, never overwrite it."""

import glob
import shutil
from pathlib import Path

from app.core.errors import ErrorCode, StoreError


def move_aside(file: Path, date: str, *, copy: bool = False) -> Path:
    """Move (or copy) ``file`` to ``<file>.broken-<date>``, with a number when that exists.

    A copy that is there already is not made again at every start.

    ``date`` is UTC text without colons, such as ``2026-11-29T220500Z``.

    Raises:
        StoreError: FILE_UNWRITABLE when it cannot be moved.
    """
    target = _free_name(file, date)
    try:
        if copy and (before := _same_copy(file)) is not None:
            return before
        if copy:
            shutil.copy2(file, target)
        else:
            file.rename(target)
    except OSError as exc:
        raise StoreError(
            ErrorCode.FILE_UNWRITABLE,
            {"file": file},
            cause=f"The broken file {file} cannot be kept aside: {exc.strerror or exc}.",
            remedy="Make its folder writable and make room, then start Pitwall again.",
        ) from exc
    return target


def _free_name(file: Path, date: str) -> Path:
    target = file.with_name(f"{file.name}.broken-{date}")
    number = 2
    while target.exists():
        target = file.with_name(f"{file.name}.broken-{date}-{number}")
        number += 1
    return target


def _same_copy(file: Path) -> Path | None:
    content = file.read_bytes()
    copies = sorted(file.parent.glob(f"{glob.escape(file.name)}.broken-*"))
    return next((copy for copy in copies if copy.read_bytes() == content), None)
