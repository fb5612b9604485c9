"""Servers that work well print alarming lines: clients that leave, refused requests, quotations.

The logs are written for the tests.
"""

from pathlib import Path

import pytest

from app.core.diagnosis.finding import Verdict

LOGS = sorted((Path(__file__).parent / "healthy").glob("*.log"))


@pytest.fixture(params=LOGS, ids=[file.stem for file in LOGS])
def healthy(request):
    return request.param.read_text(encoding="utf-8")


def test_alarming_lines_of_a_healthy_server_are_no_failure(diagnosed, healthy):
    found = diagnosed(healthy)

    assert found.primary is None
    assert found.verdict in {Verdict.HEALTHY, Verdict.NOT_A_FAILURE}


def test_they_are_none_when_they_come_again_and_again(diagnosed, healthy):
    lines = healthy.splitlines(keepends=True)
    serving = "".join(lines[len(lines) // 2 :])

    assert diagnosed(healthy + serving * 20).primary is None


@pytest.mark.parametrize("code", [0, 130, 143])
def test_a_stop_is_not_blamed_on_them(diagnosed, healthy, code):
    assert diagnosed(healthy, exit_code=code, oom_killed=False).primary is None
