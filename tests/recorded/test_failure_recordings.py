"""Failures that we made with real engines, recorded: their causes are named without an engine.

`tests/integration/failures` and `tests/integration/vllm` make them anew and compare.
"""

import pytest
from fixtures.failing import is_explained
from fixtures.failures import recordings

RECORDED = recordings()


@pytest.mark.parametrize(
    "failure", RECORDED, ids=lambda failure: f"{failure.engine}-{failure.name}"
)
def test_recorded_failure_is_explained(failure):
    is_explained(failure)


def test_both_engines_are_recorded_with_where_they_come_from():
    assert {failure.engine for failure in RECORDED} == {"llamacpp", "vllm"}
    for failure in RECORDED:
        assert failure.engine_version
        assert failure.made_at.startswith("20")
        assert failure.command
