"""What ``ssh -G`` says is honoured; what it needs and we cannot do is said."""

import pytest

from app.core.errors import ErrorCode, HostError
from app.io.transport import ssh_config


@pytest.fixture
def ssh(tmp_path):
    """A stand-in for ssh that prints a configuration."""

    def make(text, *, script=""):
        program = tmp_path / "ssh"
        program.write_text(f"#!/bin/sh\n{script}\ncat <<'EOF'\n{text}\nEOF\n")
        program.chmod(0o755)
        return str(program)

    return make


async def resolve(address, ssh, *, port=22, user=""):
    return await ssh_config.resolve(address, port, user, default_user="me", ssh=ssh)


async def test_alias_leads_to_host_port_user_and_keys(ssh, pitwall_home):
    home = pitwall_home.parent
    program = ssh(
        "hostname gpu1.lab\nport 2222\nuser ops\nidentityfile ~/.ssh/lab_%h\n"
        "identityfile %d/k%%1\nproxyjump none\nhostkeyalias lab-gpu"
    )
    target = await resolve("gpu", program)
    assert (target.host, target.port, target.user) == ("gpu1.lab", 2222, "ops")
    assert target.identity_files == (home / ".ssh/lab_gpu1.lab", home / "k%1")
    assert target.known_as == "lab-gpu"


async def test_what_was_entered_outweighs_the_configuration(ssh):
    program = ssh("hostname gpu1.lab\nport 2222\nuser ops")
    target = await resolve("gpu", program, port=2200, user="root")
    assert (target.host, target.port, target.user) == ("gpu1.lab", 2200, "root")
    assert target.known_as == "gpu1.lab"


@pytest.mark.parametrize("address", ["10.0.0.7", "::1", "fe80::1%eth0"])
async def test_ip_address_is_taken_as_it_is(ssh, address):
    target = await resolve(address, ssh("hostname elsewhere\nuser ops"))
    assert (target.host, target.user) == (address, "me")


@pytest.mark.parametrize("setting", ["proxyjump bastion", "proxycommand nc %h %p"])
async def test_jump_host_is_refused_clearly(ssh, setting):
    with pytest.raises(HostError) as caught:
        await resolve("gpu", ssh(f"hostname gpu1\n{setting}"))
    assert caught.value.code is ErrorCode.HOST_UNREACHABLE
    assert caught.value.params["reason"] == "proxy"


async def test_failing_ssh_is_gone_on_without(ssh):
    target = await resolve("gpu", ssh("", script="exit 255"))
    assert (target.host, target.port, target.user) == ("gpu", 22, "me")


async def test_hanging_ssh_is_given_up(ssh, monkeypatch):
    monkeypatch.setattr(ssh_config, "DEADLINE_S", 0.1)
    target = await resolve("gpu", ssh("", script="exec sleep 60"))
    assert target.host == "gpu"


async def test_real_ssh_is_asked_when_there_is_one():
    target = await ssh_config.resolve("some-host.invalid", 22, "", default_user="me")
    assert target.host == "some-host.invalid"


async def test_without_ssh_nothing_is_resolved(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    target = await ssh_config.resolve("gpu", 22, "", default_user="me")
    assert (target.host, target.user) == ("gpu", "me")
