"""The plan wizard without widgets: model, goal, constraints, plans, profile, deployment.

Every change plans anew by itself: shortly after the last one, and a newer question supersedes
the one that still runs. Going back keeps every answer.
"""

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.deployment.spec import ContainerSpec, DeploymentSpec
from app.core.engines.mounts import deployment_slug
from app.core.engines.spec import EngineData
from app.core.errors import ErrorCode, ErrorInfo
from app.core.events import (
    DeploymentChanged,
    DeploymentSnapshot,
    FingerprintTaken,
    HostSnapshot,
    HostState,
)
from app.core.hardware.fingerprint import Fingerprint
from app.core.ids import HostId
from app.core.models.architecture import ModelInfo
from app.core.models.folders import ModelCandidate
from app.core.models.preflight import ModelPreflight
from app.core.planning.plan import Goal, GoalKind, Plan, PlanResult
from app.ui.bridge import CoreBridge
from app.ui.viewmodels.base import ViewModel, error_info
from app.ui.viewmodels.plan_command import named
from app.ui.viewmodels.plan_inputs import PlanInputs, name_error, read_inputs, with_text
from app.ui.viewmodels.plan_state import PlanState, Step

if TYPE_CHECKING:
    from app.bootstrap import Application

DEBOUNCE_MS: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class _Planned:
    fingerprint: Fingerprint
    result: PlanResult
    engines: Mapping[str, EngineData]


async def _make_plans(
    app: "Application", host_id: HostId, model: ModelInfo, goal: Goal
) -> _Planned:
    fingerprint = await app.hosts.fingerprint(host_id)
    if fingerprint is None:
        fingerprint = await app.hosts.take_fingerprint(host_id)
    result = await app.planning.plan(fingerprint, model, goal)
    # Reads data files the first time: not on the loop.
    engines = await asyncio.to_thread(lambda: dict(app.engines))
    return _Planned(fingerprint=fingerprint, result=result, engines=engines)


async def _resolve(
    app: "Application", state: PlanState, plan: Plan, model: ModelInfo, host_id: HostId
) -> DeploymentSpec:
    """Return what would be created, on the very GPUs of the plan."""
    kept = app.planning.profile(
        plan, name=state.name, model=model, goal=read_inputs(state.inputs)[0]
    )
    await app.deployments.refresh(host_id)
    known = app.deployments.snapshot(host_id)
    return await app.planning.resolve(
        replace(kept, port=_port(state)),
        host_id,
        name=state.name,
        model_path=state.model_path,
        revision=lambda name: next_revision(known, name),
        gpu_uuids=plan.parameters.gpu_uuids,
    )


async def _preview(
    app: "Application", path: Path, host_id: HostId, model_path: str
) -> DeploymentSpec:
    profile = await app.profiles.load(path)
    await app.deployments.refresh(host_id)
    return await app.deployments.preview(profile, host_id, model_path=model_path or None)


def next_revision(known: tuple[DeploymentSnapshot, ...], name: str) -> int:
    """Return the revision that a new deployment of this name gets on its host."""
    for snapshot in known:
        if snapshot.name == name:
            made = snapshot.container_id is not None
            return snapshot.deployment_revision + (1 if made else 0)
    return 1


def _port(state: PlanState) -> int:
    return read_inputs(state.inputs)[0].port


