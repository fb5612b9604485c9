"""What the hosts of this desk have to offer, from their stored facts: nothing is connected."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass

from app.core.errors import DataFileError
from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.fingerprint import Fingerprint
from app.core.host import HostKind, HostSettings
from app.core.ids import HostId
from app.core.models.hardware_table import Candidate
from app.core.planning.owned_hardware import owned_candidates

Newest = Callable[[HostId], Awaitable[Fingerprint | None]]
"""Gives the newest stored facts of a host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedHost:
    """A host by its name, with what was last read of it."""

    name: str
    fingerprint: Fingerprint


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedHosts:
    """The hosts of this desk whose facts are stored."""

    hosts: tuple[OwnedHost, ...] = ()
    unread: tuple[str, ...] = ()
    """Names of hosts whose stored facts could not be read."""

    def candidates(self, catalogue: GpuCatalogue) -> Iterator[Candidate]:
        """Yield what each of them has to offer."""
        for host in self.hosts:
            yield from owned_candidates(host.name, host.fingerprint, catalogue)


async def owned_hosts(hosts: Iterable[HostSettings], newest: Newest) -> OwnedHosts:
    """Return the hosts whose facts are stored."""
    found, unread = [], []
    for settings in hosts:
        if settings.kind is HostKind.DEMO:
            continue  # made up: nobody owns its GPUs
        try:
            fingerprint = await newest(settings.id)
        except DataFileError:
            unread.append(settings.name)
            continue
        if fingerprint is not None and fingerprint.gpus:
            found.append(OwnedHost(name=settings.name, fingerprint=fingerprint))
    return OwnedHosts(hosts=tuple(found), unread=tuple(unread))
