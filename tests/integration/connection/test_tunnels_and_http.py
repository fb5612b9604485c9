"""Tunnels and HTTP to engines, here and over SSH, with real servers."""

import asyncio
import json
import socket

import pytest

from app.core.errors import EngineError, ErrorCode, HostError
from app.io.http_client import EngineHttp
from app.io.transport.local import LocalTransport
from app.io.tunnels import open_tunnel


@pytest.fixture(params=["here", "ssh"])
async def transport(request, connect):
    if request.param == "here":
        transport = LocalTransport()
        yield transport
        await transport.close()
    else:
        yield await connect(request.getfixturevalue("ssh_host"))


@pytest.fixture
async def tunnel_to(transport):
    opened = []

    async def open_(port, **options):
        opened.append(await open_tunnel(transport, port, **options))
        return opened[-1]

    yield open_
    for tunnel in opened:
        await tunnel.close()


@pytest.fixture
def port(llama_server):
    return int(llama_server.url.rpartition(":")[2])


async def _get(port, path="/health"):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer


async def test_hundred_requests_at_once_go_through_a_tunnel(tunnel_to, port):
    tunnel = await tunnel_to(port)
    answers = await asyncio.gather(*(_get(tunnel.local_port) for _ in range(100)))
    assert all(answer.startswith(b"HTTP/1.1 200") for answer in answers)


async def test_tunnel_listens_on_the_loopback_only(tunnel_to, port):
    tunnel = await tunnel_to(port)
    assert tunnel._listener.getsockname()[0] == "127.0.0.1"


async def test_either_side_may_close_its_half_first(tunnel_to, serve):
    def sum_up(connection):
        total = 0
        while data := connection.recv(65536):
            total += len(data)
        connection.sendall(str(total).encode())

    tunnel = await tunnel_to(serve(sum_up).port)
    reader, writer = await asyncio.open_connection("127.0.0.1", tunnel.local_port)
    writer.write(b"x" * 3_000_000)
    writer.write_eof()
    assert await asyncio.wait_for(reader.read(), 10) == b"3000000"
    writer.close()

    def speak_first(connection):
        connection.sendall(b"bye")
        connection.shutdown(socket.SHUT_WR)
        heard.append(connection.recv(10))

    heard = []
    tunnel = await tunnel_to(serve(speak_first).port)
    reader, writer = await asyncio.open_connection("127.0.0.1", tunnel.local_port)
    assert await asyncio.wait_for(reader.read(), 10) == b"bye"
    writer.write(b"late")
    await writer.drain()
    writer.write_eof()
    writer.close()
    await asyncio.wait_for(_until(lambda: heard == [b"late"]), 10)


async def _until(condition):
    while not condition():  # noqa: ASYNC110 - filled by a thread
        await asyncio.sleep(0.01)


async def test_tunnel_outlives_refusals_and_says_so_once(tunnel_to, closed_port, serve, caplog):
    caplog.set_level("INFO")
    tunnel = await tunnel_to(closed_port)
    for _ in range(3):
        _reader, writer = await asyncio.open_connection("127.0.0.1", tunnel.local_port)
        assert await asyncio.wait_for(_reader.read(), 10) == b""
        writer.close()
    said = [record for record in caplog.records if record.name == "app.io.tunnels"]
    assert len([record for record in said if record.levelname == "INFO"]) == 1
    assert str(closed_port) in said[0].getMessage()
    del serve
    assert tunnel.is_open


async def test_closing_a_tunnel_ends_its_connections_and_frees_the_port(tunnel_to, serve):
    def greet(connection):
        connection.sendall(b"hi")
        connection.recv(10)

    tunnel = await tunnel_to(serve(greet).port)
    reader, writer = await asyncio.open_connection("127.0.0.1", tunnel.local_port)
    assert await reader.readexactly(2) == b"hi"
    await tunnel.close()
    await tunnel.close()
    assert await asyncio.wait_for(reader.read(), 10) == b""
    writer.close()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", tunnel.local_port)
    assert not tunnel.is_open


async def test_taken_local_port_is_said(tunnel_to, port):
    tunnel = await tunnel_to(port)
    with pytest.raises(HostError) as caught:
        await tunnel_to(port, local_port=tunnel.local_port)
    assert caught.value.code is ErrorCode.PORT_IN_USE


