"""Hosts and their fingerprints in the store: whole documents beside the few columns we ask by."""

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.core.errors import DataFileError, ErrorCode, ErrorInfo, UserInputError
from app.core.hardware.fingerprint import Fingerprint, FingerprintSummary
from app.core.hardware.packing import pack_sections, unpack_sections
from app.core.host import HostSettings
from app.core.ids import HostId
from app.io.documents import from_json, to_json
from app.io.store.base import Store

_HOST: Final = "id, name, document, last_seen_at, added_at"
_FINGERPRINT: Final = "host_id, taken_at, summary, document"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredHost:
    """A host with what is remembered of it."""

    settings: HostSettings
    last_seen_at: str | None
    summary: FingerprintSummary | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FingerprintEntry:
    """One fingerprint of the history."""

    id: int
    taken_at: str
    summary: FingerprintSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedHost:
    """What a host's removal took away, as it lay in the store, so that it can be put back."""

    host: tuple[str | None, ...]
    fingerprints: tuple[tuple[str, ...], ...]


class HostStore:
    """Hosts and fingerprints; deleting a host deletes its fingerprints."""

    def __init__(self, database: Store) -> None:
        self._database = database

    async def all(self) -> tuple[StoredHost, ...]:
        """Return all hosts in the order they were added."""

        def read(db: sqlite3.Connection) -> list[tuple[str, str, str | None, str | None]]:
            return db.execute(
                "SELECT name, document, last_seen_at, (SELECT summary FROM fingerprints"
                " WHERE host_id = hosts.id ORDER BY id DESC LIMIT 1)"
                " FROM hosts ORDER BY rowid"
            ).fetchall()

        found = (self._stored(*row) for row in await self._database.run(read))
        return tuple(host for host in found if host is not None)

    def _stored(
        self, name: str, document: str, seen: str | None, summary: str | None
    ) -> StoredHost | None:
        """Read one row; one that cannot be read stays, is told, and keeps no other away."""
        try:
            settings = from_json(HostSettings, document)
        except DataFileError as exc:
            self._database.add_notice(_unreadable_host(name, self._database.file, exc))
            return None
        return StoredHost(settings=settings, last_seen_at=seen, summary=_summary(summary))

    async def save(self, settings: HostSettings, *, now: str) -> None:
        """Add a host or change what is stored of it.

        Raises:
            UserInputError: NAME_TAKEN when another Pitwall just stored one of that name.
        """

        def write(db: sqlite3.Connection) -> None:
            try:
                db.execute(
                    "INSERT INTO hosts (id, name, document, added_at) VALUES (?, ?, ?, ?)"
                    " ON CONFLICT (id) DO UPDATE SET name = excluded.name,"
                    " document = excluded.document",
                    (settings.id, settings.name, to_json(settings), now),
                )
            except sqlite3.IntegrityError as exc:
                raise _name_taken(settings.name) from exc

        await self._database.run(write)

    async def remove(self, host_id: HostId) -> RemovedHost | None:
        """Forget a host and its fingerprints; return what lay there for `put_back`."""

        def take_out(db: sqlite3.Connection) -> RemovedHost | None:
            row = db.execute(f"SELECT {_HOST} FROM hosts WHERE id = ?", (host_id,)).fetchone()  # noqa: S608 - our own names
            prints = db.execute(
                f"SELECT {_FINGERPRINT} FROM fingerprints WHERE host_id = ? ORDER BY id",  # noqa: S608 - our own names
                (host_id,),
            ).fetchall()
            db.execute("DELETE FROM hosts WHERE id = ?", (host_id,))
            return None if row is None else RemovedHost(host=row, fingerprints=tuple(prints))

        return await self._database.run(take_out)

    async def put_back(self, removed: RemovedHost) -> None:
        """Store a removed host again, with its fingerprints.

        Raises:
            UserInputError: NAME_TAKEN when another one took its name meanwhile.
        """

        def write(db: sqlite3.Connection) -> None:
            try:
                db.execute(
                    f"INSERT INTO hosts ({_HOST}) VALUES (?, ?, ?, ?, ?)",  # noqa: S608 - our own names
                    removed.host,
                )
            except sqlite3.IntegrityError as exc:
                raise _name_taken(str(removed.host[1])) from exc
            db.executemany(
                f"INSERT INTO fingerprints ({_FINGERPRINT}) VALUES (?, ?, ?, ?)",  # noqa: S608 - our own names
                removed.fingerprints,
            )

        await self._database.run(write)

    async def set_seen(self, host_id: HostId, at: str) -> None:
        """Note when a host last answered."""
        await self._database.run(
            lambda db: db.execute(
                "UPDATE hosts SET last_seen_at = ? WHERE id = ?", (at, host_id)
            ).close()
        )

    async def add_fingerprint(
        self, host_id: HostId, fingerprint: Fingerprint, summary: FingerprintSummary
    ) -> None:
        """Add a fingerprint, raw sections and all, to the history."""
        row = (host_id, fingerprint.taken_at, to_json(summary), to_json(pack_sections(fingerprint)))
        await self._database.run(
            lambda db: db.execute(
                "INSERT INTO fingerprints (host_id, taken_at, summary, document)"
                " VALUES (?, ?, ?, ?)",
                row,
            ).close()
        )

    async def newest_fingerprint(self, host_id: HostId) -> Fingerprint | None:
        """Return the newest fingerprint of a host.

        Raises:
            DataFileError: FINGERPRINT_BROKEN when what is stored cannot be read.
        """
        return await self._fingerprint(
            "SELECT document FROM fingerprints WHERE host_id = ? ORDER BY id DESC LIMIT 1",
            host_id,
        )

    async def fingerprint(self, entry_id: int) -> Fingerprint | None:
        """Return one fingerprint of the history.

        Raises:
            DataFileError: FINGERPRINT_BROKEN when what is stored cannot be read.
        """
        return await self._fingerprint("SELECT document FROM fingerprints WHERE id = ?", entry_id)

    async def history(self, host_id: HostId) -> tuple[FingerprintEntry, ...]:
        """Return the history of a host, what was kept last first: clocks may have been set back."""
        rows = await self._database.run(
            lambda db: db.execute(
                "SELECT id, taken_at, summary FROM fingerprints WHERE host_id = ? ORDER BY id DESC",
                (host_id,),
            ).fetchall()
        )
        entries = ((row[0], row[1], _summary(row[2])) for row in rows)
        return tuple(
            FingerprintEntry(id=entry_id, taken_at=taken_at, summary=summary)
            for entry_id, taken_at, summary in entries
            if summary is not None
        )

    async def _fingerprint(self, query: str, value: str | int) -> Fingerprint | None:
        row = await self._database.run(lambda db: db.execute(query, (value,)).fetchone())
        if row is None:
            return None
        try:
            stored = from_json(Fingerprint, row[0], code=ErrorCode.FINGERPRINT_BROKEN)
        except DataFileError as exc:
            raise DataFileError(
                exc.code,
                exc.params,
                cause=f"A stored fingerprint cannot be read: {exc.cause}",
                remedy="Take the host's fingerprint again; the old one stays in the store.",
                details=exc.details,
            ) from exc
        return unpack_sections(stored)


def _summary(text: str | None) -> FingerprintSummary | None:
    """Read what is shown in lists; taking a fingerprint replaces what cannot be read."""
    if text is None:
        return None
    with contextlib.suppress(DataFileError):
        return from_json(FingerprintSummary, text)
    return None


def _unreadable_host(name: str, file: Path, exc: DataFileError) -> ErrorInfo:
    return ErrorInfo(
        code=ErrorCode.STORE_BROKEN,
        params={"host": name, "file": str(file)},
        cause=f"What is stored of the host {name} cannot be read; it is left out.",
        remedy=f"It is still in {file}; add the host again under another name.",
        details=exc.details,
    )


def _name_taken(name: str) -> UserInputError:
    return UserInputError(
        ErrorCode.NAME_TAKEN,
        {"field": "name", "value": name},
        cause=f"A host named “{name}” is stored already.",
        remedy="Choose another name.",
    )
