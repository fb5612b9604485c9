"""The journal of operations: what was asked, which steps were reached, how it ended.

An entry without an outcome after a start of Pitwall was cut short; the host's labels say what is.
"""

import logging
import sqlite3
from dataclasses import dataclass
from typing import TypeVar

from app.core.deployment.spec import DeploymentSpec
from app.core.errors import DataFileError, ErrorInfo
from app.core.ids import HostId
from app.io.documents import from_json, to_json
from app.io.store.db import Database

_log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalStep:
    """One step that was reached."""

    at: str
    step: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One operation on one deployment."""

    id: str
    host_id: HostId
    name: str
    revision: int
    operation: str
    """``deploy``, ``stop``, ``start``, ``restart``, ``rollback`` or ``remove``."""
    spec: DeploymentSpec | None = None
    started_at: str
    finished_at: str | None = None
    outcome: str | None = None
    """``done``, ``failed``, ``cancelled``, ``replaced``; ``None``: it runs, or was cut short."""
    error: ErrorInfo | None = None
    steps: tuple[JournalStep, ...] = ()


_COLUMNS = "id, host_id, name, revision, operation, spec, started_at, finished_at, outcome, error"


class JournalStore:
    """Entries and steps, written as they happen."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(self, entry: JournalEntry) -> None:
        """Write a new entry."""
        spec = to_json(entry.spec) if entry.spec is not None else ""
        await self._database.run(
            lambda db: db.execute(
                "INSERT INTO journal (id, host_id, name, revision, operation, spec, started_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    entry.id,
                    entry.host_id,
                    entry.name,
                    entry.revision,
                    entry.operation,
                    spec,
                    entry.started_at,
                ),
            ).close()
        )

    async def step(self, entry_id: str, step: JournalStep) -> None:
        """Write that a step was reached."""
        await self._database.run(
            lambda db: db.execute(
                "INSERT INTO journal_steps (journal_id, at, step, detail) VALUES (?, ?, ?, ?)",
                (entry_id, step.at, step.step, step.detail),
            ).close()
        )

    async def finish(
        self, entry_id: str, *, at: str, outcome: str, error: ErrorInfo | None = None
    ) -> None:
        """Write how it ended."""
        text = to_json(error) if error is not None else None
        await self._database.run(
            lambda db: db.execute(
                "UPDATE journal SET finished_at = ?, outcome = ?, error = ? WHERE id = ?",
                (at, outcome, text, entry_id),
            ).close()
        )

    async def entries(
        self, host_id: HostId, name: str | None = None, *, limit: int = 100
    ) -> tuple[JournalEntry, ...]:
        """Return the newest entries of a host, or of one deployment on it, newest first.

        Newest is what was written last: the desk's clock may have been set back.
        """
        return await self._read(
            "WHERE host_id = ? AND (? IS NULL OR name = ?) ORDER BY rowid DESC LIMIT ?",
            (host_id, name, name, limit),
        )

    async def unfinished(self) -> tuple[JournalEntry, ...]:
        """Return entries without an outcome, oldest first."""
        return await self._read("WHERE outcome IS NULL ORDER BY rowid", ())

    async def _read(self, where: str, values: tuple[object, ...]) -> tuple[JournalEntry, ...]:
        def read(
            db: sqlite3.Connection,
        ) -> list[tuple[tuple[str, ...], list[tuple[str, str, str]]]]:
            # Only our own constant texts are joined; values are bound.
            rows = db.execute(f"SELECT {_COLUMNS} FROM journal {where}", values).fetchall()  # noqa: S608
            steps = "SELECT at, step, detail FROM journal_steps WHERE journal_id = ? ORDER BY id"
            return [(row, db.execute(steps, (row[0],)).fetchall()) for row in rows]

        return tuple(_entry(row, steps) for row, steps in await self._database.run(read))


def _entry(row: tuple[str, ...], steps: list[tuple[str, str, str]]) -> JournalEntry:
    return JournalEntry(
        id=row[0],
        host_id=HostId(row[1]),
        name=row[2],
        revision=int(row[3]),
        operation=row[4],
        spec=_value(DeploymentSpec, row[5], of=row[0]),
        started_at=row[6],
        finished_at=row[7],
        outcome=row[8],
        error=_value(ErrorInfo, row[9], of=row[0]),
        steps=tuple(JournalStep(at=at, step=step, detail=detail) for at, step, detail in steps),
    )


def _value(shape: type[T], text: str | None, *, of: str) -> T | None:
    """Read a stored value; another version's is left out, the entry is still worth having."""
    if not text:
        return None
    try:
        return from_json(shape, text)
    except DataFileError as exc:
        _log.info("Part of journal entry %s cannot be read: %s", of, exc)
        return None
