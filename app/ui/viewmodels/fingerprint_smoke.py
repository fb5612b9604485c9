"""The smoke run without widgets: its plan, its progress, its figures in words."""

import shlex
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.core.hardware.fingerprint import Fingerprint
from app.core.ids import HostId
from app.core.smoke.report import (
    FigureState,
    SmokeDevice,
    SmokeFigure,
    SmokeReport,
    SmokeVerdict,
)
from app.core.smoke.spec import SmokeQuantity
from app.services.smoke import SmokePlan, SmokeWish
from app.ui.bridge import CoreBridge
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.viewmodels.base import ViewModel

if TYPE_CHECKING:
    from app.bootstrap import Application

translate = QCoreApplication.translate

ENGINES: Final = ("vllm", "sglang", "tensorrt-llm", "lmdeploy", "tgi", "llamacpp")
"""Engines whose images can be asked, the usual ones first."""

_QUANTITIES: Final = {
    SmokeQuantity.DEVICE_MEMORY: QT_TRANSLATE_NOOP("Smoke", "GPU memory, copy"),
    SmokeQuantity.HOST_TO_DEVICE: QT_TRANSLATE_NOOP("Smoke", "Host to GPU"),
    SmokeQuantity.DEVICE_TO_HOST: QT_TRANSLATE_NOOP("Smoke", "GPU to host"),
    SmokeQuantity.GPU_TO_GPU: QT_TRANSLATE_NOOP("Smoke", "GPU to GPU"),
    SmokeQuantity.ALL_REDUCE: QT_TRANSLATE_NOOP("Smoke", "All-reduce, bus rate"),
    SmokeQuantity.DISK_READ: QT_TRANSLATE_NOOP("Smoke", "Model disk, one reader"),
}
_STATES: Final = {
    FigureState.AS_CLAIMED: (QT_TRANSLATE_NOOP("Smoke", "as claimed"), "circle-check", "ok"),
    FigureState.LOW: (QT_TRANSLATE_NOOP("Smoke", "low"), "alert-triangle", "warn"),
    FigureState.NO_CLAIM: (QT_TRANSLATE_NOOP("Smoke", "measured"), "circle-dot", "unknown"),
    FigureState.FAILED: (QT_TRANSLATE_NOOP("Smoke", "failed"), "circle-x", "error"),
}
_VERDICTS: Final = {
    SmokeVerdict.WORKS: (
        QT_TRANSLATE_NOOP("Smoke", "CUDA works, and memory and links are as fast as claimed."),
        "circle-check",
        "ok",
    ),
    SmokeVerdict.LOW: (
        QT_TRANSLATE_NOOP("Smoke", "CUDA works, but something is slower than claimed."),
        "alert-triangle",
        "warn",
    ),
    SmokeVerdict.FAILS: (
        QT_TRANSLATE_NOOP("Smoke", "CUDA does not work in this image on this host."),
        "circle-x",
        "error",
    ),
    SmokeVerdict.NO_GPU: (
        QT_TRANSLATE_NOOP("Smoke", "No GPU was handed over, so CUDA was not asked."),
        "circle-dot",
        "unknown",
    ),
    SmokeVerdict.UNKNOWN: (
        QT_TRANSLATE_NOOP("Smoke", "Not known: the image could not be asked to the end."),
        "circle-dot",
        "unknown",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeRow:
    """One line of the table."""

    what: str
    gpus: str
    measured: str
    claimed: str
    share: str
    word: str
    icon: str
    status: str
    note: str
    sort: tuple[str, str, float, float, float, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeView:
    """What is shown of a run."""

    word: str = ""
    icon: str = "circle-dot"
    status: str = "unknown"
    detail: str = ""
    rows: tuple[SmokeRow, ...] = ()
    errors: str = ""


def present_smoke(report: SmokeReport) -> SmokeView:
    """Put a report into words."""
    word, icon, status = _VERDICTS[report.verdict]
    devices = [_device(device) for device in report.devices]
    return SmokeView(
        word=translate("Smoke", word),
        icon=icon,
        status=status,
        detail=_detail(report),
        rows=(*devices, *(_figure(figure) for figure in report.figures)),
        errors="\n".join(report.errors),
    )


def _detail(report: SmokeReport) -> str:
    parts = [report.image]
    if report.torch:
        parts.append(f"torch {report.torch}")
    parts.append(translate("Smoke", "{seconds} s").format(seconds=round(report.duration_s)))
    return " · ".join(parts)


def _device(device: SmokeDevice) -> SmokeRow:
    works = device.computes is not False and not device.error
    word, icon, status = (
        (translate("Smoke", "computes"), "circle-check", "ok")
        if works
        else (translate("Smoke", "fails"), "circle-x", "error")
    )
    if works and device.computes is None:
        word, icon, status = translate("Smoke", "listed"), "circle-dot", "unknown"
    name = device.name or "?"
    total = f"{device.total_bytes / 2**30:,.2f} GiB" if device.total_bytes else ""
    gpu = str(device.index if device.gpu is None else device.gpu)
    return SmokeRow(
        what=name,
        gpus=gpu,
        measured="",
        claimed="",
        share="",
        word=word,
        icon=icon,
        status=status,
        note=device.error or total,
        sort=(name, gpu, -1.0, -1.0, -1.0, word),
    )


def _figure(figure: SmokeFigure) -> SmokeRow:
    word, icon, status = _STATES[figure.state]
    what = translate("Smoke", _QUANTITIES[figure.quantity])
    gpus = "–".join(map(str, figure.gpus))
    claim, share = figure.claim, figure.share
    note = figure.error.strip().splitlines()[-1] if figure.error.strip() else ""
    return SmokeRow(
        what=what,
        gpus=gpus,
        measured=_rate(figure.gbps),
        claimed=_rate(claim.gbps if claim else None),
        share="" if share is None else f"{share:.0%}",
        word=translate("Smoke", word),
        icon=icon,
        status=status,
        note=note or (claim.source if claim else ""),
        sort=(what, gpus, figure.gbps or -1, claim.gbps if claim else -1, share or -1, word),
    )


def _rate(gbps: float | None) -> str:
    return "" if gbps is None else f"{gbps:,.1f}"


def smoke_command(host: str, wish: SmokeWish) -> str:
    """Return the same as a command line."""
    words = ["pitwall", "smoke", host, "--engine", wish.engine]
    words += ["--image", wish.image] if wish.image else []
    words += ["--disk", wish.folder] if wish.folder else []
    return shlex.join(words)


class SmokeViewModel(ViewModel):
    """Plans and runs for the host of a fingerprint."""

    planned = Signal(object)
    """A `SmokePlan`, or ``None`` when there is nothing to plan for."""
    reported = Signal(object)
    """A `SmokeReport`."""
    refused = Signal(object)
    """An `ErrorInfo`: the plan or the run could not be made."""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        self._host: HostId | None = None
        self._plan: SmokePlan | None = None
        self._planning: Future[Any] | None = None
        self._running: Future[Any] | None = None

    @property
    def is_running(self) -> bool:
        """True while a container measures."""
        return self._running is not None

    @property
    def host_name(self) -> str:
        """Name of the host, for the command."""
        return self._plan.host_name if self._plan is not None else ""

    def show(self, fingerprint: Fingerprint | None) -> None:
        """Follow the page's host; a record, or a file from another desk, has nothing to run on."""
        host = fingerprint.host_id if fingerprint is not None else None
        known = {h.settings.id for h in self._app.hosts.snapshot() if not h.is_record}
        self._host = HostId(host) if host in known else None

    def plan(self, wish: SmokeWish) -> None:
        """Say what would be run; the last wish counts."""
        if self._planning is not None:
            self._planning.cancel()
        if self._host is None:
            self._set_plan(None)
            return
        self._planning = self.run(
            self._app.smoke.plan(self._host, wish),
            on_result=self._set_plan,
            on_error=self._refuse_plan,
        )

    def start(self) -> None:
        """Run what was planned."""
        if self._plan is not None and self._running is None:
            self._running = self.run(
                self._app.smoke.run(self._plan),
                on_result=self._report,
                on_error=self._refuse_run,
                on_cancel=self._end,
            )

    def stop(self) -> bool:
        """Cancel the run; the container is removed."""
        if self._running is None:
            return False
        self._running.cancel()
        return True

    def _set_plan(self, plan: SmokePlan | None) -> None:
        self._plan = plan
        self.planned.emit(plan)

    def _refuse_plan(self, error: object) -> None:
        self._set_plan(None)
        self.refused.emit(error)

    def _report(self, report: SmokeReport) -> None:
        self._running = None
        self.reported.emit(report)

    def _refuse_run(self, error: object) -> None:
        self._running = None
        self.refused.emit(error)

    def _end(self) -> None:
        self._running = None
        self.planned.emit(self._plan)
