"""Figures that the run prints: each beside a baseline measured in the same run.

Machines are shared and noisy, so nothing here fails on a wall-clock time; a budget that was not
met says so in the table.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

_ROWS: list[tuple[str, str, str, str]] = []


@pytest.fixture
def figure() -> Callable[..., None]:
    """Add a row: what, measured, beside what, and whether the budget (seconds) was met."""

    def add(what: str, measured_s: float, baseline: str, *, budget_s: float | None = None) -> None:
        verdict = "" if budget_s is None else "met" if measured_s <= budget_s else "OVER"
        budget = "" if budget_s is None else f"budget {budget_s * 1000:.0f} ms: {verdict}"
        _ROWS.append((what, f"{measured_s * 1000:.0f} ms", baseline, budget))

    return add


@pytest.fixture
def row() -> Callable[..., None]:
    """Add a row that is no time: what, measured in words, beside what, and the verdict."""

    def add(what: str, measured: str, baseline: str, *, budget: str = "", met: bool = True) -> None:
        verdict = f"budget {budget}: {'met' if met else 'OVER'}" if budget else ""
        _ROWS.append((what, measured, baseline, verdict))

    return add


@pytest.fixture
def median_run() -> Callable[..., float]:
    """Return the median wall-clock seconds of a command over some runs after one warm-up."""

    def run(*argv: str, times: int = 5) -> float:
        durations = []
        for _ in range(times + 1):
            start = time.perf_counter()
            subprocess.run(argv, check=True, capture_output=True)
            durations.append(time.perf_counter() - start)
        return statistics.median(durations[1:])

    return run


@pytest.fixture(scope="session")
def bare_python_s() -> float:
    """Return the median seconds of an interpreter that does nothing: the baseline of start-ups."""
    durations = []
    for _ in range(6):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        durations.append(time.perf_counter() - start)
    return statistics.median(durations[1:])


def pytest_terminal_summary(terminalreporter):
    if not _ROWS:
        return
    terminalreporter.section("figures")
    widths = [max(len(row[column]) for row in _ROWS) for column in range(4)]
    for row in _ROWS:
        terminalreporter.write_line(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        )
