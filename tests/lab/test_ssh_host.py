"""The stand-in for a GPU host is a real OpenSSH server with real logins."""

import contextlib
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import paramiko
import pytest
from fixtures.ssh_host import SshHost, SshHostFactory


@contextlib.contextmanager
def logged_in(host: SshHost, *, password: bool = False) -> Iterator[paramiko.SSHClient]:
    known_hosts = host.folder / "known_hosts"
    known_hosts.write_text(host.known_hosts_line + "\n")
    secret = {"password": host.password} if password else {"key_filename": str(host.client_key)}
    with paramiko.SSHClient() as client:
        client.load_host_keys(str(known_hosts))
        client.set_missing_host_key_policy(paramiko.RejectPolicy())
        client.connect(
            host.address, host.port, host.user, **secret, allow_agent=False, look_for_keys=False
        )
        yield client


def run(client: paramiko.SSHClient, command: str) -> tuple[int, str]:
    _, stdout, _ = client.exec_command(command, timeout=10)
    text = stdout.read().decode(errors="replace")
    return stdout.channel.recv_exit_status(), text


@pytest.mark.parametrize("password", [False, True], ids=["key", "password"])
def test_throw_away_user_logs_in(ssh_host: SshHost, password: bool):
    with logged_in(ssh_host, password=password) as client:
        assert run(client, "id -un") == (0, f"{ssh_host.user}\n")


def test_host_without_password_login_refuses_the_right_password(ssh_host_factory: SshHostFactory):
    host = ssh_host_factory(password_login=False)

    with pytest.raises(paramiko.BadAuthenticationType), logged_in(host, password=True):
        pass


def test_replayed_tool_comes_first_in_path_and_counts_its_calls(
    ssh_host_factory: SshHostFactory, recordings: Path
):
    host = ssh_host_factory(recordings=recordings)

    with logged_in(host) as client:
        assert run(client, "nvidia-smi -L") == (0, "GPU 0: idle\n")
        host.show("busy")
        assert run(client, "nvidia-smi -L") == (0, "GPU 0: busy\n")

    assert host.tool_calls() == ["-L", "-L"]


def test_replayed_query_answers_any_recorded_columns(
    ssh_host_factory: SshHostFactory, recordings: Path
):
    host = ssh_host_factory(recordings=recordings)

    with logged_in(host) as client:
        query = "nvidia-smi --query-gpu=power.draw,index --format=csv,noheader,nounits"
        assert run(client, query) == (0, "77.00, 0\n")
        status, text = run(client, "nvidia-smi --query-gpu=index,bogus --format=csv")

    assert (status, text.strip()) == (2, 'Field "bogus" is not a valid field to query.')


def test_driver_failure_is_replayed_with_its_exit_status_and_heals(
    ssh_host_factory: SshHostFactory, recordings: Path
):
    host = ssh_host_factory(recordings=recordings)

    with logged_in(host) as client:
        host.fail("no-driver")
        status, text = run(client, "nvidia-smi")
        host.fail(None)
        healed, _ = run(client, "nvidia-smi -L")

    assert status == 9
    assert "couldn't communicate with the NVIDIA driver" in text
    assert healed == 0


def test_hanging_tool_outlives_the_callers_patience(
    ssh_host_factory: SshHostFactory, recordings: Path
):
    host = ssh_host_factory(recordings=recordings)
    host.fail("hang")

    with logged_in(host) as client:
        _, stdout, _ = client.exec_command("nvidia-smi", timeout=0.5)
        with pytest.raises(TimeoutError):
            stdout.read()


def test_host_without_recordings_has_no_nvidia_smi(ssh_host_factory: SshHostFactory):
    host = ssh_host_factory(recordings=None)

    with logged_in(host) as client:
        status, _ = run(client, "nvidia-smi")

    assert status == 127


def test_killed_connections_end_and_the_host_takes_new_ones(ssh_host_factory: SshHostFactory):
    host = ssh_host_factory()

    with logged_in(host) as client:
        transport = client.get_transport()
        host.kill_connections()
        deadline_s = time.monotonic() + 20
        while transport.is_active() and time.monotonic() < deadline_s:
            transport.join(0.05)
        assert not transport.is_active()

    with logged_in(host) as client:
        assert run(client, "true")[0] == 0


def test_frozen_host_accepts_but_does_not_answer_until_thawed(ssh_host_factory: SshHostFactory):
    host = ssh_host_factory()

    with host.frozen(), socket.create_connection((host.address, host.port), 2) as raw:
        raw.settimeout(0.5)
        with pytest.raises(TimeoutError):
            raw.recv(1)

    with logged_in(host) as client:
        assert run(client, "true")[0] == 0


def test_rotated_host_key_is_refused_by_a_client_that_knew_the_old_one(
    ssh_host_factory: SshHostFactory,
):
    host = ssh_host_factory()
    old = host.known_hosts_line

    host.rotate_host_key()

    assert old != host.known_hosts_line
    known_hosts = host.folder / "old_known_hosts"
    known_hosts.write_text(old + "\n")
    with paramiko.SSHClient() as client:
        client.load_host_keys(str(known_hosts))
        with pytest.raises(paramiko.BadHostKeyException):
            client.connect(host.address, host.port, host.user, password="never sent")


def test_max_sessions_limits_the_channels_of_a_connection(ssh_host_factory: SshHostFactory):
    host = ssh_host_factory(max_sessions=1)

    with logged_in(host) as client:
        transport = client.get_transport()
        with transport.open_session(), pytest.raises(paramiko.ChannelException):
            transport.open_session(timeout=5)


def test_forbidden_forwarding_refuses_a_tcp_channel(ssh_host_factory: SshHostFactory):
    host = ssh_host_factory(forwarding=False)

    with logged_in(host) as client, pytest.raises(paramiko.ChannelException):
        client.get_transport().open_channel(
            "direct-tcpip", ("127.0.0.1", host.port), ("127.0.0.1", 0), timeout=5
        )


@pytest.mark.parametrize("allowed", [True, False])
def test_docker_socket_is_open_only_to_users_in_its_group(
    ssh_host_factory: SshHostFactory, docker_engine: str, allowed: bool
):
    host = ssh_host_factory(docker_access=allowed)

    with logged_in(host) as client:
        status, _ = run(client, f"test -w {docker_engine}")

    assert (status == 0) is allowed


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    for state in ("idle", "busy"):
        folder = tmp_path / "recordings" / state
        folder.mkdir(parents=True)
        (folder / "smi-L.txt").write_text(f"GPU 0: {state}\n")
        (folder / "smi-csv.txt").write_text("index, power.draw [W]\n0, 77.00 W\n")
    return tmp_path / "recordings"
