"""Starts as they came out: prediction and actuals, and which of them still teach."""

import logging
import sqlite3
from typing import Final

from app.core.actuals.record import StartRecord
from app.core.errors import DataFileError
from app.core.ids import HostId
from app.io.documents import from_json, to_json
from app.io.store.base import Store

_log = logging.getLogger(__name__)

_KEPT: Final = 500
"""Newest starts that are kept; what is older says little of today's drivers."""


class StartStore:
    """One row per start that became ready."""

    def __init__(self, database: Store) -> None:
        self._database = database

    async def add(self, record: StartRecord, *, key: str) -> None:
        """Keep a start; ``key`` is what it teaches under, empty when it teaches nothing."""
        values = (
            record.host_id,
            record.name,
            record.revision,
            record.at,
            key,
            int(bool(key)),
            to_json(record),
        )

        def write(db: sqlite3.Connection) -> None:
            db.execute(
                "INSERT INTO starts (host_id, name, revision, at, key, teaches, document)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                values,
            )
            db.execute(
                "DELETE FROM starts WHERE id NOT IN (SELECT id FROM starts ORDER BY id DESC"
                " LIMIT ?)",
                (_KEPT,),
            )

        await self._database.run(write)

    async def newest(self, host_id: HostId, name: str, revision: int) -> StartRecord | None:
        """Return the last start of a deployment's revision."""
        row = await self._database.run(
            lambda db: db.execute(
                "SELECT document FROM starts WHERE host_id = ? AND name = ? AND revision = ?"
                " ORDER BY id DESC LIMIT 1",
                (host_id, name, revision),
            ).fetchone()
        )
        return None if row is None else _record(row[0])

    async def teaching(self, *, limit: int) -> tuple[StartRecord, ...]:
        """Return the starts that corrections rest on, newest first, ``limit`` of each key."""
        rows = await self._database.run(
            lambda db: db.execute(
                "SELECT document FROM (SELECT id, document, row_number() OVER"
                " (PARTITION BY key ORDER BY id DESC) AS place FROM starts WHERE teaches = 1)"
                " WHERE place <= ? ORDER BY id DESC",
                (limit,),
            ).fetchall()
        )
        return tuple(record for row in rows if (record := _record(row[0])) is not None)

    async def forget(self, key: str | None = None) -> int:
        """Let starts of a key, or all, teach no more; return how many. They stay to be shown."""

        def write(db: sqlite3.Connection) -> int:
            done = db.execute(
                "UPDATE starts SET teaches = 0 WHERE teaches = 1 AND (? IS NULL OR key = ?)",
                (key, key),
            )
            return done.rowcount

        return await self._database.run(write)


def _record(text: str) -> StartRecord | None:
    """Read a stored start; another version's is passed over."""
    try:
        return from_json(StartRecord, text)
    except DataFileError as exc:
        _log.info("A stored start cannot be read: %s", exc)
        return None
