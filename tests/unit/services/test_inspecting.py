"""Looking at whatever somebody sent."""

import asyncio
import gzip
import zipfile
from pathlib import Path

import pytest

from app.core.errors import ErrorCode, UserInputError
from app.core.hardware.catalogue import GpuCatalogue
from app.core.inspect.recognise import InspectKind
from app.services import inspecting
from app.services.activities import Activities
from app.services.bus import EventBus
from app.services.imports import ImportService
from app.services.inspecting import InspectService

IDLE = Path(__file__).parents[3] / "resources" / "demo" / "h200-x2" / "idle"
LOG = "INFO 01-01 10:00:00 [api_server.py:1] vLLM API server version 0.11.0\n" * 5


@pytest.fixture
def heard():
    return []


@pytest.fixture
def service(fake_clock, heard):
    bus = EventBus()
    bus.subscribe(heard.append)
    catalogue = GpuCatalogue(schema_version=1, checked="2026-11-29")
    return InspectService(lambda: ImportService(fake_clock, lambda: catalogue), Activities(bus))


async def test_an_output_is_recognised_and_makes_a_host(service):
    look = await service.path(IDLE / "smi-q-x.txt")
    assert look.kind is InspectKind.SMI_XML
    assert look.is_whole
    assert look.size_bytes == (IDLE / "smi-q-x.txt").stat().st_size
    assert len(look.fingerprint.gpus) == 2


async def test_a_folder_and_an_archive_make_the_same_host(service, tmp_path):
    packed = tmp_path / "host.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for file in IDLE.iterdir():
            archive.write(file, f"host/{file.name}")
    from_folder, from_archive = await service.path(IDLE), await service.path(packed)
    assert from_folder.kind is from_archive.kind is InspectKind.FINGERPRINT
    assert from_folder.fingerprint.gpus == from_archive.fingerprint.gpus


async def test_a_log_makes_no_host(service):
    look = await service.text(LOG, "paste")
    assert look.kind is InspectKind.ENGINE_LOG
    assert look.fingerprint is None
    assert look.path is None


@pytest.mark.parametrize("text", ["", "hello", "GPU 0: x", "\x00\x01\x02", "{" * 50])
async def test_what_nobody_knows_is_said_with_a_reason(service, text):
    look = await service.text(text, "paste")
    assert look.kind is InspectKind.UNKNOWN
    assert look.fingerprint is None
    assert look.warnings


async def test_of_a_long_log_only_the_head_is_read_and_all_lines_are_counted(
    service, tmp_path, heard, monkeypatch
):
    monkeypatch.setattr(inspecting, "HEAD_BYTES", 1000)
    monkeypatch.setattr(inspecting, "_PIECE_BYTES", 500)
    path = tmp_path / "engine.log"
    path.write_text(LOG * 100, encoding="utf-8")
    look = await service.path(path)
    await asyncio.sleep(0)
    assert look.kind is InspectKind.ENGINE_LOG
    assert not look.is_whole
    assert look.result["line_count"] == 500
    assert look.size_bytes == path.stat().st_size
    assert heard[-1].finished


async def test_a_packed_log_is_read_as_it_is(service, tmp_path):
    path = tmp_path / "engine.log.gz"
    path.write_bytes(gzip.compress(LOG.encode()))
    assert (await service.path(path)).kind is InspectKind.ENGINE_LOG


async def test_what_cannot_be_read_is_an_error_with_a_way_out(service, tmp_path):
    with pytest.raises(UserInputError) as refused:
        await service.path(tmp_path / "gone.log")
    assert refused.value.code is ErrorCode.FILE_UNREADABLE


async def test_a_program_or_a_picture_is_said_to_be_no_text(service, tmp_path):
    path = tmp_path / "core.dump"
    path.write_bytes(bytes(range(256)) * 4000)
    look = await service.path(path)
    assert look.kind is InspectKind.UNKNOWN
    assert look.warnings[0].startswith("binary")
    assert look.text == ""


async def test_a_log_with_a_hole_in_it_stays_a_log(service):
    look = await service.text(LOG + "\x00" * 40 + LOG, "paste")
    assert look.kind is InspectKind.ENGINE_LOG
