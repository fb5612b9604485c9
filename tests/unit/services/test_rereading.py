"""Records of an older parser are read again from their own sections."""

import json
from dataclasses import replace
from pathlib import Path

from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.fingerprint import PARSER_VERSION, Gpu, HostSource
from app.core.hardware.recording import sections_from_recording
from app.services.imports import ImportService

RECORDING = Path(__file__).parents[3] / "resources/demo/h200-x2/busy"


class StandingClock:
    """A clock that nobody asks for more than one time."""

    def now_s(self):
        return 0.0


def service():
    return ImportService(StandingClock(), lambda: GpuCatalogue(schema_version=1, checked=""))


async def test_a_file_of_an_older_parser_is_read_anew_and_keeps_what_it_is(tmp_path):
    files = {file.name: file.read_text() for file in RECORDING.iterdir()}
    whole = assemble_fingerprint(
        sections_from_recording(files),
        source=HostSource.SSH,
        taken_at="2026-11-29T19:22:53Z",
        host_name="gpu-7",
    )
    older = replace(whole, parser_version="1", gpus=(Gpu(index=0, name="half read"),))
    path = tmp_path / "gpu-7.json"
    await service().write(path, older)
    text = path.read_text()
    assert json.loads(text)["sections"] == []
    found = await service().from_text(text, path.name)
    assert found == whole
    assert found.parser_version == PARSER_VERSION


async def test_an_older_file_without_sections_is_shown_as_it_is(tmp_path):
    older = replace(
        assemble_fingerprint((), source=HostSource.SSH, taken_at="2026-11-29T19:22:53Z"),
        parser_version="1",
        gpus=(Gpu(index=0, name="NVIDIA L4"),),
    )
    path = tmp_path / "old.json"
    await service().write(path, older)
    found = await service().from_text(path.read_text(), path.name)
    assert found == older
