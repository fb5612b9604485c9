"""Small things the desk remembers between sessions, as text under a key."""

from app.io.store.db import Database


class LastUsedStore:
    """Key and value; the newest value wins."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, key: str) -> str | None:
        """Return what was kept under ``key``."""
        row = await self._database.run(
            lambda db: db.execute("SELECT value FROM last_used WHERE key = ?", (key,)).fetchone()
        )
        return None if row is None else str(row[0])

    async def put(self, key: str, value: str, *, now: str) -> None:
        """Keep ``value`` under ``key``."""
        await self._database.run(
            lambda db: db.execute(
                "INSERT INTO last_used (key, value, at) VALUES (?, ?, ?)"
                " ON CONFLICT (key) DO UPDATE SET value = excluded.value, at = excluded.at",
                (key, value, now),
            ).close()
        )
