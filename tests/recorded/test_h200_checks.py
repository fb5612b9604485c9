"""What the checks say of our H200 recordings: reviewed by hand, no false alarm among it."""

from pathlib import Path

import pytest

from app.core.checks.run import run_checks
from app.core.checks.spec import CheckState
from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.fingerprint import HostSource
from app.core.hardware.recording import sections_from_recording
from app.io.check_data import load_checks
from app.io.datafiles import data_root, load_gpu_catalogue

RECORDINGS = data_root() / "resources/demo/h200-x2"
GOLDEN = Path(__file__).parent / "h200_checks.txt"


def judged(state: str) -> dict[str, CheckState]:
    catalogue = load_gpu_catalogue(data_root())
    files = {file.name: file.read_text() for file in (RECORDINGS / state).iterdir()}
    fingerprint = assemble_fingerprint(
        sections_from_recording(files),
        source=HostSource.RECORDED,
        taken_at="2026-11-29T19:22:33Z",
        host_name="h200-x2",
        catalogue=catalogue,
    )
    report = run_checks(fingerprint, data=load_checks(data_root()), catalogue=catalogue)
    return {result.id: result.state for result in report.results}


@pytest.fixture(scope="module")
def states() -> dict[str, dict[str, CheckState]]:
    return {name: judged(name) for name in ("idle", "busy")}


def test_every_check_comes_to_the_reviewed_state(states):
    golden = [line.split() for line in GOLDEN.read_text().splitlines() if line[:1] not in "# "]

    found = [[name, states["idle"][name], states["busy"][name]] for name in states["idle"]]
    assert found == golden


def test_an_idle_link_is_not_judged_and_a_loaded_one_passes(states):
    assert states["idle"]["pcie-gen"] is CheckState.UNKNOWN
    assert states["busy"]["pcie-gen"] is CheckState.PASS


def test_only_what_this_machine_really_lacks_is_loud(states):
    loud = {
        name: state
        for name, state in states["idle"].items()
        if state in {CheckState.FAIL, CheckState.WARN}
    }

    assert loud == {
        "docker-daemon": CheckState.FAIL,  # it has no container engine
        "vm-passthrough": CheckState.WARN,  # it is a virtual machine
        "nofile": CheckState.WARN,  # ulimit -n is 20000
    }
    assert set(states["busy"]) - set(loud) >= {"gpu-processes"}
    assert states["busy"]["gpu-processes"] is CheckState.WARN  # a process holds 1642 MiB
