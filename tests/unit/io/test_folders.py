"""Where things are kept."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.core.errors import ErrorCode, StoreError
from app.io.files import write_whole
from app.io.folders import find_folders, make_folder


def test_home_variable_holds_everything(pitwall_home):
    folders = find_folders()
    assert folders.config == pitwall_home / "config"
    assert folders.store_file.is_relative_to(pitwall_home)
    assert folders.overrides == pitwall_home / "config" / "data"
    assert folders.profiles.is_relative_to(folders.data)
    assert folders.known_hosts_file.is_relative_to(folders.config)


def test_given_home_outweighs_the_variable(tmp_path):
    assert find_folders(tmp_path).data == tmp_path / "data"


def test_without_a_home_the_platform_decides(monkeypatch):
    monkeypatch.delenv("PITWALL_HOME")
    assert find_folders().config.name == "pitwall"


def test_folders_are_private(tmp_path):
    made = make_folder(tmp_path / "a" / "b")
    assert stat.S_IMODE(made.stat().st_mode) == 0o700


def test_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError) as caught:
        make_folder(tmp_path / "file" / "sub")
    assert caught.value.code is ErrorCode.FILE_UNWRITABLE


def test_file_is_replaced_in_one_step_and_keeps_its_mode(tmp_path):
    file = tmp_path / "f"
    file.write_text("old")
    file.chmod(0o600)
    write_whole(file, b"new")
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["f"]


def test_file_in_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(StoreError) as caught:
        write_whole(tmp_path / "gone" / "f", b"")
    assert caught.value.code is ErrorCode.FILE_UNWRITABLE


def test_file_over_a_folder_is_refused_and_leaves_nothing(tmp_path):
    (tmp_path / "f").mkdir()
    with pytest.raises(StoreError):
        write_whole(tmp_path / "f", b"x")
    assert [entry.name for entry in tmp_path.iterdir()] == ["f"]


def test_link_stays_a_link_and_its_file_gets_the_content(tmp_path):
    file, link = tmp_path / "real" / "f", tmp_path / "link"
    file.parent.mkdir()
    file.write_bytes(b"old")
    link.symlink_to(file)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert file.read_bytes() == b"new"


def test_what_is_no_file_is_written_to_and_never_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(pipe.read_bytes)
        write_whole(pipe, b"through")
        assert read.result(10) == b"through"
    assert pipe.is_fifo()


def test_device_without_room_is_a_full_disk():
    with pytest.raises(StoreError) as caught:
        write_whole(Path("/dev/full"), b"x")
    assert caught.value.code is ErrorCode.STORE_FULL
    assert Path("/dev/full").is_char_device()
