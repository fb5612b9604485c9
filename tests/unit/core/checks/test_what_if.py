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
