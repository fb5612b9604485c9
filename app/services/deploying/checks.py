"""Preflight: everything that can be known to fail before anything is created."""

import contextlib
import posixpath
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from app.core.deployment.spec import DeploymentSpec
from app.core.errors import AppError, DockerError, ErrorCode, HostError, PlanError
from app.core.hardware.fingerprint import Fingerprint, GpuAccess
from app.core.labels import PORT, read_labels
from app.core.units import KIB, MIB
from app.io.containers import (
    ENDED,
    ContainerEngine,
    ContainerInfo,
    EngineVersion,
    ImageInfo,
    age_of,
)
from app.io.transport.base import Transport
from app.services.deploying import errors
from app.services.models import look_at_model

PORTS_TRIED: Final = 200
YOUNG_S: Final = 60.0
"""A created container younger than this is somebody's work, not a leftover."""
_CONNECT_S: Final = 2.0
_ASK_S: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Preflight:
    """What was found: the spec with its port, the image if it is there, a leftover to remove."""

    spec: DeploymentSpec
    image: ImageInfo | None
    leftover: str | None = None
    """Id of our own container of that name which never served."""


class PreflightChecks:
    """Checks of one host; the first that fails raises its own error."""

    def __init__(
        self, *, host: str, transport: Transport, engine: ContainerEngine, default_port: int
    ) -> None:
        self._host = host
        self._transport = transport
        self._engine = engine
        self._default_port = default_port

    async def run(self, spec: DeploymentSpec, fingerprint: Fingerprint | None) -> Preflight:
        """Check everything.

        Raises:
            DockerError, HostError, PlanError: what stands in the way.
        """
        version = await self._engine.version()
        containers = await self._engine.containers(ours_only=False)
        leftover = self._check_name(spec, containers, version)
        others = [c for c in containers if c.id != leftover and not _gave_way(c, spec)]
        self._check_gpus(spec, version, fingerprint)
        await self._check_paths(spec)
        await self._check_model(spec)
        await self._check_memory(spec)
        port = await self._port(spec.container.host_port, others)
        image = await find_image(self._engine, spec)
        return Preflight(spec=_with_port(spec, port), image=image, leftover=leftover)

    def _check_name(
        self, spec: DeploymentSpec, found: Iterable[ContainerInfo], version: EngineVersion
    ) -> str | None:
        for container in found:
            if container.name.lstrip("/") != spec.container.name:
                continue
            labels = read_labels(container.labels)
            if labels is None or labels.deployment != spec.name:
                raise errors.name_taken(spec.container.name, self._host, container.image)
            if container.status == "running" or container.restart_policy != "no":
                raise errors.name_taken(spec.container.name, self._host, "a deployment of ours")
            if container.status == "created" and _is_young(container, version):
                raise errors.being_deployed(spec.container.name, self._host)
            return container.id
        return None

    def _check_gpus(
        self, spec: DeploymentSpec, version: EngineVersion, fingerprint: Fingerprint | None
    ) -> None:
        wanted = spec.container.gpu_uuids
        if not wanted or spec.simulated:
            return
        access = spec.container.gpu_access
        if access in {GpuAccess.NONE, ""}:
            raise errors.no_gpu_access(access, self._host, "no way to do so was found")
        if access == GpuAccess.NVIDIA_RUNTIME and "nvidia" not in version.runtimes:
            raise errors.no_gpu_access(access, self._host, "it has no runtime named nvidia")
        known = {gpu.uuid for gpu in fingerprint.gpus} if fingerprint else set()
        for uuid in wanted:
            if known and uuid not in known:
                raise errors.gpu_gone(uuid, self._host)

    async def _check_paths(self, spec: DeploymentSpec) -> None:
        """A missing bind source would be made as an empty folder by the engine."""
        for path in dict.fromkeys(mount.source for mount in spec.container.mounts):
            if path.startswith("/") and not await self._exists(path):
                raise errors.model_missing(path, self._host)

    async def _check_model(self, spec: DeploymentSpec) -> None:
        """Damaged files are told before a container is made, not after minutes of loading."""
        path = _model_on_host(spec)
        if path is None or spec.simulated:
            return
        try:
            report = await look_at_model(self._transport, path)
        except PlanError:
            return  # no model that can be judged: what the engine makes of it is its own affair
        except HostError as exc:
            if exc.code in errors.LOST:
                raise
            return
        if report.stops_loading():
            raise errors.model_not_whole(report, self._host)

    async def _exists(self, path: str) -> bool:
        parent, name = posixpath.split(path.rstrip("/"))
        if not name:
            return True
        try:
            entries = await self._transport.list_folder(parent or "/")
        except HostError as exc:
            if exc.code == ErrorCode.NOT_FOUND:
                return False
            if exc.code == ErrorCode.PERMISSION_DENIED:
                return await self._can_be_read(path)
            raise
        return any(entry.name == name for entry in entries)

    async def _can_be_read(self, path: str) -> bool:
        """A parent that may not be listed may still let its entries be used."""
        for ask in (self._transport.list_folder, self._read_a_byte):
            try:
                await ask(path)
            except HostError as exc:
                if exc.code in errors.LOST:
                    raise
            else:
                return True
        return False

    async def _read_a_byte(self, path: str) -> bytes:
        return await self._transport.read_file(path, length=1)

    async def _check_memory(self, spec: DeploymentSpec) -> None:
        needed = spec.estimate_bytes_per_gpu
        if needed is None or spec.simulated:
            return
        if not spec.container.gpu_uuids:
            free = await self._free_ram()
            if free is not None and free < needed:
                raise errors.does_not_fit(needed, free, "main memory", self._host)
            return
        free_by_gpu = await self._free_gpu_memory()
        for uuid in spec.container.gpu_uuids:
            free_here = free_by_gpu.get(uuid)
            if free_here is not None and free_here < needed:
                raise errors.does_not_fit(needed, free_here, f"GPU {uuid}", self._host)

    async def _free_ram(self) -> int | None:
        text = await self._output(["cat", "/proc/meminfo"])
        for line in text.splitlines():
            if line.startswith("MemAvailable:"):
                with contextlib.suppress(ValueError, IndexError):
                    return int(line.split()[1]) * KIB
        return None

    async def _free_gpu_memory(self) -> dict[str, int]:
        query = ["nvidia-smi", "--query-gpu=uuid,memory.free", "--format=csv,noheader,nounits"]
        free: dict[str, int] = {}
        for line in (await self._output(query)).splitlines():
            uuid, _, value = line.partition(",")
            if value.strip().isdigit():
                free[uuid.strip()] = int(value) * MIB
        return free

    async def _output(self, argv: list[str]) -> str:
        """Return what a command prints; empty when it cannot be asked (unknown is no refusal)."""
        try:
            result = await self._transport.run(argv, timeout_s=_ASK_S)
        except HostError as exc:
            if exc.code in errors.LOST:
                raise
            return ""
        return result.stdout.decode("utf-8", "replace") if result.exit_code == 0 else ""

    async def _port(self, wanted: int, others: Iterable[ContainerInfo]) -> int:
        taken = {port: c.name for c in others for port in c.host_ports.values()}
        if wanted:
            if wanted in taken:
                raise errors.port_in_use(wanted, self._host, f"container {taken[wanted]}")
            if await self._listens(wanted):
                raise errors.port_in_use(wanted, self._host, "another program")
            return wanted
        first = self._default_port
        for port in range(first, first + PORTS_TRIED):
            if port not in taken and not await self._listens(port):
                return port
        raise errors.no_free_port(first, first + PORTS_TRIED - 1, self._host)

    async def _listens(self, port: int) -> bool:
        def connect() -> bool:
            self._transport.open_tcp("127.0.0.1", port, timeout_s=_CONNECT_S).close()
            return True

        try:
            return await self._transport.blocking(connect, timeout_s=_CONNECT_S + 1)
        except HostError as exc:
            if exc.code in errors.LOST:
                raise
            return False


