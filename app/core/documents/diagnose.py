"""Document of ``pitwall diagnose``."""

from dataclasses import dataclass
from typing import Literal

from app.core.diagnosis.finding import Diagnosis
from app.core.documents.findings import (
    VERDICT,
    EvidenceEntry,
    FindingEntry,
    finding_entry,
)
from app.core.documents.slow import SlowEntry
from app.core.texts import said


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedParameter:
    """One value of the deployed plan before and after the change."""

    parameter: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnoseDocument:
    """What a log, or a deployment's log and container, says about a failure."""

    schema: Literal["pitwall.diagnose/1"] = "pitwall.diagnose/1"
    primary: str | None
    """Id of the cause; ``null`` when none is in this log."""
    findings: tuple[FindingEntry, ...]
    verdict: str
    verdict_text: str
    collect: tuple[str, ...]
    """What to get next when the cause is not in this log."""
    telling: tuple[EvidenceEntry, ...]
    """Lines that name a fault which no rule knows."""
    engine: str | None
    engine_version: str | None
    starts: int
    lines_read: int
    plan_change: tuple[ChangedParameter, ...] = ()
    """The primary finding's change on the deployed plan, where that plan is known."""
    slow: SlowEntry | None = None
    """Where the time goes and what was noticed, with ``--slow``."""


def diagnose_document(
    diagnosis: Diagnosis,
    language: str,
    *,
    plan_change: tuple[ChangedParameter, ...] = (),
    slow: SlowEntry | None = None,
) -> DiagnoseDocument:
    """Return what is printed of a diagnosis."""
    return DiagnoseDocument(
        primary=None if diagnosis.primary is None else diagnosis.primary.cause,
        findings=tuple(finding_entry(finding, language) for finding in diagnosis.findings),
        verdict=diagnosis.verdict.value,
        verdict_text=said(VERDICT[diagnosis.verdict], language),
        collect=tuple(said(text, language) for text in diagnosis.collect),
        telling=tuple(EvidenceEntry(line=e.line, text=e.text) for e in diagnosis.telling),
        engine=diagnosis.engine,
        engine_version=diagnosis.engine_version,
        starts=diagnosis.starts,
        lines_read=diagnosis.lines_read,
        plan_change=plan_change,
        slow=slow,
    )
