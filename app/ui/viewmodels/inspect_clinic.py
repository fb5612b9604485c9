"""How remarks on a launch text read: their severity in words, their line, what to write."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.clinic.origin import Lines
from app.core.clinic.remark import Remark
from app.core.clinic.report import Clinic
from app.core.clinic.spec import Severity
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.viewmodels.host_texts import StateView
from app.ui.viewmodels.said import said

translate = QCoreApplication.translate

_SEVERITIES: Final[Mapping[Severity, tuple[str, str, str]]] = {
    Severity.REJECT: ("circle-x", "status.error", QT_TRANSLATE_NOOP("Inspect", "Will be rejected")),
    Severity.MISUNDERSTOOD: (
        "alert-triangle",
        "status.warn",
        QT_TRANSLATE_NOOP("Inspect", "Means something else"),
    ),
    Severity.IGNORED: ("ban", "status.warn", QT_TRANSLATE_NOOP("Inspect", "Will be ignored")),
    Severity.RISK: ("alert-circle", "status.warn", QT_TRANSLATE_NOOP("Inspect", "Risk")),
    Severity.HINT: ("info-circle", "muted", QT_TRANSLATE_NOOP("Inspect", "Hint")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RemarkView:
    """One remark beside its line."""

    icon: str
    token: str
    head: str
    text: str
    instead: str
    tip: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClinicView:
    """All that is shown of a launch text."""

    state: StateView
    text: str
    remarks: tuple[RemarkView, ...]
    corrected: str
    """Empty where nothing can be corrected without thinking."""


def present_clinic(clinic: Clinic) -> ClinicView:
    """Return what the page shows."""
    lines = Lines(clinic.text)
    return ClinicView(
        state=_state(clinic),
        text=clinic.text,
        remarks=tuple(_remark(remark, lines) for remark in clinic.remarks),
        corrected=clinic.corrected or "",
    )


def _state(clinic: Clinic) -> StateView:
    rejected = sum(remark.severity is Severity.REJECT for remark in clinic.remarks)
    if rejected:
        words = translate("Inspect", "Places that will be rejected: {count}")
        return StateView(icon="circle-x", word=words.format(count=rejected), status="error")
    loud = sum(remark.severity is not Severity.HINT for remark in clinic.remarks)
    if loud:
        words = translate("Inspect", "It starts. Places that deserve a look: {count}")
        return StateView(icon="alert-triangle", word=words.format(count=loud), status="warn")
    words = translate("Inspect", "Nothing speaks against it")
    return StateView(icon="circle-check", word=words, status="ok")


def _remark(remark: Remark, lines: Lines) -> RemarkView:
    icon, token, word = _SEVERITIES[remark.severity]
    head = translate("Inspect", "Line {line} · {severity}")
    instead = translate("Inspect", "Write: {text}")
    source = translate("Inspect", "Source: {source} ({date})")
    return RemarkView(
        icon=icon,
        token=token,
        head=head.format(line=lines.line(remark.span.begin), severity=translate("Inspect", word)),
        text=said(remark.text),
        instead=instead.format(text=said(remark.instead)) if remark.instead else "",
        tip=source.format(source=remark.source, date=remark.checked),
        begin=remark.span.begin,
        end=remark.span.end,
    )
