"""What the clinic says of launch texts: each sample's remarks, and nothing louder beside them."""

import tomllib
from functools import cache
from pathlib import Path

import pytest

from app.core.clinic.origin import Lines
from app.core.clinic.report import Clinic, Knowledge, examine
from app.core.clinic.spec import Severity
from app.io.datafiles import data_root, load_clinic, load_engines

SAMPLES = tomllib.loads((Path(__file__).parent / "samples.toml").read_text())["sample"]


@cache
def knowledge() -> Knowledge:
    """Everything that Pitwall ships."""
    return Knowledge(engines=load_engines(data_root()), clinic=load_clinic(data_root()))


def said(clinic: Clinic) -> dict[str, Severity]:
    """Remarks as ``line id``."""
    lines = Lines(clinic.text)
    return {f"{lines.line(r.span.begin)} {r.id}": r.severity for r in clinic.remarks}


@pytest.mark.parametrize("sample", SAMPLES, ids=[sample["name"] for sample in SAMPLES])
def test_sample_gets_its_remarks_and_no_louder_ones(sample: dict) -> None:
    clinic = examine(sample["text"], knowledge(), version=sample.get("version"))

    assert clinic is not None
    found = said(clinic)
    loud = {name for name, severity in found.items() if severity is not Severity.HINT}
    assert set(sample["says"]) <= set(found)
    assert loud <= {*sample["says"], *sample.get("may", ())}


@pytest.mark.parametrize("sample", SAMPLES, ids=[sample["name"] for sample in SAMPLES])
def test_corrected_text_is_judged_better(sample: dict) -> None:
    clinic = examine(sample["text"], knowledge(), version=sample.get("version"))
    assert clinic is not None
    if clinic.corrected is None:
        return

    again = examine(clinic.corrected, knowledge(), version=sample.get("version"))

    assert again is not None
    corrected = {r.id for r in clinic.remarks if r.edits}
    left = {r.id for r in again.remarks if r.edits}
    assert left < corrected or not left


@pytest.mark.parametrize(
    "sample", [s for s in SAMPLES if "corrected" in s], ids=lambda sample: sample["name"]
)
def test_corrections_keep_the_form_of_the_text(sample: dict) -> None:
    clinic = examine(sample["text"], knowledge(), version=sample.get("version"))

    assert clinic is not None
    assert clinic.corrected == sample["corrected"]
