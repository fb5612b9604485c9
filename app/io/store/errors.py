"""Our errors for those of SQLite."""

import sqlite3
from pathlib import Path
from typing import Final

from app.core.errors import ErrorCode, StoreError

BROKEN: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
"""Codes of a file that is no database or a damaged one."""
_READ_ONLY: Final = frozenset(
    {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}
)
_ROOM_BYTES: Final = 64 * 1024
"""What the write-ahead log's index takes at first is 32 KiB."""


def primary_code(exc: sqlite3.Error) -> int:
    """Return SQLite's primary code, without what it was doing."""
    code: int = getattr(exc, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return code & 0xFF


def _has_no_room(folder: Path) -> bool:
    import shutil

    try:
        return shutil.disk_usage(folder).free < _ROOM_BYTES
    except OSError:
        return False


def store_error(file: Path, exc: sqlite3.Error) -> StoreError:
    """Return our error for one of SQLite's."""
    primary = primary_code(exc)
    # Beside the file lies the log's index; when that cannot grow, SQLite names no reason.
    is_full = primary == sqlite3.SQLITE_IOERR and _has_no_room(file.parent)
    if primary == sqlite3.SQLITE_FULL or is_full:
        code, cause = ErrorCode.STORE_FULL, "There is no room left to write the store"
        remedy = f"Free some space on the disk of {file.parent}, then try again."
    elif primary in _READ_ONLY:
        code, cause = ErrorCode.FILE_UNWRITABLE, "The store cannot be opened for writing"
        remedy = "Make the file and its folder writable for you."
    elif primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        code, cause = ErrorCode.FILE_UNWRITABLE, "Another program keeps the store locked"
        remedy = "Close the other program, then try again."
    elif primary == sqlite3.SQLITE_IOERR:
        code, cause = ErrorCode.FILE_UNWRITABLE, "The disk refuses to read or write the store"
        remedy = f"Look after the disk of {file.parent}; the file was left as it is."
    elif primary in BROKEN:
        code, cause = ErrorCode.STORE_BROKEN, "The store is damaged"
        remedy = "Start Pitwall again: the damaged file is then kept aside."
    else:
        code, cause = ErrorCode.STORE_BROKEN, "The store refused"
        remedy = "Report this with its details."
    return StoreError(
        code, {"file": file}, cause=f"{cause}: {file}.", remedy=remedy, details=str(exc)
    )
