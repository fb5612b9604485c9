"""The journal of one operation, and what was learned from earlier starts.

A journal that cannot be written (a full disk) is logged and does not stop a deployment: the
labels on the host are what later sessions rely on.
"""

import json
import logging
import uuid
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from app.core.deployment.spec import DeploymentSpec
from app.core.errors import ErrorCode, ErrorInfo, StoreError
from app.core.ids import HostId
from app.io.store.journal import JournalEntry, JournalStep
from app.services.clock import Clock, utc_text
from app.services.deploying.errors import LOST

_TURNED_DOWN: Final = frozenset({ErrorCode.VERIFY_FAILED, ErrorCode.ENGINE_REFUSED_REQUEST})

_ON_PURPOSE: Final = frozenset({"done", "cancelled", "replaced"})
"""Outcomes of operations that nothing cut off; a replaced one was taken over by another."""

_log = logging.getLogger(__name__)


class Journal(Protocol):
    """Where entries are kept (`app.io.store.journal.JournalStore`)."""

    async def begin(self, entry: JournalEntry) -> None:
        """Write a new entry."""

    async def step(self, entry_id: str, step: JournalStep) -> None:
        """Write that a step was reached."""

    async def finish(
        self, entry_id: str, *, at: str, outcome: str, error: ErrorInfo | None = None
    ) -> None:
        """Write how it ended."""

    async def entries(
        self, host_id: HostId, name: str | None = None, *, limit: int = 100
    ) -> tuple[JournalEntry, ...]:
        """Return entries, newest first."""


class Memory(Protocol):
    """Small values by key (`app.io.store.last_used.LastUsedStore`)."""

    async def get(self, key: str) -> str | None:
        """Return a value."""

    async def put(self, key: str, value: str, *, now: str) -> None:
        """Keep a value."""


class DeployJournal:
    """Writes entries; remembers how long the phases of a start took."""

    def __init__(self, journal: Journal, memory: Memory, clock: Clock) -> None:
        self._journal = journal
        self._memory = memory
        self._clock = clock

    async def begin(
        self,
        operation: str,
        *,
        host_id: HostId,
        name: str,
        revision: int,
        spec: DeploymentSpec | None = None,
    ) -> str:
        """Open an entry and return its id."""
        entry = JournalEntry(
            id=uuid.uuid4().hex,
            host_id=host_id,
            name=name,
            revision=revision,
            operation=operation,
            spec=spec,
            started_at=self._now(),
        )
        try:
            await self._journal.begin(entry)
        except StoreError as exc:
            _log.warning("The journal cannot be written: %s", exc)
        return entry.id

    async def step(self, entry_id: str, step: str, detail: str = "") -> None:
        """Note a step."""
        try:
            await self._journal.step(
                entry_id, JournalStep(at=self._now(), step=step, detail=detail)
            )
        except StoreError as exc:
            _log.info("A step was not written to the journal: %s", exc)

    async def finish(self, entry_id: str, outcome: str, error: ErrorInfo | None = None) -> None:
        """Close an entry: ``done``, ``failed``, ``cancelled`` or ``replaced`` by another."""
        try:
            await self._journal.finish(entry_id, at=self._now(), outcome=outcome, error=error)
        except StoreError as exc:
            _log.info("The end was not written to the journal: %s", exc)

    async def last_spec(self, host_id: HostId, name: str, revision: int) -> DeploymentSpec | None:
        """Return what a revision was created from, if this desk did it."""
        entries = await self._of_revision(host_id, name, revision)
        return next((entry.spec for entry in entries if entry.spec is not None), None)

    async def refusal(self, host_id: HostId, name: str, revision: int) -> ErrorInfo | None:
        """Return why this desk turned down a revision's answer, when that was its last word on it.

        The container was stopped then; its exit code and log say nothing of the reason.
        """
        last = await self._last(host_id, name, revision)
        if last is None or last.error is None or last.error.code not in _TURNED_DOWN:
            return None
        return last.error

    async def _last(self, host_id: HostId, name: str, revision: int) -> JournalEntry | None:
        return next(iter(await self._of_revision(host_id, name, revision)), None)

    async def _of_revision(
        self, host_id: HostId, name: str, revision: int
    ) -> tuple[JournalEntry, ...]:
        """Return a revision's entries, newest first; none when the journal cannot be read."""
        try:
            entries = await self._journal.entries(host_id, name)
        except StoreError as exc:
            _log.info("The journal cannot be read: %s", exc)
            return ()
        return tuple(entry for entry in entries if entry.revision == revision)

    async def was_cut_off(self, host_id: HostId, name: str, revision: int) -> bool:
        """Tell whether this desk's last word on a revision is a deployment that was cut off.

        It lost the host in the middle, or its process ended without a word.
        """
        last = await self._last(host_id, name, revision)
        if last is None or last.operation != "deploy" or last.outcome in _ON_PURPOSE:
            return False
        return last.error is None or last.error.code in LOST

    async def was_cancelled(
        self, host_id: HostId, name: str, revision: int, plan_digest: str
    ) -> bool:
        """Tell whether this desk's last word on a revision is that its deploying was cancelled."""
        last = await self._last(host_id, name, revision)
        return (
            last is not None
            and last.operation == "deploy"
            and last.outcome == "cancelled"
            and last.spec is not None
            and last.spec.plan_digest == plan_digest
        )

    async def durations(self, keys: Sequence[str]) -> Mapping[str, float]:
        """Return what an earlier start took, by phase id; the first key with anything counts.

        Empty when nothing was learned.
        """
        for key in keys:
            if found := await self._durations(key):
                return found
        return {}

    async def _durations(self, key: str) -> Mapping[str, float]:
        try:
            text = await self._memory.get(f"startup/{key}")
            found = json.loads(text) if text else {}
        except (StoreError, ValueError) as exc:
            _log.info("Learned durations cannot be read: %s", exc)
            return {}
        if not isinstance(found, dict):
            return {}
        return {str(k): float(v) for k, v in found.items() if isinstance(v, int | float)}

    async def learn(self, keys: Sequence[str], durations: Mapping[str, float]) -> None:
        """Keep the durations of a start that went well, under each key."""
        text = json.dumps(dict(durations))
        try:
            for key in keys:
                await self._memory.put(f"startup/{key}", text, now=self._now())
        except StoreError as exc:
            _log.info("Durations were not kept: %s", exc)

    def _now(self) -> str:
        return utc_text(self._clock.now_s())
