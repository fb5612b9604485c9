"""Hosts whose sshd allows little: few sessions, no forwarding, noisy or odd shells."""

import asyncio
import shutil
import socket

import pytest

from app.core.errors import AppError, DockerError, ErrorCode, HostError
from app.io.docker.api import connect_docker
from app.io.http_client import EngineHttp

_DOCKER = shutil.which("docker")
_SHELLS = [name for name in ("bash", "busybox") if shutil.which(name)]


async def test_one_session_at_a_time_is_enough_for_many_commands(ssh_host_factory, connect):
    transport = await connect(ssh_host_factory(max_sessions=1))
    results = await asyncio.gather(
        *(transport.run(["printf", "%s", str(n)], timeout_s=30) for n in range(12))
    )
    assert [result.stdout for result in results] == [str(n).encode() for n in range(12)]
    assert transport.session_limit == 1


async def test_stream_gives_way_to_a_command_when_there_is_one_session(ssh_host_factory, connect):
    transport = await connect(ssh_host_factory(max_sessions=1))

    async def stream():
        async with transport.stream_lines(["sh", "-c", "echo go; sleep 100"]) as lines:
            async for _line in lines:
                started.set()

    started = asyncio.Event()
    streaming = asyncio.create_task(stream())
    await asyncio.wait_for(started.wait(), 10)
    result = await transport.run(["printf", "hi"], timeout_s=10)
    assert result.stdout == b"hi"
    with pytest.raises(HostError) as caught:
        await asyncio.wait_for(streaming, 10)
    assert caught.value.code is ErrorCode.CHANNEL_REFUSED
    assert caught.value.params["reason"] == "sessions"


async def test_no_session_at_all_is_said(ssh_host_factory, connect):
    transport = await connect(ssh_host_factory(max_sessions=0))
    with pytest.raises(HostError) as caught:
        await transport.run(["true"], timeout_s=10)
    assert caught.value.code is ErrorCode.CHANNEL_REFUSED
    assert caught.value.params["reason"] == "sessions"


async def test_docker_and_http_work_beside_a_single_session(
    ssh_host_factory, connect, docker_engine, llama_server
):
    transport = await connect(ssh_host_factory(max_sessions=1))
    engine = await connect_docker(transport, socket_path=docker_engine)
    port = int(llama_server.url.rpartition(":")[2])
    answers = await asyncio.gather(
        transport.run(["sleep", "0.3"], timeout_s=10),
        engine.version(),
        EngineHttp(transport, port).get("/health", timeout_s=10),
    )
    assert answers[2].status == 200
    await engine.close()


async def test_forbidden_forwarding_is_named(ssh_host_factory, connect):
    transport = await connect(ssh_host_factory(forwarding=False))
    with pytest.raises(HostError) as caught:
        await EngineHttp(transport, 8000).get("/health", timeout_s=10)
    assert caught.value.code is ErrorCode.CHANNEL_REFUSED
    assert caught.value.params["reason"] == "forbidden"
    assert "AllowTcpForwarding" in caught.value.remedy


@pytest.mark.usefixtures("docker_engine")
async def test_docker_falls_back_to_dial_stdio_where_forwarding_is_forbidden(
    ssh_host_factory, connect, llama_server
):
    transport = await connect(ssh_host_factory(forwarding=False))
    engine = await connect_docker(transport)
    assert engine.way == "docker system dial-stdio"
    assert (await engine.version()).api_version
    assert (await engine.inspect(llama_server.container.id)).status == "running"
    tail = [line async for line in engine.logs(llama_server.container.id, follow=False, tail=3)]
    assert len(tail) == 3
    # Each call gave its session back: sixteen at once still find their way.
    infos = await asyncio.gather(*(engine.inspect(llama_server.container.id) for _ in range(16)))
    assert len({info.id for info in infos}) == 1
    await engine.close()


@pytest.mark.usefixtures("docker_engine")
async def test_docker_over_dial_stdio_shares_a_single_session_with_commands(
    ssh_host_factory, connect
):
    transport = await connect(ssh_host_factory(forwarding=False, max_sessions=1))
    engine = await connect_docker(transport)
    results = await asyncio.gather(
        *(engine.version() for _ in range(3)),
        *(transport.run(["true"], timeout_s=20) for _ in range(3)),
    )
    assert len(results) == 6
    await engine.close()


async def test_user_without_rights_on_docker_is_told_so(ssh_host_factory, connect, docker_engine):
    transport = await connect(ssh_host_factory(docker_access=False))
    with pytest.raises(DockerError) as caught:
        await connect_docker(transport, socket_path=docker_engine)
    assert caught.value.code is ErrorCode.DOCKER_PERMISSION
    assert caught.value.params["socket"] == docker_engine
    assert "usermod -aG docker" in caught.value.remedy


@pytest.mark.usefixtures("docker_engine")
async def test_docker_is_reached_through_sudo_when_that_is_allowed(
    ssh_host_factory, connect, tools
):
    # Stand-ins: the real sudo would need a change of this machine's sudoers.
    tools("docker", 'echo "permission denied while trying to connect" >&2; exit 1')
    tools("sudo", f'[ "$1 $2" = "-n docker" ] || exit 9; shift 2; exec {_DOCKER} "$@"')
    transport = await connect(ssh_host_factory(forwarding=False, tools=tools.folder))
    engine = await connect_docker(transport)
    assert engine.way == "sudo -n docker system dial-stdio"
    assert (await engine.version()).api_version
    await engine.close()


async def test_socket_without_a_daemon_is_not_reachable(ssh_host_factory, connect, tools):
    path = tools.folder / "docker.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
    path.chmod(0o777)
    transport = await connect(ssh_host_factory(docker_access=False))
    with pytest.raises(DockerError) as caught:
        await connect_docker(transport, socket_path=str(path))
    assert caught.value.code is ErrorCode.DOCKER_NOT_REACHABLE


async def test_noise_of_a_login_shell_does_not_disturb(ssh_host_factory, connect):
    noisy = """ForceCommand sh -c 'echo "tool: not found" >&2; eval "$SSH_ORIGINAL_COMMAND"'"""
    transport = await connect(ssh_host_factory(extra=noisy))
    result = await transport.run(["sh", "-c", "echo out; exit 127"], timeout_s=10)
    assert (result.stdout, result.exit_code) == (b"out\n", 127)
    with pytest.raises(AppError) as caught:
        await transport.run(["no-such-tool"], timeout_s=10)
    assert caught.value.code is ErrorCode.TOOL_MISSING
    async with transport.stream_lines(["echo", "hi"]) as lines:
        assert [line async for line in lines] == ["hi"]


@pytest.mark.parametrize("shell", _SHELLS)
async def test_other_shells_behave_alike(ssh_host_factory, connect, tools, shell):
    program = shutil.which(shell)
    tools("sh", f'exec {program} {"sh" if shell == "busybox" else ""} "$@"')
    transport = await connect(ssh_host_factory(tools=tools.folder))
    assert (await transport.run(["printf", "%s", "a b"], timeout_s=10)).stdout == b"a b"
    assert (await transport.run(["sh", "-s"], stdin=b"exit 4", timeout_s=10)).exit_code == 4
    with pytest.raises(HostError) as caught:
        await transport.run(["no-such-tool"], timeout_s=10)
    assert caught.value.code is ErrorCode.TOOL_MISSING
    assert await transport.list_folder("/")
    with pytest.raises(HostError) as late:
        await transport.run(["sleep", "60"], timeout_s=0.5)
    assert late.value.code is ErrorCode.COMMAND_TIMEOUT
