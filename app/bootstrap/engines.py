"""Ways to a running engine over a host's connection; their libraries come in when first used."""

from app.io.transport.base import Transport
from app.services.engine_access import ClosingHttp, Http, OpenedTunnel


def connect_http(transport: Transport, port: int, *, api_key: str | None = None) -> Http:
    """Return an HTTP client for one port of a host; nothing is contacted yet."""
    from app.io.http_client import EngineHttp

    return EngineHttp(transport, port, api_key=api_key)


def connect_url(base: str, *, api_key: str | None = None) -> ClosingHttp:
    """Return an HTTP client for a URL, from this desk."""
    from app.io.url_http import UrlHttp

    return UrlHttp(base, api_key=api_key)


async def open_engine_tunnel(
    transport: Transport, remote_port: int, *, local_port: int = 0
) -> OpenedTunnel:
    """Listen on this desk's loopback and carry connections to a host's port."""
    from app.io.tunnels import open_tunnel

    return await open_tunnel(transport, remote_port, local_port=local_port)
