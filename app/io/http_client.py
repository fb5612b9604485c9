"""HTTP to an engine on a host, over a channel of the host's connection.

``http.client`` speaks the protocol; each request has a channel of its own, so nothing stale is
ever reused. Not for measuring: the load generator has its own reader.
"""

import http.client
import json
import threading
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass

from app.core.errors import EngineError, ErrorCode
from app.io.transport import failures
from app.io.transport.base import Channel, Transport
from app.io.transport.channel_socket import ChannelSocket
from app.io.transport.feed import Feed
from app.io.transport.host_threads import Call, close_quietly
from app.io.transport.loss import check_not_lost

BODY_LIMIT_BYTES = 64 * 1024 * 1024
CONNECT_TIMEOUT_S = 10.0
_ERROR_BODY_BYTES = 4000
_BROKEN = (http.client.HTTPException, OSError, EOFError)
_HOST = "The engine's host"


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """An answer, whatever its status."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


class EngineHttp:
    """A client for one port of a host."""

    def __init__(
        self,
        transport: Transport,
        port: int,
        address: str = "127.0.0.1",
        api_key: str | None = None,
    ) -> None:
        self._transport = transport
        self._port = port
        self._address = address
        self._api_key = api_key

    def __repr__(self) -> str:
        """Name the target, never the key."""
        return f"EngineHttp({self._address}:{self._port})"

    async def get(self, path: str, *, timeout_s: float) -> HttpResponse:
        """Ask for a path.

        Raises:
            HostError: CHANNEL_REFUSED (``reason`` connect-failed: nothing listens yet),
                COMMAND_TIMEOUT, CONNECTION_LOST.
            EngineError: ENGINE_REFUSED_REQUEST when what came is no HTTP or broke off.
        """
        return await self._exchange("GET", path, None, timeout_s)

    async def post_json(
        self, path: str, body: Mapping[str, object], *, timeout_s: float
    ) -> HttpResponse:
        """Send a document and wait for the whole answer. Raises as `get`."""
        return await self._exchange("POST", path, _json(body), timeout_s)

    async def stream_json(
        self, path: str, body: Mapping[str, object], *, idle_timeout_s: float
    ) -> AsyncGenerator[bytes, None]:
        """Send a document and yield the payload of each server-sent event as it comes.

        The end mark ``[DONE]`` is a payload like others. Closing the iterator closes the channel.

        Raises:
            HostError: as `get`; COMMAND_TIMEOUT when nothing came for ``idle_timeout_s``.
            EngineError: ENGINE_REFUSED_REQUEST (params ``status``; its words in the details).
        """
        feed: Feed[bytes] = Feed()
        call = Call()
        threading.Thread(
            target=self._produce,
            args=(feed, call, path, _json(body), idle_timeout_s),
            name="pitwall-sse",
            daemon=True,
        ).start()
        items = feed.items()
        try:
            async with aclosing(items):
                async for payload in items:
                    yield payload
        except TimeoutError as problem:
            await check_not_lost(self._transport, _HOST, problem)
            raise failures.command_timeout(_HOST, path, idle_timeout_s) from problem
        except _BROKEN as problem:
            await check_not_lost(self._transport, _HOST, problem)
            raise self._broken(path, problem) from problem
        finally:
            feed.close()
            # Closing a channel may wait: not on the loop.
            threading.Thread(target=call.abort, name="pitwall-sse-end", daemon=True).start()

    async def _exchange(
        self, method: str, path: str, body: bytes | None, timeout_s: float
    ) -> HttpResponse:
        try:
            return await self._transport.blocking(
                lambda: self._exchange_blocking(method, path, body, timeout_s),
                timeout_s=timeout_s,
            )
        except _BROKEN as problem:
            await check_not_lost(self._transport, _HOST, problem)
            raise self._broken(path, problem) from problem

    def _exchange_blocking(
        self, method: str, path: str, body: bytes | None, timeout_s: float
    ) -> HttpResponse:
        connection = self._connection(timeout_s, timeout_s)
        try:
            connection.request(method, path, body, self._headers(body))
            answer = connection.getresponse()
            data = answer.read(BODY_LIMIT_BYTES + 1)
            if len(data) > BODY_LIMIT_BYTES:
                raise failures.too_much_output(_HOST, path, BODY_LIMIT_BYTES)
            if answer.length:  # read(limit) does not say that the rest is missing
                raise http.client.IncompleteRead(data, answer.length)
            headers = {name.lower(): value for name, value in answer.getheaders()}
            return HttpResponse(status=answer.status, headers=headers, body=data)
        finally:
            connection.end()

    def _produce(
        self, feed: Feed[bytes], call: Call, path: str, body: bytes, idle_timeout_s: float
    ) -> None:
        try:
            with call:
                for payload in self._events(path, body, idle_timeout_s):
                    if not feed.put(payload):
                        return
        except Exception as problem:  # noqa: BLE001 - the reader gets it; else it waits for ever
            feed.finish(problem)
        else:
            feed.finish()

    def _events(self, path: str, body: bytes, idle_timeout_s: float) -> Iterator[bytes]:
        connection = self._connection(CONNECT_TIMEOUT_S, idle_timeout_s)
        try:
            connection.request("POST", path, body, self._headers(body))
            answer = connection.getresponse()
            if answer.status != http.client.OK:
                raise self._refused(path, answer.status, answer.read(_ERROR_BODY_BYTES))
            reader = EventReader()
            while data := answer.read1(65536):
                yield from reader.feed(data)
        finally:
            connection.end()

    def _connection(self, connect_s: float, idle_s: float) -> "_ChannelConnection":
        return _ChannelConnection(self._transport, self._address, self._port, connect_s, idle_s)

    def _headers(self, body: bytes | None) -> dict[str, str]:
        headers = {"Connection": "close", "Accept": "*/*"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        return headers

    def _refused(self, path: str, status: int, body: bytes) -> EngineError:
        said = body.decode("utf-8", "replace").strip()
        return EngineError(
            ErrorCode.ENGINE_REFUSED_REQUEST,
            {"path": path, "status": status, "said": said[:500]},
            cause=f"The engine answered {path} with HTTP status {status}.",
            remedy="See the details for its own words.",
            details=said,
        )

    def _broken(self, path: str, problem: BaseException) -> EngineError:
        return EngineError(
            ErrorCode.ENGINE_REFUSED_REQUEST,
            {"path": path, "status": "", "reason": "broken"},
            cause=f"The engine's answer to {path} broke off ({type(problem).__name__}).",
            remedy="Look at the engine's log: it may have ended or restarted.",
            details=str(problem),
        )


class EventReader:
    """Cut a stream of server-sent events into their payloads.

    Source: WHATWG HTML, "Server-sent events", event stream interpretation; only ``data`` counts.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Add bytes and yield the payloads they complete."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            text = line.removesuffix(b"\r")
            if text.startswith(b"data:"):
                self._data.append(text[5:].removeprefix(b" "))
            elif not text and self._data:
                yield b"\n".join(self._data)
                self._data.clear()


class _ChannelConnection(http.client.HTTPConnection):
    def __init__(
        self, transport: Transport, address: str, port: int, connect_s: float, idle_s: float
    ) -> None:
        super().__init__(address, port)
        self._transport, self._connect_s, self._idle_s = transport, connect_s, idle_s
        self._channel: Channel | None = None

    def connect(self) -> None:
        channel = self._transport.open_tcp(self.host, self.port, timeout_s=self._connect_s)
        channel.settimeout(self._idle_s)
        self._channel = channel
        self.sock = ChannelSocket(channel)

    def end(self) -> None:
        """Close everything; an answer that was not read to its end would keep the channel."""
        self.close()
        if self._channel is not None:
            close_quietly(self._channel)


def _json(body: Mapping[str, object]) -> bytes:
    return json.dumps(dict(body), ensure_ascii=False).encode()
