"""Bring a database to the newest form: numbered SQL files per area, each applied once, recorded.

File names are ``<area>_NNNN_name.sql``; they are applied by number, then area. ``user_version``
holds how many were applied, so that any tool can see the form.
"""

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from app.core.errors import ErrorCode, StoreError

_NAME: Final = re.compile(r"(?P<area>[a-z]+)_(?P<number>[0-9]{4})_[a-z0-9_]+\.sql")


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step of the form."""

    name: str
    sql: str


def shipped_migrations() -> tuple[Migration, ...]:
    """Return our migrations in their order."""
    folder = resources.files("app.io.store") / "migrations"
    found = [file for file in folder.iterdir() if _NAME.fullmatch(file.name)]
    return tuple(
        Migration(name=file.name.removesuffix(".sql"), sql=file.read_text(encoding="utf-8"))
        for file in sorted(found, key=lambda file: _order(file.name))
    )


def _order(name: str) -> tuple[int, str]:
    match = _NAME.fullmatch(name)
    return (int(match["number"]), match["area"]) if match else (0, name)


def migrate(
    connection: sqlite3.Connection,
    *,
    file: Path,
    now: str,
    migrations: Sequence[Migration] | None = None,
) -> None:
    """Apply what is missing, all or nothing per migration.

    Raises:
        StoreError: STORE_TOO_NEW, MIGRATION_FAILED, STORE_FULL.
    """
    known = shipped_migrations() if migrations is None else tuple(migrations)
    applied = _applied(connection)
    if unknown := sorted(applied - {migration.name for migration in known}):
        raise StoreError(
            ErrorCode.STORE_TOO_NEW,
            {"file": file, "migration": unknown[0]},
            cause=f"The store {file} was written by a newer Pitwall ({unknown[0]}).",
            remedy="Use that version, or let PITWALL_HOME name another folder.",
        )
    for migration in known:
        if migration.name not in applied:
            _apply(connection, migration, file=file, now=now)


def _applied(connection: sqlite3.Connection) -> set[str]:
    table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'"
    if connection.execute(table).fetchone() is None:
        return set()
    return {row[0] for row in connection.execute("SELECT name FROM migrations")}


def _apply(connection: sqlite3.Connection, migration: Migration, *, file: Path, now: str) -> None:
    try:
        # The write lock first: another Pitwall may be applying the same step.
        connection.execute("BEGIN IMMEDIATE")
        if migration.name in _applied(connection):
            connection.rollback()
            return
        connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations"
            " (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT"
        )
        for statement in _statements(migration.sql):
            connection.execute(statement)
        connection.execute("INSERT INTO migrations VALUES (?, ?)", (migration.name, now))
        count = connection.execute("SELECT count(*) FROM migrations").fetchone()[0]
        connection.execute(f"PRAGMA user_version = {int(count)}")
        connection.commit()
    except sqlite3.Error as exc:
        if connection.in_transaction:
            connection.rollback()
        if getattr(exc, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_ERROR:
            raise
        raise StoreError(
            ErrorCode.MIGRATION_FAILED,
            {"file": file, "migration": migration.name},
            cause=f"The store could not be brought to this version's form ({migration.name}).",
            remedy="Nothing was changed. Report this with its details.",
            details=str(exc),
        ) from exc


def _statements(sql: str) -> list[str]:
    """Split a script; `executescript` would commit on its own and lose all-or-nothing."""
    statements: list[str] = []
    pending = ""
    for line in sql.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    return statements
