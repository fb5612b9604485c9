"""How findings read in the window: a headline, a card per cause, what to collect next."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.diagnosis.finding import Confidence, Diagnosis, Evidence, Finding, Verdict
from app.core.documents.findings import change_lines, diagnosis_text
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.messages import is_english
from app.ui.viewmodels.host_texts import StateView
from app.ui.viewmodels.said import said

translate = QCoreApplication.translate

_VERDICTS: Final[Mapping[Verdict, tuple[str, str, str]]] = {
    Verdict.CAUSE_FOUND: ("search", QT_TRANSLATE_NOOP("Findings", "Cause found"), "error"),
    Verdict.NOT_IN_LOG: (
        "question-mark",
        QT_TRANSLATE_NOOP("Findings", "The cause is not in this log"),
        "warn",
    ),
    Verdict.NOT_A_FAILURE: (
        "info-circle",
        QT_TRANSLATE_NOOP("Findings", "Not a failure: a warning, or the engine recovered"),
        "ok",
    ),
    Verdict.HEALTHY: (
        "circle-check",
        QT_TRANSLATE_NOOP("Findings", "Started, and nothing failed"),
        "ok",
    ),
    Verdict.NOTHING_FOUND: (
        "question-mark",
        QT_TRANSLATE_NOOP("Findings", "Nothing found that Pitwall knows"),
        "unknown",
    ),
}
_CONFIDENCE: Final[Mapping[Confidence, str]] = {
    Confidence.HIGH: QT_TRANSLATE_NOOP("Findings", "High confidence"),
    Confidence.MEDIUM: QT_TRANSLATE_NOOP("Findings", "Medium confidence"),
    Confidence.LOW: QT_TRANSLATE_NOOP("Findings", "Low confidence"),
}
_CONFIDENCE_STATUS: Final = {
    Confidence.HIGH: "error",
    Confidence.MEDIUM: "warn",
    Confidence.LOW: "unknown",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRow:
    """A line that supports a finding."""

    line: int
    """1-based; 0 for what stands beside the log."""
    place: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingCard:
    """One cause as a card."""

    cause: str
    title: str
    confidence: str
    status: str
    explanation: str
    evidence: tuple[EvidenceRow, ...]
    steps: tuple[str, ...]
    changes: tuple[str, ...]
    """The remedy as changes of the plan, in words."""
    can_apply: bool
    sources: tuple[str, ...]
    is_primary: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsPanel:
    """Everything that is shown about one log."""

    headline: StateView
    cards: tuple[FindingCard, ...] = ()
    telling: tuple[EvidenceRow, ...] = ()
    collect: tuple[str, ...] = ()
    note: str = ""
    """How much was read."""
    text: str = ""
    """All of it, to be sent to somebody."""
    command: str = ""
    """A command line that answers the same."""


def present_findings(
    diagnosis: Diagnosis, *, command: str = "", can_apply: bool = False
) -> FindingsPanel:
    """Return a diagnosis as the window shows it.

    Args:
        diagnosis: What the log says.
        command: A command line that answers the same; empty hides its button.
        can_apply: True where a changed plan can be deployed from here.
    """
    icon, word, status = _VERDICTS[diagnosis.verdict]
    return FindingsPanel(
        headline=StateView(icon=icon, word=translate("Findings", word), status=status),
        cards=tuple(
            finding_card(finding, is_primary=finding is diagnosis.primary, can_apply=can_apply)
            for finding in diagnosis.findings
        ),
        telling=() if diagnosis.primary else tuple(map(_evidence, diagnosis.telling)),
        collect=tuple(said(text) for text in diagnosis.collect),
        note=_note(diagnosis),
        text=diagnosis_text(diagnosis, _language()),
        command=command,
    )


def worth_showing(diagnosis: Diagnosis | None, *, failed: bool) -> bool:
    """Tell whether a diagnosis says something: of what runs well nothing is shown."""
    if diagnosis is None:
        return False
    if failed:
        return diagnosis.verdict is not Verdict.HEALTHY or bool(diagnosis.findings)
    return diagnosis.verdict in {Verdict.CAUSE_FOUND, Verdict.NOT_IN_LOG} and bool(
        diagnosis.findings
    )


def finding_card(finding: Finding, *, is_primary: bool, can_apply: bool = False) -> FindingCard:
    """Return one finding as a card."""
    change = finding.change
    changes = () if change is None else change_lines(change, _language())
    return FindingCard(
        cause=finding.cause,
        title=said(finding.title),
        confidence=translate("Findings", _CONFIDENCE[finding.confidence]),
        status=_CONFIDENCE_STATUS[finding.confidence] if is_primary else "unknown",
        explanation=said(finding.explanation).strip(),
        evidence=tuple(map(_evidence, finding.evidence)),
        steps=tuple(said(step) for step in finding.remedy),
        changes=changes,
        can_apply=can_apply and change is not None and bool(change.parameters),
        sources=finding.sources,
        is_primary=is_primary,
    )


def _evidence(evidence: Evidence) -> EvidenceRow:
    place = translate("Findings", "beside the log")
    if evidence.line:
        place = translate("Findings", "line {line}").format(line=f"{evidence.line:,}")
    return EvidenceRow(line=evidence.line, place=place, text=evidence.text.strip())


def _note(diagnosis: Diagnosis) -> str:
    if not diagnosis.lines_read:
        return translate("Findings", "The log is empty")
    count = f"{diagnosis.lines_read:,}"
    text = translate("Findings", "lines read: {count}").format(count=count)
    if diagnosis.starts > 1:
        starts = translate("Findings", "starts in it: {count}").format(count=diagnosis.starts)
        text = f"{text} · {starts}"
    return text


def _language() -> str:
    return "en" if is_english() else "zh_CN"
