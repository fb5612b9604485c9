"""Connections that end or hang: everything in flight ends, within seconds, with one error."""

import asyncio
import time

import pytest

from app.core.errors import AppError, ErrorCode
from app.io.docker.api import connect_docker
from app.io.http_client import EngineHttp
from app.io.tunnels import open_tunnel


@pytest.fixture
def silent_port(serve):
    """A server that takes connections and says nothing."""

    def listen(connection):
        while connection.recv(65536):
            pass

    return serve(listen).port


@pytest.fixture
def everything_in_flight(docker_engine, llama_server, silent_port, eventually):
    """Start one of each kind of call; give back the tasks once all are on their way."""

    async def start(transport):
        return await _start_everything(
            transport, docker_engine, silent_port, llama_server.container.id, eventually
        )

    return start


async def _start_everything(transport, docker_socket, silent_port, container, eventually):

    async def stream():
        async with transport.stream_lines(["sh", "-c", "echo go; sleep 300"]) as lines:
            async for _line in lines:
                streaming.set()

    async def logs():
        async for _line in engine.logs(container, follow=True):
            following.set()

    async def events():
        http = EngineHttp(transport, silent_port)
        async for _event in http.stream_json("/x", {}, idle_timeout_s=100):
            pass

    def wait_on_channel():
        channel = transport.open_tcp("127.0.0.1", silent_port, timeout_s=10)
        waiting.set()
        if channel.recv(10) == b"":
            raise EOFError

    import threading

    streaming, following, waiting = asyncio.Event(), asyncio.Event(), threading.Event()
    engine = await connect_docker(transport, socket_path=docker_socket)
    tasks = {
        "run": transport.run(["sleep", "300"], timeout_s=100),
        "run with input": transport.run(["sh", "-s"], stdin=b"sleep 300\n", timeout_s=100),
        "stream": stream(),
        "logs": logs(),
        "get": EngineHttp(transport, silent_port).get("/", timeout_s=100),
        "events": events(),
        "blocking": transport.blocking(wait_on_channel, timeout_s=100),
    }
    running = {name: asyncio.create_task(work) for name, work in tasks.items()}
    await asyncio.wait_for(streaming.wait(), 10)
    await asyncio.wait_for(following.wait(), 10)
    await eventually(waiting.is_set)
    return running


async def _outcomes(running, limit_s):
    started_s = time.monotonic()
    done, pending = await asyncio.wait(running.values(), timeout=limit_s)
    took_s = time.monotonic() - started_s
    assert not pending, [name for name, task in running.items() if not task.done()]
    del done
    codes = {}
    for name, task in running.items():
        problem = task.exception()
        codes[name] = problem.code if isinstance(problem, AppError) else problem
    return codes, took_s


def _all_lost(codes):
    raw = codes.pop("blocking")
    assert isinstance(raw, EOFError) or raw is ErrorCode.CONNECTION_LOST
    assert set(codes.values()) == {ErrorCode.CONNECTION_LOST}, codes


@pytest.mark.parametrize("how", ["kill", "freeze"])
async def test_everything_in_flight_ends_as_connection_lost(
    how, ssh_host_factory, connect, everything_in_flight, record_property
):
    host = ssh_host_factory()
    transport = await connect(host)
    running = await everything_in_flight(transport)
    if how == "kill":
        host.kill_connections()
    else:
        host.freeze()
    codes, took_s = await _outcomes(running, 8)
    record_property("detected_s", took_s)
    _all_lost(codes)
    assert took_s < (1.5 if how == "kill" else 5.0)
    assert not transport.is_alive
    with pytest.raises(AppError) as caught:
        await transport.run(["true"], timeout_s=5)
    assert caught.value.code is ErrorCode.CONNECTION_LOST
    host.thaw()


async def test_closing_a_transport_to_a_frozen_host_takes_a_moment(ssh_host_factory, connect):
    host = ssh_host_factory()
    transport = await connect(host)
    with host.frozen():
        started_s = time.monotonic()
        await transport.close()
        assert time.monotonic() - started_s < 3.5


async def test_frozen_host_is_not_connected_to_forever(ssh_host_factory, connect, monkeypatch):
    monkeypatch.setattr("app.io.transport.ssh_connect.CONNECT_TIMEOUT_S", 1.0)
    host = ssh_host_factory()
    with host.frozen(), pytest.raises(AppError) as caught:
        await connect(host)
    assert caught.value.code is ErrorCode.HOST_UNREACHABLE
    assert caught.value.params["reason"] == "timeout"


async def test_new_connection_works_after_a_loss(ssh_host_factory, connect, eventually):
    host = ssh_host_factory()
    first = await connect(host)
    host.kill_connections()
    second = await connect(host)
    assert (await second.run(["printf", "hi"], timeout_s=10)).stdout == b"hi"
    await eventually(lambda: not first.is_alive)


async def test_heartbeat_measures_the_round_trip(ssh_host, connect, eventually):
    transport = await connect(ssh_host)
    await eventually(lambda: transport.latency_s is not None)
    assert 0 < transport.latency_s < 2


async def test_busy_line_is_not_taken_for_a_dead_one(ssh_host, connect):
    """Answers may queue behind data; arriving data counts as a sign of life."""
    transport = await connect(ssh_host)
    result = await transport.run(
        ["sh", "-c", "head -c 40000000 /dev/zero"], timeout_s=60, output_limit_bytes=1000
    )
    assert result.truncated
    assert transport.is_alive


async def test_tunnel_ends_with_its_connection(ssh_host_factory, connect, silent_port, eventually):
    host = ssh_host_factory()
    transport = await connect(host)
    tunnel = await open_tunnel(transport, silent_port)
    _reader, writer = await asyncio.open_connection("127.0.0.1", tunnel.local_port)
    host.kill_connections()
    assert await asyncio.wait_for(_reader.read(), 30) == b""
    writer.close()
    await eventually(lambda: not tunnel.is_open)
    await tunnel.close()
