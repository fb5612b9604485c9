"""Hosts as a service: the list, one connection per host, fingerprints.

`snapshot` and `find` may be called from every thread; everything else runs on the core loop.
"""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from app.core.errors import ErrorInfo, StoreError
from app.core.events import (
    FingerprintTaken,
    HostKind,
    HostRemoved,
    HostSettings,
    HostSnapshot,
    HostState,
)
from app.core.hardware.fingerprint import Fingerprint
from app.core.ids import HostId
from app.io.containers import ContainerEngine
from app.io.store.hosts import FingerprintEntry, HostStore
from app.io.transport.base import Transport
from app.services.activities import Activities
from app.services.bus import EventBus
from app.services.clock import Clock, utc_text
from app.services.host_board import HostBoard
from app.services.host_checks import check_settings, completed, find_host, free_name
from app.services.host_connections import HostConnection, not_connected
from app.services.host_fingerprints import HostFingerprints
from app.services.host_parts import HostParts
from app.services.host_removals import HostRemovals, Removal
from app.services.host_secrets import HostSecrets, KeyringState

DEMO_NAME: Final = "demo"

_CONNECTION_FIELDS: Final = ("kind", "address", "port", "user", "auth", "key_file", "docker_socket")


class HostService:
    """All hosts of this desk."""

    def __init__(
        self,
        *,
        parts: HostParts,
        store: HostStore,
        bus: EventBus,
        clock: Clock,
        activities: Activities,
    ) -> None:
        self._parts = parts
        self._store = store
        self._bus = bus
        self._clock = clock
        self._activities = activities
        self._secrets = HostSecrets(parts.secrets)
        self._removals = HostRemovals()
        self._fingerprints = HostFingerprints(parts=parts, store=store, clock=clock)
        self._board = HostBoard(bus)
        self._connections: dict[HostId, HostConnection] = {}
        self._taking: dict[HostId, asyncio.Lock] = {}

    async def load(self) -> None:
        """Read the list from the store; called once."""
        for stored in await self._store.all():
            snapshot = HostSnapshot(
                revision=self._board.next_revision(),
                settings=stored.settings,
                state=HostState.DISCONNECTED,
                summary=stored.summary,
                last_seen_at=stored.last_seen_at,
            )
            self._board.keep(snapshot)

    async def close(self) -> None:
        """Close all connections; what runs on the hosts goes on."""
        connections = tuple(self._connections.values())
        await asyncio.gather(*(connection.disconnect() for connection in connections))
        self._connections.clear()

    # The list

    def snapshot(self) -> tuple[HostSnapshot, ...]:
        """Return all hosts as they are now."""
        return self._board.all()

    def find(self, name_or_id: str) -> HostSnapshot:
        """Return a host by name or id.

        Raises:
            UserInputError: NOT_FOUND, with a suggestion where one is close.
        """
        return find_host(name_or_id, self.snapshot())

    async def add(self, settings: HostSettings) -> HostSnapshot:
        """Add a host; an empty id is replaced by a new one. Nothing is contacted.

        Raises:
            UserInputError: INVALID_INPUT, NAME_TAKEN.
            StoreError: when it cannot be kept.
        """
        complete = completed(settings)
        self._check(complete)
        await self._store.save(complete, now=self._now())
        snapshot = HostSnapshot(
            revision=self._board.next_revision(), settings=complete, state=HostState.DISCONNECTED
        )
        return self._board.put(snapshot)

    async def add_demo(self, name: str = DEMO_NAME) -> HostSnapshot:
        """Add the demo host, or return it when it is there."""
        for snapshot in self.snapshot():
            if snapshot.settings.kind is HostKind.DEMO:
                return snapshot
        free = free_name(name, (snapshot.settings.name for snapshot in self.snapshot()))
        return await self.add(HostSettings(id=HostId(""), name=free, kind=HostKind.DEMO))

    async def add_record(self, fingerprint: Fingerprint, name: str) -> HostSnapshot:
        """Add what somebody sent as a host of its own; a taken name gets a number.

        Raises:
            StoreError: when it cannot be kept.
        """
        free = free_name(name, (snapshot.settings.name for snapshot in self.snapshot()))
        added = await self.add(HostSettings(id=HostId(""), name=free, kind=HostKind.IMPORTED))
        host_id = added.settings.id
        kept = replace(fingerprint, host_id=host_id, host_name=free)
        summary, seen = self._parts.summarize(kept), kept.taken_at
        try:
            await self._fingerprints.keep(host_id, kept, summary)
        except StoreError:
            with contextlib.suppress(StoreError):
                await self.remove(host_id)  # a host without its facts is none
            raise
        self._board.change(host_id, lambda now: replace(now, summary=summary, last_seen_at=seen))
        await self._store.set_seen(host_id, seen)
        self._bus.publish(FingerprintTaken(host_id=host_id, taken_at=seen))
        return self.find(host_id)

    async def update(self, settings: HostSettings) -> HostSnapshot:
        """Change a host's settings; a connection made with other ones is closed.

        Raises:
            UserInputError: NOT_FOUND, INVALID_INPUT, NAME_TAKEN.
        """
        before = self.find(settings.id)
        self._check(settings)
        await self._store.save(settings, now=self._now())
        connection = self._connections.get(settings.id)
        if connection is not None:
            if any(getattr(settings, f) != getattr(before.settings, f) for f in _CONNECTION_FIELDS):
                await connection.disconnect()
            connection.settings = settings
        self._board.change(settings.id, lambda now: replace(now, settings=settings))
        return self.find(settings.id)

    async def remove(self, host_id: HostId) -> None:
        """Take a host off the list with its fingerprints; nothing on the host is touched.

        Its secrets are forgotten for good; `restore` brings everything else back.

        Raises:
            UserInputError: NOT_FOUND.
        """
        self.find(host_id)
        await self.disconnect(host_id)
        snapshot = self.find(host_id)
        stored = await self._store.remove(host_id)
        if stored is not None:
            self._removals.add(Removal(snapshot=snapshot, stored=stored))
        self._connections.pop(host_id, None)
        self._taking.pop(host_id, None)
        self._fingerprints.forget(host_id)
        self._board.drop(host_id)
        await self._secrets.forget(snapshot.settings, self._all_settings())
        self._bus.publish(HostRemoved(host_id=host_id))

    async def restore(self, host_id: HostId) -> HostSnapshot:
        """Undo a removal of this session.

        Raises:
            UserInputError: NOT_FOUND, NAME_TAKEN.
            StoreError: when it cannot be kept.
        """
        removal = self._removals.find(host_id)
        settings = replace(removal.snapshot.settings, keeps_secrets=False)
        self._check(settings)
        await self._store.put_back(removal.stored)
        await self._store.save(settings, now=self._now())
        self._removals.drop(host_id)
        revision = self._board.next_revision()
        return self._board.put(replace(removal.snapshot, settings=settings, revision=revision))

    # Secrets

    async def keep_secrets(self, host_id: HostId) -> KeyringState:
        """Write what a connected host was opened with into the system's keyring.

        Returns:
            How the keyring stands; when it is not usable, memory alone holds the secrets.

        Raises:
            UserInputError: NOT_FOUND.
        """
        settings = self.find(host_id).settings
        state = await self._secrets.keep(settings)
        if state.is_usable and await self._secrets.holds(settings):
            await self._mark_kept(host_id, keeps=True)
        return state

    async def forget_secrets(self, host_id: HostId) -> None:
        """Drop a host's secrets from memory and keyring; a connection stays.

        Raises:
            UserInputError: NOT_FOUND.
        """
        settings = self.find(host_id).settings
        await self._secrets.forget(settings)
        await self._mark_kept(host_id, keeps=False)

    async def _mark_kept(self, host_id: HostId, *, keeps: bool) -> None:
        settings = self.find(host_id).settings
        if settings.keeps_secrets is not keeps:
            await self.update(replace(settings, keeps_secrets=keeps))

    # The connection

    async def connect(
        self, host_id: HostId, *, password: str | None = None, passphrase: str | None = None
    ) -> HostSnapshot:
        """Connect a host; secrets stay in memory until it is removed or they prove wrong.

        Raises:
            UserInputError: NOT_FOUND.
            HostError: HOST_KEY_UNKNOWN, HOST_KEY_CHANGED, AUTH_FAILED, HOST_UNREACHABLE, …
        """
        if self.find(host_id).is_record:
            raise not_connected(self.find(host_id).settings)
        connection = self._connection(host_id)
        settings = connection.settings
        await self._secrets.take(settings, password=password, passphrase=passphrase)
        async with self._activities.run("connect", connection.settings.name):
            await connection.connect()
        await self._note_seen(host_id)
        return self.find(host_id)

    async def accept_key(self, host_id: HostId, sha256: str) -> None:
        """Trust the key that the host presented last, named by its SHA-256.

        Raises:
            HostError: when the host presented another one or none.
        """
        settings = self.find(host_id).settings
        await asyncio.to_thread(self._parts.accept_key, settings, sha256)

    async def disconnect(self, host_id: HostId) -> None:
        """Close a host's connection."""
        connection = self._connections.get(host_id)
        if connection is not None:
            await connection.disconnect()

    def transport(self, host_id: HostId) -> Transport:
        """Return the live connection.

        Raises:
            HostError: NOT_CONNECTED.
        """
        return self._connection(host_id).transport

    async def container_engine(self, host_id: HostId) -> ContainerEngine:
        """Return the host's container engine, one per connection.

        Raises:
            HostError: NOT_CONNECTED.
            DockerError: DOCKER_NOT_FOUND, DOCKER_NOT_REACHABLE, DOCKER_PERMISSION.
        """
        return await self._connection(host_id).containers()

    # Fingerprints

    async def take_fingerprint(self, host_id: HostId) -> Fingerprint:
        """Ask the host what it is, keep and announce the answer.

        Raises:
            HostError: when it cannot be asked.
            StoreError: when it cannot be stored; `fingerprint` returns it for this session.
        """
        if self.find(host_id).is_record and (kept := await self.fingerprint(host_id)) is not None:
            return kept  # nobody can be asked again
        connection = self._connection(host_id)
        settings, transport = connection.settings, connection.transport
        lock = self._taking.setdefault(host_id, asyncio.Lock())
        async with lock, self._activities.run("fingerprint", settings.name):
            self._board.change(host_id, lambda now: replace(now, is_busy=True))
            try:
                fingerprint, summary = await self._fingerprints.take(settings, transport)
                seen = fingerprint.taken_at
                self._board.change(
                    host_id, lambda now: replace(now, summary=summary, last_seen_at=seen)
                )
                await self._fingerprints.keep(host_id, fingerprint, summary)
            finally:
                self._board.change(host_id, lambda now: replace(now, is_busy=False))
        self._bus.publish(FingerprintTaken(host_id=host_id, taken_at=fingerprint.taken_at))
        return fingerprint

    async def fingerprint(self, host_id: HostId) -> Fingerprint | None:
        """Return the newest fingerprint; ``None`` when none was taken."""
        return await self._fingerprints.newest(host_id)

    async def fingerprint_history(self, host_id: HostId) -> tuple[FingerprintEntry, ...]:
        """Return the stored fingerprints of a host, newest first, without their contents."""
        return await self._fingerprints.history(host_id)

    async def stored_fingerprint(self, entry_id: int) -> Fingerprint | None:
        """Return one fingerprint of the history."""
        return await self._fingerprints.of_entry(entry_id)

    async def export_fingerprint(self, host_id: HostId, path: Path) -> Path:
        """Write the newest fingerprint, raw sections included, as JSON.

        Raises:
            StoreError: NOT_FOUND without one, FILE_UNWRITABLE, STORE_FULL.
        """
        return await self._fingerprints.export(host_id, path)

    # Inside

    def _connection(self, host_id: HostId) -> HostConnection:
        settings = self.find(host_id).settings
        if settings.id not in self._connections:
            self._connections[settings.id] = HostConnection(
                settings,
                parts=self._parts,
                clock=self._clock,
                report=self._reporter(settings.id),
            )
        return self._connections[settings.id]

    def _reporter(
        self, host_id: HostId
    ) -> Callable[[HostState, ErrorInfo | None, float | None], None]:
        def report(state: HostState, error: ErrorInfo | None, latency_s: float | None) -> None:
            seen = self._now() if state is HostState.CONNECTED else None
            self._board.change(
                host_id,
                lambda now: replace(
                    now,
                    state=state,
                    error=error,
                    latency_s=latency_s,
                    last_seen_at=seen or now.last_seen_at,
                ),
            )

        return report

    def _check(self, settings: HostSettings) -> None:
        check_settings(settings, self._all_settings())

    def _all_settings(self) -> tuple[HostSettings, ...]:
        return tuple(snapshot.settings for snapshot in self.snapshot())

    async def _note_seen(self, host_id: HostId) -> None:
        try:
            await self._store.set_seen(host_id, self._now())
        except StoreError:
            # Connecting succeeded; a full disk shows up where something is worth keeping.
            return

    def _now(self) -> str:
        return utc_text(self._clock.now_s())