def _gave_way(container: ContainerInfo, spec: DeploymentSpec) -> bool:
    """True for a stopped earlier revision: its port goes to the new one, clients keep theirs."""
    labels = read_labels(container.labels)
    ours = labels is not None and labels.deployment == spec.name
    return ours and container.status in ENDED


def _is_young(container: ContainerInfo, version: EngineVersion) -> bool:
    """True for what may be another Pitwall's, between its creation and its start."""
    age_s = age_of(container, version)
    return age_s is not None and age_s < YOUNG_S


def _with_port(spec: DeploymentSpec, port: int) -> DeploymentSpec:
    """Return the spec with the port that was found, also on its label: it outlives the run."""
    labels = {**spec.container.labels, PORT: str(port)}
    return replace(spec, container=replace(spec.container, host_port=port, labels=labels))


async def find_image(engine: ContainerEngine, spec: DeploymentSpec) -> ImageInfo | None:
    """Return the image by the id it was resolved to, else by its reference."""
    if spec.image_id:
        by_id = await engine.image(spec.image_id)
        if by_id is not None:
            return by_id
    return await engine.image(spec.image)


_NO_WAY_OUT: Final = (
    "no such host",
    "timeout",
    "timed out",
    "deadline exceeded",
    "connection refused",
    "unreachable",
    "lookup",
    "proxyconnect",
    "no route to host",
)


def pull_refused(exc: DockerError, spec: DeploymentSpec, host: str) -> AppError:
    """Return what to say of a failed pull: no way to the registry means bring the image along."""
    words = f"{exc.cause} {exc.details}".lower()
    if exc.code == ErrorCode.PULL_FAILED and any(word in words for word in _NO_WAY_OUT):
        return errors.image_missing(spec.image, host, details=f"{exc.cause}\n{exc.details}".strip())
    return exc


def _model_on_host(spec: DeploymentSpec) -> str | None:
    """Return where the model lies on the host; ``None`` when it is fetched by its name."""
    inside = spec.model_path
    for mount in spec.container.mounts:
        if mount.source.startswith("/") and _is_below(inside, mount.target):
            return mount.source + inside.removeprefix(mount.target.rstrip("/"))
    return None


def _is_below(path: str, folder: str) -> bool:
    base = folder.rstrip("/")
    return path == base or path.startswith(base + "/")
