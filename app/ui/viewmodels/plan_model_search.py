"""Looking for models on a host, choosing one, and seeing whether it is whole."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from app.core.ids import HostId
from app.core.models.architecture import ModelInfo
from app.core.models.folders import ModelCandidate
from app.core.models.preflight import ModelPreflight
from app.ui.viewmodels.plan_store import PlanStore


class ModelSearch:
    """Ask the host for models; a newer question supersedes the one that still runs."""

    def __init__(self, store: PlanStore, on_model: Callable[[ModelInfo], None]) -> None:
        self._store = store
        self._models = store.app.models
        self._on_model = on_model
        self._finding: Future[Any] | None = None
        self._reading: Future[Any] | None = None
        self._checking: Future[Any] | None = None
        self._asked: dict[str, object] = {}

    def find(self, folder: str) -> None:
        """Look for models below a folder of the host."""
        host_id = self._store.state.host_id
        if host_id is None or not folder.strip():
            return
        _cancel(self._finding)
        folder = folder.strip()
        self._store.change(folder=folder, is_finding=True, find_error=None)
        self._finding = self._store.run(
            self._models.find(host_id, folder),
            on_result=lambda found: self._on_found(folder, found),
            on_error=lambda error: self._store.change(
                is_finding=False, find_error=error, candidates=None
            ),
            on_cancel=self._unless_asked_again("is_finding"),
        )

    def choose(self, path: str) -> None:
        """Read a model folder or file on the host, headers only."""
        host_id = self._store.state.host_id
        if host_id is None or not path.strip():
            return
        _cancel(self._reading)
        path = path.strip()
        self._store.change(model_path=path, is_reading=True, model_error=None, preflight=None)
        self._check(host_id, path, measure=False)
        self._reading = self._store.run(
            self._models.read(host_id, path),
            on_result=lambda model: self._on_read(path, model),
            on_error=lambda error: self._store.change(
                is_reading=False, model_error=error, model=None, result=None, plan=None
            ),
            on_cancel=self._unless_asked_again("is_reading"),
        )

    def measure_disk(self) -> None:
        """Read a piece of the chosen model's weights to tell how long it loads."""
        state = self._store.state
        if state.host_id is not None and state.model_path and not state.is_checking:
            self._check(state.host_id, state.model_path, measure=True)

    def _check(self, host_id: HostId, path: str, *, measure: bool) -> None:
        _cancel(self._checking)
        self._store.change(is_checking=True)
        self._checking = self._store.run(
            self._models.preflight(host_id, path, measure=measure),
            on_result=lambda found: self._on_checked(path, found),
            # What cannot be read at all is told by the reading itself.
            on_error=lambda _error: self._on_checked(path, None),
            on_cancel=self._unless_asked_again("is_checking"),
        )

    def _unless_asked_again(self, flag: str) -> Callable[[], None]:
        """Return what takes a flag down when the user cancelled; a newer question keeps it up."""
        mark = self._asked[flag] = object()

        def ended() -> None:
            if self._asked[flag] is mark:
                self._store.change(**{flag: False})

        return ended

    def _on_found(self, folder: str, found: tuple[ModelCandidate, ...]) -> None:
        if folder == self._store.state.folder:
            self._store.change(candidates=found, is_finding=False)

    def _on_read(self, path: str, model: ModelInfo) -> None:
        if path == self._store.state.model_path:
            self._on_model(model)

    def _on_checked(self, path: str, found: ModelPreflight | None) -> None:
        if path == self._store.state.model_path:
            self._store.change(preflight=found, is_checking=False)


def _cancel(future: "Future[Any] | None") -> None:
    if future is not None:
        future.cancel()
