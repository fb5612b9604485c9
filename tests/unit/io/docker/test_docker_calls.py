"""Calls to an engine that breaks, hangs or refuses, on a scripted socket."""

import asyncio
import contextlib
import socket
import tempfile
import threading
from pathlib import Path

import pytest

from app.core.deployment.spec import ContainerSpec
from app.core.errors import AppError, ErrorCode
from app.io.docker import api
from app.io.docker.api import connect_docker
from app.io.transport.local import LocalTransport

VERSION = b'{"ApiVersion": "1.44", "Version": "25.0"}'


class ScriptedEngine:
    """Answers ``/_ping`` and ``/version``; everything else as scripted."""

    def __init__(self, path):
        self.answers = {}
        self.asked = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(32)
        self._connections = []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection, connection.makefile("rb") as stream:
            try:
                while line := stream.readline().decode().strip():
                    self._read_rest(stream)
                    self.asked.append(line)
                    answer = self._answer(line)
                    if answer is None:  # hang
                        continue
                    connection.sendall(answer)
                    if not answer.startswith(b"HTTP"):
                        break
            except OSError:
                return

    @staticmethod
    def _read_rest(stream):
        length = 0
        while header := stream.readline().strip():
            if header.lower().startswith(b"content-length:"):
                length = int(header.split(b":")[1])
        stream.read(length)

    def _answer(self, line):
        if "/_ping" in line:
            return self.ok(b"OK")
        if line.startswith("GET /version"):
            return self.ok(VERSION)
        words = [key for key in self.answers if key in line]
        return self.answers[words[0]] if words else self.ok(b"{}")

    @staticmethod
    def ok(body, status=b"200 OK"):
        return b"HTTP/1.1 %b\r\nContent-Length: %d\r\n\r\n%b" % (status, len(body), body)

    def stop(self):
        with contextlib.suppress(OSError):  # stopped already
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)
        for connection in self._connections:
            with contextlib.suppress(OSError):  # closed already
                connection.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def scripted():
    with tempfile.TemporaryDirectory() as folder:
        engine = ScriptedEngine(Path(folder) / "s")
        engine.path = f"{folder}/s"
        yield engine
        engine.stop()


@pytest.fixture
async def engine(scripted):
    transport = LocalTransport()
    engine = await connect_docker(transport, socket_path=scripted.path)
    yield engine
    await engine.close()
    await transport.close()


async def failure(work):
    with pytest.raises(AppError) as caught:
        await work
    return caught.value


async def test_engines_own_api_version_is_used(engine, scripted):
    await engine.inspect("x")
    assert scripted.asked[-1].startswith("GET /v1.44/containers/x/json")


async def test_answer_that_is_no_http_is_not_reachable(engine, scripted):
    scripted.answers["/json"] = b"garbage\r\n\r\n"
    assert (await failure(engine.inspect("x"))).code is ErrorCode.DOCKER_NOT_REACHABLE


async def test_engine_that_hangs_ends_with_a_timeout(engine, scripted, monkeypatch):
    monkeypatch.setattr(engine, "_call", _short(engine))
    scripted.answers["/json"] = None
    assert (await failure(engine.inspect("x"))).code is ErrorCode.COMMAND_TIMEOUT


def _short(engine):
    async def call(what, work, **_limit):
        return await api._guarded(engine._transport, what, work, 0.2)

    return call


async def test_late_creation_removes_what_it_may_have_made(engine, scripted, monkeypatch):
    monkeypatch.setattr(engine, "_call", _short(engine))
    scripted.answers["/containers/create"] = None
    scripted.answers["GET /v1.44/containers/n/json"] = scripted.ok(
        b'{"Id": "77", "Name": "/n", "State": {"Status": "created"},'
        b' "Config": {"Labels": {"a": "b"}}}'
    )
    scripted.answers["DELETE"] = scripted.ok(b"", b"204 No Content")
    problem = await failure(engine.create(_spec(), image_id="i", secrets={}))
    assert problem.code is ErrorCode.COMMAND_TIMEOUT
    assert any(line.startswith("DELETE /v1.44/containers/77") for line in scripted.asked)


