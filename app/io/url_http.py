"""HTTP from this desk to a plain URL: the way that clients take, a proxy in between included."""

from collections.abc import AsyncGenerator, Mapping
from urllib.parse import urlsplit

from app.core.errors import ErrorCode, UserInputError
from app.io.http_client import EngineHttp, HttpResponse
from app.io.transport.local import LocalTransport

_DEFAULT_PORT = 80


class UrlHttp:
    """A client for one base URL; ``close`` ends its connections."""

    def __init__(self, base: str, *, api_key: str | None = None) -> None:
        """Take the URL apart; nothing is contacted yet.

        Raises:
            UserInputError: INVALID_INPUT for what is no ``http://`` URL.
        """
        try:
            parts = urlsplit(base)
            port = parts.port or _DEFAULT_PORT
        except ValueError as exc:
            raise _no_url(base) from exc
        if parts.scheme != "http" or not parts.hostname:
            raise _no_url(base)
        # Clients give the base with or without the API's own first step.
        self._prefix = parts.path.rstrip("/").removesuffix("/v1")
        self._transport = LocalTransport(parts.hostname)
        self._http = EngineHttp(self._transport, port, parts.hostname, api_key)

    async def get(self, path: str, *, timeout_s: float) -> HttpResponse:
        """Ask for a path below the base. Raises as `EngineHttp.get`."""
        return await self._http.get(self._prefix + path, timeout_s=timeout_s)

    async def post_json(
        self, path: str, body: Mapping[str, object], *, timeout_s: float
    ) -> HttpResponse:
        """Send a document and wait for the whole answer. Raises as `EngineHttp.get`."""
        return await self._http.post_json(self._prefix + path, body, timeout_s=timeout_s)

    async def stream_json(
        self, path: str, body: Mapping[str, object], *, idle_timeout_s: float
    ) -> AsyncGenerator[bytes]:
        """Yield the payload of each event. Raises as `EngineHttp.stream_json`."""
        stream = self._http.stream_json(self._prefix + path, body, idle_timeout_s=idle_timeout_s)
        async for payload in stream:
            yield payload

    async def close(self) -> None:
        """End what is open."""
        await self._transport.close()


def _no_url(base: str) -> UserInputError:
    return UserInputError(
        ErrorCode.INVALID_INPUT,
        {"field": "through", "value": base},
        cause=f"“{base}” is no http:// address.",
        remedy="Give the base URL that clients use, such as http://proxy.example:8080/llm; "
        "https:// is not looked through.",
    )
