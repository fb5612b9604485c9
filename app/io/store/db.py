"""One SQLite database with one thread of its own; callers await.

A database that cannot be understood is moved aside and reported, never overwritten. Write-ahead
logging and a busy limit let two Pitwalls use the same file.
"""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

from app.core.errors import ErrorCode, ErrorInfo, StoreError
from app.io.aside import move_aside
from app.io.folders import make_folder
from app.io.store.errors import BROKEN, primary_code, store_error
from app.io.store.migrate import migrate

T = TypeVar("T")

BUSY_LIMIT_S: Final = 5.0
_TRY_AGAIN_S: Final = 0.02


class Database:
    """The store's file. `open` before use, `close` at the end; both may be awaited once."""

    def __init__(self, file: Path, *, now: Callable[[], str]) -> None:
        self._file = file
        self._now = now
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="pitwall-store")
        self._connection: sqlite3.Connection | None = None
        self._notices: tuple[ErrorInfo, ...] = ()
        self._is_closed = False
        self._failure: ErrorInfo | None = None
        """Why it could not be opened: whoever asks it later is told that."""

    @property
    def file(self) -> Path:
        """Where the store is."""
        return self._file

    @property
    def notices(self) -> tuple[ErrorInfo, ...]:
        """What was found broken and was dealt with."""
        return self._notices

    def add_notice(self, notice: ErrorInfo) -> None:
        """Note what was found broken while reading; each is told once."""
        if notice not in self._notices:
            self._notices = (*self._notices, notice)

    async def open(self) -> None:
        """Open and bring the form up to date; a broken file is kept aside first.

        Raises:
            StoreError: STORE_TOO_NEW, MIGRATION_FAILED, STORE_FULL, FILE_UNWRITABLE.
        """
        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._open)
        except StoreError as exc:
            self._failure = exc.info
            raise

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` in one transaction on the store's thread; an error undoes all of it.

        Raises:
            StoreError: STORE_FULL, STORE_BROKEN, FILE_UNWRITABLE; why it could not be opened.
        """
        if self._is_closed:
            raise self._not_open()
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._work, work)

    async def close(self) -> None:
        """Close the file and end the thread; safe to call twice."""
        self._is_closed = True
        await asyncio.to_thread(self._close)

    def _not_open(self) -> StoreError:
        if (why := self._failure) is not None:
            return StoreError(
                why.code, why.params, cause=why.cause, remedy=why.remedy, details=why.details
            )
        return StoreError(
            ErrorCode.STORE_BROKEN,
            {"file": self._file},
            cause="The store is not open.",
            remedy="Start Pitwall again.",
        )

    def _work(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._connection is None:
            raise self._not_open()
        try:
            with self._connection:
                return work(self._connection)
        except sqlite3.Error as exc:
            raise store_error(self._file, exc) from exc

    def _open(self) -> None:
        make_folder(self._file.parent)
        try:
            self._connection = self._connect()
        except sqlite3.DatabaseError as exc:
            error = store_error(self._file, exc)
            if primary_code(exc) not in BROKEN:  # what merely failed now may be whole and full
                raise error from exc
            self._set_aside(error)
            self._connection = self._begin_anew()

    def _begin_anew(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.DatabaseError as exc:
            raise store_error(self._file, exc) from exc

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._file, timeout=BUSY_LIMIT_S, check_same_thread=False)
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            _use_log(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
            _check(connection)
            migrate(connection, file=self._file, now=self._now())
        except BaseException:
            connection.close()
            raise
        return connection

    def _set_aside(self, error: StoreError) -> None:
        date = self._now().replace(":", "")
        kept = move_aside(self._file, date)
        for suffix in ("-wal", "-shm"):
            beside = self._file.with_name(self._file.name + suffix)
            if beside.is_file():
                beside.rename(kept.with_name(kept.name + suffix))
        self._notices = (
            StoreError(
                ErrorCode.STORE_BROKEN,
                {**error.params, "kept": kept},
                cause=f"The store was damaged ({error.details}); it was kept as {kept}.",
                remedy="Pitwall started with an empty one: add your hosts again or restore a copy.",
            ).info,
        )

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            self._thread.submit(connection.close).result()
        self._thread.shutdown(wait=True)


def _use_log(connection: sqlite3.Connection) -> None:
    """Turn write-ahead logging on; SQLite does not wait for another Pitwall that does the same."""
    tries = round(BUSY_LIMIT_S / _TRY_AGAIN_S)
    for left in reversed(range(tries)):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as exc:
            if left == 0 or primary_code(exc) != sqlite3.SQLITE_BUSY:
                raise
            time.sleep(_TRY_AGAIN_S)  # on the store's own thread
        else:
            return


def _check(connection: sqlite3.Connection) -> None:
    verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if verdict != "ok":
        error = sqlite3.DatabaseError(verdict)
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error
