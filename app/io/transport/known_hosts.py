"""Read OpenSSH's known_hosts: hashed names, wildcards, negation, ports and markers.

Only reads; lines it cannot make sense of are passed over, as OpenSSH does.
Source of the format: sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT", OpenSSH 9.2.
"""

import base64
import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path

DEFAULT_PORT = 22


class Marker(StrEnum):
    """What a line is for."""

    NONE = ""
    CERT_AUTHORITY = "@cert-authority"
    REVOKED = "@revoked"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostKey:
    """A host's public key as it travels: type and blob."""

    key_type: str
    blob: bytes

    @property
    def sha256(self) -> str:
        """The fingerprint as OpenSSH prints it."""
        digest = base64.b64encode(hashlib.sha256(self.blob).digest()).decode("ascii")
        return "SHA256:" + digest.rstrip("=")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownHost:
    """One line of a known_hosts file."""

    patterns: str
    """The first field, as written: names, patterns or one hash."""
    key: HostKey
    marker: Marker
    file: Path
    line: int

    def matches(self, name: str) -> bool:
        """Tell whether the line speaks of ``name`` (see `lookup_name`)."""
        if self.patterns.startswith("|1|"):
            return _matches_hash(self.patterns, name)
        return _matches_patterns(self.patterns, name)


def lookup_name(host: str, port: int) -> str:
    """Return the name a host has in known_hosts: with its port when that is not 22."""
    host = host.lower()
    return host if port == DEFAULT_PORT else f"[{host}]:{port}"


def read_known_hosts(file: Path) -> tuple[KnownHost, ...]:
    """Return the usable lines of a file; a missing or unreadable file has none."""
    try:
        text = file.read_text("utf-8", "replace")
    except OSError:
        return ()
    return tuple(_parse(text, file))


def _parse(text: str, file: Path) -> Iterator[KnownHost]:
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        marker = Marker.NONE
        if fields[0].startswith("@"):
            try:
                marker = Marker(fields.pop(0))
            except ValueError:  # a marker of a newer OpenSSH
                continue
        if len(fields) < 3:
            continue
        try:
            blob = base64.b64decode(fields[2], validate=True)
        except ValueError:  # binascii.Error is one
            continue
        key = HostKey(key_type=fields[1], blob=blob)
        yield KnownHost(patterns=fields[0], key=key, marker=marker, file=file, line=number)


def _matches_hash(field: str, name: str) -> bool:
    _, _, salt, digest = [*field.split("|"), "", ""][:4]
    try:
        made = hmac.new(base64.b64decode(salt), name.encode(), hashlib.sha1).digest()
        return hmac.compare_digest(made, base64.b64decode(digest))
    except ValueError:  # binascii.Error is one
        return False


def _matches_patterns(field: str, name: str) -> bool:
    """Any pattern may match; one negated pattern that matches rules the line out."""
    found = False
    for pattern in field.lower().split(","):
        negated = pattern.startswith("!")
        # "[" is an ordinary character here (a port follows), only * and ? are special.
        if fnmatchcase(name, pattern.removeprefix("!").replace("[", "[[]")):
            if negated:
                return False
            found = True
    return found
