"""The plan wizard without widgets: model, goal, constraints, plans, profile, deployment.

Every change plans anew by itself: shortly after the last one, and a newer question supersedes
the one that still runs. Going back keeps every answer.
"""

from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QObject, QTimer, Slot

from app.core.deployment.spec import ContainerSpec
from app.core.engines.mounts import deployment_slug
from app.core.events import DeploymentChanged, FingerprintTaken, HostSnapshot, HostState
from app.core.hardware.fingerprint import Fingerprint
from app.core.ids import HostId
from app.core.models.architecture import ModelInfo
from app.core.models.lora import LoraAdapter
from app.core.planning.plan import GoalKind, Plan
from app.ui.bridge import CoreBridge
from app.ui.viewmodels.plan_adapters import AdapterSearch
from app.ui.viewmodels.plan_command import named
from app.ui.viewmodels.plan_deploying import PlanDeploying
from app.ui.viewmodels.plan_flags import with_flag
from app.ui.viewmodels.plan_inputs import PlanInputs, name_error, read_inputs, with_text
from app.ui.viewmodels.plan_model_search import ModelSearch
from app.ui.viewmodels.plan_state import PlanState, Step
from app.ui.viewmodels.plan_store import PlanStore
from app.ui.viewmodels.plan_work import Planned, make_plans, next_revision

if TYPE_CHECKING:
    from app.bootstrap import Application

DEBOUNCE_MS: Final = 120


