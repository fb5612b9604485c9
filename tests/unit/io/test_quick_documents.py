"""Documents are read without pydantic as it would read them, and refused as it refuses them."""

import json
import subprocess
import sys

import pytest
from pydantic import TypeAdapter

from app.core.errors import DataFileError
from app.core.events import AuthMethod, HostKind, HostSettings
from app.core.hardware.fingerprint import Fingerprint, FingerprintSummary, Gpu, HostSource
from app.core.ids import HostId
from app.io.documents import from_json, to_json

HOST = HostSettings(
    id=HostId("h"), name="盒子", kind=HostKind.SSH, address="a", port=2222, auth=AuthMethod.KEY,
    key_file="/k", notes="line\nline",
)  # fmt: skip
SUMMARY = FingerprintSummary(
    gpu_text="2 × NVIDIA H200", gpu_count=2, driver_version=None, container_text="",
    memory_total_mib=10**12, memory_used_mib=None, taken_at="2030-01-01T00:00:00Z",
)  # fmt: skip
FINGERPRINT = Fingerprint(
    source=HostSource.SSH, taken_at="2030-01-01T00:00:00Z", parser_version="1",
    gpus=(Gpu(index=0, name="NVIDIA H200", memory_total_mib=143771),), warnings=("a", "b"),
)  # fmt: skip


def changed(**changes):
    return json.dumps({**json.loads(to_json(HOST)), **changes})


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (HostSettings, to_json(HOST)),
        (HostSettings, to_json(HOST).encode()),
        (HostSettings, '{"id": "h", "name": "n", "kind": "demo"}'),
        (HostSettings, changed(from_a_newer_pitwall=[1, {}])),
        (HostSettings, changed(name="\U0001f600")),
        (FingerprintSummary, to_json(SUMMARY)),
        (Fingerprint, to_json(FINGERPRINT)),
    ],
)
def test_documents_are_read_as_by_pydantic(shape, text):
    assert from_json(shape, text) == TypeAdapter(shape).validate_json(text, strict=True)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (changed(port="22"), "port"), (changed(port=True), "port"), (changed(port=1.5), "port"),
        (changed(kind="moon"), "kind"), (changed(kind=1), "kind"), (changed(name=None), "name"),
        (changed(key_file=3), "key_file"), ('{"id": "h"}', "name"), ("[]", "document"),
        ("{", "document"), (changed(name="\ud800"), "document"), ("[" * 100_000, "document"),
        (b"\xff", "document"), (to_json(HOST).encode("utf-16"), "document"),
    ],
)  # fmt: skip
def test_what_pydantic_refuses_is_refused_with_its_reason(text, key):
    with pytest.raises(DataFileError) as refused:
        from_json(HostSettings, text)
    assert refused.value.params["key"] == key


@pytest.mark.parametrize("value", [HOST, SUMMARY, FINGERPRINT], ids=lambda v: type(v).__name__)
def test_what_the_store_keeps_of_hosts_is_read_without_pydantic(value):
    script = (
        "import sys\n"
        f"from {type(value).__module__} import {type(value).__name__} as Shape\n"
        "from app.io.documents import from_json\n"
        "from_json(Shape, sys.argv[1])\n"
        "assert 'pydantic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script, to_json(value)], check=True)
