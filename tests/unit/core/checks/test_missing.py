"""One answer is missing at a time: what rested on it becomes unknown, and nothing becomes wrong."""

from pathlib import Path

import pytest

from app.core.checks.spec import CheckState

NAMES = sorted(file.stem for file in (Path(__file__).parent / "host").glob("*.txt"))
QUIET = {CheckState.UNKNOWN, CheckState.NOT_APPLICABLE}
CONTEXT = {
    "image_cuda": "12.8",
    "model_bytes": 10**11,
    "model_folder": "/models",
    "model_read_bytes_s": 3e9,
    "port": 8000,
    "cuda_works": True,
}


def states(report):
    return {result.id: result.state for result in report.results}


@pytest.fixture(scope="module")
def healthy(make_host, check):
    return states(check(make_host(), CONTEXT))


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_answer_makes_checks_unknown_and_never_wrong(name, make_host, check, healthy):
    without = states(check(make_host(missing=[name]), CONTEXT))

    changed = {key: state for key, state in without.items() if state is not healthy[key]}
    assert {key for key, state in changed.items() if state not in QUIET} == set()


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_that_fails_makes_checks_unknown_and_never_wrong(name, make_host, check, healthy):
    host = make_host({name: ""}, codes={name: 1}, errors={name: "cannot be read"})
    without = states(check(host, CONTEXT))

    changed = {key: state for key, state in without.items() if state is not healthy[key]}
    allowed = {"docker-daemon"} if name == "docker-version" else set()
    assert {key for key, state in changed.items() if state not in QUIET} <= allowed


def test_inside_a_container_only_what_can_be_seen_there_is_judged(make_host, check):
    report = check(make_host({"virt": "docker\n"}, codes={"virt": 0}), CONTEXT)

    unknown = {r.id for r in report.results if r.state is CheckState.UNKNOWN}
    assert {"kernel-version", "gpu-processes", "pcie-gen"} <= unknown


def test_a_gpu_of_the_host_that_the_container_was_not_given_is_no_failure(make_host, check):
    extra = (
        "/sys/bus/pci/devices/0000:2a:00.0 class=0x030200 vendor=0x10de dev=0x2330 numa=1 "
        "driver=nvidia path=/sys/devices/pci0000:29/0000:2a:00.0\n/sys/bus/pci/devices/0000:05"
    )
    replace = [["pci-sysfs", "/sys/bus/pci/devices/0000:05", extra]]

    inside = check(make_host({"virt": "docker\n"}, codes={"virt": 0}, replace=replace))

    count = next(result for result in inside.results if result.id == "gpu-count")
    assert count.state is CheckState.UNKNOWN
