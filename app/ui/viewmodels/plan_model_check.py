"""A model's pre-flight as the wizard shows it: one line that sums up, one for each finding."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from app.core.checks.spec import SEVERITY, CheckState
from app.core.models.preflight import ModelPreflight, PreflightFinding
from app.ui.viewmodels.fingerprint_checks import StateLook, look_of
from app.ui.viewmodels.said import said

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingRow:
    """One finding that is worth a line."""

    look: StateLook
    text: str
    remedy: str
    """Empty where nothing is to be done."""
    details: str
    """Why it matters and what shows it; for a tooltip and for those who cannot see it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreflightView:
    """What stands under the chosen model."""

    look: StateLook
    summary: str
    rows: tuple[FindingRow, ...]
    can_measure: bool


def present_preflight(report: ModelPreflight) -> PreflightView:
    """Return the summary and, worst first, every finding that did not pass."""
    counts = report.counts
    failed, warned = counts[CheckState.FAIL], counts[CheckState.WARN]
    worst = CheckState.FAIL if failed else CheckState.WARN if warned else CheckState.PASS
    if failed:
        summary = translate("Plan", "Not ready: it cannot be loaded as it lies there.")
    elif warned:
        summary = translate("Plan", "Ready. Remarks: {count}").format(count=warned)
    else:
        summary = translate("Plan", "Whole and ready to be loaded.")
    quiet = {CheckState.PASS, CheckState.NOT_APPLICABLE}
    rows = sorted(
        (finding for finding in report.findings if _is_told(finding, quiet)),
        key=lambda finding: SEVERITY[finding.state],
    )
    return PreflightView(
        look=look_of(worst),
        summary=summary,
        rows=tuple(_row(finding) for finding in rows),
        can_measure=report.load_time is None,
    )


def _is_told(finding: PreflightFinding, quiet: set[CheckState]) -> bool:
    # A measured load time passes, but is what was asked for.
    return finding.state not in quiet or finding.id == "load_time"


def _row(finding: PreflightFinding) -> FindingRow:
    title, text = said(finding.title), said(finding.said)
    details = "\n".join(part for part in (said(finding.why), *finding.evidence) if part)
    return FindingRow(
        look=look_of(finding.state),
        text=translate("Plan", "{title}: {text}").format(title=title, text=text),
        remedy=said(finding.remedy),
        details=details,
    )