class PlanViewModel(ViewModel):
    """Hold the answers, ask the services, say what came of it."""

    changed = Signal(object)
    """The new `PlanState`."""
    saved = Signal(object)
    """Path of the profile."""
    prepared = Signal(object)
    """`DeploymentSpec`: exactly what would be created."""
    deploying = Signal(object)
    """`DeploymentSpec` of the deployment that has just begun."""
    profiles_listed = Signal(object)
    """Tuple of `ProfileEntry`: the user's own, then the shipped ones."""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        self._state = PlanState()
        self._planning: Future[Any] | None = None
        self._finding: Future[Any] | None = None
        self._reading: Future[Any] | None = None
        self._checking: Future[Any] | None = None
        self._deploy_when_ready = False
        self._name_is_own = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DEBOUNCE_MS)
        self._timer.timeout.connect(self._plan_now)
        bridge.event_arrived.connect(self._on_event)

    @property
    def state(self) -> PlanState:
        """What is known now."""
        return self._state

    # Host

    def show_host(self, host: HostSnapshot | None) -> None:
        """Plan for a host; another one begins anew but keeps goal and constraints."""
        if host is None:
            self._set(PlanState(inputs=_without_host(self._state.inputs)))
            return
        connected = host.is_record or host.state is HostState.CONNECTED
        if host.settings.id == self._state.host_id:
            if connected != self._state.is_connected or host.settings.name != self._state.host_name:
                self._change(is_connected=connected, host_name=host.settings.name)
            return
        self.stop()
        self._name_is_own = False
        self._set(
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
            self._change(is_finding=False, is_reading=False, is_planning=False, is_preparing=False,
                         is_checking=False)  # fmt: skip
        return was_busy

    # Model

    def find_models(self, folder: str) -> None:
        """Look for models below a folder of the host."""
        host_id = self._state.host_id
        if host_id is None or not folder.strip():
            return
        _cancel(self._finding)
        folder = folder.strip()
        self._change(folder=folder, is_finding=True, find_error=None)
        self._finding = self.run(
            self._app.models.find(host_id, folder),
            on_result=lambda found: self._on_found(folder, found),
            on_error=lambda error: self._change(
                is_finding=False, find_error=error, candidates=None
            ),
        )

    def choose_model(self, path: str) -> None:
        """Read a model folder or file on the host, headers only."""
        host_id = self._state.host_id
        if host_id is None or not path.strip():
            return
        _cancel(self._reading)
        path = path.strip()
        self._change(model_path=path, is_reading=True, model_error=None, preflight=None)
        self._check_model(host_id, path, measure=False)
        self._reading = self.run(
            self._app.models.read(host_id, path),
            on_result=lambda model: self._on_model(path, model),
            on_error=lambda error: self._change(
                is_reading=False, model_error=error, model=None, result=None, plan=None
            ),
        )

    def measure_disk(self) -> None:
        """Read a piece of the chosen model's weights to tell how long it loads."""
        host_id, path = self._state.host_id, self._state.model_path
        if host_id is not None and path and not self._state.is_checking:
            self._check_model(host_id, path, measure=True)

    def _check_model(self, host_id: HostId, path: str, *, measure: bool) -> None:
        _cancel(self._checking)
        self._change(is_checking=True)
        self._checking = self.run(
            self._app.models.preflight(host_id, path, measure=measure),
            on_result=lambda found: self._on_checked(path, found),
            # What cannot be read at all is told by the reading itself.
            on_error=lambda _error: self._on_checked(path, None),
        )

    def _on_checked(self, path: str, found: ModelPreflight | None) -> None:
        if path == self._state.model_path:
            self._change(preflight=found, is_checking=False)

    # Goal and constraints

    def choose_goal(self, kind: GoalKind | str) -> None:
        """Say what matters most."""
        self._set_inputs(replace(self._state.inputs, kind=GoalKind(kind)))

    def set_input(self, name: str, text: str) -> None:
        """Take a text as typed: ``ttft itl concurrency context output memory port``."""
        self._set_inputs(with_text(self._state.inputs, name, text))

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
                self._change(plan=plan, spec=None, docker_run=self._docker_run(plan))

    def replan(self) -> None:
        """Ask again, for example after a new fingerprint."""
        if self._state.model is not None and self._state.host_id is not None:
            self._timer.start()
            self._change(is_planning=True)

    # Steps

    def can_go(self, step: int) -> bool:
        """True when a step can be opened."""
        return self._state.can_go(Step(step))

    def go_to_step(self, step: int) -> None:
        """Open a step, if it can be opened."""
        wanted = Step(min(max(step, Step.MODEL), Step.CONTAINER))
        if self._state.can_go(wanted):
            self._change(step=wanted)

    # Profile and deployment

    def set_name(self, name: str) -> None:
        """Name the profile and the deployment."""
        self._name_is_own = True
        errors = dict(self._state.field_errors)
        errors.pop("name", None)
        wrong = name_error(name)
        if wrong:
            errors["name"] = wrong
        self._change(name=name, field_errors=errors, spec=None)
        if not wrong:
            self._name_command()

    def save_profile(self, path: Path | None = None) -> None:
        """Save the chosen plan as a profile: to ``path``, or among the user's own."""
        state = self._state
        if state.plan is None or state.model is None:
            return
        name = path.stem if path is not None else state.name
        goal, _ = read_inputs(state.inputs)
        profile = self._app.planning.profile(state.plan, name=name, model=state.model, goal=goal)
        self.run(self._app.profiles.save(profile, path), on_result=self._on_saved)

    def prepare_deploy(self) -> None:
        """Resolve the plan against the host: exactly what would be created."""
        state = self._state
        if state.plan is None or state.model is None or state.host_id is None:
            return
        if state.field_errors or state.is_preparing:
            return
        if state.is_reading:
            return  # while another model is read, the plan is still the former one's
        self._change(is_preparing=True)
        self.run(
            _resolve(self._app, state, state.plan, state.model, state.host_id),
            on_result=self._on_prepared,
            on_error=self._on_not_prepared,
            on_cancel=lambda: self._change(is_preparing=False),
        )

    def list_profiles(self) -> None:
        """Read the saved and the shipped profiles."""
        self.run(self._app.profiles.list(), on_result=self.profiles_listed.emit)

    def prepare_profile(self, path: Path, model_path: str) -> None:
        """Resolve a profile against the host: exactly what would be created."""
        host_id = self._state.host_id
        if host_id is None or self._state.is_preparing:
            return
        self._change(is_preparing=True)
        self.run(
            _preview(self._app, path, host_id, model_path),
            on_result=self._on_prepared,
            on_error=self._on_not_prepared,
            on_cancel=lambda: self._change(is_preparing=False),
        )

    def drop_prepared(self) -> None:
        """Forget what was prepared and not deployed."""
        if self._state.spec is not None:
            self._change(spec=None)

    def deploy(self, name: str | None = None) -> None:
        """Deploy what was prepared; prepares first where that was not done."""
        if name is not None and name != self._state.name:
            self.set_name(name)
        if self._state.spec is None:
            self._deploy_when_ready = True
            self.prepare_deploy()
            return
        spec = self._state.spec
        self._deploy_when_ready = False
        self._change(spec=None)
        # Not owned by this view-model: closing the window must not take back what was begun.
        self.bridge.call(self._app.deployments.deploy(spec), self._on_deployed)
        self.deploying.emit(spec)

    # Inside

    def _set(self, state: PlanState) -> None:
        self._state = state
        self.changed.emit(state)

    def _change(self, **changes: Any) -> None:  # noqa: ANN401 - as dataclasses.replace takes them
        self._set(replace(self._state, **changes))

    def _set_inputs(self, inputs: PlanInputs) -> None:
        if inputs == self._state.inputs:
            return
        _, errors = read_inputs(inputs)
        wrong_name = self._state.field_errors.get("name")
        if wrong_name:
            errors = {**errors, "name": wrong_name}
        self._change(inputs=inputs, field_errors=errors, spec=None)
        if not set(errors) - {"name"}:
            self.replan()

    def _load_fingerprint(self) -> None:
        host_id = self._state.host_id
        if host_id is not None:
            self.run(
                self._app.hosts.fingerprint(host_id),
                on_result=lambda found: self._on_fingerprint(host_id, found),
            )

    def _on_fingerprint(self, host_id: HostId, found: Fingerprint | None) -> None:
        if host_id == self._state.host_id:
            self._change(fingerprint=found)

    def _on_found(self, folder: str, found: tuple[ModelCandidate, ...]) -> None:
        if folder == self._state.folder:
            self._change(candidates=found, is_finding=False)

    def _on_model(self, path: str, model: ModelInfo) -> None:
        if path != self._state.model_path:
            return
        name = self._state.name if self._name_is_own else deployment_slug(model)
        self._change(model=model, is_reading=False, name=name, result=None, plan=None, spec=None)
        self.replan()

    @Slot()
    def _plan_now(self) -> None:
        state = self._state
        if state.model is None or state.host_id is None:
            return
        goal, _ = read_inputs(state.inputs)
        _cancel(self._planning)
        self._change(is_planning=True)
        self._planning = self.run(
            _make_plans(self._app, state.host_id, state.model, goal),
            on_result=self._on_planned,
            on_error=lambda error: self._change(
                is_planning=False, plan_error=error, result=None, plan=None, docker_run=""
            ),
        )

    def _on_planned(self, planned: _Planned) -> None:
        if self._timer.isActive():
            return  # a newer question waits already
        before = self._state.plan.engine if self._state.plan else None
        ranked = planned.result.ranked
        same = next((plan for plan in ranked if plan.engine == before), None)
        plan = same or (ranked[0] if ranked else None)
        self._change(
            fingerprint=planned.fingerprint,
            result=planned.result,
            plan=plan,
            engines=planned.engines,
            docker_run="" if plan is None else self._docker_run(plan),
            is_planning=False,
            plan_error=None,
            spec=None,
        )

    def compose_text(self) -> str:
        """Return the chosen plan's container as a compose file; empty without a plan."""
        plan = self._state.plan
        return "" if plan is None else self._app.planning.compose_text(self._container(plan))

    def _docker_run(self, plan: Plan) -> str:
        return self._app.planning.docker_run_text(self._container(plan))

    def _container(self, plan: Plan) -> ContainerSpec:
        """Return the container as it will be: under the name that was typed."""
        state = self._state
        if state.host_id is None or not state.name or "name" in state.field_errors:
            return plan.container
        known = self._app.deployments.snapshot(state.host_id)
        return named(plan.container, state.name, next_revision(known, state.name))

    def _name_command(self) -> None:
        if self._state.plan is not None:
            text = self._docker_run(self._state.plan)
            if text != self._state.docker_run:
                self._change(docker_run=text)

    def _on_saved(self, path: Path) -> None:
        self._change(saved_path=path)
        self.saved.emit(path)

    def _on_prepared(self, spec: DeploymentSpec) -> None:
        self._change(spec=spec, is_preparing=False)
        if self._deploy_when_ready:
            self.deploy()
        else:
            self.prepared.emit(spec)

    def _on_not_prepared(self, error: ErrorInfo) -> None:
        self._deploy_when_ready = False
        self._change(is_preparing=False)
        self.failed.emit(error)

    def _on_deployed(self, future: "Future[DeploymentSnapshot]") -> None:
        if future.cancelled() or self._disposed:
            return
        failure = future.exception()
        if failure is None:
            return
        error = error_info(failure)
        # Other failures are the deployment's own: its page shows them with the log.
        if error.code is ErrorCode.NAME_TAKEN:
            self.failed.emit(error)

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
    return replace(inputs, gpu_uuids=(), cpu_only=False)


def _cancel(future: "Future[Any] | None") -> None:
    if future is not None:
        future.cancel()
