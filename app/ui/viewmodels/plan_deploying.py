"""From a plan to a profile, and to a deployment: prepared, looked at, then begun."""

from concurrent.futures import Future
from pathlib import Path

from app.core.deployment.spec import DeploymentSpec
from app.core.errors import ErrorCode, ErrorInfo
from app.core.events import DeploymentSnapshot
from app.ui.viewmodels.base import error_info
from app.ui.viewmodels.plan_inputs import read_inputs
from app.ui.viewmodels.plan_store import PlanStore
from app.ui.viewmodels.plan_work import preview_profile, resolve_plan


class PlanDeploying:
    """Keep the plan as a profile, or put it onto the host."""

    def __init__(self, store: PlanStore) -> None:
        self._store = store
        self._app = store.app
        self._is_over = False
        self._deploy_when_ready = False

    def save_profile(self, path: Path | None = None) -> None:
        """Save the chosen plan as a profile: to ``path``, or among the user's own."""
        state = self._store.state
        if state.plan is None or state.model is None:
            return
        name = path.stem if path is not None else state.name
        goal, _ = read_inputs(state.inputs)
        profile = self._app.planning.profile(state.plan, name=name, model=state.model, goal=goal)
        self._store.run(self._app.profiles.save(profile, path), on_result=self._on_saved)

    def list_profiles(self) -> None:
        """Read the saved and the shipped profiles."""
        self._store.run(self._app.profiles.list(), on_result=self._store.profiles_listed.emit)

    def prepare(self) -> None:
        """Resolve the plan against the host: exactly what would be created."""
        state = self._store.state
        if state.plan is None or state.model is None or state.host_id is None:
            return
        if state.field_errors or state.is_preparing:
            return
        if state.is_reading:
            return  # while another model is read, the plan is still the former one's
        self._store.change(is_preparing=True)
        self._store.run(
            resolve_plan(self._app, state, state.plan, state.model, state.host_id),
            on_result=self._on_prepared,
            on_error=self._on_not_prepared,
            on_cancel=lambda: self._store.change(is_preparing=False),
        )

    def prepare_profile(self, path: Path, model_path: str) -> None:
        """Resolve a profile against the host: exactly what would be created."""
        host_id = self._store.state.host_id
        if host_id is None or self._store.state.is_preparing:
            return
        self._store.change(is_preparing=True)
        self._store.run(
            preview_profile(self._app, path, host_id, model_path),
            on_result=self._on_prepared,
            on_error=self._on_not_prepared,
            on_cancel=lambda: self._store.change(is_preparing=False),
        )

    def deploy(self) -> None:
        """Deploy what was prepared; prepares first where that was not done."""
        spec = self._store.state.spec
        if spec is None:
            self._deploy_when_ready = True
            self.prepare()
            return
        self._deploy_when_ready = False
        self._store.change(spec=None)
        # Not owned by the view-model: closing the window must not take back what was begun.
        self._store.bridge.call(self._app.deployments.deploy(spec), self._on_deployed)
        self._store.deploying.emit(spec)

    def end(self) -> None:
        """Say nothing any more about what was begun."""
        self._is_over = True

    def _on_saved(self, path: Path) -> None:
        self._store.change(saved_path=path)
        self._store.saved.emit(path)

    def _on_prepared(self, spec: DeploymentSpec) -> None:
        self._store.change(spec=spec, is_preparing=False)
        if self._deploy_when_ready:
            self.deploy()
        else:
            self._store.prepared.emit(spec)

    def _on_not_prepared(self, error: ErrorInfo) -> None:
        self._deploy_when_ready = False
        self._store.change(is_preparing=False)
        self._store.failed.emit(error)

    def _on_deployed(self, future: "Future[DeploymentSnapshot]") -> None:
        if future.cancelled() or self._is_over:
            return
        failure = future.exception()
        if failure is None:
            return
        error = error_info(failure)
        # Other failures are the deployment's own: its page shows them with the log.
        if error.code is ErrorCode.NAME_TAKEN:
            self._store.failed.emit(error)
