"""One host's connection over time: connect, notice the loss, come back with growing pauses.

The transport keeps its own heartbeat; here its verdict is watched and acted on. What changes is
reported through one callable, so that snapshots are made in one place.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from app.core.errors import AppError, ErrorCode, ErrorInfo, HostError
from app.core.events import HostKind, HostSettings, HostState
from app.io.containers import ContainerEngine
from app.io.credentials import CredentialKind
from app.io.tasks import end_task
from app.io.transport.base import Transport
from app.services.clock import Clock
from app.services.host_parts import HostParts
from app.services.host_secrets import HostSecrets

_log = logging.getLogger(__name__)

WATCH_EVERY_S: Final = 0.5
BACK_OFF_S: Final = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Pauses before each try to come back; the last one repeats."""

_NEEDS_A_PERSON: Final = frozenset(
    {
        ErrorCode.AUTH_FAILED,
        ErrorCode.PASSWORD_NEEDED,
        ErrorCode.HOST_KEY_UNKNOWN,
        ErrorCode.HOST_KEY_CHANGED,
        ErrorCode.HOST_KEY_REVOKED,
        ErrorCode.KEY_FILE_UNREADABLE,
    }
)

Report = Callable[[HostState, ErrorInfo | None, float | None], None]


class HostConnection:
    """Holds a host's transport and container engine and looks after them."""

    def __init__(
        self, settings: HostSettings, *, parts: HostParts, clock: Clock, report: Report
    ) -> None:
        self.settings = settings
        self._parts = parts
        self._secrets = HostSecrets(parts.secrets)
        self._clock = clock
        self._report = report
        self._transport: Transport | None = None
        self._containers: ContainerEngine | None = None
        self._watcher: asyncio.Task[None] | None = None
        self._opening: asyncio.Task[None] | None = None
        self._disconnects = 0
        self._closing: set[asyncio.Task[None]] = set()
        self._changing = asyncio.Lock()
        self._asking_containers = asyncio.Lock()

    @property
    def transport(self) -> Transport:
        """The live connection.

        Raises:
            HostError: NOT_CONNECTED.
        """
        if self._transport is None or not self._transport.is_alive:
            raise not_connected(self.settings)
        return self._transport

    async def connect(self) -> None:
        """Connect unless connected already; a failure is reported and raised.

        Raises:
            HostError: what the connector raises.
        """
        asked_after = self._disconnects
        async with self._changing:
            if self._transport is not None and self._transport.is_alive:
                return
            await self._let_go()
            self._report(HostState.CONNECTING, None, None)
            try:
                if self._disconnects > asked_after:  # while this one waited for its turn
                    raise _called_off(self.settings)
                await self._open_unless_called_off()
            except AppError as exc:
                called_off = exc.code is ErrorCode.CANCELLED
                state = HostState.DISCONNECTED if called_off else HostState.FAILED
                self._report(state, None if called_off else exc.info, None)
                raise
            except asyncio.CancelledError:
                self._report(HostState.DISCONNECTED, None, None)
                raise
            self._watcher = asyncio.create_task(self._watch(), name=f"watch {self.settings.name}")

    async def disconnect(self) -> None:
        """Close everything and call off a connecting that is under way; safe when not connected."""
        self._disconnects += 1
        if self._opening is not None:
            self._opening.cancel()
        async with self._changing:
            await self._let_go()
            self._report(HostState.DISCONNECTED, None, None)

    async def containers(self) -> ContainerEngine:
        """Return the container engine of this connection, asked for once.

        Raises:
            HostError: NOT_CONNECTED.
            DockerError: what connecting to the engine raises.
        """
        async with self._asking_containers:
            transport = self.transport
            if self._containers is None:
                self._containers = await self._parts.connect_containers(transport, self.settings)
            return self._containers

    async def _open_unless_called_off(self) -> None:
        """Connect in a task of its own, so that `disconnect` need not wait for its deadline.

        Raises:
            HostError: CANCELLED when it was called off.
        """
        caller = asyncio.current_task()
        self._opening = asyncio.create_task(self._open(), name=f"connect {self.settings.name}")
        try:
            await self._opening
        except asyncio.CancelledError as exc:
            if caller is not None and caller.cancelling():
                raise
            raise _called_off(self.settings) from exc
        finally:
            self._opening = None

    async def _open(self) -> None:
        settings = self.settings
        try:
            self._transport = await self._parts.connect(
                settings,
                password=await self._secrets.recall(settings, CredentialKind.PASSWORD),
                passphrase=await self._secrets.recall(settings, CredentialKind.PASSPHRASE),
            )
        except HostError as exc:
            if exc.code is ErrorCode.AUTH_FAILED:
                await self._secrets.refused(settings, exc)
            raise
        self._report(HostState.CONNECTED, None, self._transport.latency_s)

    async def _watch(self) -> None:
        while True:
            await self._until_lost()
            _log.info("The connection to %s was lost", self.settings.name)
            await self._drop_connection()
            lost = not_connected(self.settings, lost=True).info
            self._report(HostState.LOST, lost, None)
            if not await self._come_back():
                return

    async def _until_lost(self) -> None:
        shown: float | None = None
        while self._transport is not None and self._transport.is_alive:
            latency = self._transport.latency_s
            if _differs(shown, latency):
                shown = latency
                self._report(HostState.CONNECTED, None, latency)
            await self._clock.sleep(WATCH_EVERY_S)

    async def _come_back(self) -> bool:
        """Try until connected; False when a person has to act first."""
        attempt = 0
        while True:
            await self._clock.sleep(BACK_OFF_S[min(attempt, len(BACK_OFF_S) - 1)])
            attempt += 1
            try:
                await self._open()
            except AppError as exc:
                if exc.code in _NEEDS_A_PERSON:
                    self._report(HostState.FAILED, exc.info, None)
                    return False
                self._report(HostState.LOST, exc.info, None)
            else:
                return True

    async def _let_go(self) -> None:
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            await end_task(watcher)
        await self._drop_connection()
        if self._closing:  # what the watcher had begun to close
            await asyncio.wait(self._closing)

    async def _drop_connection(self) -> None:
        """Close what there is, to the end: whoever is cancelled here must not leave half of it."""
        parts = (self._containers, self._transport)
        self._containers, self._transport = None, None
        closing = asyncio.create_task(self._close(parts), name=f"close {self.settings.name}")
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
        await asyncio.shield(closing)

    async def _close(self, parts: tuple[ContainerEngine | None, Transport | None]) -> None:
        for part in parts:
            if part is not None:
                try:
                    await part.close()
                except AppError as exc:  # closing what is dead already must not stop us
                    _log.info("Closing %s: %s", self.settings.name, exc)


