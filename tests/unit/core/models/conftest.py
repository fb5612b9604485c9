"""The shipped calibration and the measured points, for the memory model's tests."""

from pathlib import Path

import pytest
import yaml

from app.core.models.calibration import Calibration
from app.io.datafiles import data_root, load_calibration

ROOT = Path(__file__).resolve().parents[4]
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def calibration() -> Calibration:
    return load_calibration(data_root())


def _points(relative: str) -> list[dict]:
    file = SHARED / relative
    if not file.is_file():
        return []
    return yaml.safe_load(file.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def h200_points() -> list[dict]:
    points = _points("captures/vllm-0.26.0-h200/points.yaml")
    if not points:
        pytest.skip("the measured points are not laid beside this checkout")
    return points


@pytest.fixture(scope="session")
def recorded_points() -> list[dict]:
    """Our own profiling runs, in exact bytes."""
    files = sorted((ROOT / "tests/recorded/memory").glob("vllm-*.yaml"))
    return [point for file in files for point in yaml.safe_load(file.read_text(encoding="utf-8"))]


@pytest.fixture(scope="session")
def memory_cases() -> list[dict]:
    points = _points("cases/memory/points.yaml")
    if not points:
        pytest.skip("shared cases are not laid beside this checkout")
    return points