async def test_late_creation_never_removes_somebody_elses_container(engine, scripted, monkeypatch):
    monkeypatch.setattr(engine, "_call", _short(engine))
    scripted.answers["/containers/create"] = None
    scripted.answers["GET /v1.44/containers/n/json"] = scripted.ok(
        b'{"Id": "77", "State": {"Status": "created"}, "Config": {"Labels": {}}}'
    )
    await failure(engine.create(_spec(), image_id="i", secrets={}))
    assert not any(line.startswith("DELETE") for line in scripted.asked)


async def test_removal_that_is_under_way_is_fine(engine, scripted):
    text = b'{"message": "removal of container x is already in progress"}'
    scripted.answers["DELETE"] = scripted.ok(text, b"409 Conflict")
    await engine.remove("x")
    scripted.answers["DELETE"] = scripted.ok(b'{"message": "no"}', b"409 Conflict")
    assert (await failure(engine.remove("x"))).code is ErrorCode.DOCKER_REFUSED


async def test_container_that_vanishes_while_listing_is_left_out(engine, scripted):
    scripted.answers["/containers/json"] = scripted.ok(b'[{"Id": "1"}, {"Id": "2"}]')
    scripted.answers["/containers/1/json"] = scripted.ok(
        b'{"message": "No such container: 1"}', b"404 Not Found"
    )
    scripted.answers["/containers/2/json"] = scripted.ok(b'{"Id": "2"}')
    assert [info.id for info in await engine.containers(ours_only=False)] == ["2"]


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{not json",
        b'HTTP/1.1 404 Not Found\r\nContent-Length: 22\r\n\r\n{"message": "unknown"}',
    ],
)
async def test_pull_that_answers_nonsense_has_failed(engine, scripted, answer):
    scripted.answers["/images/create"] = answer

    async def pull():
        async for _step in engine.pull("some/image:1"):
            pass

    problem = await failure(pull())
    assert problem.code is ErrorCode.PULL_FAILED


async def test_reference_that_is_none_cannot_be_pulled(engine):
    async def pull():
        async for _step in engine.pull("https://example.invalid/x"):
            pass

    problem = await failure(pull())
    assert problem.code is ErrorCode.PULL_FAILED


async def test_log_of_a_terminal_is_read_as_text(engine, scripted):
    scripted.answers["/containers/x/json"] = scripted.ok(b'{"Config": {"Tty": true}}')
    scripted.answers["/logs"] = scripted.ok(b"2026-09-01T10:00:00Z hello\r\n")
    lines = [line async for line in engine.logs("x", follow=False)]
    assert [(line.text, line.stream) for line in lines] == [("hello", "stdout")]


async def test_log_that_breaks_off_says_so(engine, scripted):
    scripted.answers["/containers/x/json"] = scripted.ok(b'{"Config": {}}')
    scripted.answers["/logs"] = b"nonsense\r\n"

    async def read():
        async for _line in engine.logs("x", follow=True):
            pass

    assert (await failure(read())).code is ErrorCode.DOCKER_NOT_REACHABLE


async def test_closed_connection_under_a_call_is_lost(engine, scripted):
    scripted.answers["/json"] = None
    inspecting = asyncio.create_task(engine.inspect("x"))
    while not any("/x/json" in line for line in scripted.asked):  # noqa: ASYNC110 - a thread's
        await asyncio.sleep(0.01)
    engine._transport._is_alive = False
    scripted.stop()
    assert (await failure(inspecting)).code is ErrorCode.CONNECTION_LOST


def _spec():
    return ContainerSpec(
        name="n", image="i", command=(), container_port=80, host_port=0, labels={"a": "b"}
    )