class PlanViewModel(PlanStore):
    """Hold the answers, ask the services, say what came of it."""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(app, bridge, parent)
        self._models = ModelSearch(self, self._on_model)
        self._adapters = AdapterSearch(self, self._on_adapters)
        self._deploying = PlanDeploying(self)
        self._planning: Future[Any] | None = None
        self._name_is_own = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DEBOUNCE_MS)
        self._timer.timeout.connect(self._plan_now)
        bridge.event_arrived.connect(self._on_event)

    # Host

    def show_host(self, host: HostSnapshot | None) -> None:
        """Plan for a host; another one begins anew but keeps goal and constraints."""
        if host is None:
            self.put(PlanState(inputs=_without_host(self._state.inputs)))
            return
        connected = host.is_record or host.state is HostState.CONNECTED
        if host.settings.id == self._state.host_id:
            if connected != self._state.is_connected or host.settings.name != self._state.host_name:
                self.change(is_connected=connected, host_name=host.settings.name)
            return
        self.stop()
        self._name_is_own = False
        self.put(
            PlanState(
                host_id=host.settings.id,
                host_name=host.settings.name,
                is_connected=connected,
                folder=host.settings.model_folder or "",
                inputs=_without_host(self._state.inputs),
            )
        )
        self._load_fingerprint()

    def stop(self) -> bool:
        """Cancel what runs; True when there was something."""
        was_busy = self.is_busy or self._timer.isActive()
        self._timer.stop()
        self.cancel_all()
        if was_busy:
            self.change(is_finding=False, is_reading=False, is_planning=False, is_preparing=False,
                        is_checking=False, is_reading_adapter=False)  # fmt: skip
        return was_busy

    # Model

    def find_models(self, folder: str) -> None:
        """Look for models below a folder of the host."""
        self._models.find(folder)

    def choose_model(self, path: str) -> None:
        """Read a model folder or file on the host, headers only."""
        self._models.choose(path)

    def measure_disk(self) -> None:
        """Read a piece of the chosen model's weights to tell how long it loads."""
        self._models.measure_disk()

    # Goal and constraints

    def choose_goal(self, kind: GoalKind | str) -> None:
        """Say what matters most."""
        self._set_inputs(replace(self._state.inputs, kind=GoalKind(kind)))

    def set_input(self, name: str, text: str) -> None:
        """Take a text as typed: ``ttft itl concurrency context output memory port own_flags``."""
        inputs, plan = self._state.inputs, self._state.plan
        if name == "own_flags" and not inputs.own_flags.strip():
            # The engine in force when they are begun is the one that they are judged for.
            self.change(flags_engine="" if plan is None else plan.engine, flag_report=None)
        self._set_inputs(with_text(inputs, name, text))

    def add_adapter(self, text: str) -> None:
        """Read a LoRA adapter on the host, ``[NAME=]FOLDER``, and plan with it."""
        self._adapters.add(text)

    def remove_adapter(self, name: str) -> None:
        """Plan without an adapter again."""
        self._adapters.remove(name)

    def forget_adapter_error(self) -> None:
        """Take the error of the last adapter away."""
        self._adapters.forget_error()

    def replace_flag(self, flag: str, suggestion: str) -> None:
        """Write another flag in a flag's place, where one was proposed."""
        self.set_input("own_flags", with_flag(self._state.inputs.own_flags, flag, suggestion))

    def choose_answers(
        self, *, structured: bool | None = None, for_others: bool | None = None
    ) -> None:
        """Say what the answers are for; ``None`` leaves a choice as it is."""
        inputs = self._state.inputs
        self._set_inputs(
            replace(
                inputs,
                structured=inputs.structured if structured is None else structured,
                for_others=inputs.for_others if for_others is None else for_others,
            )
        )

    def choose_gpus(self, uuids: tuple[str, ...]) -> None:
        """Plan on these GPUs only; none means any."""
        self._set_inputs(replace(self._state.inputs, gpu_uuids=tuple(uuids), cpu_only=False))

    def choose_cpu(self, *, only: bool) -> None:
        """Leave the host's GPUs alone, or use them again."""
        self._set_inputs(replace(self._state.inputs, cpu_only=only))

    def choose_engine(self, engine: str | None) -> None:
        """Ask for one engine only; ``None`` means any."""
        self._set_inputs(replace(self._state.inputs, engine=engine))

    def choose_plan(self, engine: str) -> None:
        """Go on with another one of the ranked plans."""
        result = self._state.result
        for plan in () if result is None else result.ranked:
            if plan.engine == engine:
                self.change(
                    plan=plan,
                    spec=None,
                    docker_run=self._docker_run(plan),
                    flags_engine=engine,
                )
                if self._state.inputs.own_flags.strip():
                    self.replan()

    def replan(self) -> None:
        """Ask again, for example after a new fingerprint."""
        if self._state.model is not None and self._state.host_id is not None:
            self._timer.start()
            self.change(is_planning=True)

    # Steps

    def can_go(self, step: int) -> bool:
        """True when a step can be opened."""
        return self._state.can_go(Step(step))

    def go_to_step(self, step: int) -> None:
        """Open a step, if it can be opened."""
        wanted = Step(min(max(step, Step.MODEL), Step.CONTAINER))
        if self._state.can_go(wanted):
            self.change(step=wanted)

    # Profile and deployment

    def set_name(self, name: str) -> None:
        """Name the profile and the deployment."""
        self._name_is_own = True
        errors = dict(self._state.field_errors)
        errors.pop("name", None)
        wrong = name_error(name)
        if wrong:
            errors["name"] = wrong
        self.change(name=name, field_errors=errors, spec=None)
        if not wrong:
            self._name_command()

    def save_profile(self, path: Path | None = None) -> None:
        """Save the chosen plan as a profile: to ``path``, or among the user's own."""
        self._deploying.save_profile(path)

    def list_profiles(self) -> None:
        """Read the saved and the shipped profiles."""
        self._deploying.list_profiles()

    def prepare_deploy(self) -> None:
        """Resolve the plan against the host: exactly what would be created."""
        self._deploying.prepare()

    def prepare_profile(self, path: Path, model_path: str) -> None:
        """Resolve a profile against the host: exactly what would be created."""
        self._deploying.prepare_profile(path, model_path)

    def drop_prepared(self) -> None:
        """Forget what was prepared and not deployed."""
        if self._state.spec is not None:
            self.change(spec=None)

    def deploy(self, name: str | None = None) -> None:
        """Deploy what was prepared; prepares first where that was not done."""
        if name is not None and name != self._state.name:
            self.set_name(name)
        self._deploying.deploy()

    def dispose(self) -> None:
        """Cancel what runs and ignore whatever still arrives."""
        self._deploying.end()
        super().dispose()

    # Inside

    def _set_inputs(self, inputs: PlanInputs) -> None:
        if inputs == self._state.inputs:
            return
        _, errors = read_inputs(inputs)
        wrong_name = self._state.field_errors.get("name")
        if wrong_name:
            errors = {**errors, "name": wrong_name}
        self.change(inputs=inputs, field_errors=errors, spec=None)
        if not set(errors) - {"name"}:
            self.replan()

    def _on_adapters(self, adapters: tuple[LoraAdapter, ...]) -> None:
        self._set_inputs(replace(self._state.inputs, adapters=adapters))

    def _load_fingerprint(self) -> None:
        host_id = self._state.host_id
        if host_id is not None:
            self.run(
                self.app.hosts.fingerprint(host_id),
                on_result=lambda found: self._on_fingerprint(host_id, found),
            )

    def _on_fingerprint(self, host_id: HostId, found: Fingerprint | None) -> None:
        if host_id == self._state.host_id:
            self.change(fingerprint=found)

    def _on_model(self, model: ModelInfo) -> None:
        name = self._state.name if self._name_is_own else deployment_slug(model)
        self.change(model=model, is_reading=False, name=name, result=None, plan=None, spec=None)
        self.replan()

    @Slot()
    def _plan_now(self) -> None:
        state = self._state
        if state.model is None or state.host_id is None:
            return
        goal, _ = read_inputs(state.inputs)
        if self._planning is not None:
            self._planning.cancel()
        self.change(is_planning=True)
        self._planning = self.run(
            make_plans(self.app, state.host_id, state.model, goal, state.flags_engine),
            on_result=self._on_planned,
            on_error=lambda error: self.change(
                is_planning=False, plan_error=error, result=None, plan=None, docker_run=""
            ),
        )

    def _on_planned(self, planned: Planned) -> None:
        if self._timer.isActive():
            return  # a newer question waits already
        before = self._state.plan.engine if self._state.plan else None
        ranked = planned.result.ranked
        same = next((plan for plan in ranked if plan.engine == before), None)
        plan = same or (ranked[0] if ranked else None)
        self.change(
            fingerprint=planned.fingerprint,
            result=planned.result,
            plan=plan,
            engines=planned.engines,
            flag_report=planned.flag_report,
            docker_run="" if plan is None else self._docker_run(plan),
            is_planning=False,
            plan_error=None,
            spec=None,
        )

    def compose_text(self) -> str:
        """Return the chosen plan's container as a compose file; empty without a plan."""
        plan = self._state.plan
        return "" if plan is None else self.app.planning.compose_text(self._container(plan))

    def _docker_run(self, plan: Plan) -> str:
        return self.app.planning.docker_run_text(self._container(plan))

    def _container(self, plan: Plan) -> ContainerSpec:
        """Return the container as it will be: under the name that was typed."""
        state = self._state
        if state.host_id is None or not state.name or "name" in state.field_errors:
            return plan.container
        known = self.app.deployments.snapshot(state.host_id)
        return named(plan.container, state.name, next_revision(known, state.name))

    def _name_command(self) -> None:
        if self._state.plan is not None:
            text = self._docker_run(self._state.plan)
            if text != self._state.docker_run:
                self.change(docker_run=text)

    @Slot(object)
    def _on_event(self, event: object) -> None:
        if isinstance(event, FingerprintTaken) and event.host_id == self._state.host_id:
            self._load_fingerprint()
            if self._state.result is not None:
                self.replan()
        elif isinstance(event, DeploymentChanged) and event.snapshot.host_id == self._state.host_id:
            # A deployment of this name that came or went changes the revision.
            self._name_command()


def _without_host(inputs: PlanInputs) -> PlanInputs:
    return replace(inputs, gpu_uuids=(), cpu_only=False, adapters=())
