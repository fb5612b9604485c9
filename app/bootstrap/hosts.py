"""Hosts wired to the outside: connections, container engines, probes, the demo worlds."""

import asyncio
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from app.bootstrap.data import DataFiles
from app.core.events import Event, HostKind, HostRemoved, HostSettings
from app.core.hardware.fingerprint import Fingerprint, HostSource
from app.core.hardware.sections import RawSection
from app.core.hardware.summary import summarize
from app.core.ids import HostId
from app.io.containers import ContainerEngine
from app.io.credentials import Credentials
from app.io.folders import Folders, make_folder
from app.io.transport.base import Transport
from app.services.clock import Clock
from app.services.host_parts import HostParts

if TYPE_CHECKING:
    from app.io.demo.playing import DemoPace
    from app.io.demo.world import DemoWorld
    from app.io.transport.host_keys import HostKeyStore


class HostWiring:
    """Real connections, and one simulated world per demo host."""

    def __init__(
        self,
        *,
        folders: Folders,
        data: DataFiles,
        clock: Clock,
        credentials: Credentials,
        pace: "DemoPace | None",
    ) -> None:
        self._credentials = credentials
        self._folders = folders
        self._data = data
        self._clock = clock
        self._pace = pace
        self._worlds: dict[HostId, DemoWorld] = {}
        self._forgetting: set[asyncio.Task[None]] = set()

    def parts(self) -> HostParts:
        """Return what the hosts service works with."""
        return HostParts(
            connect=self.connect,
            accept_key=self.accept_key,
            connect_containers=self.connect_containers,
            probe=self.probe,
            assemble=self.assemble,
            summarize=summarize,
            secrets=self._credentials,
        )

    async def connect(
        self, settings: HostSettings, *, password: str | None, passphrase: str | None
    ) -> Transport:
        """Connect a host of any kind."""
        if settings.kind is HostKind.DEMO:
            from app.io.demo.transport import DemoTransport

            world = self._world(settings.id)
            await world.containers.containers()  # takes up what ran when Pitwall was closed
            return DemoTransport(settings.name, world)
        from app.io.connect import open_transport

        return await open_transport(
            settings, password=password, passphrase=passphrase, host_keys=self._host_keys
        )

    def accept_key(self, settings: HostSettings, sha256: str) -> None:
        """Trust the key that a host presented."""
        self._host_keys.accept_presented(settings.address, settings.port, sha256)

    async def connect_containers(
        self, transport: Transport, settings: HostSettings
    ) -> ContainerEngine:
        """Reach the container engine over a connection."""
        if settings.kind is HostKind.DEMO:
            return self._world(settings.id).containers
        from app.io.docker.api import connect_docker

        return await connect_docker(transport, socket_path=settings.docker_socket)

    async def probe(self, transport: Transport) -> tuple[RawSection, ...]:
        """Ask a host what it is."""
        from app.io.probes import probe

        return await probe(transport)

    def assemble(
        self,
        sections: Sequence[RawSection],
        *,
        source: HostSource,
        taken_at: str,
        host_id: str | None,
        host_name: str | None,
        simulated: bool,
    ) -> Fingerprint:
        """Read what a host answered, with the GPU catalogue at hand."""
        from app.core.hardware.assemble import assemble_fingerprint

        return assemble_fingerprint(
            sections,
            source=source,
            taken_at=taken_at,
            host_id=host_id,
            host_name=host_name,
            simulated=simulated,
            catalogue=self._data.catalogue,
        )

    async def close(self) -> None:
        """End the simulated worlds."""
        await asyncio.gather(*self._forgetting)
        worlds, self._worlds = tuple(self._worlds.values()), {}
        for world in worlds:
            await world.close()

    def on_event(self, event: Event) -> None:
        """Forget a demo host that was taken off the list; called on the loop."""
        if not isinstance(event, HostRemoved):
            return
        self._demo_file(event.host_id).unlink(missing_ok=True)
        world = self._worlds.pop(event.host_id, None)
        if world is not None:
            task = asyncio.get_running_loop().create_task(world.forget())
            self._forgetting.add(task)
            task.add_done_callback(self._forgetting.discard)

    def _demo_file(self, host_id: HostId) -> Path:
        return self._folders.data / "demo" / f"{host_id}.json"

    def _world(self, host_id: HostId) -> "DemoWorld":
        if host_id not in self._worlds:
            from app.io.demo.memory import DemoMemory
            from app.io.demo.world import DemoWorld

            self._worlds[host_id] = DemoWorld(
                self._data.root,
                clock=self._clock,
                pace=self._pace,
                memory=DemoMemory(self._demo_file(host_id)),
            )
        return self._worlds[host_id]

    @cached_property
    def _host_keys(self) -> "HostKeyStore":
        from app.io.transport.host_keys import HostKeyStore

        make_folder(self._folders.config)
        return HostKeyStore.for_user(self._folders.known_hosts_file)
