"""The demo host's container engine: in memory, with real HTTP servers inside.

It plays vLLM only and says so; images count as present, pulls are scripted.
"""

import asyncio
import hashlib
import itertools
import logging
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from app.core import labels
from app.core.deployment.spec import ContainerSpec
from app.core.errors import AppError, DockerError, ErrorCode
from app.io.containers import (
    ContainerInfo,
    EngineVersion,
    ImageInfo,
    LogChunk,
    PullProgress,
)
from app.io.demo.container import DemoContainer
from app.io.demo.engine_log import StartLine, written
from app.io.demo.gpus import DemoGpus
from app.io.demo.memory import DemoMemory, RememberedContainer
from app.io.demo.models import DemoModel
from app.io.demo.pace import Pace, stamp
from app.io.demo.playing import DemoPace, Player
from app.io.demo.refusals import (
    is_played,
    refuse_other_engines,
    refuse_unknown_gpus,
    refuse_what_is_missing,
)

_log = logging.getLogger(__name__)

VERSION: Final = "26.1.5"
FIRST_FREE_PORT: Final = 32768
IMAGE_BYTES: Final = 8 * 2**30


class DemoContainerEngine:
    """Containers of one demo host; lives as long as the host is in the list."""

    def __init__(
        self,
        *,
        models: Sequence[DemoModel],
        gpus: DemoGpus,
        clock: Pace,
        pace: DemoPace,
        memory: DemoMemory | None = None,
    ) -> None:
        self._gpus = gpus
        self._clock = clock
        self._pace = pace
        self._memory = memory or DemoMemory()
        self._player = Player(
            models=models, gpus=gpus, clock=clock, pace=pace, on_exit=lambda _gone: self._save()
        )
        self._containers: dict[str, DemoContainer] = {}
        self._syncing = asyncio.Lock()
        self._numbers = itertools.count(1)
        self._image_names: dict[str, str] = {}

    def port_of(self, host_port: int) -> int | None:
        """Return the real loopback port behind a published port of the demo host."""
        for container in self._containers.values():
            if container.is_running and container.host_port == host_port and container.engine:
                return container.engine.port or None
        return None

    async def version(self) -> EngineVersion:
        """Say who answers."""
        return EngineVersion(
            name="docker",
            version=VERSION,
            api_version="1.45",
            min_api_version="1.24",
            os="linux",
            architecture="amd64",
            rootless=False,
            runtimes=("nvidia", "runc"),
            cdi_devices=(),
            root_dir="/var/lib/docker",
            system_time=stamp(self._clock.now_s()),
        )

    async def containers(self, *, ours_only: bool = True) -> tuple[ContainerInfo, ...]:
        """Return all containers, newest first."""
        await self._sync()
        return tuple(
            container.info()
            for container in reversed(self._containers.values())
            if not ours_only or labels.SCHEMA in container.spec.labels
        )

    async def inspect(self, container: str) -> ContainerInfo:
        """Return one container.

        Raises:
            DockerError: CONTAINER_NOT_FOUND.
        """
        await self._sync()
        return self._find(container).info()

    async def raw_inspect(self, container: str) -> Mapping[str, object]:
        """Return a document in Docker's manner.

        Raises:
            DockerError: CONTAINER_NOT_FOUND.
        """
        await self._sync()
        found = self._find(container)
        info, spec = found.info(), found.spec
        return {
            "Id": info.id,
            "Name": f"/{info.name}",
            "Image": info.image_id,
            "Simulated": True,
            "State": {"Status": info.status, "ExitCode": info.exit_code or 0},
            "Config": {
                "Image": info.image,
                "Labels": dict(info.labels),
                "Cmd": list(info.command),
                "Env": list(info.environment),
            },
            "HostConfig": {
                "ShmSize": spec.shm_size_bytes or 0,
                "DeviceRequests": [{"Driver": "nvidia", "DeviceIDs": list(spec.gpu_uuids)}],
            },
            "Mounts": [
                {"Type": mount.kind, "Source": mount.source, "Destination": mount.target}
                for mount in spec.mounts
            ],
        }

    async def image(self, reference: str) -> ImageInfo | None:
        """Return an image by name or id: vLLM's count as present, with an id made from the name."""
        name = self._image_names.get(reference, reference)
        if not is_played(name):
            return None
        made = image_id(name)
        self._image_names[made] = name
        return ImageInfo(
            id=made,
            tags=(name,),
            repo_digests=(),
            size_bytes=IMAGE_BYTES,
            entrypoint=("vllm", "serve"),
        )

    async def pull(self, reference: str) -> AsyncIterator[PullProgress]:
        """Play a pull.

        Raises:
            DockerError: PULL_FAILED for what is not an image of vLLM.
        """
        if not is_played(reference):
            raise DockerError(
                ErrorCode.PULL_FAILED,
                {"image": reference, "host": "demo"},
                cause=f"The demo host can only play vLLM, so {reference} is not fetched.",
                remedy="Plan with vLLM here, or use a host of your own.",
            )
        for part in range(5):
            yield PullProgress(
                status=f"Downloading {reference} (simulated)",
                done_bytes=IMAGE_BYTES * part // 4,
                total_bytes=IMAGE_BYTES,
            )
            await self._clock.sleep(0.3 / self._pace.speed)

    async def tag(self, image: str, name: str) -> None:
        """Nothing is kept of played images."""

    async def create(
        self, spec: ContainerSpec, *, image_id: str, secrets: Mapping[str, str]
    ) -> str:
        """Create a container and mark it as simulated.

        Raises:
            DockerError: CONTAINER_NAME_TAKEN, IMAGE_MISSING, GPU_RUNTIME_MISSING for a GPU that is
                not there, DOCKER_REFUSED for an engine that is not played or a missing secret.
        """
        await self._sync()
        refuse_what_is_missing(spec, image_id, secrets)
        if any(container.spec.name == spec.name for container in self._containers.values()):
            raise DockerError(
                ErrorCode.CONTAINER_NAME_TAKEN,
                {"name": spec.name, "host": "demo"},
                cause=f"There is a container named {spec.name} already.",
                remedy="Remove it, or choose another name.",
            )
        refuse_other_engines(spec)
        refuse_unknown_gpus(spec, self._gpus.uuids)
        number = next(self._numbers)
        made = hashlib.sha256(f"{spec.name} {number} {self._clock.now_s()}".encode()).hexdigest()
        self._containers[made] = DemoContainer(
            id=made,
            spec=_marked(spec),
            image_id=image_id,
            secrets={name: secrets[name] for name in spec.secret_environment},
            created_at=stamp(self._clock.now_s()),
            restart_policy=spec.restart_policy,
        )
        await self._save()
        return made

    async def start(self, container: str) -> None:
        """Start a container; one that runs already is fine.

        Raises:
            DockerError: CONTAINER_NOT_FOUND, PORT_IN_USE.
        """
        await self._sync()
        found = self._find(container)
        if found.is_running:
            return
        try:
            found.host_port = self._claim_port(found)
        except DockerError:
            if not found.started_at:  # a refused first start leaves nothing behind
                self._containers.pop(found.id)
                await self._save()
            raise
        found.status, found.exit_code, found.error = "running", None, ""
        found.started_at = stamp(self._clock.now_s())
        await self._player.play(found)
        await self._save()

    async def stop(self, container: str, *, grace_s: float = 10) -> None:  # noqa: ARG002 - ends at once
        """End a container as an engine does on SIGTERM: exit code 0.

        Raises:
            DockerError: CONTAINER_NOT_FOUND.
        """
        await self._sync()
        found = self._find(container)
        if found.is_running:
            words = StartLine(wait_s=0, prefix="APIServer pid=1", text="Shutting down")
            now_s = self._clock.now_s()
            found.write(written(words, now_s), at_s=now_s)
            await self._player.end(found, exit_code=0)
            await self._save()

    async def remove(self, container: str, *, force: bool = False) -> None:
        """Remove a container; one that is gone is fine.

        Raises:
            DockerError: DOCKER_REFUSED when it runs and ``force`` was not given.
        """
        await self._sync()
        try:
            found = self._find(container)
        except DockerError:
            return
        if found.is_running:
            if not force:
                raise DockerError(
                    ErrorCode.DOCKER_REFUSED,
                    {"name": found.spec.name, "host": "demo"},
                    cause=f"{found.spec.name} is running.",
                    remedy="Stop it first.",
                )
            await self._player.end(found, exit_code=137)
        self._containers.pop(found.id, None)
        await self._save()

    async def set_restart_policy(self, container: str, policy: str) -> None:
        """Keep the policy; nothing here restarts by itself.

        Raises:
            DockerError: CONTAINER_NOT_FOUND.
        """
        await self._sync()
        self._find(container).restart_policy = policy
        await self._save()

    async def logs(
        self, container: str, *, follow: bool, tail: int | None = None, since: str | None = None
    ) -> AsyncGenerator[LogChunk, None]:
        """Yield log lines.

        Raises:
            DockerError: CONTAINER_NOT_FOUND.
        """
        await self._sync()
        async for line in self._find(container).follow(follow=follow, tail=tail, since=since):
            yield line

    async def close(self) -> None:
        """Do nothing: the containers stay while the host is in the list."""

    async def shut_down(self) -> None:
        """Stop playing; what ran is taken up again the next time, where it then would be."""
        for container in tuple(self._containers.values()):
            if container.is_running:
                await self._player.end(container, exit_code=137)
        self._containers.clear()

    # Inside

    async def _save(self) -> None:
        kept = tuple(container.remembered() for container in self._containers.values())
        try:
            await asyncio.to_thread(self._memory.write, kept)
        except AppError as exc:  # the simulation goes on without its file
            _log.info("The demo host's containers are not kept: %s", exc)

    async def _sync(self) -> None:
        """Take over what another Pitwall, or an earlier session, did with this demo host."""
        async with self._syncing:
            remembered = self._memory.read_changes()
            if remembered is None:
                return
            known = {container.id for container in remembered}
            for gone in [c for c in self._containers.values() if c.id not in known]:
                if gone.is_running:
                    await self._player.end(gone, exit_code=137)
                self._containers.pop(gone.id, None)
            for container in remembered:
                await self._adopt(container)

    async def _adopt(self, told: RememberedContainer) -> None:
        ours = self._containers.get(told.id)
        if ours is None:
            # A real engine would keep its key; this one gets a new one, so that none is stored.
            made = {name: secrets.token_urlsafe(16) for name in told.spec.secret_environment}
            ours = self._containers[told.id] = DemoContainer.recall(told, secrets=made)
            if ours.is_running:
                await self._player.play(ours)
            return
        same_run = ours.started_at == told.started_at
        if ours.is_running and not (told.status == "running" and same_run):
            await self._player.end(ours, exit_code=told.exit_code or 0)
        was_running = ours.is_running
        ours.take_over(told)
        if ours.is_running and not was_running:
            await self._player.play(ours)

    def _find(self, container: str) -> DemoContainer:
        for found in self._containers.values():
            if container in (found.spec.name, found.id) or (
                len(container) >= 12 and found.id.startswith(container)
            ):
                return found
        raise DockerError(
            ErrorCode.CONTAINER_NOT_FOUND,
            {"name": container, "host": "demo"},
            cause=f"There is no container {container} on the demo host.",
            remedy="Refresh the list; it may have been removed.",
        )

    def _claim_port(self, container: DemoContainer) -> int:
        taken = {c.host_port for c in self._containers.values() if c.is_running}
        wanted = container.spec.host_port
        if wanted in taken:
            raise DockerError(
                ErrorCode.PORT_IN_USE,
                {"port": wanted, "host": "demo"},
                cause=f"Port {wanted} of the demo host is in use.",
                remedy="Choose another port, or stop what uses it.",
            )
        return wanted or next(p for p in itertools.count(FIRST_FREE_PORT) if p not in taken)


def image_id(reference: str) -> str:
    """Return the made-up content id of an image."""
    return "sha256:" + hashlib.sha256(f"simulated {reference}".encode()).hexdigest()


def _marked(spec: ContainerSpec) -> ContainerSpec:
    return replace(spec, labels={**spec.labels, labels.SIMULATED: "true"})
