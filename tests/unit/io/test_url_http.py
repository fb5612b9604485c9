"""HTTP to a plain URL: what a client of the API sees, a proxy's path included."""

import asyncio
import json

import pytest

from app.core.errors import ErrorCode, UserInputError
from app.io.url_http import UrlHttp


@pytest.fixture
async def proxy():
    """A server that answers each request with what it was asked, chunked events for streams."""
    asked = []

    async def answer(reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next(
            (int(x.split(":")[1]) for x in head.split("\r\n") if x.lower().startswith("content-l")),
            0,
        )
        body = await reader.readexactly(length)
        asked.append((head.split("\r\n")[0], head, body))
        content = b'data: {"n": 1}\n\ndata: [DONE]\n\n' if b"stream" in body else b"{}"
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"
            + f"Content-Length: {len(content)}\r\n\r\n".encode()
            + content
        )
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], asked


@pytest.mark.parametrize("base", ["/llm", "/llm/", "/llm/v1", "/llm/v1/"])
async def test_paths_stand_below_the_base_with_or_without_the_apis_first_step(proxy, base):
    port, asked = proxy
    http = UrlHttp(f"http://127.0.0.1:{port}{base}", api_key="made-up-key")
    assert (await http.get("/health", timeout_s=5)).status == 200
    await http.post_json("/v1/chat/completions", {"a": 1}, timeout_s=5)
    events = [e async for e in http.stream_json("/v1/x", {"stream": True}, idle_timeout_s=5)]
    await http.close()

    assert [line for line, _, _ in asked] == [
        "GET /llm/health HTTP/1.1",
        "POST /llm/v1/chat/completions HTTP/1.1",
        "POST /llm/v1/x HTTP/1.1",
    ]
    assert all("Bearer made-up-key" in head for _, head, _ in asked)
    assert json.loads(events[0]) == {"n": 1}


@pytest.mark.parametrize(
    "base",
    ["https://a.example", "a.example:80", "http://", "http://a.example:port", "", "http://["],
)
def test_what_is_no_usable_address_is_refused(base):
    with pytest.raises(UserInputError) as caught:
        UrlHttp(base)

    assert caught.value.code is ErrorCode.INVALID_INPUT
    assert "http://" in caught.value.remedy
