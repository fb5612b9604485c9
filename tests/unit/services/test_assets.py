"""The window's own files, and files that the user chooses."""

import pytest

from app.core.errors import ErrorCode, StoreError
from app.io.datafiles import data_root
from app.services.assets import load_assets, read_file, save_file
from app.services.runtime import LoopThread


def test_assets_hold_icons_help_and_the_lgpl_texts() -> None:
    assets = load_assets(data_root())

    assert "currentColor" in assets.icons["server"]
    assert assets.help_pages["en"]["01-start"].startswith("# First steps")
    assert {"LGPL-3.0", "LGPL-2.1", "MIT-tabler"} <= set(assets.notices)


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


def test_finishing_waits_for_work_that_ends() -> None:
    loop = LoopThread().start()
    done = []

    async def work() -> None:
        done.append(True)

    assert loop.finish(work(), timeout_s=2) is True
    assert done == [True]
    assert loop.stop()


@pytest.mark.expect_logs
def test_finishing_gives_up_after_its_time() -> None:
    import asyncio

    loop = LoopThread().start()

    assert loop.finish(asyncio.sleep(30), timeout_s=0.05) is False
    assert loop.stop()
