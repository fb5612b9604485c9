"""Checks of a host that somebody only thinks of: nothing passes that nobody asked."""

import pytest

from app.core.checks.run import run_checks
from app.core.checks.spec import CheckState
from app.core.hardware.what_if import make_what_if


@pytest.fixture
def states(checklist, catalogue):
    host = make_what_if("2x L40S, PCIe", catalogue, taken_at="2026-01-01T00:00:00Z")
    report = run_checks(host, data=checklist, catalogue=catalogue)
    return {result.id: result.state for result in report.results}


@pytest.mark.parametrize("check", ["driver-loaded", "no-devices", "topology"])
def test_what_only_a_machine_can_answer_is_unknown(states, check):
    assert states[check] is CheckState.UNKNOWN


def test_nothing_fails_or_warns_because_it_was_not_said(states):
    assert not {CheckState.FAIL, CheckState.WARN} & set(states.values())


def test_likeness_speaks_only_of_what_the_catalogue_tells(checklist, catalogue):
    host = make_what_if("2x L40S, PCIe", catalogue, taken_at="2026-01-01T00:00:00Z")
    report = run_checks(host, data=checklist, catalogue=catalogue)
    said = next(r.said for r in report.results if r.id == "gpu-homogeneous")
    assert "not read" in said.en


def test_differences_are_named_in_words(checklist, catalogue):
    host = make_what_if("1x L40S + 1x H200 141GB SXM", catalogue, taken_at="2026-01-01T00:00:00Z")
    report = run_checks(host, data=checklist, catalogue=catalogue)
    result = next(r for r in report.results if r.id == "gpu-homogeneous")
    assert "compute capability" in result.said.en
    assert "计算能力" in result.said.zh_CN


def test_sharing_by_a_hypervisor_is_not_told_by_a_catalogue(states):
    assert states["vgpu"] is CheckState.UNKNOWN


def test_memory_of_a_unified_machine_that_was_not_read_is_said_so(checklist, catalogue):
    host = make_what_if("1x GB10", catalogue, taken_at="2026-01-01T00:00:00Z")
    report = run_checks(host, data=checklist, catalogue=catalogue)
    said = next(r.said for r in report.results if r.id == "unified-memory")
    assert "not read" in said.en
    assert "?" not in said.en
