"""The checks of a fingerprint as the window shows them: rows, counts, one check in detail."""

import shlex
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.core.checks.sheet import Language
from app.core.checks.spec import SEVERITY, CheckReport, CheckResult, CheckState
from app.core.hardware.fingerprint import Fingerprint
from app.ui.bridge import CoreBridge
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.messages import is_english
from app.ui.viewmodels.base import ViewModel
from app.ui.viewmodels.said import said

if TYPE_CHECKING:
    from app.bootstrap import Application

translate = QCoreApplication.translate

STATES: Final = tuple(CheckState)
"""Worst first, as they are shown."""

_WORDS: Final[Mapping[CheckState, str]] = {
    CheckState.FAIL: QT_TRANSLATE_NOOP("Checks", "Fail"),
    CheckState.WARN: QT_TRANSLATE_NOOP("Checks", "Warning"),
    CheckState.UNKNOWN: QT_TRANSLATE_NOOP("Checks", "Unknown"),
    CheckState.PASS: QT_TRANSLATE_NOOP("Checks", "Pass"),
    CheckState.NOT_APPLICABLE: QT_TRANSLATE_NOOP("Checks", "Not applicable"),
}
_ICONS: Final[Mapping[CheckState, tuple[str, str]]] = {
    CheckState.FAIL: ("circle-x", "error"),
    CheckState.WARN: ("alert-triangle", "warn"),
    CheckState.UNKNOWN: ("help-circle", "unknown"),
    CheckState.PASS: ("circle-check", "ok"),
    CheckState.NOT_APPLICABLE: ("circle-minus", "muted"),
}
_CURABLE: Final = frozenset({CheckState.FAIL, CheckState.WARN})


@dataclass(frozen=True, slots=True, kw_only=True)
class StateLook:
    """Icon, word and status of a state."""

    icon: str
    word: str
    status: str

    @property
    def token(self) -> str:
        """Its colour in the theme."""
        return self.status if self.status == "muted" else f"status.{self.status}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRow:
    """One line of the table."""

    id: str
    state: CheckState
    look: StateLook
    area: str
    """The category's id."""
    category: str
    title: str
    found: str
    evidence: str
    order: int
    """Sorts worst first and keeps the list's own order within."""
    search: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A sentence and the command that belongs to it; either may be empty."""

    text: str
    command: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckDetail:
    """Everything about one check."""

    look: StateLook
    title: str
    found: str
    evidence: tuple[str, ...]
    why: str
    remedy: tuple[Step, ...]
    verify: tuple[str, ...]
    verify_title: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StateCount:
    """How many checks came to one state."""

    state: CheckState
    look: StateLook
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecksView:
    """The whole tab."""

    rows: tuple[CheckRow, ...]
    counts: tuple[StateCount, ...]
    categories: tuple[tuple[str, str], ...]
    """Id and title, as they can be chosen."""


def look_of(state: CheckState) -> StateLook:
    """Return how a state is shown."""
    icon, status = _ICONS[state]
    return StateLook(icon=icon, word=translate("Checks", _WORDS[state]), status=status)


def present_checks(report: CheckReport) -> ChecksView:
    """Return rows, counts and categories in the language in force."""
    titles = {category.id: said(category.title) for category in report.categories}
    counts = report.counts
    return ChecksView(
        rows=tuple(
            _row(number, result, titles.get(result.category, result.category))
            for number, result in enumerate(report.results)
        ),
        counts=tuple(_count(state, counts[state]) for state in STATES),
        categories=tuple(titles.items()),
    )


def _count(state: CheckState, number: int) -> StateCount:
    look = look_of(state)
    text = translate("Checks", "{state}: {count}").format(state=look.word, count=number)
    return StateCount(state=state, look=look, text=text)


def _row(number: int, result: CheckResult, category: str) -> CheckRow:
    title, found = said(result.title), said(result.said)
    evidence = "; ".join(result.evidence)
    words = (title, found, evidence, category, result.id)
    return CheckRow(
        id=result.id,
        state=result.state,
        look=look_of(result.state),
        area=result.category,
        category=category,
        title=title,
        found=found,
        evidence=evidence,
        order=SEVERITY[result.state] * 1000 + number,
        search=" ".join(words).lower(),
    )


def present_check(result: CheckResult) -> CheckDetail:
    """Return one check in detail."""
    is_curable = result.state in _CURABLE
    if is_curable:
        verify_title = translate("Checks", "How to see that it is done")
    else:
        verify_title = translate("Checks", "How to read it by hand")
    return CheckDetail(
        look=look_of(result.state),
        title=said(result.title),
        found=said(result.said),
        evidence=result.evidence,
        why=said(result.why),
        remedy=tuple(Step(text=said(s.text), command=s.command) for s in result.remedy),
        verify=result.verify,
        verify_title=verify_title,
        source=result.source,
    )


def check_command(fingerprint: Fingerprint, file: Path | None) -> str:
    """Return the command that does the same: of the shown file, else of the host."""
    target = str(file) if file is not None else fingerprint.host_name or "HOST"
    return f"pitwall check {shlex.quote(target)}"


class ChecksViewModel(ViewModel):
    """Judge the shown fingerprint; make the preparation sheet."""

    changed = Signal()
    """A report came, or went."""
    sheet_saved = Signal(object)
    """The `Path` that was written."""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        self._running: Future[Any] | None = None
        self.fingerprint: Fingerprint | None = None
        self.report: CheckReport | None = None

    def show(self, fingerprint: Fingerprint | None) -> None:
        """Judge another fingerprint; the same one is not judged again."""
        if fingerprint is self.fingerprint:
            return
        if self._running is not None:
            self._running.cancel()
        self.fingerprint, self.report = fingerprint, None
        self.changed.emit()
        if fingerprint is not None:
            self._running = self.run(
                self._app.checks.judge(fingerprint),
                on_result=lambda report: self._on_report(fingerprint, report),
            )

    def result(self, check_id: str) -> CheckResult | None:
        """Return one result."""
        results = self.report.results if self.report is not None else ()
        return next((result for result in results if result.id == check_id), None)

    def sheet(self) -> str:
        """Return the preparation sheet in the window's language; empty without a report."""
        if self.report is None or self.fingerprint is None:
            return ""
        language: Language = "en" if is_english() else "zh_CN"
        return self._app.checks.preparation_sheet(self.report, self.fingerprint, language)

    def save_sheet(self, path: Path) -> None:
        """Write the preparation sheet."""
        self.run(
            self._app.checks.save_sheet(path, self.sheet()),
            on_result=lambda _: self.sheet_saved.emit(path),
        )

    def _on_report(self, fingerprint: Fingerprint, report: CheckReport) -> None:
        if fingerprint is self.fingerprint:
            self.report = report
            self.changed.emit()
