"""Every check passes, fails and stays unknown on inputs in the tools' own formats."""

import tomllib
from pathlib import Path

import pytest

from app.core.checks.judges import JUDGES
from app.core.checks.spec import CheckContext, CheckState

SAMPLES = Path(__file__).parent / "samples"
CASES = [
    pytest.param(case, id=f"{case['check']}-{case['state']}-{number}")
    for file in sorted(SAMPLES.glob("*.toml"))
    for number, case in enumerate(tomllib.loads(file.read_text())["case"])
]
NEVER_READ = frozenset({"gpu-in-container", "registry"})
"""What no probe reads: only a plan or a run tells."""
FULL_CONTEXT = CheckContext(
    image_cuda="13.0",
    model_bytes=10**11,
    model_folder="/models",
    port=8000,
    gpu_memory_needed_mib=1000,
)
"""What makes the checks that need a plan speak."""


def result_of(report, check_id):
    return next(result for result in report.results if result.id == check_id)


@pytest.mark.parametrize("case", CASES)
def test_one_broken_place_is_judged_and_told_in_whole_sentences(case, make_host, check):
    host = make_host(
        case.get("sections"),
        replace=case.get("replace"),
        codes=case.get("codes"),
        errors=case.get("errors"),
        missing=case.get("missing"),
    )

    result = result_of(check(host, case.get("context")), case["check"])

    assert (result.state, result.said.en) == (case["state"], result.said.en)
    assert case.get("says", "") in result.said.en
    assert case.get("reason", result.reason) == result.reason
    assert result.needs_root is case.get("needs_root", False)
    if result.state in {CheckState.FAIL, CheckState.WARN}:
        assert result.evidence
        assert result.remedy
    assert "{" not in result.said.en + result.said.zh_CN
    assert any("\u4e00" <= sign <= "\u9fff" for sign in result.said.zh_CN)


def test_every_check_has_a_pass_and_a_fail_or_warning(make_host, check, checklist):
    healthy = {r.id for r in check(make_host()).results if r.state is CheckState.PASS}
    states = [(param.values[0]["check"], param.values[0]["state"]) for param in CASES]
    passing = healthy | {name for name, state in states if state == "pass"}
    loud = {name for name, state in states if state in {"fail", "warn"}}

    ids = {entry.id for entry in checklist.checks}
    assert ids - passing == {"unified-memory", "coherent-numa"} - passing
    assert ids - loud == set()


def test_the_healthy_host_has_nothing_to_be_changed(make_host, check):
    report = check(make_host())

    assert [r.id for r in report.results if r.state in {CheckState.FAIL, CheckState.WARN}] == []
    unknown = {r.id for r in report.results if r.state is CheckState.UNKNOWN}
    assert unknown == {"pcie-gen", "gpu-in-container", "firewall", "registry"}


def test_what_was_not_asked_is_unknown_and_never_passed(make_host, check):
    report = check(make_host(only=True))

    states = {result.id: result.state for result in report.results}
    assert set(states.values()) <= {CheckState.UNKNOWN, CheckState.NOT_APPLICABLE}
    assert all(result.said.en for result in report.results)


def test_with_a_plan_every_check_of_an_unread_host_is_unknown(make_host, check):
    context = {name: getattr(FULL_CONTEXT, name) for name in FULL_CONTEXT.__dataclass_fields__}
    report = check(make_host(only=True), context)

    applicable = {r.id for r in report.results if r.state is not CheckState.UNKNOWN}
    assert applicable == {"shm"}  # depends on the plan alone


def test_a_user_who_may_read_nothing_passes_nothing_that_needs_root(make_host, check, checklist):
    host = make_host(
        {"dmesg": "", "lspci-vv": "16:00.0 PCI bridge: Example\n\tCapabilities: <access denied>\n"},
        codes={"dmesg": 1},
        errors={"dmesg": "dmesg: read kernel buffer failed: Operation not permitted"},
    )

    report = check(host)

    closed = {entry.id for entry in checklist.checks if entry.needs_root}
    assert closed == {"hmm-kaslr", "xid", "acs", "firewall"}
    assert {r.id for r in report.results if r.needs_root} == closed
    assert all(r.state is CheckState.UNKNOWN for r in report.results if r.id in closed)


def test_all_checks_of_the_list_have_a_judge(checklist):
    assert {entry.id for entry in checklist.checks} == set(JUDGES)
    assert len(JUDGES) == 90
