"""Fingerprints as files and the store keep them."""

from dataclasses import replace
from pathlib import Path

from app.core.documents.encode import to_json
from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.fingerprint import PARSER_VERSION, HostSource
from app.core.hardware.packing import is_outdated, pack_sections, unpack_sections
from app.core.hardware.recording import sections_from_recording
from app.core.hardware.sections import RawSection

RECORDING = Path(__file__).parents[4] / "resources/demo/h200-x2/idle"


def recorded():
    files = {file.name: file.read_text() for file in RECORDING.iterdir()}
    return assemble_fingerprint(
        sections_from_recording(files), source=HostSource.RECORDED, taken_at="2026-11-29T19:22:33Z"
    )


def test_packed_sections_come_back_unchanged_and_take_a_fraction_of_the_room():
    whole = recorded()
    packed = pack_sections(whole)
    assert packed.sections == ()
    assert unpack_sections(packed) == whole
    assert len(to_json(packed)) * 3 < len(to_json(whole))


def test_what_no_encoding_knows_is_kept_as_far_as_it_can():
    odd = RawSection(name="smi", command="x", exit_code=None, stdout="\ud800\x00\u4f60", stderr="")
    back = unpack_sections(pack_sections(replace(recorded(), sections=(odd,))))
    assert back.sections[0].stdout.endswith("\x00\u4f60")
    assert back.sections[0].exit_code is None


def test_a_broken_pack_costs_the_sections_only():
    packed = pack_sections(recorded())
    for broken in ("", "!!", "AAAA", (packed.packed_sections or "")[:200]):
        found = unpack_sections(replace(packed, packed_sections=broken))
        assert found.gpus == packed.gpus
        assert found.sections == ()
        assert any(w.startswith("sections_broken") for w in found.warnings)


def test_only_an_older_parsers_record_with_sections_is_read_again():
    whole = recorded()
    assert whole.parser_version == PARSER_VERSION
    assert not is_outdated(whole)
    assert is_outdated(replace(whole, parser_version="1"))
    assert not is_outdated(replace(whole, parser_version="1", sections=()))
