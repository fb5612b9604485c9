"""The contract of transports, for this machine and over SSH."""

import pytest
from contract.transport_contract import ShellTransportContract

from app.core.events import AuthMethod, HostKind, HostSettings
from app.core.ids import HostId
from app.io.connect import open_transport
from app.io.transport.host_keys import HostKeyStore


class TestLocalTransport(ShellTransportContract):
    @pytest.fixture
    async def transport(self, tmp_path):
        settings = HostSettings(id=HostId("1"), name="here", kind=HostKind.LOCAL)
        keys = HostKeyStore(tmp_path / "known_hosts")
        transport = await open_transport(settings, password=None, passphrase=None, host_keys=keys)
        yield transport
        await transport.close()


class TestSshTransport(ShellTransportContract):
    @pytest.fixture
    async def transport(self, ssh_host, tmp_path):
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
        yield transport
        await transport.close()
