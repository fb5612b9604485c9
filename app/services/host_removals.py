"""Hosts that were taken off the list in this session, so that a removal can be undone."""

from dataclasses import dataclass
from typing import Final

from app.core.errors import ErrorCode, UserInputError
from app.core.events import HostSnapshot
from app.core.ids import HostId
from app.io.store.hosts import RemovedHost

KEPT: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """A host as it was, and what the store held of it."""

    snapshot: HostSnapshot
    stored: RemovedHost


class HostRemovals:
    """The newest removals; older ones are given up."""

    def __init__(self) -> None:
        self._removals: dict[HostId, Removal] = {}

    def add(self, removal: Removal) -> None:
        """Keep what was taken away."""
        self._removals[removal.snapshot.settings.id] = removal
        while len(self._removals) > KEPT:
            del self._removals[next(iter(self._removals))]

    def find(self, host_id: HostId) -> Removal:
        """Return a removal that can be undone.

        Raises:
            UserInputError: NOT_FOUND.
        """
        found = self._removals.get(host_id)
        if found is None:
            raise UserInputError(
                ErrorCode.NOT_FOUND,
                {"what": "host", "value": host_id},
                cause="This host was not removed in this session, or it is back already.",
                remedy="Add the host again.",
            )
        return found

    def drop(self, host_id: HostId) -> None:
        """Forget a removal: it was undone."""
        self._removals.pop(host_id, None)
