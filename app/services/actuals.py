"""Predicted against actual: keep what starts say, compare it, and let it teach.

A store that cannot be written is logged and teaches nothing.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from app.core.actuals.compare import Comparison, WhyRule, compare
from app.core.actuals.correction import Learned, key_of, summarise
from app.core.actuals.record import StartRecord
from app.core.engines.observed_spec import StartupFile
from app.core.errors import ErrorCode, StoreError, UserInputError
from app.core.ids import HostId
from app.core.logs.actuals import ActualsReader
from app.core.logs.reader import read_lines
from app.core.models.prediction import Prediction
from app.services.lessons import SAMPLES, Lessons

_log = logging.getLogger(__name__)


class Starts(Protocol):
    """Where starts are kept (`app.io.store.starts.StartStore`)."""

    async def add(self, record: StartRecord, *, key: str) -> None:
        """Keep a start."""

    async def newest(self, host_id: HostId, name: str, revision: int) -> StartRecord | None:
        """Return the last start of a deployment's revision."""

    async def teaching(self, *, limit: int) -> tuple[StartRecord, ...]:
        """Return the starts that corrections rest on."""

    async def forget(self, key: str | None = None) -> int:
        """Let starts teach no more."""


class ActualsService:
    """What starts took, beside what was predicted."""

    def __init__(self, starts: Starts, rules: Callable[[], Sequence[WhyRule]]) -> None:
        self._starts = starts
        self._rules = rules
        self.lessons = Lessons(starts)

    async def record(self, record: StartRecord) -> None:
        """Keep a start that became ready; a simulated one is shown, but teaches nothing."""
        prediction = record.prediction
        key = "" if prediction is None or record.simulated else key_of(prediction).id
        try:
            await self._starts.add(record, key=key)
        except StoreError as exc:
            _log.warning("What a start took was not kept: %s", exc)
        self.lessons.forget()

    async def of(self, host_id: HostId, name: str, revision: int) -> StartRecord | None:
        """Return the last start of a deployment's revision; ``None`` when none was seen here."""
        try:
            return await self._starts.newest(host_id, name, revision)
        except StoreError as exc:
            _log.info("What a start took cannot be read: %s", exc)
            return None

    def comparisons(self, record: StartRecord) -> tuple[Comparison, ...]:
        """Return predicted and actual, quantity by quantity.

        Raises:
            DataFileError: DATA_FILE_BROKEN.
        """
        return compare(record, self._rules())

    def read_log(self, text: str, startup: StartupFile, prediction: Prediction) -> StartRecord:
        """Return what a log's last start says beside a prediction; nothing is kept of it."""
        reader = ActualsReader(startup)
        for line in read_lines([text]):
            reader.feed(line)
        return StartRecord(
            host_id="",
            name="",
            revision=0,
            at="",
            prediction=prediction,
            actuals=reader.actuals(),
            chosen=reader.chosen(),
        )

    async def learned(self) -> tuple[Learned, ...]:
        """Return every correction with what it rests on.

        Raises:
            StoreError: when the store cannot be read.
        """
        return summarise(await self._starts.teaching(limit=SAMPLES))

    async def forget(self, key: str | None = None) -> int:
        """Reset one correction, or all; return how many starts teach no more.

        Raises:
            UserInputError: NOT_FOUND for a key under which nothing was learned.
            StoreError: when the store cannot be written.
        """
        count = await self._starts.forget(key)
        self.lessons.forget()
        if key is not None and not count:
            known = "; ".join(learned.key.id for learned in await self.learned())
            raise UserInputError(
                ErrorCode.NOT_FOUND,
                {"field": "correction", "value": key},
                cause=f"Nothing was learned under “{key}”.",
                remedy=f"Corrections there are: {known}." if known else "There are no corrections.",
            )
        return count
