"""Ways to a running engine: tunnel, key, log, one chat, a client for its metrics."""

from collections.abc import AsyncIterator

from app.core.deployment.answers import ChatAnswer
from app.core.ids import HostId
from app.core.logs.line import LogLine
from app.services.deploying import errors
from app.services.deploying.book import Deployment, DeploymentBook
from app.services.deploying.logs import read_log
from app.services.deploying.parts import DeployParts
from app.services.deploying.steps import DeploySteps
from app.services.engine_access import Http
from app.services.streams import ended
from app.services.tunnels import Tunnels


class EngineAccess:
    """Reaches engines over their hosts' connections; keeps the open tunnels."""

    def __init__(self, parts: DeployParts, book: DeploymentBook, steps: DeploySteps) -> None:
        self._parts = parts
        self._book = book
        self._steps = steps
        self._tunnels = Tunnels(parts.open_tunnel)

    async def open_tunnel(self, deployment: Deployment, local_port: int) -> int:
        """Open a tunnel and return its port on this desk's loopback.

        Raises:
            HostError: when the host is not connected or the port is taken here.
        """
        port = await self._tunnels.open(
            deployment.key,
            self._parts.hosts.transport(deployment.host_id),
            port_of(deployment),
            local_port=local_port,
        )
        deployment.tunnel_port = port
        self._book.publish(deployment)
        return port

    async def close_tunnel(self, deployment: Deployment) -> None:
        """Close the tunnel, if one is open."""
        if await self._tunnels.close(deployment.key):
            deployment.tunnel_port = None
            self._book.publish(deployment)

    async def close_tunnels_of(self, host_id: HostId) -> None:
        """Close what leads to a host that is gone."""
        for key in await self._tunnels.close_all(host_id):
            tunnelled = self._book.get(*key)
            if tunnelled is not None:
                tunnelled.tunnel_port = None
                # Its watch may have noticed the loss first: then nothing else announces this.
                self._book.publish(tunnelled)

    async def close(self) -> None:
        """Close every tunnel."""
        await self._tunnels.close_all()

    async def log(
        self, deployment: Deployment, *, follow: bool, tail: int | None
    ) -> AsyncIterator[LogLine]:
        """Yield cleaned lines of the container's log.

        Raises:
            DockerError, HostError: when it cannot be read, also in the middle.
        """
        containers = await self._steps.containers(deployment)
        container, clock = container_of(deployment), self._parts.clock
        lines = read_log(containers, container, follow=follow, tail=tail, clock=clock)
        async with ended(lines) as arriving:
            async for line in arriving:
                yield line

    async def chat(self, deployment: Deployment, prompt: str, max_tokens: int) -> ChatAnswer:
        """Send one prompt and return the whole answer with its times.

        Raises:
            EngineError: ENGINE_REFUSED_REQUEST.
            HostError: when the host is lost or the engine falls silent.
        """
        port_of(deployment)
        return await self._steps.requests(deployment).chat(prompt, max_tokens=max_tokens)

    async def api_key(self, deployment: Deployment) -> str | None:
        """Return the key that clients must send; ``None`` when the engine wants none.

        Raises:
            DockerError: CONTAINER_NOT_FOUND when it has no container.
            HostError: when the host cannot be asked.
        """
        if deployment.api_key is None:
            containers = await self._steps.containers(deployment)
            info = await containers.inspect(container_of(deployment))
            self._steps.note_container(deployment, info)
        return deployment.api_key

    def http(self, deployment: Deployment) -> Http:
        """Return a client for the engine, for its metrics.

        Raises:
            DockerError: CONTAINER_NOT_FOUND when it has no port.
            HostError: NOT_CONNECTED.
        """
        return self._parts.http(
            self._parts.hosts.transport(deployment.host_id),
            port_of(deployment),
            api_key=deployment.api_key,
        )


def container_of(deployment: Deployment) -> str:
    """Return the container of a deployment.

    Raises:
        DockerError: CONTAINER_NOT_FOUND when it has none.
    """
    if deployment.container_id is None:
        raise errors.gone(deployment.name, deployment.host_name)
    return deployment.container_id


def port_of(deployment: Deployment) -> int:
    """Return the port of a deployment on its host's loopback.

    Raises:
        DockerError: CONTAINER_NOT_FOUND when it has none.
    """
    if deployment.host_port is None or deployment.container_id is None:
        raise errors.gone(deployment.name, deployment.host_name)
    return deployment.host_port
