"""Predicted beside actual for the chosen deployment: rows, and a sentence that sums them up."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.core.actuals.compare import Comparison
from app.core.actuals.record import StartRecord
from app.core.actuals.verdict import Verdict
from app.core.events import DeploymentSnapshot
from app.core.units import format_gib, format_signed
from app.ui.bridge import CoreBridge
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.viewmodels.base import ViewModel
from app.ui.viewmodels.said import said

if TYPE_CHECKING:
    from app.bootstrap import Application

translate = QCoreApplication.translate

_QUANTITIES: Final[Mapping[str, str]] = {
    "weights_bytes_per_gpu": QT_TRANSLATE_NOOP("Deployments", "Weights"),
    "activation_bytes": QT_TRANSLATE_NOOP("Deployments", "Activations"),
    "cuda_graph_bytes": QT_TRANSLATE_NOOP("Deployments", "CUDA graphs"),
    "non_torch_bytes": QT_TRANSLATE_NOOP("Deployments", "Other"),
    "kv_cache_bytes_per_gpu": QT_TRANSLATE_NOOP("Deployments", "KV cache"),
    "kv_tokens": QT_TRANSLATE_NOOP("Deployments", "KV cache, tokens"),
    "usable_bytes_per_gpu": QT_TRANSLATE_NOOP("Deployments", "Usable"),
    "total_bytes_per_gpu": QT_TRANSLATE_NOOP("Deployments", "Total"),
}
_CHOICES: Final[Mapping[str, str]] = {
    "attention_backend": QT_TRANSLATE_NOOP("Deployments", "Attention"),
    "dtype": QT_TRANSLATE_NOOP("Deployments", "dtype"),
    "kv_dtype": QT_TRANSLATE_NOOP("Deployments", "KV dtype"),
    "quantization": QT_TRANSLATE_NOOP("Deployments", "Quantization"),
    "quantization_kernel": QT_TRANSLATE_NOOP("Deployments", "Kernel"),
    "moe_backend": QT_TRANSLATE_NOOP("Deployments", "Experts"),
    "flash_attention": QT_TRANSLATE_NOOP("Deployments", "Flash attention"),
    "prefix_caching": QT_TRANSLATE_NOOP("Deployments", "Prefix caching"),
}
_VERDICTS: Final[Mapping[Verdict, tuple[str, str, str]]] = {
    Verdict.INSIDE: (
        "circle-check",
        QT_TRANSLATE_NOOP("Deployments", "inside its band"),
        "ok",
    ),
    Verdict.OUTSIDE: (
        "alert-triangle",
        QT_TRANSLATE_NOOP("Deployments", "outside its band"),
        "warn",
    ),
    Verdict.NO_BAND: ("question-mark", QT_TRANSLATE_NOOP("Deployments", "no band"), "unknown"),
    Verdict.NOT_SAID: (
        "question-mark",
        QT_TRANSLATE_NOOP("Deployments", "not reported"),
        "unknown",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ActualRow:
    """One quantity, side by side."""

    name: str
    predicted: str
    band: str
    actual: str
    difference: str
    icon: str
    verdict: str
    status: str
    why: str
    """Why it may lie outside its band; empty otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActualsView:
    """The last start of the chosen deployment."""

    ref: str
    rows: tuple[ActualRow, ...]
    summary: str
    """One sentence: how many quantities lie outside their band."""
    status: str
    notes: tuple[str, ...]
    """What the engine chose, and what the prediction rests on."""


class ActualsViewModel(ViewModel):
    """Follow the chosen deployment's last start."""

    changed = Signal(object)
    """An `ActualsView`, or ``None`` when nothing is known of a start."""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        self._looked: tuple[object, ...] | None = None
        self.view: ActualsView | None = None

    def follow(self, snapshot: DeploymentSnapshot | None) -> None:
        """Look once for each start of the deployment that is chosen."""
        key = None
        if snapshot is not None:
            revision, state = snapshot.deployment_revision, snapshot.state
            key = (snapshot.ref, revision, snapshot.started_at, state)
        if key == self._looked:
            return
        self._looked = key
        if snapshot is None:
            self._show(None)
            return
        self.run(
            self._read(snapshot), lambda view: self._show(view) if self._looked == key else None
        )

    async def _read(self, snapshot: DeploymentSnapshot) -> ActualsView | None:
        actuals = self._app.actuals
        revision = snapshot.deployment_revision
        record = await actuals.of(snapshot.host_id, snapshot.name, revision)
        if record is None:
            return None
        return present_actuals(snapshot.ref, record, actuals.comparisons(record))

    def _show(self, view: ActualsView | None) -> None:
        if view != self.view:
            self.view = view
            self.changed.emit(view)


def present_actuals(
    ref: str, record: StartRecord, compared: tuple[Comparison, ...]
) -> ActualsView | None:
    """Return a start in the language in force; ``None`` when nothing was predicted."""
    if not compared:
        return None
    outside = sum(row.verdict is Verdict.OUTSIDE for row in compared)
    said_of = sum(row.actual is not None for row in compared)
    if outside:
        summary = translate("Deployments", "Outside their band: {count} of {all}")
    elif said_of:
        summary = translate("Deployments", "As predicted: {all} of {all}")
    else:
        summary = translate("Deployments", "The engine reported nothing to compare")
    return ActualsView(
        ref=ref,
        rows=tuple(_row(row) for row in compared),
        summary=summary.format(count=outside, all=said_of),
        status="warn" if outside else "ok" if said_of else "unknown",
        notes=tuple(_notes(record, compared)),
    )


def _row(row: Comparison) -> ActualRow:
    icon, word, status = _VERDICTS[row.verdict]
    band = ""
    if row.low is not None and row.high is not None:
        text = translate("Deployments", "band: {low} – {high}")
        band = text.format(low=_amount(row, row.low), high=_amount(row, row.high))
    return ActualRow(
        name=translate("Deployments", _QUANTITIES[row.quantity]),
        predicted=_amount(row, row.predicted),
        band=band,
        actual="–" if row.actual is None else _amount(row, row.actual),
        difference=_difference(row),
        icon=icon,
        verdict=translate("Deployments", word),
        status=status,
        why="" if row.why is None else said(row.why),
    )


def _difference(row: Comparison) -> str:
    if row.difference is None:
        return "–"
    amount = format_signed(row.difference, _amount(row, abs(row.difference)))
    if row.relative is None:
        return amount
    return f"{amount} ({format_signed(row.relative, f'{abs(row.relative):.1%}')})"


def _amount(row: Comparison, value: float) -> str:
    return f"{value:,.0f}" if row.unit == "tokens" else format_gib(value, digits=2)


def _notes(record: StartRecord, compared: tuple[Comparison, ...]) -> list[str]:
    notes = []
    if record.simulated:
        notes.append(translate("Deployments", "Simulated: nothing is learned from this start."))
    if any(row.corrected for row in compared):
        notes.append(
            translate("Deployments", "The prediction holds what earlier starts here taught.")
        )
    chosen = [
        f"{translate('Deployments', _CHOICES[name])} {value}"
        for name, value in record.chosen.items()
        if name in _CHOICES
    ]
    if chosen:
        text = translate("Deployments", "The engine chose: {list}")
        notes.append(text.format(list=", ".join(chosen)))
    return notes
