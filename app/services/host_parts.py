"""What the hosts service needs from outside, as callables: real ones, or scripted ones in tests."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from app.core.events import HostSettings
from app.core.hardware.fingerprint import Fingerprint, FingerprintSummary
from app.core.hardware.renewal import Assemble
from app.core.hardware.sections import RawSection
from app.io.containers import ContainerEngine
from app.io.credentials import CredentialKind, KeyringState
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


class Secrets(Protocol):
    """Passwords and passphrases by owner (`app.io.credentials.Credentials`)."""

    async def keyring_state(self) -> KeyringState:
        """Say whether there is a keyring that may be used."""

    async def look_again(self) -> KeyringState:
        """Ask a keyring anew that was locked or did not answer."""

    async def remember(
        self, host_id: str, kind: CredentialKind, secret: str, *, keep: bool
    ) -> bool:
        """Keep a secret in memory, and beyond this session only when ``keep`` says so."""

    async def recall(
        self, host_id: str, kind: CredentialKind, *, from_keyring: bool = True
    ) -> str | None:
        """Return a secret, if one is known."""

    async def forget(
        self, host_id: str, kind: CredentialKind | None = None, *, from_keyring: bool = True
    ) -> None:
        """Drop one kind of secret of an owner, or all."""


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
