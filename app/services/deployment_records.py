"""Find out what a deployment is: image, arguments, model files, what the engine said, the host."""

import asyncio
import contextlib
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from app.core.deployment.record import DeploymentRecord, ModelIdentity
from app.core.diff.arguments import hidden_environment, read_arguments, without_secrets
from app.core.diff.engine_words import EngineWords
from app.core.diff.spec import SaidRule
from app.core.errors import AppError, DockerError, ErrorCode, HostError
from app.core.events import DeploymentSnapshot
from app.core.hardware.fingerprint import Fingerprint
from app.core.ids import HostId
from app.io.containers import ContainerEngine
from app.io.model_identity import Progress, hash_whole, read_identity
from app.io.transport.base import Transport
from app.services.clock import Clock, utc_text
from app.services.deploying.logs import read_log
from app.services.streams import ended

_LOG_PATIENCE_S: Final = 30.0
"""A log that takes longer to read is judged by what came until then."""
_HUB_NAME: Final = re.compile(r"[\w.-]+/[\w.-]+")
_KEPT_SECTIONS: Final = frozenset({"lscpu", "lscpu-J"})
_LOST: Final = frozenset({ErrorCode.CONNECTION_LOST, ErrorCode.NOT_CONNECTED})


class HostsLike(Protocol):
    """What this needs of the hosts."""

    def transport(self, host_id: HostId) -> Transport:
        """Return the host's connection."""

    async def container_engine(self, host_id: HostId) -> ContainerEngine:
        """Return the host's container engine."""

    async def fingerprint(self, host_id: HostId) -> Fingerprint | None:
        """Return the newest fingerprint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mounted:
    """A folder of the host and where the container sees it."""

    source: str
    target: str


class RecordReader:
    """Reads one deployment's record over its host's connection."""

    def __init__(self, hosts: HostsLike, clock: Clock, rules: Sequence[SaidRule]) -> None:
        self._hosts = hosts
        self._clock = clock
        self._rules = rules

    async def read(
        self,
        deployment: DeploymentSnapshot,
        *,
        hash_weights: bool = False,
        progress: Progress | None = None,
    ) -> DeploymentRecord:
        """Return everything that decides how a deployment behaves.

        Raises:
            DockerError: CONTAINER_NOT_FOUND when it has no container.
            HostError: NOT_CONNECTED, CONNECTION_LOST.
        """
        host_id = deployment.host_id
        containers = await self._hosts.container_engine(host_id)
        container = deployment.container_id
        if container is None:
            raise _no_container(deployment)
        document = await containers.raw_inspect(container)
        config, host_config = _table(document, "Config"), _table(document, "HostConfig")
        image_id = str(document.get("Image", ""))
        image = await containers.image(image_id)
        command = _words(config, "Cmd")
        fingerprint = await self._hosts.fingerprint(host_id)
        return DeploymentRecord(
            host=deployment.host_name,
            name=deployment.name,
            taken_at=utc_text(self._clock.now_s()),
            simulated=deployment.simulated,
            engine=deployment.engine,
            engine_version=deployment.engine_version,
            image=str(config.get("Image") or deployment.image),
            image_id=image_id,
            image_digests=image.repo_digests if image is not None else (),
            entrypoint=_words(config, "Entrypoint") or (image.entrypoint if image else ()),
            command=without_secrets(command),
            environment=hidden_environment(_words(config, "Env")),
            gpu_count=_gpu_count(host_config, fingerprint),
            shm_size_bytes=_number(host_config.get("ShmSize")),
            model=await self._model(
                host_id, command, _mounts(document), hash_weights=hash_weights, progress=progress
            ),
            said=await self._said(containers, container, deployment.engine),
            fingerprint=_small(fingerprint) if fingerprint is not None else None,
        )

    async def _said(
        self, containers: ContainerEngine, container: str, engine: str
    ) -> Mapping[str, str]:
        """Return what the engine said at its last start; a log that cannot be read says nothing."""
        words = EngineWords(self._rules, engine)
        lines = read_log(containers, container, follow=False, tail=None, clock=self._clock)
        with contextlib.suppress(TimeoutError, DockerError):
            async with asyncio.timeout(_LOG_PATIENCE_S), ended(lines) as arriving:
                async for line in arriving:
                    words.feed(line)
        return words.said

    async def _model(
        self,
        host_id: HostId,
        command: Sequence[str],
        mounts: Sequence[Mounted],
        *,
        hash_weights: bool,
        progress: Progress | None,
    ) -> ModelIdentity:
        transport = self._hosts.transport(host_id)
        unreadable = "None of the arguments names a folder that the container sees of the host."
        for path in model_places(command, mounts):
            try:
                place = await _snapshot_of(transport, path)
                model = await read_identity(transport, place)
                return await hash_whole(transport, model, progress) if hash_weights else model
            except HostError as exc:
                if exc.code in _LOST:
                    raise
                unreadable = exc.cause
        return ModelIdentity(path="", unreadable=unreadable)


def model_places(command: Sequence[str], mounts: Sequence[Mounted]) -> Iterator[str]:
    """Yield where on the host the model may lie, the likeliest first.

    Arguments that name a path below a mount are translated; a name of the Hugging Face hub is
    looked for in a mounted cache.
    """
    values = [word for value in read_arguments(command).values() for word in value.split(" ")]
    deepest = sorted(mounts, key=lambda mount: -len(mount.target))
    for word in values:
        mount = next((m for m in deepest if _is_below(word, m.target)), None)
        if mount is not None:
            yield mount.source + word[len(mount.target.rstrip("/")) :]
    for word in values:
        if _HUB_NAME.fullmatch(word):
            folder = f"models--{word.replace('/', '--')}"
            for mount in mounts:
                yield posixpath.join(mount.source, "hub", folder)
                yield posixpath.join(mount.source, folder)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


async def _snapshot_of(transport: Transport, path: str) -> str:
    """Follow a cache entry to the snapshot that ``refs/main`` names."""
    if not posixpath.basename(path).startswith("models--"):
        return path
    revision = await transport.read_file(posixpath.join(path, "refs", "main"), length=64)
    return posixpath.join(path, "snapshots", revision.decode("ascii", "replace").strip())


def _mounts(document: Mapping[str, Any]) -> tuple[Mounted, ...]:
    return tuple(
        Mounted(source=str(mount.get("Source", "")), target=str(mount.get("Destination", "")))
        for mount in document.get("Mounts") or ()
        if mount.get("Source") and mount.get("Destination")
    )


def _table(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = document.get(name)
    return found if isinstance(found, Mapping) else {}


def _words(config: Mapping[str, Any], name: str) -> tuple[str, ...]:
    found = config.get(name)
    if isinstance(found, str):
        return (found,)
    return tuple(str(word) for word in found or ())


def _small(fingerprint: Fingerprint) -> Fingerprint:
    """Leave out the raw sections that a comparison does not look into."""
    kept = tuple(section for section in fingerprint.sections if section.name in _KEPT_SECTIONS)
    return replace(fingerprint, sections=kept)


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def _gpu_count(host_config: Mapping[str, Any], fingerprint: Fingerprint | None) -> int | None:
    """Count the GPUs that were asked for; all of them is as many as the host has."""
    requests = host_config.get("DeviceRequests")
    if requests is None:
        return 0 if host_config else None
    count = 0
    for request in requests:
        names = request.get("DeviceIDs") or ()
        asked = len(names) or int(request.get("Count") or 0)
        if asked < 0 or any(str(name).endswith("=all") for name in names):
            return len(fingerprint.gpus) if fingerprint is not None else None
        count += asked
    return count


def _no_container(deployment: DeploymentSnapshot) -> AppError:
    return DockerError(
        ErrorCode.CONTAINER_NOT_FOUND,
        {"name": deployment.name, "host": deployment.host_name},
        cause=f"{deployment.ref} has no container on its host.",
        remedy="Start it again, or choose another deployment.",
    )
