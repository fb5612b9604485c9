"""Secrets of hosts: in memory, and in the system's keyring only when there is a real one.

There is no plain-text fallback. `keyring` itself would use a file when ``keyrings.alt`` is
installed and no desktop runs; only backends known to be guarded by the system are used here.
An owner is a host's id, or a key file that several hosts share.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Protocol, TypeVar

_log = logging.getLogger(__name__)

T = TypeVar("T")

SERVICE = "pitwall"
KEYRING_TIMEOUT_S = 60.0
"""The desktop may ask the user to unlock it."""

_GUARDED_BACKENDS = (
    "keyring.backends.SecretService",
    "keyring.backends.libsecret",
    "keyring.backends.kwallet",
    "keyring.backends.macOS",
    "keyring.backends.Windows",
)
_LOCKED = ("KeyringLocked", "InitError", "LockedException", "PromptDismissedException")
"""Errors of keyring and SecretStorage when nobody unlocked it (lab: ``Prompt dismissed``)."""


class CredentialKind(StrEnum):
    """What a secret opens."""

    PASSWORD = "password"  # noqa: S105 - a kind's name
    PASSPHRASE = "passphrase"  # noqa: S105 - a kind's name
    API_KEY = "api_key"


class KeyringBackend(Protocol):
    """The part of a keyring backend that is used."""

    def get_password(self, service: str, username: str) -> str | None:
        """Return a secret."""

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep a secret."""

    def delete_password(self, service: str, username: str) -> None:
        """Remove a secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyringState:
    """Whether secrets can outlive the program, for the settings page."""

    is_usable: bool
    name: str = ""
    reason: str = ""
    """Why not: ``no-backend``, ``not-guarded``, ``locked``, ``failed``; empty when usable."""
    details: str = ""


class Credentials:
    """Remember secrets by owner; safe to print."""

    def __init__(self, find: Callable[[], "KeyringBackend | KeyringState"] | None = None) -> None:
        self._find = find or find_keyring
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="pitwall-keyring")
        self._memory: dict[tuple[str, str], bytearray] = {}
        self._state: KeyringState | None = None
        self._backend: KeyringBackend | None = None

    def __repr__(self) -> str:
        """Show how many, never what."""
        return f"Credentials({len(self._memory)} in memory)"

    async def keyring_state(self) -> KeyringState:
        """Say whether there is a keyring that may be used."""
        if self._state is None:
            found = await self._in_thread(self._find)
            if isinstance(found, KeyringState):
                self._state = found
            elif found is not None:
                self._backend = found
                self._state = KeyringState(is_usable=True, name=_name(found))
        return self._state or KeyringState(is_usable=False, reason="failed")

    async def look_again(self) -> KeyringState:
        """Ask a keyring anew that was locked or did not answer; it may be open by now."""
        if self._state is not None and not self._state.is_usable:
            self._state = None
        return await self.keyring_state()

    async def remember(
        self, host_id: str, kind: CredentialKind, secret: str, *, keep: bool
    ) -> bool:
        """Keep a secret in memory and, if wanted and possible, in the keyring.

        Returns:
            True when it will be known after a restart. When not, `keyring_state` says why.
        """
        self._wipe((host_id, kind))
        self._memory[(host_id, kind)] = bytearray(secret.encode())
        backend = await self._usable() if keep else None
        if backend is None:
            return False
        name = _entry(host_id, kind)
        return await self._in_thread(lambda: _set(backend, name, secret)) is True

    async def recall(
        self, host_id: str, kind: CredentialKind, *, from_keyring: bool = True
    ) -> str | None:
        """Return a secret from memory, else from the keyring, else ``None``.

        Args:
            host_id: Its owner.
            kind: What it opens.
            from_keyring: False leaves the keyring alone, which may ask the user to unlock it.
        """
        known = self._memory.get((host_id, kind))
        if known is not None:
            return known.decode()
        backend = await self._usable() if from_keyring else None
        if backend is None:
            return None
        name = _entry(host_id, kind)
        found = await self._in_thread(lambda: backend.get_password(SERVICE, name))
        if found is not None:  # so that it is known what must never leave this computer
            self._memory.setdefault((host_id, kind), bytearray(found.encode()))
        return found

    def in_memory(self) -> tuple[str, ...]:
        """Return every secret that memory holds, to be taken out of what leaves this computer."""
        return tuple(secret.decode("utf-8", "replace") for secret in self._memory.values())

    async def forget(
        self, host_id: str, kind: CredentialKind | None = None, *, from_keyring: bool = True
    ) -> None:
        """Remove secrets from memory and keyring: one kind, or all."""
        for one in (kind,) if kind else tuple(CredentialKind):
            self._wipe((host_id, one))
            if from_keyring and (backend := await self._usable()):
                await self._in_thread(partial(_delete, backend, _entry(host_id, one)))

    def wipe(self, host_id: str) -> None:
        """Overwrite and drop what memory holds of a host; for disconnecting."""
        for key in [key for key in self._memory if key[0] == host_id]:
            self._wipe(key)

    def close(self) -> None:
        """Overwrite and drop everything in memory."""
        for key in list(self._memory):
            self._wipe(key)
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _wipe(self, key: tuple[str, str]) -> None:
        secret = self._memory.pop(key, None)
        if secret is not None:
            secret[:] = bytes(len(secret))

    async def _usable(self) -> KeyringBackend | None:
        return self._backend if (await self.keyring_state()).is_usable else None

    async def _in_thread(self, work: Callable[[], T]) -> T | None:
        """Run a keyring call off the loop; a failing keyring is one that is not there."""
        loop = asyncio.get_running_loop()
        try:
            # Not wait_for: until Python 3.12 it swallows a cancellation that comes with the result.
            async with asyncio.timeout(KEYRING_TIMEOUT_S):
                return await loop.run_in_executor(self._thread, work)
        except TimeoutError:
            self._give_up("failed", "it did not answer")
        except Exception as problem:  # noqa: BLE001 - backends raise whatever their system does
            reason = "locked" if type(problem).__name__ in _LOCKED else "failed"
            self._give_up(reason, f"{type(problem).__name__}: {problem}")
        return None

    def _give_up(self, reason: str, why: str) -> None:
        """Leave the keyring alone until `look_again`: each call could open another question."""
        _log.info("The system keyring is not used any more: %s", why)
        self._backend = None
        self._state = KeyringState(is_usable=False, reason=reason, details=why)


def find_keyring() -> KeyringBackend | KeyringState:
    """Return the system's guarded keyring, or why there is none. May start D-Bus services."""
    import keyring
    import keyring.backends.fail

    chosen = keyring.get_keyring()
    candidates = [chosen, *getattr(chosen, "backends", ())]
    for backend in candidates:
        if type(backend).__module__.startswith(_GUARDED_BACKENDS):
            found: KeyringBackend = backend
            return found
    if isinstance(chosen, keyring.backends.fail.Keyring):
        return KeyringState(
            is_usable=False, reason="no-backend", details="no Secret Service or other keyring runs"
        )
    return KeyringState(
        is_usable=False, reason="not-guarded", details=f"{_name(chosen)} is not used for secrets"
    )


def _name(backend: object) -> str:
    return f"{type(backend).__module__}.{type(backend).__qualname__}"


def _entry(host_id: str, kind: CredentialKind) -> str:
    return f"{host_id}/{kind}"


def _set(backend: KeyringBackend, name: str, secret: str) -> bool:
    backend.set_password(SERVICE, name, secret)
    return True


def _delete(backend: KeyringBackend, name: str) -> None:
    if backend.get_password(SERVICE, name) is not None:
        backend.delete_password(SERVICE, name)
