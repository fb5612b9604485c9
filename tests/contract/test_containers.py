"""The contract of container engines, with the genuine dockerd: here and over SSH."""

import contextlib
import socket

import pytest
from contract.containers_contract import RealContainersContract

from app.core.deployment.spec import Mount
from app.core.events import AuthMethod, HostKind, HostSettings
from app.core.ids import HostId
from app.io.connect import open_transport
from app.io.docker.api import connect_docker
from app.io.transport.host_keys import HostKeyStore
from app.io.transport.local import LocalTransport


class _RealEngine(RealContainersContract):
    @pytest.fixture
    def image(self, llama_image):
        return llama_image

    @pytest.fixture
    def model_mount(self, tiny_model):
        return Mount(source=str(tiny_model.gguf), target="/models/tiny.gguf")

    @pytest.fixture
    def port_taker(self):
        taker = _PortTaker()
        yield taker
        taker.release()

    @pytest.fixture
    def taken_port(self, port_taker):
        return port_taker.port

    @pytest.fixture
    def free_taken_port(self, port_taker):
        return port_taker.set_free


class _PortTaker:
    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]

    @contextlib.contextmanager
    def set_free(self):
        self.release()
        yield
        self._listener = socket.create_server(("127.0.0.1", self.port))

    def release(self):
        self._listener.close()


class TestLocalDocker(_RealEngine):
    @pytest.fixture
    async def engine(self, docker_engine):
        transport = LocalTransport()
        engine = await connect_docker(transport, socket_path=docker_engine)
        yield engine
        await engine.close()
        await transport.close()


class TestDockerOverSsh(_RealEngine):
    @pytest.fixture
    async def engine(self, docker_engine, ssh_host, tmp_path):
        known = tmp_path / "known_hosts"
        known.write_text(ssh_host.known_hosts_line + "\n")
        settings = HostSettings(
            id=HostId("2"),
            name="there",
            kind=HostKind.SSH,
            address=ssh_host.address,
            port=ssh_host.port,
            user=ssh_host.user,
            auth=AuthMethod.KEY,
            key_file=str(ssh_host.client_key),
        )
        keys = HostKeyStore(tmp_path / "own", [known])
        transport = await open_transport(settings, password=None, passphrase=None, host_keys=keys)
        engine = await connect_docker(transport, socket_path=docker_engine)
        yield engine
        await engine.close()
        await transport.close()
