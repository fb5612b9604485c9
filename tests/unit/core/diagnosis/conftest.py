"""The shipped rules and causes, and what is laid beside the checkout."""

from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.diagnosis.context import DiagnosisContext
from app.core.diagnosis.finding import Diagnosis
from app.core.diagnosis.log_diagnosis import diagnose_text
from app.io.datafiles import data_root, load_causes, load_diagnosis

SHARED = Path(__file__).resolve().parents[5] / "shared"


@pytest.fixture(scope="session")
def shipped_rules():
    return load_diagnosis(data_root())


@pytest.fixture(scope="session")
def shipped_causes():
    return load_causes(data_root())


@pytest.fixture(scope="session")
def diagnosed(shipped_rules, shipped_causes) -> Callable[..., Diagnosis]:
    """Return a function that diagnoses a log by the shipped rules."""

    def run(log: str, **context: object) -> Diagnosis:
        known = DiagnosisContext(**context)
        return diagnose_text(log, rules=shipped_rules, causes=shipped_causes, context=known)

    return run


@pytest.fixture(scope="session")
def shared_folder() -> Path:
    if not SHARED.is_dir():
        pytest.skip("shared cases are not laid beside this checkout")
    return SHARED
