"""How far a plan goes, and which other hardware would do: asked anew whenever the plan changes.

Asked only while somebody looks: the page says so with `look`.
"""

import asyncio
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal, Slot

from app.core.errors import AppError, ErrorInfo
from app.core.models.inverse import Wanted
from app.core.models.request import Device, EstimateOptions
from app.core.planning.plan import Rejection
from app.core.units import MIB
from app.services.estimating import Asked
from app.services.sizing_answer import SizingAnswer
from app.ui.bridge import CoreBridge
from app.ui.viewmodels.base import ViewModel
from app.ui.viewmodels.plan_inputs import read_inputs, read_size
from app.ui.viewmodels.plan_state import PlanState
from app.ui.viewmodels.plan_store import PlanStore

if TYPE_CHECKING:
    from app.bootstrap import Application

DEBOUNCE_MS: Final = 120
_TOO_SMALL: Final = "does_not_fit"


@dataclass(frozen=True, slots=True, kw_only=True)
class SizingState:
    """What was asked, what came of it."""

    asked: Asked | None = None
    answer: SizingAnswer | None = None
    is_asking: bool = False
    error: ErrorInfo | None = None
    others: str = ""
    """Memory that others hold on the fullest GPU, as typed; empty: as the host was found."""
    others_error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered:
    asked: Asked
    answer: SizingAnswer


class PlanSizingViewModel(ViewModel):
    """Ask the sizing service about the plan in force."""

    changed = Signal(object)
    """The new `SizingState`."""

    def __init__(
        self,
        app: "Application",
        bridge: CoreBridge,
        store: PlanStore,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        self._store = store
        self._state = SizingState()
        self._about: object = None
        self._others_mib: int | None = None
        """What others hold, as it was last said so that it can be read."""
        self._is_seen = False
        self._asking: Future[Any] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DEBOUNCE_MS)
        self._timer.timeout.connect(self._ask)
        store.changed.connect(self._on_plan)

    @property
    def state(self) -> SizingState:
        """What is known now."""
        return self._state

    def look(self, *, seen: bool) -> None:
        """Somebody looks at the answers, or does no more."""
        self._is_seen = seen
        self._on_plan(self._store.state)

    def set_others(self, text: str) -> None:
        """Say how much memory others hold on the fullest GPU; empty: as the host was found."""
        wrong = ""
        try:
            self._others_mib = read_size(text) // MIB if text.strip() else None
        except (AppError, ValueError):
            wrong = QCoreApplication.translate("Plan", "Not a size such as 40 GiB.")
        self._put(replace(self._state, others=text, others_error=wrong))
        if not wrong:
            self._about = None
            self._on_plan(self._store.state)

    def stop(self) -> bool:
        """Cancel what runs; True when there was something."""
        was_busy = self.is_busy or self._timer.isActive()
        self._timer.stop()
        self.cancel_all()
        if was_busy:
            self._about = None
            self._put(replace(self._state, is_asking=False))
        return was_busy

    def again(self) -> None:
        """Ask once more, for example after it was cancelled."""
        self._about = None
        self._on_plan(self._store.state)

    @Slot(object)
    def _on_plan(self, state: PlanState) -> None:
        if not self._is_seen or state.is_planning:
            return
        about = state.plan if state.plan is not None else state.result
        if about is self._about:
            return
        self._about = about
        if about is None:
            self._timer.stop()
            kept = self._state
            self._put(SizingState(others=kept.others, others_error=kept.others_error))
            return
        self._put(replace(self._state, is_asking=True))
        self._timer.start()

    @Slot()
    def _ask(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
        self._asking = self.run(
            _answer(self._app, self._store.state, self._others_mib),
            on_result=self._on_answer,
            on_error=lambda error: self._put(
                replace(self._state, is_asking=False, error=error, answer=None, asked=None)
            ),
        )

    def _on_answer(self, found: "_Answered | None") -> None:
        if self._timer.isActive():
            return  # a newer question waits already
        self._put(
            replace(
                self._state,
                asked=None if found is None else found.asked,
                answer=None if found is None else found.answer,
                is_asking=False,
                error=None,
            )
        )

    def _put(self, state: SizingState) -> None:
        self._state = state
        self.changed.emit(state)


async def _answer(app: "Application", state: PlanState, used_mib: int | None) -> "_Answered | None":
    asked = await asyncio.to_thread(_asked, app, state)
    if asked is None:
        return None
    if used_mib is not None:
        asked = replace(asked, device=replace(asked.device, memory_used_mib=used_mib))
    wanted = [Wanted.CONTEXT, Wanted.CONCURRENCY]
    if not asked.device.is_cpu:
        wanted.append(Wanted.TENSOR_PARALLEL)
    return _Answered(asked=asked, answer=await app.sizing.answer(asked, wanted=wanted))


def _asked(app: "Application", state: PlanState) -> Asked | None:
    """Return the plan as a question; without one, what was too large for the host."""
    if state.model is None or state.fingerprint is None or state.result is None:
        return None
    if state.plan is not None:
        return app.sizing.asked_of_plan(
            state.plan, model=state.model, fingerprint=state.fingerprint
        )
    for rejection in state.result.rejected:
        if rejection.code.startswith(_TOO_SMALL):
            return _too_large(state, rejection)
    return None


def _too_large(state: PlanState, rejection: Rejection) -> Asked | None:
    if state.model is None or state.fingerprint is None or not state.fingerprint.gpus:
        return None
    goal, _ = read_inputs(state.inputs)
    gpu = state.fingerprint.gpus[0]
    most = goal.memory_bytes_per_gpu
    sizes = (gpu.memory_total_mib, None if most is None else most // MIB)
    device = Device(
        name=gpu.name or "GPU",
        compute_cap=gpu.compute_cap,
        # What the goal leaves of each GPU is all there is.
        memory_total_mib=min((size for size in sizes if size is not None), default=None),
        memory_reserved_mib=gpu.memory_reserved_mib,
        memory_used_mib=gpu.memory_used_mib or 0,
        count=len(state.fingerprint.gpus),
    )
    options = EstimateOptions(context_tokens=goal.context_tokens, concurrency=goal.concurrency)
    return Asked(
        model=state.model,
        engine=rejection.engine,
        version=rejection.version,
        device=device,
        options=options,
    )
