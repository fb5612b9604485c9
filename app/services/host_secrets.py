"""Whose a host's secrets are, and when the system's keyring is asked for them.

A password belongs to its host. The passphrase of a chosen key file belongs to that file, so that
fifty hosts with one key ask for it once. The keyring is asked only for hosts whose user wanted
that: it may have to be unlocked.
"""

from collections.abc import Iterable
from typing import Final

from app.core.errors import AppError, ErrorCode, HostError
from app.core.events import HostSettings
from app.io.credentials import CredentialKind
from app.io.credentials import KeyringState as KeyringState  # noqa: PLC0414 - told on
from app.services.host_parts import Secrets

_KINDS: Final = (CredentialKind.PASSWORD, CredentialKind.PASSPHRASE)


class HostSecrets:
    """The secrets of hosts by their settings."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets

    async def take(
        self, settings: HostSettings, *, password: str | None, passphrase: str | None
    ) -> None:
        """Hold what was typed in memory; whether it is right is not known yet."""
        for kind, secret in zip(_KINDS, (password, passphrase), strict=True):
            if secret is not None:
                await self._secrets.remember(_owner(settings, kind), kind, secret, keep=False)

    async def recall(self, settings: HostSettings, kind: CredentialKind) -> str | None:
        """Return a secret, from the keyring only where the user had it kept there."""
        return await self._secrets.recall(
            _owner(settings, kind), kind, from_keyring=settings.keeps_secrets
        )

    async def keep(self, settings: HostSettings) -> KeyringState:
        """Write what is held of a host into the keyring; a locked one is asked again.

        Returns:
            How the keyring stands now: not usable means that memory alone holds the secrets.
        """
        state = await self._secrets.look_again()
        for kind in (*_KINDS, CredentialKind.API_KEY) if state.is_usable else ():
            owner = _owner(settings, kind)
            held = await self._secrets.recall(owner, kind, from_keyring=False)
            if held is not None:
                await self._secrets.remember(owner, kind, held, keep=True)
        return await self._secrets.keyring_state()

    async def holds(self, settings: HostSettings) -> bool:
        """Tell whether memory holds anything of a host."""
        found = [
            await self._secrets.recall(_owner(settings, kind), kind, from_keyring=False)
            for kind in _KINDS
        ]
        return any(secret is not None for secret in found)

    async def refused(self, settings: HostSettings, error: AppError) -> None:
        """Drop what did not let us in: the passphrase when it opens no key, else the password."""
        is_key = error.params.get("what") == "passphrase"
        kind = CredentialKind.PASSPHRASE if is_key else CredentialKind.PASSWORD
        await self._secrets.forget(
            _owner(settings, kind), kind, from_keyring=settings.keeps_secrets
        )

    async def forget(self, settings: HostSettings, others: Iterable[HostSettings] = ()) -> None:
        """Drop all secrets of a host; the passphrase of a key that ``others`` use too stays."""
        kept = settings.keeps_secrets
        await self._secrets.forget(settings.id, from_keyring=kept)
        owner = _owner(settings, CredentialKind.PASSPHRASE)
        shared = {_owner(other, CredentialKind.PASSPHRASE) for other in others}
        if owner != settings.id and owner not in shared:
            await self._secrets.forget(owner, CredentialKind.PASSPHRASE, from_keyring=kept)


def _owner(settings: HostSettings, kind: CredentialKind) -> str:
    if kind is CredentialKind.PASSPHRASE and settings.key_file:
        return f"key:{settings.key_file}"
    return settings.id


_WHY: Final = {
    "no-backend": ("No keyring runs on this desktop", "Start the desktop's keyring"),
    "not-guarded": (
        "The keyring that is set up keeps its contents in the open, so it is refused",
        "Set up the desktop's own keyring",
    ),
    "locked": ("The system's keyring is locked and nobody unlocked it", "Unlock it"),
}


def keyring_unusable(host_name: str, state: KeyringState) -> HostError:
    """Return the error for secrets that could not be kept beyond this session."""
    cause, remedy = _WHY.get(
        state.reason, ("The system's keyring did not do it", "See whether it runs")
    )
    return HostError(
        ErrorCode.KEYRING_UNUSABLE,
        {"host": host_name, "reason": state.reason},
        cause=f"{cause} ({state.details})." if state.details else f"{cause}.",
        remedy=f"{remedy} and try again; until then secrets are held in memory only.",
        details=state.details,
    )
