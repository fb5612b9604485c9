"""Files that the user chooses."""

import asyncio

import pytest

from app.core.errors import ErrorCode, HostError, StoreError
from app.core.logs.line import LogLine
from app.services.activities import Activities
from app.services.bus import EventBus
from app.services.deploying.saving import save_lines
from app.services.user_files import read_file, save_file


async def test_a_saved_file_is_read_again(tmp_path) -> None:
    path = tmp_path / "a.txt"

    assert await save_file(path, "grün".encode()) == path
    assert await read_file(path) == "grün"
    assert list(tmp_path.iterdir()) == [path]


async def test_a_folder_that_is_not_there_is_named(tmp_path) -> None:
    with pytest.raises(StoreError) as caught:
        await save_file(tmp_path / "no" / "a.txt", b"")

    assert caught.value.code is ErrorCode.FILE_UNWRITABLE


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
async def test_what_cannot_be_read_is_an_error_with_its_reason(tmp_path, content) -> None:
    path = tmp_path / "a.txt"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(StoreError) as caught:
        await read_file(path)

    assert caught.value.code is ErrorCode.FILE_UNREADABLE
    assert caught.value.params["reason"]


@pytest.mark.parametrize("name", ["n" * 251 + ".log", "模" * 83 + ".txt", "🙂" * 60])
async def test_a_name_as_long_as_names_may_be_is_written(tmp_path, name) -> None:
    path = await save_file(tmp_path / name, b"x")

    assert [file.name for file in tmp_path.iterdir()] == [path.name]


async def hello_then(end, said):
    """Yield a line, then ``end``: an error, or nothing for ever."""
    yield LogLine(raw="hello", text="hello")
    if end is not None:
        raise end
    said.set()
    await asyncio.Event().wait()


@pytest.mark.parametrize("before", [b"earlier", None])
@pytest.mark.parametrize("is_lost", [True, False])
async def test_a_log_that_was_not_saved_to_its_end_leaves_what_was_there(
    tmp_path, before, is_lost
) -> None:
    path = tmp_path / "engine.log"
    if before is not None:
        path.write_bytes(before)
    lost = HostError(ErrorCode.CONNECTION_LOST, cause="c", remedy="r") if is_lost else None
    said = asyncio.Event()
    lines = hello_then(lost, said)
    task = asyncio.create_task(save_lines(lines, path, Activities(EventBus()), "h/chat"))
    if not is_lost:
        await said.wait()
        assert len(list(tmp_path.iterdir())) == (2 if before else 1)
        task.cancel()
    with pytest.raises(HostError if is_lost else asyncio.CancelledError):
        await task

    assert [file.read_bytes() for file in tmp_path.iterdir()] == ([before] if before else [])
