"""What the deployments service needs from its neighbours, so that each can be scripted in tests."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from app.core.actuals.record import StartRecord
from app.core.deployment.spec import DeploymentSpec, Profile
from app.core.engines.spec import EngineData
from app.core.events import HostSnapshot
from app.core.hardware.fingerprint import Fingerprint
from app.core.ids import HostId
from app.io.containers import ContainerEngine
from app.io.transport.base import Transport
from app.services.activities import Activities
from app.services.bus import EventBus
from app.services.clock import Clock
from app.services.deploying.journal import DeployJournal
from app.services.deploying.measuring import RunKeeper
from app.services.diagnosing import Diagnoser
from app.services.engine_access import HttpFactory, TunnelFactory


class Hosts(Protocol):
    """The part of the hosts service that is used here."""

    def find(self, name_or_id: str) -> HostSnapshot:
        """Return a host."""

    def transport(self, host_id: HostId) -> Transport:
        """Return the live connection or raise NOT_CONNECTED."""

    async def container_engine(self, host_id: HostId) -> ContainerEngine:
        """Return the host's container engine."""

    async def fingerprint(self, host_id: HostId) -> Fingerprint | None:
        """Return the newest fingerprint."""


class Resolver(Protocol):
    """Turns a profile into a deployment spec for one host (the planning service does it)."""

    async def __call__(
        self,
        profile: Profile,
        host_id: HostId,
        *,
        name: str | None,
        model_path: str | None,
        revision: Callable[[str], int],
    ) -> DeploymentSpec:
        """Read model and fingerprint, then resolve; ``revision`` gives the next one of a name."""


class KeyKeeper(Protocol):
    """Holds API keys (the API keys service does it)."""

    async def recall(self, host_id: HostId, name: str) -> str | None:
        """Return the key that a deployment of this name had."""

    async def keep(self, host_id: HostId, name: str, key: str) -> None:
        """Keep a key."""

    async def forget(self, host_id: HostId, name: str) -> None:
        """Drop a key."""


class StartKeeper(Protocol):
    """Keeps what starts took (the actuals service does it)."""

    async def record(self, record: StartRecord) -> None:
        """Keep a start that became ready; one that cannot be kept is no failure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployParts:
    """Everything from outside, in one value."""

    hosts: Hosts
    engines: Mapping[str, EngineData]
    http: HttpFactory
    open_tunnel: TunnelFactory
    journal: DeployJournal
    starts: StartKeeper
    runs: RunKeeper
    resolve: Resolver
    bus: EventBus
    clock: Clock
    activities: Activities
    diagnoser: Diagnoser
    keys: KeyKeeper
    new_secret: Callable[[], str]
    """Makes an API key."""
    mirrors: Callable[[], Mapping[str, str]] = dict
    """Registry → the mirror that images are fetched from instead, as set now."""
