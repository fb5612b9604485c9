"""How trouble of serving deployments reads: alerts, and where the time of requests goes."""

import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.core.diagnosis.finding import Finding
from app.core.documents.slow import PLACES, alert_text, figures_line, slow_text
from app.core.errors import ErrorInfo
from app.core.events import DeploymentSnapshot
from app.core.ids import HostId
from app.core.slow.alerts import Alert
from app.core.slow.breakdown import Breakdown
from app.core.slow.explain import SlowReport, SlowVerdict
from app.core.slow.spec import Severity
from app.ui.bridge import CoreBridge
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.messages import is_english
from app.ui.viewmodels.bar import Bar
from app.ui.viewmodels.base import ViewModel
from app.ui.viewmodels.findings import FindingCard, FindingsPanel, finding_card
from app.ui.viewmodels.host_texts import StateView
from app.ui.viewmodels.said import said

if TYPE_CHECKING:
    from app.bootstrap import Application

translate = QCoreApplication.translate

_VERDICTS: Final = {
    SlowVerdict.SLOW: (
        "alert-triangle",
        QT_TRANSLATE_NOOP("Slow", "Something slows it down"),
        "warn",
    ),
    SlowVerdict.NOTHING_SLOW: (
        "circle-check",
        QT_TRANSLATE_NOOP("Slow", "Nothing out of the ordinary"),
        "ok",
    ),
    SlowVerdict.IDLE: (
        "info-circle",
        QT_TRANSLATE_NOOP("Slow", "Nobody asked anything meanwhile"),
        "unknown",
    ),
    SlowVerdict.NOT_KNOWN: (
        "question-mark",
        QT_TRANSLATE_NOOP("Slow", "Not known: no figures could be read"),
        "unknown",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertView:
    """One alert of the list."""

    host_id: HostId
    deployment: str
    """Empty when it is about the host."""
    subject: str
    status: str
    when: str
    card: FindingCard
    text: str
    """All of it, to be sent to somebody."""
    is_active: bool
    simulated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PartView:
    """One place of time as a bar; ``note`` says why it is unknown."""

    name: str
    bar: Bar
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowView:
    """Where the time of a deployment's requests goes."""

    ref: str
    is_looking: bool = False
    error: ErrorInfo | None = None
    headline: StateView | None = None
    note: str = ""
    parts: tuple[PartView, ...] = ()
    means: str = ""
    figures: str = ""
    cards: tuple[FindingCard, ...] = ()
    text: str = ""
    simulated: bool = False


def present_alert(alert: Alert) -> AlertView:
    """Return an alert as the list shows it."""
    status = "error" if alert.severity is Severity.ERROR else "warn"
    return AlertView(
        host_id=alert.key.host_id,
        deployment=alert.key.deployment,
        subject=alert.subject,
        status=status if alert.is_active else "unknown",
        when=_when(alert),
        card=_figures_card(alert.finding),
        text=alert_text(alert, _language()),
        is_active=alert.is_active,
        simulated=alert.simulated,
    )


def alerts_panel(alerts: Sequence[Alert], ref: str) -> FindingsPanel | None:
    """Return what the findings of a deployment that serves show; ``None`` without trouble."""
    if not alerts:
        return None
    worst = any(alert.severity is Severity.ERROR for alert in alerts)
    word = translate("Slow", "Trouble while serving: {count}").format(count=len(alerts))
    return FindingsPanel(
        headline=StateView(icon="alert-triangle", word=word, status="error" if worst else "warn"),
        cards=tuple(_figures_card(alert.finding) for alert in alerts),
        note=_when(alerts[0]),
        text="\n\n".join(alert_text(alert, _language()) for alert in alerts),
        command=f"pitwall diagnose {shlex.quote(ref)} --slow",
    )


def present_report(ref: str, report: SlowReport, *, simulated: bool = False) -> SlowView:
    """Return a look as the window shows it."""
    icon, word, status = _VERDICTS[report.verdict]
    breakdown = report.breakdown
    return SlowView(
        ref=ref,
        headline=StateView(icon=icon, word=translate("Slow", word), status=status),
        note="" if breakdown is None else _note(breakdown),
        parts=() if breakdown is None else _parts(breakdown),
        means="" if breakdown is None else _means(breakdown),
        figures=figures_line(report),
        cards=tuple(_figures_card(finding) for finding in report.findings),
        text=slow_text(report, (), _language()),
        simulated=simulated,
    )


def _note(breakdown: Breakdown) -> str:
    if breakdown.requests is None:
        text = translate("Slow", "in {seconds} s")
        return text.format(seconds=f"{breakdown.window_s:.0f}")
    text = translate("Slow", "in {seconds} s, requests that ended: {count}")
    return text.format(seconds=f"{breakdown.window_s:.0f}", count=f"{breakdown.requests:.0f}")


def _parts(breakdown: Breakdown) -> tuple[PartView, ...]:
    shown = []
    for part in breakdown.parts:
        share = "" if part.share is None else f"{part.share:.0%}"
        spent = "" if part.seconds is None else f"{part.seconds * 1e3:,.0f} ms"
        shown.append(
            PartView(
                name=said(PLACES[part.place]),
                bar=Bar(fraction=part.share, text=" · ".join(w for w in (share, spent) if w)),
                note="" if part.reason is None else said(part.reason),
            )
        )
    return tuple(shown)


def _means(breakdown: Breakdown) -> str:
    sums = (("E2E", breakdown.e2e_s), ("TTFT", breakdown.ttft_s), ("ITL", breakdown.itl_s))
    told = " · ".join(f"{name} {seconds * 1e3:,.1f} ms" for name, seconds in sums if seconds)
    return translate("Slow", "On average: {figures}").format(figures=told) if told else ""


def _figures_card(finding: Finding) -> FindingCard:
    """What stands as evidence are figures or a line, not numbered lines of a log."""
    card = finding_card(finding, is_primary=True)
    return replace(card, evidence=tuple(replace(row, place="") for row in card.evidence))


def _when(alert: Alert) -> str:
    first, last = (_clock(at_s) for at_s in (alert.first_s, alert.last_s))
    if not alert.is_active:
        return translate("Slow", "over; {first} to {last}").format(first=first, last=last)
    if alert.count > 1:
        text = translate("Slow", "since {first}, times: {count}")
        return text.format(first=first, count=alert.count)
    return translate("Slow", "since {first}").format(first=first)


def _clock(at_s: float) -> str:
    return time.strftime("%H:%M", time.localtime(at_s))


def _language() -> str:
    return "en" if is_english() else "zh_CN"


class SlowViewModel(ViewModel):
    """Look where the time of one deployment's requests goes."""

    changed = Signal(object)
    """The new `SlowView`."""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        self.view = SlowView(ref="")

    def look(self, snapshot: DeploymentSnapshot) -> None:
        """Begin to look; one that still looks is given up."""
        self.cancel_all()
        ref, simulated = snapshot.ref, snapshot.simulated
        self._show(SlowView(ref=ref, is_looking=True, simulated=simulated))
        self.run(
            self._app.slow.explain(snapshot),
            on_result=lambda report: self._show(present_report(ref, report, simulated=simulated)),
            on_error=lambda error: self._show(SlowView(ref=ref, error=error)),
        )

    def _show(self, view: SlowView) -> None:
        self.view = view
        self.changed.emit(view)
