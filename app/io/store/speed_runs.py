"""Measured runs: what a load really took against a deployment."""

import logging
import sqlite3
from typing import Final

from app.core.errors import DataFileError
from app.core.speed.measured import MeasuredRun
from app.io.documents import from_json, to_json
from app.io.store.db import Database

_log = logging.getLogger(__name__)

_KEPT: Final = 1000
"""Newest runs that are kept."""


class SpeedRunStore:
    """One row per valid run."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, run: MeasuredRun) -> None:
        """Keep a run."""
        text = to_json(run)

        def write(db: sqlite3.Connection) -> None:
            db.execute("INSERT INTO speed_runs (at, document) VALUES (?, ?)", (run.at, text))
            db.execute(
                "DELETE FROM speed_runs WHERE id NOT IN"
                " (SELECT id FROM speed_runs ORDER BY id DESC LIMIT ?)",
                (_KEPT,),
            )

        await self._database.run(write)

    async def all(self) -> tuple[MeasuredRun, ...]:
        """Return every run, newest first; one of another version is passed over."""
        rows = await self._database.run(
            lambda db: db.execute("SELECT document FROM speed_runs ORDER BY id DESC").fetchall()
        )
        return tuple(run for row in rows if (run := _run(row[0])) is not None)


def _run(text: str) -> MeasuredRun | None:
    try:
        return from_json(MeasuredRun, text)
    except DataFileError as exc:
        _log.info("A stored run cannot be read: %s", exc)
        return None
