"""Ways to a running engine over its host's connection, as the services know them."""

from collections.abc import AsyncIterator, Mapping
from typing import Protocol

from app.io.transport.base import Transport


class Response(Protocol):
    """An answer over HTTP."""

    @property
    def status(self) -> int:
        """Status code."""

    @property
    def body(self) -> bytes:
        """What came."""


class Http(Protocol):
    """HTTP to one engine, over the host's connection."""

    async def get(self, path: str, *, timeout_s: float) -> Response:
        """Ask."""

    async def post_json(
        self, path: str, body: Mapping[str, object], *, timeout_s: float
    ) -> Response:
        """Send a document and wait for the answer."""

    def stream_json(
        self, path: str, body: Mapping[str, object], *, idle_timeout_s: float
    ) -> AsyncIterator[bytes]:
        """Send a document and yield the payload of each server-sent event."""


class ClosingHttp(Http, Protocol):
    """HTTP to a URL from this desk."""

    async def close(self) -> None:
        """End what is open."""


class UrlFactory(Protocol):
    """Makes the client for a base URL."""

    def __call__(self, base: str, *, api_key: str | None = None) -> ClosingHttp:
        """Return a client; nothing is contacted yet.

        Raises:
            UserInputError: INVALID_INPUT for what is no usable URL.
        """


class HttpFactory(Protocol):
    """Makes the client for one port of a host."""

    def __call__(self, transport: Transport, port: int, *, api_key: str | None = None) -> Http:
        """Return a client; nothing is contacted yet."""


class OpenedTunnel(Protocol):
    """A tunnel that listens on this desk's loopback."""

    @property
    def local_port(self) -> int:
        """Port on 127.0.0.1."""

    async def close(self) -> None:
        """Stop listening and close what runs through it."""


class TunnelFactory(Protocol):
    """Opens tunnels."""

    async def __call__(
        self, transport: Transport, remote_port: int, *, local_port: int = 0
    ) -> OpenedTunnel:
        """Listen and carry connections to the host's port."""
