"""Taking, keeping and giving out fingerprints of hosts."""

import asyncio
from pathlib import Path
from typing import Final

from app.core.errors import ErrorCode, StoreError
from app.core.events import HostKind, HostSettings
from app.core.hardware.fingerprint import Fingerprint, FingerprintSummary, HostSource
from app.core.hardware.packing import is_outdated
from app.core.hardware.renewal import read_again
from app.core.ids import HostId
from app.io.store.hosts import FingerprintEntry, HostStore
from app.io.transport.base import Transport
from app.services.clock import Clock, utc_text
from app.services.host_parts import HostParts
from app.services.user_files import save_fingerprint

_SOURCES: Final = {
    HostKind.LOCAL: HostSource.LOCAL,
    HostKind.SSH: HostSource.SSH,
    HostKind.DEMO: HostSource.RECORDED,
}


class HostFingerprints:
    """Fingerprints of all hosts; the newest of each stays in memory."""

    def __init__(self, *, parts: HostParts, store: HostStore, clock: Clock) -> None:
        self._parts = parts
        self._store = store
        self._clock = clock
        self._newest: dict[HostId, Fingerprint] = {}

    async def take(
        self, settings: HostSettings, transport: Transport
    ) -> tuple[Fingerprint, FingerprintSummary]:
        """Ask the host and read the answer; nothing is stored yet.

        Raises:
            HostError: when the host cannot be asked.
        """
        sections = await self._parts.probe(transport)
        fingerprint = await asyncio.to_thread(
            self._parts.assemble,
            sections,
            source=_SOURCES[settings.kind],
            taken_at=utc_text(self._clock.now_s()),
            host_id=settings.id,
            host_name=settings.name,
            simulated=settings.kind is HostKind.DEMO,
        )
        return fingerprint, self._parts.summarize(fingerprint)

    async def keep(
        self, host_id: HostId, fingerprint: Fingerprint, summary: FingerprintSummary
    ) -> None:
        """Keep it in memory, then in the store.

        Raises:
            StoreError: STORE_FULL and others; it is in memory even then.
        """
        self._newest[host_id] = fingerprint
        await self._store.add_fingerprint(host_id, fingerprint, summary)

    async def newest(self, host_id: HostId) -> Fingerprint | None:
        """Return the newest fingerprint, from memory or the store."""
        if host_id not in self._newest:
            stored = await self._store.newest_fingerprint(host_id)
            if stored is None:
                return None
            self._newest.setdefault(host_id, await self._up_to_date(stored))
        return self._newest[host_id]

    async def history(self, host_id: HostId) -> tuple[FingerprintEntry, ...]:
        """Return what the store keeps of a host, newest first."""
        return await self._store.history(host_id)

    async def of_entry(self, entry_id: int) -> Fingerprint | None:
        """Return one fingerprint of the history."""
        stored = await self._store.fingerprint(entry_id)
        return None if stored is None else await self._up_to_date(stored)

    async def _up_to_date(self, fingerprint: Fingerprint) -> Fingerprint:
        if not is_outdated(fingerprint):
            return fingerprint
        return await asyncio.to_thread(read_again, fingerprint, self._parts.assemble)

    async def export(self, host_id: HostId, path: Path) -> Path:
        """Write the newest fingerprint as JSON.

        Raises:
            StoreError: NOT_FOUND without a fingerprint, FILE_UNWRITABLE.
        """
        fingerprint = await self.newest(host_id)
        if fingerprint is None:
            raise StoreError(
                ErrorCode.NOT_FOUND,
                {"host": host_id},
                cause="There is no fingerprint of this host yet.",
                remedy="Take one first.",
            )
        return await save_fingerprint(path, fingerprint)

    def forget(self, host_id: HostId) -> None:
        """Drop what is in memory of a host."""
        self._newest.pop(host_id, None)
