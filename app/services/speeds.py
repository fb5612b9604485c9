"""Measured runs as a service: keep them, and hand them to planning.

A benchmark gives its valid runs to `record`; from then on plans of the same engine, version, GPUs
and model show them instead of the roofline, with where they come from.
"""

import logging
from typing import Protocol

from app.core.errors import StoreError
from app.core.speed.measured import MeasuredRun

_log = logging.getLogger(__name__)


class Runs(Protocol):
    """Where runs are kept (`app.io.store.speed_runs.SpeedRunStore`)."""

    async def add(self, run: MeasuredRun) -> None:
        """Keep a run."""

    async def all(self) -> tuple[MeasuredRun, ...]:
        """Return every run, newest first."""


class SpeedRunService:
    """The runs that were measured by this installation."""

    def __init__(self, store: Runs) -> None:
        self._store = store
        self._runs: tuple[MeasuredRun, ...] | None = None

    async def record(self, run: MeasuredRun) -> None:
        """Keep a valid run.

        Raises:
            StoreError: when it cannot be written.
        """
        await self._store.add(run)
        self._runs = None

    async def runs(self) -> tuple[MeasuredRun, ...]:
        """Return every run; none when the store cannot be read."""
        if self._runs is None:
            try:
                self._runs = await self._store.all()
            except StoreError as exc:
                _log.info("Measured runs cannot be read: %s", exc)
                return ()
        return self._runs
