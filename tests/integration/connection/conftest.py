"""Connect to a test host the way the hosts service does."""

import asyncio
import socket
import tempfile
import threading
import time
from pathlib import Path

import pytest

from app.core.events import AuthMethod, HostKind, HostSettings
from app.core.ids import HostId
from app.io.connect import open_transport
from app.io.transport.host_keys import HostKeyStore


@pytest.fixture
async def connect(tmp_path):
    """``await connect(host, …)``: a transport to a host whose key is known; closed afterwards."""
    opened = []

    async def open_(host, *, known=True, password=None, passphrase=None, keys=None, **changes):
        file = tmp_path / "known_hosts"
        if known:
            file.write_text(host.known_hosts_line + "\n")
        keys = keys or HostKeyStore(tmp_path / "own", [file])
        values = {
            "id": HostId("h"),
            "name": "lab",
            "kind": HostKind.SSH,
            "address": host.address,
            "port": host.port,
            "user": host.user,
            "auth": AuthMethod.KEY,
            "key_file": str(host.client_key),
            **changes,
        }
        transport = await open_transport(
            HostSettings(**values), password=password, passphrase=passphrase, host_keys=keys
        )
        opened.append(transport)
        return transport

    yield open_
    for transport in opened:
        await transport.close()


class Server:
    """A TCP server on the loopback; ``talk(connection)`` serves each client in a thread."""

    def __init__(self, talk):
        self._talk = talk
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection:
            try:
                self._talk(connection)
            except OSError:
                return

    def stop(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)


@pytest.fixture
def serve():
    """``serve(talk)``: run a server until the end of the test."""
    servers = []

    def start(talk):
        servers.append(Server(talk))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def closed_port():
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        yield probe.getsockname()[1]


@pytest.fixture
def eventually():
    """``await eventually(condition)``: wait until it holds, 10 s at most."""

    async def wait(condition, limit_s=10):
        deadline_s = time.monotonic() + limit_s
        while not condition():
            assert time.monotonic() < deadline_s, f"it did not happen within {limit_s} s"
            await asyncio.sleep(0.01)

    return wait


class Tools:
    """A folder of stand-in commands for a host's PATH."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, name, script):
        file = self.folder / name
        file.write_text(f"#!/bin/dash\n{script}\n")
        file.chmod(0o755)


@pytest.fixture
def tools():
    """``tools("sudo", script)``; give ``tools.folder`` to the host."""
    with tempfile.TemporaryDirectory(prefix="pitwall-tools-") as name:
        Path(name).chmod(0o755)
        yield Tools(Path(name))
