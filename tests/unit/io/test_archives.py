"""Archives that somebody sent."""

import io
import tarfile
import zipfile

import pytest

from app.core.errors import ErrorCode, UserInputError
from app.io import archives
from app.io.archives import is_archive, read_archive


def make_tar(path, *members: tarfile.TarInfo, mode="w:gz"):
    with tarfile.open(path, mode) as archive:
        for member in members:
            archive.addfile(member, io.BytesIO(b"x" * member.size) if member.isfile() else None)
    return path


def member(name: str, size: int = 1, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = size, kind, "/etc/passwd"
    return info


def test_a_zip_is_read_by_its_names(tmp_path):
    path = tmp_path / "sent.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("host/", "")
        archive.writestr("host/smi.txt", "a")
        archive.writestr("../../etc/passwd", "b")
        archive.writestr("C:\\x\\y.txt", "c")
    assert is_archive(path)
    assert read_archive(path) == {"host/smi.txt": b"a", "etc/passwd": b"b", "C:/x/y.txt": b"c"}


@pytest.mark.parametrize(("ending", "mode"), [("tar.gz", "w:gz"), ("tar", "w"), ("txz", "w:xz")])
def test_links_and_devices_in_a_tar_are_left_out(tmp_path, ending, mode):
    path = make_tar(
        tmp_path / f"sent.{ending}",
        member("/abs/smi.txt"), member("link", kind=tarfile.SYMTYPE, size=0),
        member("hard", kind=tarfile.LNKTYPE, size=0), member("dev", kind=tarfile.CHRTYPE, size=0),
        mode=mode,
    )  # fmt: skip
    assert read_archive(path) == {"abs/smi.txt": b"x"}
    assert sorted(file.name for file in tmp_path.iterdir()) == [path.name]


def test_too_many_files_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MEMBER_LIMIT", 3)
    path = make_tar(tmp_path / "many.tgz", *(member(str(i)) for i in range(5)))
    with pytest.raises(UserInputError, match="more than"):
        read_archive(path)


def test_a_bomb_is_refused_before_it_is_stepped_over(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "TOTAL_LIMIT_BYTES", 1000)
    path = make_tar(tmp_path / "bomb.tgz", member("big", size=5000))
    with pytest.raises(UserInputError, match="too large"):
        read_archive(path)


@pytest.mark.parametrize("name", ["broken.zip", "broken.tar.gz", "missing.zip"])
def test_what_is_no_archive_is_an_error_with_a_way_out(tmp_path, name):
    if "missing" not in name:
        (tmp_path / name).write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(UserInputError) as refused:
        read_archive(tmp_path / name)
    assert refused.value.code is ErrorCode.FILE_UNREADABLE
    assert "folder" in refused.value.remedy
