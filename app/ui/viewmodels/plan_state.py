"""What the wizard knows at one moment: frozen, complete, with what may be done next."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from types import MappingProxyType

from PySide6.QtCore import QCoreApplication

from app.core.deployment.spec import DeploymentSpec
from app.core.engines.spec import EngineData
from app.core.errors import ErrorInfo
from app.core.hardware.fingerprint import Fingerprint
from app.core.ids import HostId
from app.core.models.architecture import ModelInfo
from app.core.models.folders import ModelCandidate
from app.core.models.preflight import ModelPreflight
from app.core.planning.plan import Plan, PlanResult
from app.ui.viewmodels.plan_flags import FlagReport
from app.ui.viewmodels.plan_inputs import PlanInputs
from app.ui.viewmodels.plan_texts import engine_name, goal_title

translate = QCoreApplication.translate


class Step(IntEnum):
    """The wizard's steps, in order."""

    MODEL = 0
    GOAL = 1
    LIMITS = 2
    ENGINE = 3
    CONTAINER = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanState:
    """Everything the page shows."""

    step: Step = Step.MODEL
    host_id: HostId | None = None
    host_name: str = ""
    is_connected: bool = False
    fingerprint: Fingerprint | None = None
    folder: str = ""
    candidates: tuple[ModelCandidate, ...] | None = None
    """``None``: nobody looked yet."""
    is_finding: bool = False
    find_error: ErrorInfo | None = None
    model_path: str = ""
    model: ModelInfo | None = None
    is_reading: bool = False
    model_error: ErrorInfo | None = None
    preflight: ModelPreflight | None = None
    """Whether the chosen model is whole; ``None`` while nobody looked."""
    is_checking: bool = False
    inputs: PlanInputs = field(default_factory=PlanInputs)
    adapter_error: ErrorInfo | None = None
    """Why the last adapter could not be added."""
    is_reading_adapter: bool = False
    flags_engine: str = ""
    """The engine that the user's own flags are meant for; empty: whichever is planned."""
    flag_report: FlagReport | None = None
    """``None`` while there are no flags, or nothing was planned with them yet."""
    field_errors: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    result: PlanResult | None = None
    plan: Plan | None = None
    is_planning: bool = False
    plan_error: ErrorInfo | None = None
    docker_run: str = ""
    engines: Mapping[str, EngineData] = field(default_factory=lambda: MappingProxyType({}))
    name: str = ""
    saved_path: Path | None = None
    spec: DeploymentSpec | None = None
    is_preparing: bool = False

    @property
    def is_simulated(self) -> bool:
        """True when the host is not real hardware."""
        return self.fingerprint is not None and self.fingerprint.simulated

    def can_go(self, step: Step) -> bool:
        """True when a step can be opened with what is known."""
        match step:
            case Step.MODEL:
                return True
            case Step.CONTAINER:
                return self.plan is not None
            case _:
                return self.model is not None

    @property
    def can_deploy(self) -> bool:
        """True when the plan can be put on the host now."""
        return (
            self.plan is not None
            and self.is_connected
            and not self.is_reading
            and not self.is_planning
            and not self.is_preparing
            and not self.field_errors
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StepView:
    """One step in the bar on top."""

    title: str
    answer: str
    enabled: bool
    current: bool
    done: bool


def present_steps(state: PlanState) -> tuple[StepView, ...]:
    """Return the steps with their answers so far."""
    titles = {
        Step.MODEL: translate("Plan", "Model"),
        Step.GOAL: translate("Plan", "Goal"),
        Step.LIMITS: translate("Plan", "Constraints"),
        Step.ENGINE: translate("Plan", "Engine and values"),
        Step.CONTAINER: translate("Plan", "Container"),
    }
    answers = _answers(state)
    return tuple(
        StepView(
            title=title,
            answer=answers[step],
            enabled=state.can_go(step),
            current=step is state.step,
            done=step < state.step and bool(answers[step]),
        )
        for step, title in titles.items()
    )


def _answers(state: PlanState) -> dict[Step, str]:
    if state.model is None:
        return dict.fromkeys(Step, "")
    plan = state.plan
    engine = "" if plan is None else f"{engine_name(plan.engine, state.engines)} {plan.version}"
    return {
        Step.MODEL: state.model.name,
        Step.GOAL: goal_title(state.inputs.kind),
        Step.LIMITS: _limits_answer(state),
        Step.ENGINE: engine,
        Step.CONTAINER: state.name if plan is not None else "",
    }


def _limits_answer(state: PlanState) -> str:
    inputs = state.inputs
    parts = []
    if inputs.cpu_only:
        parts.append(translate("Plan", "CPU only"))
    elif inputs.gpu_uuids:
        parts.append(translate("Plan", "GPUs chosen: {count}").format(count=len(inputs.gpu_uuids)))
    if inputs.engine is not None:
        name = engine_name(inputs.engine, state.engines)
        parts.append(translate("Plan", "only {engine}").format(engine=name))
    if inputs.adapters:
        count = len(inputs.adapters)
        parts.append(translate("Plan", "adapters: {count}").format(count=count))
    if inputs.own_flags.strip():
        parts.append(translate("Plan", "own flags"))
    if inputs.port:
        parts.append(translate("Plan", "port {port}").format(port=inputs.port))
    return " · ".join(parts) or translate("Plan", "none")
