"""Which host keys are trusted: the user's known_hosts (read only) and Pitwall's own file.

A key that the user accepts goes to the own file only. What stands there was decided here and
later, so it outweighs the user's files; a revoked key is refused wherever the line is.
"""

import base64
import threading
from collections.abc import Sequence
from pathlib import Path

from app.core.errors import ErrorCode, HostError, StoreError
from app.io.files import replace_file
from app.io.transport.known_hosts import (
    HostKey,
    KnownHost,
    Marker,
    lookup_name,
    read_known_hosts,
)

SUPPORTED_KEY_TYPES = (
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "ssh-rsa",
)
"""Types a host can prove itself with here, in the order we prefer them."""


class HostKeyStore:
    """Check presented host keys and remember accepted ones; safe to use from several threads."""

    def __init__(self, own_file: Path, user_files: Sequence[Path] = ()) -> None:
        self._own_file = own_file
        self._user_files = tuple(user_files)
        self._lock = threading.Lock()
        self._presented: dict[tuple[str, int], tuple[str, int, HostKey]] = {}

    @classmethod
    def for_user(cls, own_file: Path) -> "HostKeyStore":
        """Return a store that also reads OpenSSH's files of this user and machine."""
        ssh = Path("~/.ssh").expanduser()
        system = Path("/etc/ssh/ssh_known_hosts")
        return cls(own_file, (ssh / "known_hosts", ssh / "known_hosts2", system))

    def preferred_types(self, host: str, port: int) -> tuple[str, ...]:
        """Return key types to ask for, those already known of this host first.

        Else a host known by its RSA key would show its Ed25519 key and look like a stranger.
        """
        known = {
            entry.key.key_type
            for entry in self._entries(lookup_name(host, port))
            if entry.marker is Marker.NONE
        }
        return tuple(sorted(SUPPORTED_KEY_TYPES, key=lambda key_type: key_type not in known))

    def check(
        self, host: str, port: int, key: HostKey, *, asked: tuple[str, int] | None = None
    ) -> None:
        """Return when the presented key is trusted. Nothing secret may be sent before.

        Args:
            host: The name under which the key is kept.
            port: Its port.
            key: What the host showed.
            asked: Name and port the user entered, where a configuration led elsewhere;
                `accept_presented` understands both.

        Raises:
            HostError: HOST_KEY_REVOKED, HOST_KEY_CHANGED (also when the host no longer has any
                of the key types known of it), HOST_KEY_UNKNOWN.
        """
        with self._lock:
            for name, number in {(host, port), asked or (host, port)}:
                self._presented[(name.lower(), number)] = (host, port, key)
        entries = self._entries(lookup_name(host, port))
        for entry in entries:
            if entry.marker is Marker.REVOKED and entry.key == key:
                raise _revoked(host, port, key, entry)
        plain = [entry for entry in entries if entry.marker is Marker.NONE]
        decisive = [entry for entry in plain if entry.file == self._own_file] or plain
        if any(entry.key == key for entry in decisive):
            return
        comparable = [entry for entry in decisive if entry.key.key_type in SUPPORTED_KEY_TYPES]
        same_type = [entry for entry in comparable if entry.key.key_type == key.key_type]
        if comparable:
            raise _changed(host, port, key, (same_type or comparable)[0])
        has_authority = any(entry.marker is Marker.CERT_AUTHORITY for entry in entries)
        raise _unknown(host, port, key, decisive, has_authority=has_authority)

    def accept_presented(self, host: str, port: int, sha256: str) -> None:
        """Trust the key that the host showed last, if its fingerprint is ``sha256``.

        Replaces what the own file says of this host, so it is also the answer to a changed key
        that was verified with the host's administrator.

        Raises:
            HostError: HOST_KEY_CHANGED when the host has shown another key since.
        """
        with self._lock:
            shown = self._presented.get((host.lower(), port))
        if shown is None or shown[2].sha256 != sha256:
            raise _not_presented(host, port, sha256, shown[2] if shown else None)
        self.accept(*shown)

    def accept(self, host: str, port: int, key: HostKey) -> None:
        """Write the key to Pitwall's own file, in place of older ones of this host.

        Raises:
            StoreError: FILE_UNWRITABLE.
        """
        name = lookup_name(host, port)
        blob = base64.b64encode(key.blob).decode("ascii")
        with self._lock:
            kept = [line for line in self._own_lines() if line.split(maxsplit=1)[0] != name]
            text = "\n".join([*kept, f"{name} {key.key_type} {blob}", ""])
            try:
                self._own_file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                replace_file(self._own_file, text.encode(), private=True)
            except OSError as problem:
                raise StoreError(
                    ErrorCode.FILE_UNWRITABLE,
                    {"path": self._own_file},
                    cause=f"{self._own_file} cannot be written: {problem.strerror}.",
                    remedy="Free some space or correct the rights of that folder.",
                ) from problem

    def _own_lines(self) -> list[str]:
        try:
            text = self._own_file.read_text("utf-8", "replace")
        except OSError:
            return []
        return [line for line in text.splitlines() if line.strip()]

    def _entries(self, name: str) -> list[KnownHost]:
        files = (self._own_file, *self._user_files)
        return [entry for file in files for entry in read_known_hosts(file) if entry.matches(name)]


def _params(host: str, port: int, key: HostKey) -> dict[str, object]:
    return {"host": host, "port": port, "key_type": key.key_type, "sha256": key.sha256}


def _unknown(
    host: str, port: int, key: HostKey, others: Sequence[KnownHost], *, has_authority: bool
) -> HostError:
    previous = others[0].key.sha256 if others else ""
    authority = (
        " known_hosts names a certificate authority for it; Pitwall compares plain keys only."
        if has_authority
        else ""
    )
    return HostError(
        ErrorCode.HOST_KEY_UNKNOWN,
        {**_params(host, port, key), "previous": previous},
        cause=f"{host} was never connected to before; its {key.key_type} key is {key.sha256}.",
        remedy="Compare the fingerprint with one from the host's administrator, then accept it."
        + authority,
    )


def _changed(host: str, port: int, key: HostKey, entry: KnownHost) -> HostError:
    return HostError(
        ErrorCode.HOST_KEY_CHANGED,
        {
            **_params(host, port, key),
            "previous": entry.key.sha256,
            "previous_type": entry.key.key_type,
            "file": entry.file,
            "line": entry.line,
        },
        cause=f"{host} shows another key than before: {key.key_type} {key.sha256} instead of "
        f"{entry.key.key_type} {entry.key.sha256} ({entry.file}, line {entry.line}). It was "
        "installed anew, or someone stands in between. Nothing was sent.",
        remedy="Ask the host's administrator. Only when the new fingerprint is confirmed, "
        "accept it.",
    )


def _revoked(host: str, port: int, key: HostKey, entry: KnownHost) -> HostError:
    return HostError(
        ErrorCode.HOST_KEY_REVOKED,
        {**_params(host, port, key), "file": entry.file, "line": entry.line},
        cause=f"The key of {host} ({key.sha256}) is marked as revoked in {entry.file}, "
        f"line {entry.line}. Nothing was sent.",
        remedy="Do not connect; ask the host's administrator for its new key.",
    )


def _not_presented(host: str, port: int, sha256: str, shown: HostKey | None) -> HostError:
    now = shown.sha256 if shown else "none"
    return HostError(
        ErrorCode.HOST_KEY_CHANGED,
        {"host": host, "port": port, "sha256": now, "previous": sha256, "file": "", "line": ""},
        cause=f"{host} has not shown the key {sha256}; the last one it showed is {now}.",
        remedy="Connect again and compare the fingerprint that is shown then.",
    )
