"""The border to a container engine (Docker's API, over any transport).

Implementations: `app.io.docker.api` (real) and `app.io.demo` (simulated, says so).
Raises `app.core.errors.DockerError`, or `HostError` when the connection under it is lost.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Protocol

from app.core.deployment.spec import ContainerSpec
from app.core.logs.stamps import seconds_of


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineVersion:
    """What answers on the socket."""

    name: str
    """``docker`` or ``podman``."""
    version: str
    api_version: str
    min_api_version: str
    os: str
    architecture: str
    rootless: bool
    runtimes: tuple[str, ...]
    cdi_devices: tuple[str, ...]
    root_dir: str
    system_time: str = ""
    """The engine's own clock at the moment of asking, RFC 3339; empty when it does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageInfo:
    """An image on the host."""

    id: str
    tags: tuple[str, ...]
    repo_digests: tuple[str, ...]
    size_bytes: int
    entrypoint: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    user: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullProgress:
    """How far a pull is; totals grow while layers are found."""

    status: str
    done_bytes: int
    total_bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerInfo:
    """A container as the engine describes it now."""

    id: str
    name: str
    image: str
    image_id: str
    status: str
    """``created``, ``running``, ``restarting``, ``exited``, ``dead``, ``paused``, ``removing``."""
    labels: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    exit_code: int | None = None
    oom_killed: bool = False
    error: str = ""
    restart_count: int = 0
    restart_policy: str = "no"
    created_at: str = ""
    started_at: str = ""
    finished_at: str = ""
    host_ports: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))
    """Container port → port on the host."""
    command: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()


ENDED: Final = frozenset({"exited", "dead"})
"""Values of `ContainerInfo.status` of a container that ran and runs no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogChunk:
    """One line of a container's output, without its line end."""

    at: str
    """The engine's time stamp, RFC 3339."""
    stream: str
    """``stdout`` or ``stderr``."""
    text: str


_CLOCK_SLEW_S: Final = 5.0
"""Clocks are moved a little all the time; more means that one was set."""


def age_of(container: ContainerInfo, version: EngineVersion) -> float | None:
    """Return how long ago a container was created, in seconds; ``None`` when that is not told.

    Both times are the engine's own: a wrong clock on either side does no harm. One that was set
    back since then tells nothing.
    """
    created_s, now_s = seconds_of(container.created_at), seconds_of(version.system_time)
    if created_s is None or now_s is None or now_s < created_s - _CLOCK_SLEW_S:
        return None
    return max(now_s - created_s, 0.0)


class ContainerEngine(Protocol):
    """The calls Pitwall makes; every one has a deadline."""

    async def version(self) -> EngineVersion:
        """Ask who answers."""

    async def containers(self, *, ours_only: bool = True) -> tuple[ContainerInfo, ...]:
        """Return containers, running or not; by default those with our labels."""

    async def inspect(self, container: str) -> ContainerInfo:
        """Return one container by id or name.

        Raises:
            DockerError: CONTAINER_NOT_FOUND.
        """

    async def raw_inspect(self, container: str) -> Mapping[str, object]:
        """Return the engine's own document, for reports."""

    async def image(self, reference: str) -> ImageInfo | None:
        """Return the image if the host has it."""

    def pull(self, reference: str) -> AsyncIterator[PullProgress]:
        """Fetch an image; closing the iterator cancels.

        Raises:
            DockerError: PULL_FAILED.
        """

    async def tag(self, image: str, name: str) -> None:
        """Give an image that is there a further name; a digest in ``name`` is no name to give.

        Raises:
            DockerError: IMAGE_MISSING, DOCKER_REFUSED.
        """

    async def create(
        self, spec: ContainerSpec, *, image_id: str, secrets: Mapping[str, str]
    ) -> str:
        """Create a container and return its id; a refusal leaves nothing behind.

        Raises:
            DockerError: IMAGE_MISSING, CONTAINER_NAME_TAKEN, GPU_RUNTIME_MISSING, DOCKER_REFUSED.
        """

    async def start(self, container: str) -> None:
        """Start it.

        Raises:
            DockerError: PORT_IN_USE, GPU_RUNTIME_MISSING, DOCKER_REFUSED.
        """

    async def stop(self, container: str, *, grace_s: float = 10) -> None:
        """Ask it to end, then kill it after the grace time."""

    async def remove(self, container: str, *, force: bool = False) -> None:
        """Remove it; one that is gone already is fine."""

    async def set_restart_policy(self, container: str, policy: str) -> None:
        """Change the restart policy of an existing container."""

    def logs(
        self, container: str, *, follow: bool, tail: int | None = None, since: str | None = None
    ) -> AsyncIterator[LogChunk]:
        """Yield log lines. An end proves nothing: ask `inspect` and the transport."""

    async def close(self) -> None:
        """Close the pooled connections."""