async def test_engine_answers_over_the_connection(transport, port):
    http = EngineHttp(transport, port)
    health = await http.get("/health", timeout_s=10)
    assert (health.status, json.loads(health.body)) == (200, {"status": "ok"})
    assert health.headers["content-type"].startswith("application/json")
    metrics = await http.get("/metrics", timeout_s=10)
    assert b"llamacpp:" in metrics.body
    body = {"model": "tiny", "prompt": "hi", "max_tokens": 4}
    answer = await http.post_json("/v1/completions", body, timeout_s=20)
    assert json.loads(answer.body)["choices"]
    missing = await http.get("/nowhere", timeout_s=10)
    assert missing.status == 404


async def test_events_stream_as_they_come(transport, port):
    http = EngineHttp(transport, port)
    body = {
        "model": "tiny",
        "messages": [{"role": "user", "content": "hi"}],
        "max_tokens": 8,
        "stream": True,
        "ignore_eos": True,
    }
    stream = http.stream_json("/v1/chat/completions", body, idle_timeout_s=20)
    payloads = [payload async for payload in stream]
    assert payloads[-1] == b"[DONE]"
    assert len(payloads) > 8
    assert json.loads(payloads[0])["object"] == "chat.completion.chunk"


async def test_stream_can_be_left_in_the_middle(transport, port):
    http = EngineHttp(transport, port)
    body = {"prompt": "hi", "max_tokens": 60000, "stream": True, "ignore_eos": True}
    stream = http.stream_json("/v1/completions", body, idle_timeout_s=20)
    assert await anext(stream)
    await asyncio.wait_for(stream.aclose(), 30)
    assert (await http.get("/health", timeout_s=10)).status == 200


async def test_refused_stream_carries_the_engines_words(transport, port):
    http = EngineHttp(transport, port)
    with pytest.raises(EngineError) as caught:
        await anext(http.stream_json("/v1/chat/completions", {}, idle_timeout_s=20))
    assert caught.value.code is ErrorCode.ENGINE_REFUSED_REQUEST
    assert caught.value.params["status"] in {"400", "500"}
    assert "messages" in caught.value.details


async def test_silence_ends_a_stream_with_a_timeout(transport, serve):
    def talk(connection):
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        connection.sendall(b"data: one\n\n")
        while connection.recv(65536):
            pass

    http = EngineHttp(transport, serve(talk).port)
    stream = http.stream_json("/x", {}, idle_timeout_s=0.3)
    assert await anext(stream) == b"one"
    with pytest.raises(HostError) as caught:
        await anext(stream)
    assert caught.value.code is ErrorCode.COMMAND_TIMEOUT


async def test_answer_that_breaks_off_is_the_engines_fault(transport, serve):
    def talk(connection):
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")

    http = EngineHttp(transport, serve(talk).port)
    with pytest.raises(EngineError) as caught:
        await http.get("/x", timeout_s=10)
    assert caught.value.code is ErrorCode.ENGINE_REFUSED_REQUEST


async def test_engine_that_does_not_listen_yet_is_told_apart(transport, closed_port):
    with pytest.raises(HostError) as caught:
        await EngineHttp(transport, closed_port).get("/health", timeout_s=10)
    assert caught.value.code is ErrorCode.CHANNEL_REFUSED
    assert caught.value.params["reason"] == "connect-failed"


async def test_late_answer_ends_with_a_timeout(transport, serve):
    def talk(connection):
        while connection.recv(65536):
            pass

    http = EngineHttp(transport, serve(talk).port)
    with pytest.raises(HostError) as caught:
        await http.get("/x", timeout_s=0.3)
    assert caught.value.code is ErrorCode.COMMAND_TIMEOUT


async def test_api_key_is_sent_and_never_shown(transport, serve):
    heard = []

    def talk(connection):
        heard.append(connection.recv(65536))
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    http = EngineHttp(transport, serve(talk).port, api_key="s3cret")
    await http.get("/x", timeout_s=10)
    assert b"Authorization: Bearer s3cret" in heard[0]
    assert "s3cret" not in repr(http)
