"""Run small pytest sessions with our own fixtures inside a test."""

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

TESTS = Path(__file__).parents[1]


@pytest.fixture
def pytester_here(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., pytest.RunResult]:
    """Run a test module as text with the project's conftest, in a process of its own."""
    pytester.makeconftest((TESTS / "conftest.py").read_text())
    pytester.makeini(
        "[pytest]\n"
        f"pythonpath = {TESTS}\n"
        "qt_api = pyside6\n"
        "asyncio_mode = auto\n"
        "asyncio_default_fixture_loop_scope = function\n"
        "markers =\n    docker\n    sshd\n    engine\n    expect_logs(*patterns)\n"
    )
    monkeypatch.delenv("CI", raising=False)

    def run(text: str, *options: str) -> pytest.RunResult:
        pytester.makepyfile(dedent(text))
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *options)

    return run
