"""How the way to an engine is found, on a scripted host."""

import pytest

from app.core.errors import AppError, ErrorCode
from app.io.docker import reach
from app.io.docker.api import connect_docker
from app.io.transport import failures
from app.io.transport.base import CommandResult

OK = b"HTTP/1.1 200 OK\r\nApi-Version: 1.44\r\n\r\nOK"


class FakeChannel:
    def __init__(self, answer):
        self._answer = answer

    def sendall(self, data):
        pass

    def settimeout(self, timeout_s):
        pass

    def recv(self, size):
        data, self._answer = self._answer[:size], self._answer[size:]
        return data

    def close(self):
        pass


class FakeHost:
    """Sockets by path (bytes: what answers; an error is raised), commands by their words."""

    is_alive = True

    def __init__(self, *, sockets=None, commands=None, seen=""):
        self.sockets, self.commands, self.seen = sockets or {}, commands or {}, seen

    async def blocking(self, work, **_limit):
        return work()

    def open_unix(self, path, **_limit):
        answer = self.sockets.get(path) or failures.channel_refused("h", path, "connect-failed")
        if isinstance(answer, Exception):
            raise answer
        return FakeChannel(answer)

    def open_command(self, argv, **_limit):
        return FakeChannel(self.commands[" ".join(argv)])

    async def run(self, argv, **_rest):
        if argv[0] == "sh":
            return CommandResult(exit_code=0, stdout=self.seen.encode(), stderr=b"")
        answer = self.commands.get(" ".join(argv), b"")
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, str):
            return CommandResult(exit_code=1, stdout=b"", stderr=answer.encode())
        return CommandResult(exit_code=0, stdout=answer, stderr=b"")


async def failure(host, path=None):
    with pytest.raises(AppError) as caught:
        await reach.find(host, path)
    return caught.value


async def test_usual_socket_is_taken_first():
    found = await reach.find(FakeHost(sockets={"/var/run/docker.sock": OK}), None)
    assert (found.way, found.is_scarce) == ("/var/run/docker.sock", False)


async def test_given_socket_is_taken():
    found = await reach.find(FakeHost(sockets={"/x.sock": OK}), "/x.sock")
    assert found.way == "/x.sock"


async def test_another_usable_socket_is_found():
    host = FakeHost(
        sockets={"/run/user/7/docker.sock": OK},
        seen="user=ops\nlocked=/var/run/docker.sock\nusable=/run/user/7/docker.sock\n",
    )
    assert (await reach.find(host, None)).way == "/run/user/7/docker.sock"


async def test_commands_are_tried_in_order_and_open_channels():
    host = FakeHost(
        seen="user=ops\ndocker=/usr/bin/docker\n",
        commands={
            "docker system dial-stdio": "permission denied",
            "sudo -n docker system dial-stdio": OK,
        },
    )
    found = await reach.find(host, None)
    assert (found.way, found.is_scarce) == ("sudo -n docker system dial-stdio", True)
    assert found.opener(1).recv(100) == OK


async def test_given_socket_is_also_dialled_through_the_command():
    host = FakeHost(
        seen="user=ops\ndocker=/usr/bin/docker\nusable=/x.sock\n",
        commands={"docker -H unix:///x.sock system dial-stdio": OK},
    )
    assert (await reach.find(host, "/x.sock")).is_scarce


async def test_nothing_there_is_not_found():
    problem = await failure(FakeHost(seen="user=ops\n"))
    assert problem.code is ErrorCode.DOCKER_NOT_FOUND
    assert "no such command" in problem.details


async def test_locked_socket_is_a_matter_of_rights():
    problem = await failure(FakeHost(seen="user=ops\nlocked=/var/run/docker.sock\n"))
    assert problem.code is ErrorCode.DOCKER_PERMISSION
    assert problem.params == {"user": "ops", "socket": "/var/run/docker.sock"}


async def test_wrong_socket_in_the_settings_is_not_blamed_on_the_rights_of_another():
    host = FakeHost(
        seen="user=ops\ndocker=/usr/bin/docker\nlocked=/var/run/docker.sock\n",
        commands={"docker -H unix:///x.sock system dial-stdio": "permission denied"},
    )
    problem = await failure(host, "/x.sock")
    assert problem.code is ErrorCode.DOCKER_NOT_FOUND
    assert problem.params == {"socket": "/x.sock"}
    assert "/x.sock" in problem.cause


async def test_locked_socket_in_the_settings_is_the_one_that_is_named():
    host = FakeHost(seen="user=ops\nlocked=/a.sock\nlocked=/x.sock\n")
    assert (await failure(host, "/x.sock")).params["socket"] == "/x.sock"


async def test_missing_sudo_is_no_reason_to_fail_otherwise():
    host = FakeHost(
        seen="user=ops\ndocker=/usr/bin/docker\n",
        commands={
            "docker system dial-stdio": "Got permission denied while trying to connect",
            "sudo -n docker system dial-stdio": failures.tool_missing("h", "sudo"),
        },
    )
    assert (await failure(host)).code is ErrorCode.DOCKER_PERMISSION


async def test_daemon_that_does_not_run_is_not_reachable():
    host = FakeHost(
        seen="user=ops\ndocker=/usr/bin/docker\n",
        commands={"docker system dial-stdio": "Cannot connect to the Docker daemon"},
    )
    assert (await failure(host)).code is ErrorCode.DOCKER_NOT_REACHABLE


async def test_usable_socket_of_something_else_is_not_reachable():
    host = FakeHost(
        sockets={"/var/run/docker.sock": b"220 smtp\r\n"},
        seen="user=ops\nusable=/var/run/docker.sock\n",
    )
    assert (await failure(host)).code is ErrorCode.DOCKER_NOT_REACHABLE


async def test_socket_that_breaks_is_passed_over():
    host = FakeHost(sockets={"/var/run/docker.sock": OSError("reset")}, seen="user=ops\n")
    assert (await failure(host)).code is ErrorCode.DOCKER_NOT_FOUND


@pytest.mark.parametrize("where", ["socket", "command"])
async def test_lost_connection_is_not_taken_for_a_missing_engine(where):
    lost = failures.connection_lost("h")
    host = FakeHost(
        sockets={"/var/run/docker.sock": lost} if where == "socket" else {},
        seen="user=ops\ndocker=/usr/bin/docker\n",
        commands={"docker system dial-stdio": lost},
    )
    assert (await failure(host)).code is ErrorCode.CONNECTION_LOST


@pytest.mark.parametrize("said", [b'{"ApiVersion": "1.39"}', b"{}", b'{"ApiVersion": "x"}'])
async def test_engine_that_is_too_old_is_refused(said):
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(said), said)
    with pytest.raises(AppError) as caught:
        await connect_docker(FakeHost(sockets={"/var/run/docker.sock": answer}))
    assert caught.value.code is ErrorCode.DOCKER_NOT_REACHABLE
