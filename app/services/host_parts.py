"""What the hosts service needs from outside, as callables: real ones, or scripted ones in tests."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from app.core.events import HostSettings
from app.core.hardware.fingerprint import Fingerprint, FingerprintSummary, HostSource
from app.core.hardware.sections import RawSection
from app.core.ids import HostId
from app.io.containers import ContainerEngine
from app.io.transport.base import Transport


class Connect(Protocol):
    """Open the one connection of a host."""

    async def __call__(
        self, settings: HostSettings, *, password: str | None, passphrase: str | None
    ) -> Transport:
        """Connect and authenticate.

        Raises:
            HostError: everything that can go wrong.
        """


class Assemble(Protocol):
    """Turn raw sections into a fingerprint."""

    def __call__(
        self,
        sections: Sequence[RawSection],
        *,
        source: HostSource,
        taken_at: str,
        host_id: str | None,
        host_name: str | None,
        simulated: bool,
    ) -> Fingerprint:
        """Read what can be read; never raises on bad tool output."""


class Secrets(Protocol):
    """Passwords and passphrases, in memory only, by host."""

    def put(self, host_id: HostId, *, password: str | None, passphrase: str | None) -> None:
        """Keep what is given; ``None`` leaves what was kept."""

    def password(self, host_id: HostId) -> str | None:
        """Return the password, if one was given."""

    def passphrase(self, host_id: HostId) -> str | None:
        """Return the key's passphrase, if one was given."""

    def forget(self, host_id: HostId) -> None:
        """Drop both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostParts:
    """The outside of the hosts service."""

    connect: Connect
    accept_key: Callable[[HostSettings, str], None]
    """Remember the key that this host presented, by its SHA-256."""
    connect_containers: Callable[[Transport, HostSettings], Awaitable[ContainerEngine]]
    probe: Callable[[Transport], Awaitable[tuple[RawSection, ...]]]
    assemble: Assemble
    summarize: Callable[[Fingerprint], FingerprintSummary]
    secrets: Secrets
