"""Every rule finds what it is for and leaves alone what only looks like it.

The samples are data beside this file; the texts are written for the tests.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from app.core.causes import Cause
from app.core.diagnosis.context import DiagnosisContext
from app.core.diagnosis.finding import Confidence, Diagnosis
from app.core.diagnosis.log_diagnosis import diagnose_text
from app.core.diagnosis.rules import DiagnosisRules, Role, Rule
from app.io.datafiles import data_root, load_causes, load_diagnosis

FOLDER = Path(__file__).parent / "samples"
SURENESS = {Confidence.LOW: 0, Confidence.MEDIUM: 1, Confidence.HIGH: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A text that a rule must find, one that it must not, and what else is known."""

    rule: str
    fires: str
    near: str
    at_least: Confidence
    at_most: Confidence = Confidence.HIGH
    near_cause: str = ""
    oom_killed: bool | None = None
    exit_code: int | None = None


def _read_samples() -> list[Sample]:
    found = []
    for file in sorted(FOLDER.glob("*.toml")):
        for item in tomllib.loads(file.read_text(encoding="utf-8"))["sample"]:
            for key in ("at_least", "at_most"):
                if key in item:
                    item[key] = Confidence(item[key])
            found.append(Sample(**item))
    return found


SAMPLES = _read_samples()


@cache
def _rules() -> DiagnosisRules:
    return load_diagnosis(data_root())


@cache
def _causes() -> Mapping[str, Cause]:
    return load_causes(data_root())


@cache
def _by_id() -> Mapping[str, Rule]:
    return {rule.id: rule for rule in _rules().rules}


def _diagnose(text: str, rules: DiagnosisRules, sample: Sample | None = None) -> Diagnosis:
    context = DiagnosisContext()
    if sample is not None:
        context = DiagnosisContext(oom_killed=sample.oom_killed, exit_code=sample.exit_code)
    return diagnose_text(text, rules=rules, causes=_causes(), context=context)


def _alone(rule: Rule) -> DiagnosisRules:
    whole = _rules()
    return DiagnosisRules(
        markers=whole.markers, facts=whole.facts, advice=whole.advice, rules=(rule,)
    )


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.rule)
def test_a_rule_tells_its_cause_from_what_looks_like_it(sample: Sample) -> None:
    rule = _by_id()[sample.rule]
    alone = _alone(rule)
    found = _diagnose(sample.fires, alone, sample).findings
    assert [finding.rule for finding in found] == [rule.id]
    sureness = SURENESS[found[0].confidence]
    assert SURENESS[sample.at_least] <= sureness <= SURENESS[sample.at_most]
    assert _diagnose(sample.near, alone).findings == ()

    whole = _diagnose(sample.fires, _rules(), sample)
    if rule.role in {Role.CAUSE, Role.CONSEQUENCE}:
        assert whole.primary is not None
        assert whole.primary.cause == rule.cause
    else:
        assert rule.cause in {finding.cause for finding in whole.findings}
    if sample.near_cause:
        near = _diagnose(sample.near, _rules()).primary
        assert near is not None
        assert near.cause == sample.near_cause


def test_every_rule_has_a_sample() -> None:
    with_facts_of_the_host = {
        "host_ram_oom.memory-limit",
        "gpu_memory_shared_by_instances.processes-seen",
        "tp_not_set.host-has-more",
    }
    assert set(_by_id()) - {sample.rule for sample in SAMPLES} == with_facts_of_the_host


def test_every_cause_of_a_log_has_a_rule() -> None:
    of_logs = {name for name, cause in _causes().items() if cause.family != "slow_serving"}
    assert of_logs == {rule.cause for rule in _rules().rules}
