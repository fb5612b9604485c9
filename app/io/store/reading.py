"""The store as a single answer reads it: nothing is created, brought up to date or waited for."""

import sqlite3
from collections.abc import Callable, Coroutine
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from app.core.errors import ErrorInfo, StoreError
from app.io.store.errors import store_error

T = TypeVar("T")


class StoreReader:
    """Reads where it is called; a store of an older Pitwall may lack the tables asked for."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @property
    def file(self) -> Path:
        """Where the store is."""
        return self._file

    def add_notice(self, notice: ErrorInfo) -> None:
        """Pass over what is broken: whoever opens the store is told."""

    def holds(self, rows: str) -> bool:
        """Tell whether there are rows; an older or broken store has none.

        Args:
            rows: Table, and condition, as they stand after ``FROM``; never what a user wrote.
        """
        try:
            return read_at_once(
                self.run(
                    lambda db: db.execute(f"SELECT 1 FROM {rows} LIMIT 1").fetchone() is not None  # noqa: S608 - our own names
                )
            )
        except StoreError:
            return False

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work``, which may only read.

        Raises:
            StoreError: STORE_BROKEN, FILE_UNWRITABLE.
        """
        try:
            with closing(sqlite3.connect(f"{self._file.as_uri()}?mode=ro", uri=True)) as connection:
                return work(connection)
        except sqlite3.Error as exc:
            raise store_error(self._file, exc) from exc


def read_at_once(work: Coroutine[Any, Any, T]) -> T:
    """Return what reading through a `StoreReader` gives; without waits it needs no event loop."""
    try:
        work.send(None)
    except StopIteration as done:
        found: T = done.value
        return found
    work.close()
    raise RuntimeError("reading had to wait")
