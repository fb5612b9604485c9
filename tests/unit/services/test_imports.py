"""Fingerprints from what a customer sent."""

import json
import shutil
from pathlib import Path

import pytest

from app.core.errors import ErrorCode, UserInputError
from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.fingerprint import HostSource
from app.core.hardware.frame import encode_frames
from app.io.archives import MEMBER_LIMIT
from app.io.documents import to_json
from app.services.imports import ImportService

DISK = {"mount": "/", "device": "d", "fs_type": "ext4", "total_bytes": 1, "free_bytes": 1}
RECORDING = Path(__file__).parents[3] / "resources" / "demo" / "h200-x2" / "idle"


@pytest.fixture
def imports(fake_clock):
    return ImportService(fake_clock, lambda: GpuCatalogue(schema_version=1, checked="2026-11-29"))


async def test_a_folder_of_recordings_becomes_a_fingerprint(imports):
    fingerprint = await imports.from_folder(RECORDING)
    assert fingerprint.source is HostSource.RECORDED
    assert [gpu.memory_total_mib for gpu in fingerprint.gpus] == [143771, 143771]


async def test_a_saved_fingerprint_is_read_back_unchanged(imports, tmp_path):
    fingerprint = await imports.from_folder(RECORDING)
    file = tmp_path / "fp.json"
    await imports.write(file, fingerprint)
    assert await imports.from_text(file.read_text(), "fp.json") == fingerprint


async def test_the_output_of_the_probe_is_read_like_a_host(imports):
    sections = (await imports.from_folder(RECORDING)).sections
    printed = encode_frames(sections, "0123456789abcdef").decode()
    fingerprint = await imports.from_text(printed, "probe.txt")
    assert fingerprint.driver_version == "580.159.04"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "pitwall.fingerprint/1"}', "GPU 0: x"])
async def test_what_is_no_fingerprint_is_named_with_a_remedy(imports, text):
    with pytest.raises(UserInputError) as caught:
        await imports.from_text(text, "x.json")
    assert caught.value.code is ErrorCode.FINGERPRINT_BROKEN
    assert "x.json" in caught.value.cause


async def test_an_empty_folder_says_what_is_expected(imports, tmp_path):
    with pytest.raises(UserInputError, match=r"NAME\.txt"):
        await imports.from_folder(tmp_path)


async def test_a_folder_that_is_not_there_is_unreadable(imports, tmp_path):
    with pytest.raises(UserInputError) as caught:
        await imports.from_folder(tmp_path / "none")
    assert caught.value.code is ErrorCode.FILE_UNREADABLE


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"schema": "pitwall.fingerprint/2"}, "pitwall.fingerprint/2"),
        ({"gpus": "many"}, "gpus"),
        ({"memory": {"total_bytes": -1}}, "memory.total_bytes"),
        ({"disks": [dict(DISK, free_bytes=-7)]}, "disks.0.free_bytes"),
    ],
)
async def test_a_damaged_or_newer_fingerprint_is_refused_by_what_is_wrong(imports, change, named):
    plain = json.loads(to_json(await imports.from_folder(RECORDING)))
    with pytest.raises(UserInputError) as caught:
        await imports.from_text(json.dumps({**plain, **change}), "x.json")
    assert caught.value.code is ErrorCode.FINGERPRINT_BROKEN
    assert named in caught.value.cause


async def test_numbers_that_are_none_are_refused(imports):
    plain = json.loads(to_json(await imports.from_folder(RECORDING)))
    plain["gpus"][1]["power_limit_w"] = float("nan")
    with pytest.raises(UserInputError, match=r"gpus\.1\.power_limit_w"):
        await imports.from_text(json.dumps(plain), "x.json")


async def test_links_in_a_folder_lead_nowhere(imports, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("root:hash", encoding="utf-8")
    folder = tmp_path / "sent"
    shutil.copytree(RECORDING, folder)
    (folder / "dmesg.txt").unlink(missing_ok=True)
    (folder / "dmesg.txt").symlink_to(secret)
    (folder / "again").symlink_to(folder)
    fingerprint = await imports.from_folder(folder)
    assert "root:hash" not in to_json(fingerprint)


async def test_a_folder_with_all_kinds_of_things_is_refused_instead_of_read_in_part(
    imports, tmp_path
):
    for number in range(MEMBER_LIMIT + 1):
        (tmp_path / f"{number:04}").touch()
    with pytest.raises(UserInputError, match="more than the outputs of tools"):
        await imports.from_folder(tmp_path)
