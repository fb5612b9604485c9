"""Findings of the chosen deployment, and the changed plan that one of them proposes."""

import difflib
import shlex
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.core.deployment.spec import ContainerSpec
from app.core.deployment.state import UP
from app.core.diagnosis.finding import Diagnosis, Finding
from app.core.errors import ErrorCode, ErrorInfo
from app.core.events import DeploymentSnapshot, DeploymentState
from app.core.planning.changes import ChangedPlan, ChangedValue
from app.core.slow.alerts import Alert
from app.core.units import format_gib
from app.ui.bridge import CoreBridge
from app.ui.viewmodels.base import ViewModel, error_info
from app.ui.viewmodels.findings import FindingsPanel, present_findings, worth_showing
from app.ui.viewmodels.slow import alerts_panel

if TYPE_CHECKING:
    from app.bootstrap import Application

translate = QCoreApplication.translate

S = DeploymentState
FAILED: Final = frozenset({S.FAILED, S.CRASH_LOOPING, S.DEGRADED})


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueRow:
    """One value of the plan, before and after."""

    parameter: str
    """As the finding names it; the key of a value that somebody writes."""
    label: str
    old: str
    new: str
    note: str
    editable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeView:
    """A changed plan as the dialog shows it."""

    title: str
    note: str
    """What happens to the one that runs."""
    rows: tuple[ValueRow, ...] = ()
    diff: str = ""
    """The container's words, lines with ``-`` go and with ``+`` come."""
    memory: str = ""
    simulated: bool = False
    can_deploy: bool = False
    error: ErrorInfo | None = None


def panel_of(
    snapshot: DeploymentSnapshot, live: Diagnosis | None, alerts: Sequence[Alert] = ()
) -> FindingsPanel | None:
    """Return what is shown above the log; ``None`` where there is nothing to explain.

    Args:
        snapshot: The chosen deployment.
        live: What the log that is being followed says so far.
        alerts: Trouble of a deployment that serves; a failure has the word before it.
    """
    failed = snapshot.state in FAILED
    diagnosis = live if snapshot.diagnosis is None else snapshot.diagnosis
    if snapshot.state is S.STOPPED:
        return None
    if not worth_showing(diagnosis, failed=failed):
        return alerts_panel(alerts, snapshot.ref)
    assert diagnosis is not None  # noqa: S101 - worth_showing says so
    return present_findings(
        diagnosis, command=f"pitwall diagnose {shlex.quote(snapshot.ref)}", can_apply=True
    )


def present_change(snapshot: DeploymentSnapshot, plan: ChangedPlan) -> ChangeView:
    """Return a changed plan for the dialog."""
    rows, new = tuple(_row(value) for value in plan.values), plan.new
    if new is None:
        return ChangeView(title=_title(snapshot), note="", rows=rows, error=plan.error)
    title = translate("Deployments", "Deploy revision {revision} of {name} with a changed plan?")
    usable = any(not value.reason for value in plan.values)
    return ChangeView(
        title=title.format(revision=new.revision, name=snapshot.ref),
        note=_note(snapshot),
        rows=rows,
        diff=container_diff(plan.old.container, new.container),
        memory=_memory(plan.old.estimate_bytes_per_gpu, new.estimate_bytes_per_gpu),
        simulated=new.simulated,
        can_deploy=usable and new.plan_digest != plan.old.plan_digest,
    )


def _title(snapshot: DeploymentSnapshot) -> str:
    return translate("Deployments", "Changed plan of {name}").format(name=snapshot.ref)


def _note(snapshot: DeploymentSnapshot) -> str:
    if snapshot.state in UP:
        return translate(
            "Deployments",
            "What runs now is stopped first: requests that run are cut off. Its container stays, "
            "and the API key is the same.",
        )
    return translate(
        "Deployments",
        "The container of this revision stays stopped on the host; the API key is the same.",
    )


def _row(value: ChangedValue) -> ValueRow:
    notes = {
        "unknown": translate("Deployments", "this engine version has no such setting"),
        "needs_value": translate("Deployments", "which value is for you to say"),
    }
    note = notes.get(value.reason, "")
    if value.proposed:
        note = translate(
            "Deployments", "a first step in the right direction; change it as you like"
        )
    engine_default = translate("Deployments", "not set")
    return ValueRow(
        parameter=value.parameter,
        label=value.flag or value.parameter,
        old=engine_default if value.old is None else value.old,
        new=(value.new or "") if value.reason != "unknown" else "",
        note=note,
        editable=value.reason != "unknown" and value.new != value.flag,
    )


def _memory(old: int | None, new: int | None) -> str:
    if new is None:
        return translate("Deployments", "Expected memory: not known for this engine")
    if old is None or old == new:
        text = translate("Deployments", "Expected memory: {new}")
        return text.format(new=format_gib(new))
    text = translate("Deployments", "Expected memory: {old} → {new}")
    return text.format(old=format_gib(old), new=format_gib(new))


