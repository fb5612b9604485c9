"""Host keys against a real sshd: nothing is sent to a host whose key is not trusted."""

import stat

import pytest

from app.core.errors import ErrorCode, HostError
from app.core.events import AuthMethod
from app.io.transport.host_keys import HostKeyStore

_AUTH_TRACES = ("userauth", "Failed", "Accepted", "Invalid user", "authenticating user")


def _no_sign_in_was_tried(host, log_before):
    said = host.log.removeprefix(log_before)
    assert "Connection" in said
    return not any(trace in said for trace in _AUTH_TRACES)


@pytest.fixture
def keys(tmp_path):
    return HostKeyStore(tmp_path / "state" / "known_hosts", [tmp_path / "known_hosts"])


async def test_unknown_key_is_shown_and_nothing_is_sent(ssh_host_factory, connect, keys):
    host = ssh_host_factory()
    with pytest.raises(HostError) as caught:
        await connect(
            host, known=False, keys=keys, auth=AuthMethod.PASSWORD, password=host.password
        )
    problem = caught.value
    assert problem.code is ErrorCode.HOST_KEY_UNKNOWN
    assert problem.params["sha256"] == _fingerprint(host)
    assert problem.params["key_type"] == "ssh-ed25519"
    assert problem.params["previous"] == ""
    host.stop()
    assert _no_sign_in_was_tried(host, "")


async def test_accepted_key_connects_and_is_kept_privately(
    ssh_host_factory, connect, keys, tmp_path
):
    host = ssh_host_factory()
    with pytest.raises(HostError):
        await connect(host, known=False, keys=keys)
    keys.accept_presented(host.address, host.port, _fingerprint(host))
    transport = await connect(host, known=False, keys=keys)
    assert transport.is_alive
    own = tmp_path / "state" / "known_hosts"
    assert own.read_text() == host.known_hosts_line + "\n"
    assert stat.S_IMODE(own.stat().st_mode) == 0o600
    assert not (tmp_path / "known_hosts").exists()


async def test_changed_key_stops_before_any_secret(ssh_host_factory, connect, keys, tmp_path):
    host = ssh_host_factory()
    await connect(host, keys=keys)
    before = _fingerprint(host)
    old_line = host.known_hosts_line
    host.rotate_host_key()
    log_before = host.log
    (tmp_path / "known_hosts").write_text(f"# mine\n{old_line}\n")
    with pytest.raises(HostError) as caught:
        await connect(
            host, known=False, keys=keys, auth=AuthMethod.PASSWORD, password=host.password
        )
    problem = caught.value
    assert problem.code is ErrorCode.HOST_KEY_CHANGED
    assert problem.params["sha256"] == _fingerprint(host)
    assert problem.params["previous"] == before
    assert problem.params["file"] == str(tmp_path / "known_hosts")
    assert problem.params["line"] == "2"
    host.stop()
    assert _no_sign_in_was_tried(host, log_before)


async def test_changed_key_can_be_accepted_by_its_fingerprint(ssh_host_factory, connect, keys):
    host = ssh_host_factory()
    await connect(host, keys=keys)
    host.rotate_host_key()
    with pytest.raises(HostError):
        await connect(host, known=False, keys=keys)
    keys.accept_presented(host.address, host.port, _fingerprint(host))
    assert (await connect(host, known=False, keys=keys)).is_alive


async def test_revoked_key_stops_before_any_secret(ssh_host_factory, connect, keys, tmp_path):
    host = ssh_host_factory()
    (tmp_path / "known_hosts").write_text(
        f"{host.known_hosts_line}\n@revoked * {host.host_public_key}\n"
    )
    with pytest.raises(HostError) as caught:
        await connect(host, known=False, keys=keys)
    assert caught.value.code is ErrorCode.HOST_KEY_REVOKED
    host.stop()
    assert _no_sign_in_was_tried(host, "")


def _fingerprint(host):
    import subprocess

    file = host.folder / "host_key.pub"
    shown = subprocess.run(
        ["ssh-keygen", "-l", "-E", "sha256", "-f", str(file)], capture_output=True, check=True
    )
    return shown.stdout.split()[1].decode()
