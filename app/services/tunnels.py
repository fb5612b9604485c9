"""Tunnels from this desk's loopback to engines on hosts: one per deployment."""

from app.core.errors import AppError
from app.core.ids import HostId
from app.io.transport.base import Transport
from app.services.engine_access import OpenedTunnel, TunnelFactory

Key = tuple[HostId, str]


class Tunnels:
    """Open tunnels by host and deployment; opening twice gives the one that is open."""

    def __init__(self, open_tunnel: TunnelFactory) -> None:
        self._open_tunnel = open_tunnel
        self._tunnels: dict[Key, OpenedTunnel] = {}

    async def open(
        self, key: Key, transport: Transport, remote_port: int, *, local_port: int = 0
    ) -> int:
        """Open a tunnel and return the port it listens on.

        Args:
            key: Host and deployment.
            transport: The host's connection.
            remote_port: Port on the host's loopback.
            local_port: Wanted port on 127.0.0.1; 0 takes a free one.
        """
        known = self._tunnels.get(key)
        if known is not None:
            if local_port in {0, known.local_port}:
                return known.local_port
            await self.close(key)
        tunnel = await self._open_tunnel(transport, remote_port, local_port=local_port)
        self._tunnels[key] = tunnel
        return tunnel.local_port

    async def close(self, key: Key) -> bool:
        """Close a tunnel; False when there was none."""
        tunnel = self._tunnels.pop(key, None)
        if tunnel is not None:
            await tunnel.close()
        return tunnel is not None

    async def close_all(self, host_id: HostId | None = None) -> tuple[Key, ...]:
        """Close the tunnels of a host, or all, and return which."""
        keys = tuple(key for key in self._tunnels if host_id in {None, key[0]})
        for key in keys:
            try:
                await self.close(key)
            except AppError:
                # The connection under it is gone; nothing is left to close.
                continue
        return keys
