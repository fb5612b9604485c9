"""Passwords and passphrases of this session: in memory, never written, never shown."""

from dataclasses import dataclass, field

from app.core.ids import HostId


@dataclass(slots=True)
class _Kept:
    password: str | None = field(default=None, repr=False)
    passphrase: str | None = field(default=None, repr=False)


class SessionSecrets:
    """What the user typed in this session, by host."""

    def __init__(self) -> None:
        self._kept: dict[HostId, _Kept] = {}

    def put(self, host_id: HostId, *, password: str | None, passphrase: str | None) -> None:
        """Keep what is given; ``None`` leaves what was kept."""
        kept = self._kept.setdefault(host_id, _Kept())
        if password is not None:
            kept.password = password
        if passphrase is not None:
            kept.passphrase = passphrase

    def password(self, host_id: HostId) -> str | None:
        """Return the password, if one was given."""
        kept = self._kept.get(host_id)
        return kept.password if kept else None

    def passphrase(self, host_id: HostId) -> str | None:
        """Return the key's passphrase, if one was given."""
        kept = self._kept.get(host_id)
        return kept.passphrase if kept else None

    def forget(self, host_id: HostId) -> None:
        """Drop both."""
        self._kept.pop(host_id, None)
