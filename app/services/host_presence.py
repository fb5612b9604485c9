"""Tell a service when hosts come, go and are removed, on the core loop, one after the other."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from app.core.events import Event, HostChanged, HostRemoved, HostState
from app.core.ids import HostId
from app.services.bus import EventBus

OnHost = Callable[[HostId], Awaitable[None]]


class HostPresence:
    """Listens to the bus; events come in any thread, the calls are made on the loop."""

    def __init__(self, bus: EventBus, *, came: OnHost, went: OnHost, removed: OnHost) -> None:
        self._came = came
        self._went = went
        self._removed = removed
        self._states: dict[HostId, HostState] = {}
        self._last: dict[HostId, asyncio.Task[None]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._detach = bus.subscribe(self._on_event)

    def listen(self) -> None:
        """Begin to act; called on the loop. Before that, events only say how hosts stand."""
        self._loop = asyncio.get_running_loop()

    async def close(self) -> None:
        """Stop listening and end what is being done."""
        self._detach()
        tasks = tuple(self._last.values())
        self._last.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _on_event(self, event: Event) -> None:
        loop = self._loop or self._found_loop()
        if isinstance(event, HostRemoved):
            if loop is not None:
                loop.call_soon_threadsafe(self._do, event.host_id, self._removed)
        elif isinstance(event, HostChanged):
            host_id, state = event.snapshot.settings.id, event.snapshot.state
            if loop is None:
                self._states[host_id] = state
            else:
                loop.call_soon_threadsafe(self._host_is, host_id, state)

    def _found_loop(self) -> asyncio.AbstractEventLoop | None:
        """Hosts are connected on the core loop, so their news come on it."""
        with contextlib.suppress(RuntimeError):
            self._loop = asyncio.get_running_loop()
        return self._loop

    def _host_is(self, host_id: HostId, state: HostState) -> None:
        before = self._states.get(host_id, HostState.DISCONNECTED)
        self._states[host_id] = state
        if state is HostState.CONNECTED and before is not state:
            self._do(host_id, self._came)
        elif before is HostState.CONNECTED and state is not before:
            self._do(host_id, self._went)

    @asynccontextmanager
    async def seen_to_its_end(self, host_id: HostId) -> AsyncIterator[None]:
        """Look at a connected host as if it had just come when the block is cancelled.

        What was being done there may have been done, or not.
        """
        try:
            yield
        except asyncio.CancelledError:
            if self._states.get(host_id) is HostState.CONNECTED:
                self._do(host_id, self._came)
            raise

    def _do(self, host_id: HostId, call: OnHost) -> None:
        """Do it after what is being done for that host, so that going never overtakes coming."""
        earlier = self._last.get(host_id)
        if earlier is not None and call is not self._came:
            earlier.cancel()

        async def run() -> None:
            if earlier is not None:
                await asyncio.wait({earlier})
            await call(host_id)

        self._last[host_id] = asyncio.create_task(run(), name=f"host {host_id}")
