"""What every transport promises. Subclass in a test module and give the fixtures.

`TransportContract` holds for all, the demo host too; `ShellTransportContract` adds what needs a
real shell on the other side. Fixtures: ``transport`` (connected, closed by the fixture),
``known_folder`` (path on the host with at least one file), and ``scratch`` (a local folder that
the host sees under the same path; shell contract only).
"""

import asyncio
import time

import pytest

from app.core.errors import ErrorCode, HostError


class TransportContract:
    """For every kind of host."""

    async def test_fresh_transport_is_alive(self, transport):
        assert transport.is_alive

    async def test_missing_tool_is_named(self, transport):
        with pytest.raises(HostError) as caught:
            await transport.run(["no-such-tool-here", "--version"], timeout_s=10)
        assert caught.value.code is ErrorCode.TOOL_MISSING
        assert caught.value.params["tool"] == "no-such-tool-here"

    async def test_known_folder_is_listed_in_order(self, transport, known_folder):
        entries = await transport.list_folder(known_folder)
        names = [entry.name for entry in entries]
        assert names
        assert names == sorted(names)

    async def test_file_of_known_folder_can_be_read_in_part(self, transport, known_folder):
        entries = await transport.list_folder(known_folder)
        file = next(entry for entry in entries if not entry.is_dir and entry.size_bytes >= 4)
        path = f"{known_folder}/{file.name}"
        whole = await transport.read_file(path)
        assert len(whole) == file.size_bytes
        assert await transport.read_file(path, offset=1, length=2) == whole[1:3]

    async def test_missing_folder_is_not_found(self, transport, known_folder):
        with pytest.raises(HostError) as caught:
            await transport.list_folder(f"{known_folder}/no-such-folder")
        assert caught.value.code is ErrorCode.NOT_FOUND

    async def test_missing_file_is_not_found(self, transport, known_folder):
        with pytest.raises(HostError) as caught:
            await transport.read_file(f"{known_folder}/no-such-file")
        assert caught.value.code is ErrorCode.NOT_FOUND

    async def test_blocking_work_returns_its_value(self, transport):
        assert await transport.blocking(lambda: 6 * 7, timeout_s=5) == 42

    async def test_blocking_work_that_is_late_ends_with_a_timeout(self, transport):
        import threading

        never = threading.Event()
        try:
            with pytest.raises(HostError) as caught:
                await transport.blocking(never.wait, timeout_s=0.1)
        finally:
            never.set()
        assert caught.value.code is ErrorCode.COMMAND_TIMEOUT

    async def test_errors_of_blocking_work_pass_through(self, transport):
        with pytest.raises(ZeroDivisionError):
            await transport.blocking(lambda: 1 / 0, timeout_s=5)

    async def test_closed_transport_is_not_alive_and_says_so(self, transport):
        await transport.close()
        await transport.close()
        assert not transport.is_alive
        with pytest.raises(HostError) as caught:
            await transport.run(["uname"], timeout_s=5)
        assert caught.value.code is ErrorCode.CONNECTION_LOST


