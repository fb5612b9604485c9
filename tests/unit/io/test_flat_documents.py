"""Small documents are read as pydantic reads them, and refused as it refuses them."""

import json
import subprocess
import sys
from dataclasses import dataclass, field

import pytest

from app.core.errors import DataFileError
from app.core.events import AuthMethod, HostKind, HostSettings
from app.core.hardware.fingerprint import FingerprintSummary
from app.core.ids import HostId
from app.io.documents import from_json, to_json
from app.io.flat_documents import from_flat_json

HOST = HostSettings(
    id=HostId("h"), name="盒子", kind=HostKind.SSH, address="a", port=2222, auth=AuthMethod.KEY,
    key_file="/k", notes="line\nline",
)  # fmt: skip
SUMMARY = FingerprintSummary(
    gpu_text="2 × NVIDIA H200", gpu_count=2, driver_version=None, container_text="",
    memory_total_mib=10**12, memory_used_mib=None, taken_at="2030-01-01T00:00:00Z",
)  # fmt: skip


def changed(**changes):
    return json.dumps({**json.loads(to_json(HOST)), **changes})


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (HostSettings, to_json(HOST)),
        (HostSettings, '{"id": "h", "name": "n", "kind": "demo"}'),
        (HostSettings, changed(from_a_newer_pitwall=[1, {}])),
        (FingerprintSummary, to_json(SUMMARY)),
    ],
)
def test_documents_are_read_as_by_pydantic(shape, text):
    assert from_flat_json(shape, text) == from_json(shape, text)


@pytest.mark.parametrize(
    "text",
    [
        changed(port="22"), changed(port=True), changed(port=1.5), changed(kind="moon"),
        changed(kind=1), changed(name=None), changed(key_file=3), '{"id": "h"}', "[]", "{",
        changed(name="\ud800"), "[" * 100_000,
    ],
)  # fmt: skip
def test_documents_are_refused_as_by_pydantic(text):
    with pytest.raises(DataFileError) as plain:
        from_json(HostSettings, text)
    with pytest.raises(DataFileError) as flat:
        from_flat_json(HostSettings, text)
    assert flat.value.info == plain.value.info


@dataclass(frozen=True, slots=True, kw_only=True)
class Deep:
    """More than the quick way knows."""

    either: int | str | None = None
    many: tuple[int, ...] = field(default=())


def test_what_is_not_flat_is_left_to_pydantic():
    assert from_flat_json(Deep, '{"either": 1, "many": [1, 2]}') == Deep(either=1, many=(1, 2))


def test_quick_way_does_not_load_pydantic():
    script = (
        "import sys\n"
        "from app.core.events import HostSettings\n"
        "from app.io.flat_documents import from_flat_json\n"
        "from_flat_json(HostSettings, sys.argv[1])\n"
        "assert 'pydantic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script, to_json(HOST)], check=True)
