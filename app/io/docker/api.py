"""The container engine of a host: docker-py over the connection that is there already.

The API version is the engine's own, never pinned. Every call has a deadline and runs in the
host's threads; streams have their own. A container whose first start is refused is removed
again, so that no refusal leaves one behind; one that ran before is left as it is.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, TypeVar, cast

import docker
import docker.errors
import requests

from app.core.deployment.spec import ContainerSpec
from app.core.errors import AppError, DockerError, ErrorCode, HostError
from app.core.labels import SCHEMA
from app.io.containers import (
    ContainerEngine,
    ContainerInfo,
    EngineVersion,
    ImageInfo,
    LogChunk,
    PullProgress,
)
from app.io.docker import errors, reach, read, streams
from app.io.docker.http import CALL_TIMEOUT_S, api_client
from app.io.docker.spec import create_arguments
from app.io.transport import failures
from app.io.transport.base import Transport
from app.io.transport.loss import check_not_lost

_log = logging.getLogger(__name__)

T = TypeVar("T")

_OLDEST_API = (1, 41)
_START_TIMEOUT_S = 120.0
"""Handing over GPUs can be slow on a machine with many of them."""


async def connect_docker(
    transport: Transport, *, socket_path: str | None = None
) -> ContainerEngine:
    """Find the host's container engine and agree on an API version.

    Raises:
        DockerError: DOCKER_NOT_FOUND, DOCKER_PERMISSION, DOCKER_NOT_REACHABLE.
        HostError: CONNECTION_LOST.
    """
    found = await reach.find(transport, socket_path)
    # Sessions are few: such a channel is not kept after its answer.
    with_pool = not found.is_scarce
    probe = api_client(found.opener, keep_alive=False)
    with contextlib.closing(probe):
        said = await _guarded(
            transport, "version", lambda: probe.version(api_version=False), CALL_TIMEOUT_S
        )
    version = str(said.get("ApiVersion", ""))
    if _parse(version) < _OLDEST_API:
        raise errors.unsupported_api(version)
    api = api_client(found.opener, version=version, keep_alive=with_pool)
    return DockerEngine(transport, api, found, version)


class DockerEngine:
    """Docker's API, or Podman's copy of it."""

    def __init__(
        self, transport: Transport, api: docker.APIClient, found: reach.Reach, version: str
    ) -> None:
        self._transport = transport
        self._api = api
        self._reach = found
        self._streams = streams.EngineStreams(transport, found.opener, version)

    @property
    def way(self) -> str:
        """How the engine is reached, for people: a socket's path or a command."""
        return self._reach.way

    async def version(self) -> EngineVersion:
        """Ask who answers."""
        return await self._call(
            "version", lambda: read.engine_version(self._api.version(), self._api.info())
        )

    async def containers(self, *, ours_only: bool = True) -> tuple[ContainerInfo, ...]:
        """Return containers, running or not; by default those with our labels."""
        return await self._call("containers", lambda: self._containers(ours_only=ours_only))

    def _containers(self, *, ours_only: bool) -> tuple[ContainerInfo, ...]:
        filters = {"label": [SCHEMA]} if ours_only else {}
        found = []
        for summary in self._api.containers(all=True, filters=filters):
            with contextlib.suppress(docker.errors.NotFound):  # removed meanwhile
                document = self._api.inspect_container(summary["Id"])
                found.append(read.container_info(document))
        return tuple(found)

    async def inspect(self, container: str) -> ContainerInfo:
        """Return one container by id or name.

        Raises:
            DockerError: CONTAINER_NOT_FOUND.
        """
        return read.container_info(await self.raw_inspect(container))

    async def raw_inspect(self, container: str) -> Mapping[str, object]:
        """Return the engine's own document, for reports."""
        document: Mapping[str, object] = await self._call(
            container, lambda: self._api.inspect_container(container)
        )
        return document

    async def image(self, reference: str) -> ImageInfo | None:
        """Return the image if the host has it."""

        def look() -> ImageInfo | None:
            try:
                document: dict[str, Any] = self._api.inspect_image(  # type: ignore[no-untyped-call]  # stubs
                    reference
                )
                return read.image_info(document)
            except docker.errors.NotFound:
                return None

        return await self._call(reference, look)

    async def pull(self, reference: str) -> AsyncIterator[PullProgress]:
        """Fetch an image; closing the iterator cancels.

        Raises:
            DockerError: PULL_FAILED.
        """
        stream = self._streams.run("pull", lambda api: streams.read_pull(api, reference))
        async with contextlib.aclosing(stream):
            async for progress in stream:
                yield progress

    async def tag(self, image: str, name: str) -> None:
        """Give an image that is there a further name; a digest in ``name`` is no name to give."""
        if "@" in name:
            return
        repository, _, tag = name.rpartition(":")
        if not repository or "/" in tag:  # the colon was a registry's port
            repository, tag = name, "latest"
        await self._call(image, lambda: self._api.tag(image, repository, tag))

    async def create(
        self, spec: ContainerSpec, *, image_id: str, secrets: Mapping[str, str]
    ) -> str:
        """Create a container and return its id; a refusal leaves nothing behind.

        Nor does a call that is cancelled or late: what it may have created is removed.

        Raises:
            DockerError: IMAGE_MISSING, CONTAINER_NAME_TAKEN, GPU_RUNTIME_MISSING, DOCKER_REFUSED.
        """

        def make() -> str:
            arguments = create_arguments(self._api, spec, image_id=image_id, secrets=secrets)
            return str(self._api.create_container(**arguments)["Id"])

        creating = asyncio.ensure_future(self._call(spec.name, make))
        try:
            return await asyncio.shield(creating)
        except asyncio.CancelledError:
            with contextlib.suppress(AppError):
                await self.remove(await creating)
            raise
        except HostError as problem:
            if problem.code is ErrorCode.COMMAND_TIMEOUT:
                await self._remove_unstarted(spec.name, spec.labels)
            raise

    async def start(self, container: str) -> None:
        """Start it; a container whose first start is refused is removed again.

        Raises:
            DockerError: PORT_IN_USE, GPU_RUNTIME_MISSING, DOCKER_REFUSED.
        """
        try:
            await self._call(
                container,
                lambda: self._api.start(container),
                timeout_s=_START_TIMEOUT_S,
            )
        except DockerError:
            await self._remove_unstarted(container, {})
            raise

    async def _remove_unstarted(self, container: str, labels: Mapping[str, str]) -> None:
        """Remove a container that never ran, if it is the one we made."""
        with contextlib.suppress(AppError):
            info = await self.inspect(container)
            is_same = all(info.labels.get(key) == value for key, value in labels.items())
            if info.status == "created" and not info.started_at and is_same:
                await self.remove(info.id)

    async def stop(self, container: str, *, grace_s: float = 10) -> None:
        """Ask it to end, then kill it after the grace time."""
        await self._call(
            container,
            lambda: self._api.stop(container, timeout=round(grace_s)),
            timeout_s=grace_s + CALL_TIMEOUT_S,
        )

    async def remove(self, container: str, *, force: bool = False) -> None:
        """Remove it; one that is gone already is fine."""

        def work() -> None:
            try:
                self._api.remove_container(container, v=True, force=force)
            except docker.errors.NotFound:
                return
            except docker.errors.APIError as problem:
                if "removal of container" not in str(problem.explanation):
                    raise  # else someone else's removal is under way

        await self._call(container, work, timeout_s=2 * CALL_TIMEOUT_S)

    async def set_restart_policy(self, container: str, policy: str) -> None:
        """Change the restart policy of an existing container."""
        await self._call(
            container,
            # The stubs know two of Docker's four policies.
            lambda: self._api.update_container(
                container,
                restart_policy=cast("Any", {"Name": policy}),
            ),
        )

    async def logs(
        self, container: str, *, follow: bool, tail: int | None = None, since: str | None = None
    ) -> AsyncIterator[LogChunk]:
        """Yield log lines. An end proves nothing: ask `inspect` and the transport."""
        stream = self._streams.run(
            "logs",
            lambda api: streams.read_logs(api, container, follow=follow, tail=tail, since=since),
        )
        async with contextlib.aclosing(stream):
            async for chunk in stream:
                yield chunk

    async def close(self) -> None:
        """Close the pooled connections."""
        with contextlib.suppress(AppError):
            await self._transport.blocking(self._api.close, timeout_s=5)

    async def _call(
        self, what: str, work: Callable[[], T], *, timeout_s: float = CALL_TIMEOUT_S
    ) -> T:
        return await _guarded(self._transport, what, work, timeout_s)


async def _guarded(transport: Transport, what: str, work: Callable[[], T], timeout_s: float) -> T:
    """Run a call of docker-py and turn whatever it raises into our errors."""
    try:
        return await transport.blocking(work, timeout_s=timeout_s)
    except docker.errors.APIError as problem:
        raise errors.refusal(problem, what) from problem
    except requests.exceptions.Timeout as problem:
        await check_not_lost(transport, streams.ENGINE_WORDS, problem)
        raise failures.command_timeout(streams.ENGINE_WORDS, what, timeout_s) from problem
    except streams.NETWORK_ERRORS as problem:
        await check_not_lost(transport, streams.ENGINE_WORDS, problem)
        raise errors.not_reachable(str(problem)) from problem
    except docker.errors.DockerException as problem:
        raise errors.refused(what, str(problem)) from problem


def _parse(version: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in version.split("."))
    except ValueError:
        return ()