def not_connected(settings: HostSettings, *, lost: bool = False) -> HostError:
    """Return the error for a host without a connection."""
    if settings.kind is HostKind.IMPORTED:
        return HostError(
            ErrorCode.HOST_IS_RECORD,
            {"host": settings.name},
            cause=f"{settings.name} is a record of what was sent; there is no connection to it.",
            remedy="Facts, topology, checks and plans work on it; to deploy, add the machine.",
        )
    if lost:
        return HostError(
            ErrorCode.CONNECTION_LOST,
            {"host": settings.name},
            cause=f"The connection to {settings.name} was lost.",
            remedy="Pitwall keeps trying; what runs on the host goes on.",
        )
    return HostError(
        ErrorCode.NOT_CONNECTED,
        {"host": settings.name},
        cause=f"{settings.name} is not connected.",
        remedy="Connect to the host, then try again.",
    )


def _called_off(settings: HostSettings) -> HostError:
    return HostError(
        ErrorCode.CANCELLED,
        {"host": settings.name},
        cause=f"Connecting to {settings.name} was called off.",
        remedy="Connect again when you like.",
    )


def _differs(shown: float | None, latency: float | None) -> bool:
    """Tell whether a latency is worth showing anew: by a fifth and at least half a millisecond."""
    if shown is None or latency is None:
        return shown is not latency
    return abs(latency - shown) > max(0.2 * shown, 0.0005)
