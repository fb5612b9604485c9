"""Sockets and commands of this machine as channels."""

import os
import socket

import pytest

from app.core.errors import ErrorCode, HostError
from app.io.transport import local_channels
from app.io.transport.channel_socket import ChannelSocket
from app.io.transport.local_channels import SocketChannel


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    channel = SocketChannel(ours)
    yield channel, theirs
    channel.close()
    theirs.close()


def refusal(work):
    with pytest.raises(HostError) as caught:
        work()
    return caught.value.code


def test_idle_channel_knows_whether_the_other_side_is_there(pair):
    channel, other = pair
    channel.settimeout(30)
    assert channel.is_open()
    other.close()
    assert not channel.is_open()
    channel.close()
    assert not channel.is_open()


def test_missing_forbidden_and_refusing_sockets_are_told_apart(tmp_path):
    missing = str(tmp_path / "missing")
    assert refusal(lambda: local_channels.connect_unix("h", missing, 1)) is ErrorCode.NOT_FOUND
    path = tmp_path / "dead"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
    assert (
        refusal(lambda: local_channels.connect_unix("h", str(path), 1)) is ErrorCode.CHANNEL_REFUSED
    )


def test_socket_without_rights_is_forbidden(tmp_path):
    if os.geteuid() == 0:
        problem = local_channels._connect_error("h", "/s", 1, PermissionError(13, "denied"))
        assert problem.code is ErrorCode.PERMISSION_DENIED
        return
    path = tmp_path / "locked"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        path.chmod(0)
        code = refusal(lambda: local_channels.connect_unix("h", str(path), 1))
    assert code is ErrorCode.PERMISSION_DENIED


def test_host_that_does_not_answer_is_a_timeout():
    problem = local_channels._connect_error("h", "10.0.0.1:1", 2, TimeoutError())
    assert problem.code is ErrorCode.COMMAND_TIMEOUT


def test_commands_that_cannot_start_are_told_apart(tmp_path):
    assert refusal(lambda: local_channels.start_command("h", ["no-such"])) is ErrorCode.TOOL_MISSING
    file = tmp_path / "file"
    file.write_text("text")
    code = refusal(lambda: local_channels.start_command("h", [str(file)]))
    assert code is ErrorCode.PERMISSION_DENIED
    file.chmod(0o755)
    code = refusal(lambda: local_channels.start_command("h", [str(file)]))
    assert code is ErrorCode.COMMAND_FAILED  # no program: exec format error


def test_command_that_will_not_go_is_killed():
    channel = local_channels.start_command(
        "h", ["sh", "-c", "trap '' TERM; echo up; while :; do sleep 0.1; done"]
    )
    assert channel.recv(10) == b"up\n"
    channel.close()
    assert channel._process.returncode == -9


def test_socket_view_stays_open_for_its_reader(pair):
    channel, other = pair
    view = ChannelSocket(channel)
    reader = view.makefile("rb")
    assert view.is_open
    view.close()
    assert not view.is_open
    other.sendall(b"rest\n")
    assert reader.readline() == b"rest\n"
    reader.close()
    assert not channel.is_open()


def test_socket_view_can_be_cut_under_its_reader(pair):
    channel, _other = pair
    view = ChannelSocket(channel)
    with view.makefile("rb"):
        view.shutdown(socket.SHUT_RDWR)
        assert not channel.is_open()
