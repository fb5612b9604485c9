"""Damaged recordings: nothing raises, and what is said of a GPU is right or unknown."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.fingerprint import HostSource
from app.core.hardware.recording import sections_from_recording
from app.core.hardware.sections import RawSection
from app.core.inspect.recognise import inspect_text

RECORDING = Path(__file__).parents[4] / "resources/demo/h200-x2/busy"
TEXTS = {
    name: (RECORDING / f"{name}.txt").read_text()
    for name in (
        "smi", "smi-q", "smi-q-x", "smi-csv", "smi-csv-nounits", "smi-L", "smi-topo-m",
        "smi-topo-p2p-r", "smi-nvlink-s", "smi-nvlink-e", "smi-apps", "smi-mig", "lscpu", "lscpu-J",
        "df", "meminfo", "numactl", "ulimit", "sysctl", "pci-sysfs", "nvml", "os-release",
    )
}  # fmt: skip
NAMES = {"NVIDIA H200"}
UUIDS = {f"GPU-00000000-0000-4000-8000-00000000000{i}" for i in (0, 1)}
BUSES = {"00000000:00:06.0", "00000000:00:07.0"}
TOTAL = 143771
FEW = settings(max_examples=min(25, settings().max_examples), deadline=None)


def _cut(text, at):
    return text[: int(len(text) * at)]


def _edit_lines(text, places, *, repeat):
    lines = text.splitlines(keepends=True)
    for place in places if lines else ():
        at = int(place * (len(lines) - 1))
        lines[at : at + 1] = lines[at : at + 1] * (2 if repeat else 0)
    return "".join(lines)


def _noise(text, places):
    for place in places:
        at = int(place * len(text))
        text = text[:at] + "\ufffd\x00" + text[at:]
    return text


fraction = st.floats(0, 1, allow_nan=False)
places = st.lists(fraction, min_size=1, max_size=4)
damage = st.one_of(
    fraction.map(lambda at: lambda text: _cut(text, at)),
    fraction.map(lambda at: lambda text: text[int(len(text) * at) :]),
    places.map(lambda p: lambda text: _edit_lines(text, p, repeat=False)),
    places.map(lambda p: lambda text: _edit_lines(text, p, repeat=True)),
    places.map(lambda p: lambda text: _noise(text, p)),
    st.integers(1, 8).map(lambda n: lambda text: text.expandtabs(n)),
    st.just(lambda text: text.replace("  ", "\t")),
    st.integers(60, 120).map(lambda w: lambda text: "\n".join(x[:w] for x in text.split("\n"))),
)


def check_identity(gpu):
    assert gpu.get("name") in {None, *NAMES}
    assert gpu.get("uuid") in {None, *UUIDS}
    assert gpu.get("bus_id") in {None, *BUSES}
    assert gpu.get("memory_total_mib") in {None, TOTAL}
    if gpu.get("uuid") and gpu.get("bus_id"):
        assert gpu["uuid"][-1] == str(int(gpu["bus_id"][-3]) - 6)


@pytest.mark.parametrize("name", sorted(TEXTS.keys() - {"smi-csv-nounits"}))
@FEW
@given(damages=st.lists(damage, min_size=1, max_size=2))
def test_a_damaged_output_says_nothing_wrong(name, damages):
    # Without header, units and last line break, half a number cannot be told from a whole one.
    text = TEXTS[name]
    for hurt in damages:
        text = hurt(text)
    found = inspect_text(text).result
    for gpu in found.get("gpus") or ():
        check_identity(gpu)
    for row in (found.get("adjacency") or {}).values():
        assert set(row.values()) <= {None, "X", "NV18"}
    for affinities in (found.get("cpu_affinity") or {}, found.get("numa_affinity") or {}):
        assert set(affinities.values()) <= {None, "0-31", "0"}
    driver = found.get("driver")
    if name == "smi-csv" and "driver_version" not in text and driver is not None:
        # Rows that all end inside their last number, without the header that counts the columns.
        assert "580.159.04".startswith(driver)
    else:
        assert driver in {None, "580.159.04"}
    assert found.get("cuda") in {None, "13.0"}


@FEW
@given(damages=st.dictionaries(st.sampled_from(sorted(TEXTS)), damage, max_size=4))
def test_a_fingerprint_of_damaged_sections_says_nothing_wrong(damages):
    files = {f"{n}.txt": damages[n](t) if n in damages else t for n, t in TEXTS.items()}
    fingerprint = assemble_fingerprint(
        sections_from_recording(files), source=HostSource.RECORDED, taken_at=""
    )
    for gpu in fingerprint.gpus:
        check_identity({k: getattr(gpu, k) for k in ("name", "uuid", "bus_id", "memory_total_mib")})


@FEW
@given(text=st.text(max_size=400), name=st.sampled_from(sorted(TEXTS)), code=st.integers(0, 255))
def test_any_text_is_an_answer(text, name, code):
    inspect_text(text)
    section = RawSection(name=name, command=name, exit_code=code, stdout=text)
    assemble_fingerprint((section,), source=HostSource.RECORDED, taken_at="")
