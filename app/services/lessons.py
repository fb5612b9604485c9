"""What earlier starts teach the next estimate.

It is read once and then kept in memory, so that planning never waits for the store. A store that
cannot be read is logged and teaches nothing: estimates then come from the memory model alone.
"""

import logging
from typing import TYPE_CHECKING, Final, Protocol

from app.core.actuals.apply import correct
from app.core.actuals.correction import CorrectionKey, SampleBook, gather
from app.core.actuals.record import StartRecord
from app.core.errors import StoreError
from app.core.models.architecture import ModelInfo
from app.core.models.memory import MemoryEstimate
from app.core.models.request import Device, EstimateOptions
from app.core.versions import series_of

if TYPE_CHECKING:
    from app.core.planning.sizing import Estimator

_log = logging.getLogger(__name__)

SAMPLES: Final = 20
"""Newest starts of one kind that count."""


class Teaching(Protocol):
    """Where starts are kept (`app.io.store.starts.StartStore`)."""

    async def teaching(self, *, limit: int) -> tuple[StartRecord, ...]:
        """Return the starts that corrections rest on."""


class Lessons:
    """What was learned; `correct` may be called from every thread."""

    def __init__(self, starts: Teaching) -> None:
        self._starts = starts
        self._book: SampleBook | None = None

    async def load(self) -> None:
        """Read what was learned, if that has changed; call it before `correct`."""
        if self._book is not None:
            return
        try:
            self._book = gather(await self._starts.teaching(limit=SAMPLES))
        except StoreError as exc:
            _log.info("Corrections cannot be read: %s", exc)
            self._book = {}

    def forget(self) -> None:
        """Have the store read again: what it keeps has changed."""
        self._book = None

    def correct(
        self,
        estimate: MemoryEstimate,
        *,
        model: ModelInfo,
        engine: str,
        version: str,
        device: Device,
    ) -> MemoryEstimate:
        """Return an estimate with what earlier starts taught."""
        if not self._book:
            return estimate
        key = CorrectionKey(
            engine=engine,
            series=series_of(version),
            gpu="CPU" if estimate.on_cpu else device.name,
            family=model.architecture.name,
        )
        return correct(estimate, key, self._book)

    def taught(self, alone: "Estimator") -> "Estimator":
        """Return the memory model with what was learned."""

        def corrected(
            *, model: ModelInfo, engine: str, version: str, device: Device, options: EstimateOptions
        ) -> MemoryEstimate:
            estimate = alone(
                model=model, engine=engine, version=version, device=device, options=options
            )
            return self.correct(
                estimate, model=model, engine=engine, version=version, device=device
            )

        return corrected
