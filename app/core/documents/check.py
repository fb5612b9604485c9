"""Document of ``pitwall check``."""

from dataclasses import dataclass
from typing import Literal

from app.core.checks.spec import CheckReport, CheckResult, CheckState
from app.core.documents.model_preflight import ModelPreflightBody
from app.core.hardware.fingerprint import HostSource
from app.core.texts import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class RemedyBody:
    """One step that cures it; ``command`` is empty where no command does it."""

    text: Text
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckBody:
    """One check: what came of it, on what evidence, why it matters, what cures it."""

    id: str
    category: str
    state: CheckState
    title: Text
    said: Text
    evidence: tuple[str, ...]
    reason: str
    """Why it is unknown or not applicable; empty otherwise."""
    needs_root: bool
    why: Text
    remedy: tuple[RemedyBody, ...]
    verify: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCounts:
    """How many checks came to which state, of all that were run."""

    passed: int
    warn: int
    fail: int
    unknown: int
    not_applicable: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckDocument:
    """All checks of one host that were asked for; ``counts`` covers these and the others."""

    schema: Literal["pitwall.check/1"] = "pitwall.check/1"
    host: str | None
    host_source: HostSource
    simulated: bool
    taken_at: str
    ok: bool
    """No check failed, nor any finding about the model."""
    counts: CheckCounts
    checks: tuple[CheckBody, ...]
    model: ModelPreflightBody | None = None
    """Only when a model was asked about."""


def check_counts(report: CheckReport) -> CheckCounts:
    """Return the counts of a report."""
    counts = report.counts
    return CheckCounts(
        passed=counts[CheckState.PASS],
        warn=counts[CheckState.WARN],
        fail=counts[CheckState.FAIL],
        unknown=counts[CheckState.UNKNOWN],
        not_applicable=counts[CheckState.NOT_APPLICABLE],
    )


def check_body(result: CheckResult) -> CheckBody:
    """Return one result as a document."""
    return CheckBody(
        id=result.id,
        category=result.category,
        state=result.state,
        title=result.title,
        said=result.said,
        evidence=result.evidence,
        reason=result.reason,
        needs_root=result.needs_root,
        why=result.why,
        remedy=tuple(RemedyBody(text=step.text, command=step.command) for step in result.remedy),
        verify=result.verify,
        source=result.source,
    )