class ShellTransportContract(TransportContract):
    """For hosts with a real shell."""

    async def test_output_error_and_exit_code_come_back(self, transport):
        result = await transport.run(["sh", "-c", "echo out; echo err >&2; exit 3"], timeout_s=10)
        assert (result.stdout, result.exit_code, result.truncated) == (b"out\n", 3, False)
        assert result.stderr.endswith(b"err\n")

    async def test_script_on_stdin_runs_with_its_arguments(self, transport):
        script = b'printf "%s|" "$@"; printf "%s" "$LC_ALL"'
        result = await transport.run(
            ["sh", "-s", "--", "a b", "it's", "$HOME"], stdin=script, timeout_s=10
        )
        assert result.stdout == b"a b|it's|$HOME|C"

    @pytest.mark.parametrize(
        "word", ["", "a b", "'", '"', "$HOME", "`id`", "a\\b", "é中", "*", "-n"]
    )
    async def test_arguments_arrive_as_they_were(self, transport, word):
        result = await transport.run(["printf", "%s", word], timeout_s=10)
        assert result.stdout.decode() == word

    async def test_locale_is_fixed(self, transport):
        result = await transport.run(["sh", "-c", 'printf "%s" "$LC_ALL"'], timeout_s=10)
        assert result.stdout == b"C"

    async def test_megabytes_of_stdin_and_stdout_pass(self, transport):
        data = bytes(range(256)) * 4096 * 5
        result = await transport.run(["cat"], stdin=data, timeout_s=30)
        assert result.stdout == data

    async def test_command_that_ignores_its_stdin_ends_well(self, transport):
        result = await transport.run(["true"], stdin=b"x" * 4_000_000, timeout_s=20)
        assert result.exit_code == 0

    async def test_output_beyond_the_limit_is_cut_and_said(self, transport):
        result = await transport.run(
            ["sh", "-c", "head -c 300000 /dev/zero"], timeout_s=10, output_limit_bytes=1000
        )
        assert (len(result.stdout), result.truncated, result.exit_code) == (1000, True, 0)

    async def test_much_stderr_does_not_block(self, transport):
        result = await transport.run(
            ["sh", "-c", "head -c 5000000 /dev/zero >&2; echo done"], timeout_s=20
        )
        assert result.stdout == b"done\n"

    async def test_late_command_ends_with_a_timeout_and_is_ended(self, transport, scratch):
        started_s = time.monotonic()
        with pytest.raises(HostError) as caught:
            await transport.run(_leaves_pid(scratch), timeout_s=1)
        assert caught.value.code is ErrorCode.COMMAND_TIMEOUT
        assert time.monotonic() - started_s < 4
        await _wait_gone(transport, scratch)

    async def test_cancelled_command_is_ended_on_the_host(self, transport, scratch):
        task = asyncio.create_task(transport.run(_leaves_pid(scratch), timeout_s=60))
        await _wait_for(lambda: (scratch / "pid").exists() and (scratch / "pid").read_text())
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await _wait_gone(transport, scratch)

    async def test_command_that_a_signal_ends_has_its_exit_code(self, transport):
        result = await transport.run(["sh", "-c", "kill -9 $$"], timeout_s=10)
        assert result.exit_code == 128 + 9

    async def test_thirty_commands_at_once_all_answer(self, transport):
        results = await asyncio.gather(
            *(transport.run(["printf", "%s", str(n)], timeout_s=30) for n in range(30))
        )
        assert [result.stdout for result in results] == [str(n).encode() for n in range(30)]

    async def test_lines_stream_while_the_command_runs(self, transport, scratch):
        gate = scratch / "gate"
        script = f"echo one; while ! [ -e {gate} ]; do sleep 0.05; done; printf 'two\\r\\nthree'"
        async with transport.stream_lines(["sh", "-c", script]) as lines:
            first = await asyncio.wait_for(anext(lines), 10)
            gate.touch()
            rest = [line async for line in lines]
        assert [first, *rest] == ["one", "two", "three"]

    async def test_no_line_of_a_long_stream_is_lost(self, transport):
        async with transport.stream_lines(["seq", "20000"]) as lines:
            count = 0
            async for line in lines:
                count += 1
                assert line == str(count)
        assert count == 20000

    async def test_leaving_a_stream_ends_the_command(self, transport, scratch):
        async with transport.stream_lines(_leaves_pid(scratch)) as lines:
            assert await asyncio.wait_for(anext(lines), 10) == "started"
        await _wait_gone(transport, scratch)

    async def test_stream_of_a_failing_command_says_why(self, transport):
        with pytest.raises(HostError) as caught:
            await _read_all(transport, ["sh", "-c", "echo no driver >&2; exit 9"])
        assert caught.value.code is ErrorCode.COMMAND_FAILED
        assert "no driver" in caught.value.details

    async def test_stream_of_a_missing_tool_says_so(self, transport):
        with pytest.raises(HostError) as caught:
            await _read_all(transport, ["no-such-tool-here"])
        assert caught.value.code is ErrorCode.TOOL_MISSING

    async def test_folder_listing_knows_kinds_sizes_links_and_odd_names(self, transport, scratch):
        names = ["with space", "new\nline", "中文", "-dash", ".hidden", "..odd", "q'uote", "[x]"]
        for name in names:
            (scratch / name).write_bytes(b"12345")
        (scratch / "folder").mkdir()
        (scratch / "link").symlink_to("with space")
        (scratch / "nowhere").symlink_to("gone")
        (scratch / "empty").touch()
        entries = {entry.name: entry for entry in await transport.list_folder(str(scratch))}
        assert set(entries) == {*names, "folder", "link", "empty"}
        assert entries["folder"].is_dir
        assert entries["link"].size_bytes == 5
        assert not entries["link"].is_dir
        assert entries["empty"].size_bytes == 0

    async def test_empty_folder_has_no_entries(self, transport, scratch):
        assert await transport.list_folder(str(scratch)) == ()

    async def test_home_is_meant_by_a_tilde(self, transport):
        result = await transport.run(["sh", "-c", 'ls -a "$HOME"'], timeout_s=10)
        entries = await transport.list_folder("~")
        assert {entry.name for entry in entries} <= set(result.stdout.decode().split("\n"))

    async def test_file_is_read_from_an_offset(self, transport, scratch):
        file = scratch / "data.bin"
        file.write_bytes(bytes(range(256)) * 1000)
        data = file.read_bytes()
        assert await transport.read_file(str(file)) == data
        assert await transport.read_file(str(file), offset=255_990) == data[255_990:]
        assert await transport.read_file(str(file), offset=100, length=70_000) == data[100:70_100]
        assert await transport.read_file(str(file), offset=999_999, length=5) == b""

    async def test_command_channel_is_a_stream_both_ways(self, transport):
        def talk():
            channel = transport.open_command(["cat"], timeout_s=10)
            channel.settimeout(10)
            try:
                channel.sendall(b"hello")
                return channel.recv(100)
            finally:
                channel.close()

        assert await transport.blocking(talk, timeout_s=20) == b"hello"

    async def test_tcp_channel_reaches_a_server_on_the_host(self, transport, echo_server):
        def talk():
            channel = transport.open_tcp("127.0.0.1", echo_server, timeout_s=10)
            channel.settimeout(10)
            try:
                channel.sendall(b"ping")
                got = channel.recv(100)
                channel.shutdown_write()
                return got, channel.recv(100)
            finally:
                channel.close()

        assert await transport.blocking(talk, timeout_s=20) == (b"ping", b"")

    async def test_tcp_channel_to_a_closed_port_is_refused(self, transport, closed_port):
        with pytest.raises(HostError) as caught:
            await transport.blocking(
                lambda: transport.open_tcp("127.0.0.1", closed_port, timeout_s=5), timeout_s=10
            )
        assert caught.value.code is ErrorCode.CHANNEL_REFUSED
        assert caught.value.params["reason"] == "connect-failed"

    async def test_unix_channel_reaches_a_socket_on_the_host(self, transport, unix_echo):
        def talk():
            channel = transport.open_unix(str(unix_echo), timeout_s=10)
            channel.settimeout(10)
            try:
                channel.sendall(b"ping")
                return channel.recv(100)
            finally:
                channel.close()

        assert await transport.blocking(talk, timeout_s=20) == b"ping"

    async def test_receiving_honours_its_time_limit(self, transport, echo_server):
        def wait():
            channel = transport.open_tcp("127.0.0.1", echo_server, timeout_s=10)
            channel.settimeout(0.1)
            try:
                with pytest.raises(TimeoutError):
                    channel.recv(10)
            finally:
                channel.close()

        await transport.blocking(wait, timeout_s=20)

    async def test_cancelling_frees_a_thread_that_waits_on_its_channel(
        self, transport, echo_server
    ):
        import threading

        ended = threading.Event()

        def wait():
            channel = transport.open_tcp("127.0.0.1", echo_server, timeout_s=10)
            try:
                channel.recv(10)
            except OSError:
                pass
            finally:
                ended.set()

        with pytest.raises(HostError):
            await transport.blocking(wait, timeout_s=0.5)
        await _wait_for(ended.is_set)

    async def test_closing_ends_everything_in_flight(self, transport):
        running = asyncio.create_task(transport.run(["sleep", "60"], timeout_s=60))
        async with transport.stream_lines(["sh", "-c", "echo go; sleep 60"]) as lines:
            await asyncio.wait_for(anext(lines), 10)
            await asyncio.wait_for(transport.close(), 30)
        with pytest.raises(HostError):
            await asyncio.wait_for(running, 30)


async def _read_all(transport, argv) -> None:
    async with transport.stream_lines(argv) as lines:
        async for _line in lines:
            pass


def _leaves_pid(scratch) -> list[str]:
    # Two steps, so that an existing file is a complete one.
    script = 'echo $$ > "$0/pid.new"; mv "$0/pid.new" "$0/pid"; echo started; exec sleep 300'
    return ["sh", "-c", script, str(scratch)]


async def _wait_gone(transport, scratch) -> None:
    pid = int((scratch / "pid").read_text())
    limit_s = time.monotonic() + 8
    while time.monotonic() < limit_s:
        if (await transport.run(["kill", "-0", str(pid)], timeout_s=10)).exit_code != 0:
            return
        await asyncio.sleep(0.05)
    pytest.fail(f"process {pid} still runs on the host")


async def _wait_for(condition) -> None:
    limit_s = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < limit_s, "it did not happen within 10 s"
        await asyncio.sleep(0.02)
