"""Compare hosts and deployments: get both sides from wherever they are, then hold them up."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from app.core.deployment.record import RECORD_SCHEMA, DeploymentRecord
from app.core.diff.deployments import diff_deployments
from app.core.diff.difference import Comparison
from app.core.diff.hosts import diff_fingerprints
from app.core.diff.spec import DiffRules
from app.core.engines.spec import EngineData
from app.core.errors import ErrorCode, UserInputError
from app.core.events import DeploymentSnapshot
from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.fingerprint import Fingerprint
from app.core.ids import HostId
from app.io.documents import from_json, to_json
from app.io.model_identity import Progress
from app.io.store.hosts import FingerprintEntry
from app.services.activities import Activities
from app.services.clock import Clock
from app.services.deployment_records import HostsLike, RecordReader
from app.services.user_files import save_file

if TYPE_CHECKING:
    from app.services.imports import ImportService

LATEST: Final = "latest"
PREVIOUS: Final = "previous"

__all__ = ["DiffParts", "DiffService", "FingerprintEntry", "Progress", "Subject"]

Subject = Fingerprint | DeploymentRecord


class History(HostsLike, Protocol):
    """What this service needs of the hosts."""

    async def fingerprint_history(self, host_id: HostId) -> tuple[FingerprintEntry, ...]:
        """Return the stored fingerprints, newest first."""

    async def stored_fingerprint(self, entry_id: int) -> Fingerprint | None:
        """Return one of them."""


class DiffData(Protocol):
    """The data files that a comparison rests on."""

    @property
    def diff_rules(self) -> DiffRules:
        """What differences mean."""

    @property
    def catalogue(self) -> GpuCatalogue:
        """GPU products."""

    @property
    def engines(self) -> Mapping[str, EngineData]:
        """Engines by id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffParts:
    """What the service is made of."""

    hosts: History
    imports: "Callable[[], ImportService]"
    data: DiffData
    clock: Clock
    activities: Activities


class DiffService:
    """Gets two subjects and compares them."""

    def __init__(self, parts: DiffParts) -> None:
        self._parts = parts

    async def fingerprint_at(self, host_id: HostId, when: str = LATEST) -> Fingerprint:
        """Return a stored fingerprint: ``latest``, ``previous``, or the newest up to a date.

        Raises:
            UserInputError: NOT_FOUND, naming what is stored.
        """
        history = await self._parts.hosts.fingerprint_history(host_id)
        entry = entry_at(history, when)
        found = await self._parts.hosts.stored_fingerprint(entry.id) if entry else None
        if found is None and when == LATEST:  # a store that is full keeps it in memory only
            found = await self._parts.hosts.fingerprint(host_id)
        if found is None:
            raise _not_stored(when, history)
        return found

    async def history(self, host_id: HostId) -> tuple[FingerprintEntry, ...]:
        """Return the times at which a host can be compared, newest first."""
        return await self._parts.hosts.fingerprint_history(host_id)

    async def stored(self, entry_id: int) -> Fingerprint:
        """Return one fingerprint of a history.

        Raises:
            UserInputError: NOT_FOUND when it is gone.
        """
        found = await self._parts.hosts.stored_fingerprint(entry_id)
        if found is None:
            raise _not_stored(str(entry_id), ())
        return found

    async def record(
        self,
        deployment: DeploymentSnapshot,
        *,
        hash_weights: bool = False,
        progress: Progress | None = None,
    ) -> DeploymentRecord:
        """Find out what a deployment is; ``hash_weights`` reads every weight file on the host.

        Raises:
            DockerError: CONTAINER_NOT_FOUND.
            HostError: NOT_CONNECTED, CONNECTION_LOST.
        """
        reader = RecordReader(
            self._parts.hosts, self._parts.clock, self._parts.data.diff_rules.said
        )
        async with self._parts.activities.run("record", deployment.ref):
            return await reader.read(deployment, hash_weights=hash_weights, progress=progress)

    async def from_text(self, text: str, name: str) -> Subject:
        """Read a saved deployment record, or whatever a fingerprint can be made of.

        Raises:
            UserInputError: FINGERPRINT_BROKEN.
            DataFileError: DATA_FILE_BROKEN for a record that is damaged.
        """
        if _schema_of(text) == RECORD_SCHEMA:
            return await asyncio.to_thread(from_json, DeploymentRecord, text)
        return await self._parts.imports().from_text(text, name)

    async def save_record(self, path: Path, record: DeploymentRecord) -> Path:
        """Write a record as JSON, whole or not at all.

        Raises:
            StoreError: FILE_UNWRITABLE, STORE_FULL.
        """
        text = await asyncio.to_thread(to_json, record, indent=2)
        return await save_file(path, f"{text}\n".encode())

    async def compare(self, a: Subject, b: Subject) -> Comparison:
        """Return what differs.

        Raises:
            UserInputError: INVALID_INPUT when a host is compared with a deployment.
            DataFileError: DATA_FILE_BROKEN.
        """
        return await asyncio.to_thread(self._compare, a, b)

    def _compare(self, a: Subject, b: Subject) -> Comparison:
        data = self._parts.data
        if isinstance(a, Fingerprint) and isinstance(b, Fingerprint):
            return diff_fingerprints(a, b, data.diff_rules, catalogue=data.catalogue)
        if isinstance(a, DeploymentRecord) and isinstance(b, DeploymentRecord):
            flags = {name: engine.flags for name, engine in data.engines.items()}
            return diff_deployments(a, b, data.diff_rules, catalogue=data.catalogue, flags=flags)
        raise UserInputError(
            ErrorCode.INVALID_INPUT,
            {"field": "b"},
            cause="A host cannot be compared with a deployment.",
            remedy="Give two hosts or fingerprints, or two deployments or their records.",
        )


def entry_at(history: tuple[FingerprintEntry, ...], when: str) -> FingerprintEntry | None:
    """Choose an entry of a history, newest first; a date means its end."""
    if when == LATEST:
        return history[0] if history else None
    if when == PREVIOUS:
        return history[1] if len(history) > 1 else None
    wanted = when.replace(" ", "T").upper()
    return next((e for e in history if e.taken_at.startswith(wanted) or e.taken_at < wanted), None)


def _schema_of(text: str) -> str:
    if RECORD_SCHEMA not in text:
        return ""
    try:
        document = json.loads(text)
    except ValueError:
        return ""
    return str(document.get("schema", "")) if isinstance(document, dict) else ""


def _not_stored(when: str, history: tuple[FingerprintEntry, ...]) -> UserInputError:
    times = ", ".join(entry.taken_at for entry in history[:5])
    return UserInputError(
        ErrorCode.NOT_FOUND,
        {"field": "when", "value": when},
        cause=f"No fingerprint of this host is stored for “{when}”.",
        remedy=f"Stored are: {times}." if times else "Take a fingerprint of the host first.",
    )
