"""Files that the user chooses."""

import pytest

from app.core.errors import ErrorCode, StoreError
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
