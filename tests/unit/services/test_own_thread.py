"""A read that never ends keeps neither a command nor the program from ending."""

import asyncio
import io
import os
from pathlib import Path

import pytest

from app.cli.options import is_folder
from app.services.own_thread import on_own_thread, standard_input


async def test_the_value_and_the_failure_come_back() -> None:
    assert await on_own_thread(lambda: 7) == 7
    with pytest.raises(ValueError, match="broken"):
        await on_own_thread(lambda: int("broken"))


def test_cancelling_a_read_of_a_pipe_without_a_writer_returns_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    async def read() -> None:
        waiting = asyncio.create_task(on_own_thread(pipe.read_bytes))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(read())
    with pipe.open("wb") as writer:  # the thread that was left behind finds nobody waiting
        writer.write(b"late")


def test_closed_standard_input_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert standard_input().read() == b""


def test_stand_in_for_standard_input_is_read_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = io.TextIOWrapper(io.BytesIO(b"typed"))
    monkeypatch.setattr("sys.stdin", stand_in)
    assert standard_input().read() == b"typed"


def test_empty_argument_is_not_the_current_folder() -> None:
    assert not is_folder("")