def container_diff(old: ContainerSpec, new: ContainerSpec) -> str:
    """Return what changes in the container's words, with the lines around it."""
    lines = list(difflib.unified_diff(_words(old), _words(new), lineterm="", n=2))
    # The first two lines name files; a flag that goes away looks like them.
    return "\n".join(line for line in lines[2:] if not line.startswith("@@"))


def _words(container: ContainerSpec) -> list[str]:
    """One line per flag with its value, then what stands around the command."""
    lines: list[str] = []
    for word in container.command:
        is_value = bool(lines) and lines[-1].startswith("-") and " " not in lines[-1]
        if is_value and not word.startswith("--"):
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines.append(word)
    lines += [f"{name}={value}" for name, value in sorted(container.environment.items())]
    lines += [f"gpu {uuid}" for uuid in container.gpu_uuids]
    lines.append(f"image {container.image}")
    lines.append(f"port {container.host_port or 'auto'}")
    for name in ("shm_size_bytes", "memory_limit_bytes"):
        size = getattr(container, name)
        if size is not None:
            lines.append(f"{name} {size}")
    return lines


class ChangeViewModel(ViewModel):
    """Prepare a changed plan, change it further, deploy it."""

    changed = Signal(object)
    """The new `ChangeView`."""
    deploying = Signal()

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        self._snapshot: DeploymentSnapshot | None = None
        self._finding: Finding | None = None
        self._plan: ChangedPlan | None = None
        self._chosen: dict[str, str] = {}
        self._asking: Future[Any] | None = None
        self.view = ChangeView(title="", note="")

    def prepare(self, snapshot: DeploymentSnapshot, cause: str) -> bool:
        """Work out the change that a finding proposes; False when it proposes none."""
        found = next((f for f in snapshot.findings if f.cause == cause and f.change), None)
        return found is not None and self.prepare_finding(snapshot, found)

    def prepare_finding(self, snapshot: DeploymentSnapshot, finding: Finding) -> bool:
        """Work out the change of a finding that may not be the snapshot's own."""
        if finding.change is None:
            return False
        self._snapshot, self._finding = snapshot, finding
        self._chosen = {}
        self._ask()
        return True

    def choose(self, values: Mapping[str, str]) -> None:
        """Take values that somebody wrote instead of the proposed ones."""
        written = {name: text.strip() for name, text in values.items() if text.strip()}
        if written != self._chosen:
            self._chosen = written
            self._ask()

    def deploy(self) -> None:
        """Deploy it; how it goes is seen in the list, also when this window closes."""
        if self._plan is None or self._snapshot is None or not self.view.can_deploy:
            return
        self.bridge.call(
            self._app.diagnosis.apply(self._snapshot.ref, self._plan), self._on_deployed
        )
        self.deploying.emit()

    def _ask(self) -> None:
        snapshot, finding = self._snapshot, self._finding
        if snapshot is None or finding is None or finding.change is None:
            return
        if self._asking is not None:
            self._asking.cancel()
        self._plan = None
        self._asking = self.run(
            self._app.diagnosis.changed_plan(
                snapshot.host_id, snapshot.name, finding.change, chosen=self._chosen
            ),
            on_result=self._on_plan,
            on_error=self._on_error,
        )

    def _on_plan(self, plan: ChangedPlan | None) -> None:
        snapshot = self._snapshot
        if snapshot is None:
            return
        if plan is None:
            self._on_error(
                ErrorInfo(
                    code=ErrorCode.NOT_FOUND,
                    params={"value": snapshot.ref},
                    cause=f"{snapshot.ref} was deployed from another computer: its plan is not "
                    "known here.",
                    remedy="Make the change in a new plan, or on the computer that deployed it.",
                )
            )
            return
        self._plan = plan
        self._show(present_change(snapshot, plan))

    def _on_error(self, error: ErrorInfo) -> None:
        snapshot = self._snapshot
        if snapshot is not None:
            rows = self.view.rows if self._chosen else ()
            self._show(ChangeView(title=_title(snapshot), note="", rows=rows, error=error))

    def _show(self, view: ChangeView) -> None:
        self.view = view
        self.changed.emit(view)

    def _on_deployed(self, future: "Future[Any]") -> None:
        """A start that fails shows in the list with its own finding; the rest is told."""
        if self._disposed or future.cancelled():
            return
        failure = future.exception()
        if failure is None:
            return
        error = error_info(failure)
        is_shown = any(
            known.error is not None and known.error.code is error.code
            for known in self._app.deployments.snapshot()
        )
        if error.code is not ErrorCode.CANCELLED and not is_shown:
            self.failed.emit(error)
