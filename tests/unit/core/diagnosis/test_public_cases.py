"""Public failure logs with an established cause, and logs of engines that were well."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from app.core.diagnosis.finding import Confidence, Verdict

NO_CAUSE = {"wrapper_error_unknown", "none_recovered", "pinned_memory_unavailable"}
"""For these, naming no cause is right too."""
NOT_IN_LOG = {"wrapper_error_unknown", "peer_rank_died"}
HEALTHY = ("captures/vllm-0.26.0-h200/*.log", "captures/h200-docker-vllm-*/*.log")
MIXED = ("lab/captures/*/startup.log",)


@dataclass(frozen=True, slots=True)
class Outcome:
    name: str
    expected: str
    found: str | None
    family: str | None
    confidence: str
    verdict: Verdict

    @property
    def is_right(self) -> bool:
        return self.found == self.expected or (self.expected in NO_CAUSE and self.found is None)

    def __str__(self) -> str:
        return f"{self.name:48} {self.expected:30} {self.found!s:30} {self.confidence}"


def read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


@pytest.fixture(scope="module")
def outcomes(shared_folder, diagnosed):
    found = []
    for log in sorted((shared_folder / "cases" / "logs").glob("*.log")):
        sidecar = yaml.safe_load(log.with_suffix(".yaml").read_text(encoding="utf-8"))
        diagnosis = diagnosed(read(log))
        primary = diagnosis.primary
        found.append(
            Outcome(
                name=log.stem,
                expected=sidecar["expected"]["cause_id"],
                found=primary and primary.cause,
                family=primary and primary.family,
                confidence=str(primary.confidence) if primary else "",
                verdict=diagnosis.verdict,
            )
        )
    return found


def test_almost_all_causes_are_right(outcomes):
    wrong = [str(one) for one in outcomes if not one.is_right]

    assert len(wrong) <= 0.05 * len(outcomes), "\n".join(wrong)


def test_nothing_wrong_is_said_with_high_confidence(outcomes):
    sure = [one for one in outcomes if not one.is_right and one.confidence == Confidence.HIGH]

    assert not sure, "\n".join(map(str, sure))


def test_every_cause_that_is_not_in_the_log_is_called_so(outcomes):
    asked = [one for one in outcomes if one.expected in NOT_IN_LOG]

    assert asked
    assert [one.verdict for one in asked] == [Verdict.NOT_IN_LOG] * len(asked)


def healthy_logs(folder: Path, patterns: tuple[str, ...]) -> list[Path]:
    return sorted(path for pattern in patterns for path in folder.glob(pattern))


def test_engines_that_were_well_are_called_healthy(shared_folder, diagnosed):
    logs = healthy_logs(shared_folder, HEALTHY)

    assert logs
    for log in logs:
        found = diagnosed(read(log))
        assert (found.verdict, found.findings) == (Verdict.HEALTHY, ()), log.name


def test_refused_requests_are_no_failure_of_the_engine(shared_folder, diagnosed):
    for log in healthy_logs(shared_folder, MIXED):
        found = diagnosed(read(log))
        assert found.primary is None, log
        assert found.verdict in {Verdict.HEALTHY, Verdict.NOT_A_FAILURE}, log


@pytest.mark.parametrize("seed", range(8))
def test_shuffled_healthy_lines_raise_no_alarm(shared_folder, diagnosed, seed):
    chance = random.Random(seed)
    logs = healthy_logs(shared_folder, HEALTHY + MIXED)
    lines = [line for log in chance.sample(logs, 3) for line in read(log).split("\n")]
    some = chance.sample(lines, min(300, len(lines)))

    primary = diagnosed("\n".join(some)).primary

    assert primary is None, primary


def put_before(prefix: str) -> Callable[[str], str]:
    return lambda log: "\n".join(prefix + line for line in log.split("\n"))


def broken_at(width: int) -> Callable[[str], str]:
    return lambda log: "\n".join(
        line[at : at + width]
        for line in log.split("\n")
        for at in range(0, max(len(line), 1), width)
    )


@pytest.mark.parametrize(
    "change",
    [
        put_before("2026-11-29T19:41:28.123456789Z "),
        put_before("2026-11-29T19:41:28.123456789Z stderr F "),
        put_before("Nov 29 19:41:28 host docker[17]: "),
        put_before("engine-1  | "),
        put_before("> "),
        broken_at(80),
        broken_at(120),
        lambda log: log.replace("\n", "\r\n"),
    ],
)
def test_what_a_log_went_through_changes_nothing(shared_folder, diagnosed, change):
    for path in sorted((shared_folder / "cases" / "logs").glob("*.log")):
        log = read(path).rstrip("\n")
        plain, changed = diagnosed(log).primary, diagnosed(change(log)).primary
        assert (changed and changed.cause) == (plain and plain.cause), path.name
