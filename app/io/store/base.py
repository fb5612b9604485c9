"""The border to SQLite that the tables work through."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from app.core.errors import ErrorInfo

T = TypeVar("T")


class Store(Protocol):
    """One SQLite file: `app.io.store.db.Database`, or `app.io.store.reading.StoreReader`."""

    @property
    def file(self) -> Path:
        """Where the store is."""

    def add_notice(self, notice: ErrorInfo) -> None:
        """Note what was found broken while reading."""

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` in one transaction.

        Raises:
            StoreError: STORE_FULL, STORE_BROKEN, FILE_UNWRITABLE.
        """
