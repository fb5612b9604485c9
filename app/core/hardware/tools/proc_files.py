"""Read small text files and one-line tools of Linux: meminfo, os-release, id, uname, driver."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

_MEMINFO = re.compile(r"^\s*([A-Za-z_()0-9]+):\s+([0-9]{1,15})(?:\s+(kB))?\s*$")
_FREE_TITLES = re.compile(r"^\s+total\s+used\s+free.*available\s*$", re.MULTILINE)
_FREE_ROW = re.compile(r"^(?:Mem|内存)[:：]\s+(.*)$", re.MULTILINE)
_SIZE = re.compile(r"([0-9]{1,6}(?:[.,][0-9]{1,3})?)([KMGTP])i?B?")
_ASSIGNMENT = re.compile(r"^\s*([A-Z][A-Z0-9_]*)=(.*)$")
_ID = re.compile(r"uid=([0-9]+)(?:\(([^)]*)\))?")
_DRIVER = re.compile(r"NVRM version:.*?\s([0-9]{3}\.[0-9]{1,3}(?:\.[0-9]{1,2})?)\s")


def read_meminfo(text: str) -> Mapping[str, int]:
    """Return ``/proc/meminfo`` in bytes (``kB`` there means KiB); counts stay counts.

    ``free -h`` is read as well: its two figures have names of their own there.
    """
    found: dict[str, int] = {}
    for line in text.splitlines():
        match = _MEMINFO.match(line)
        if match is not None:
            found[match[1]] = int(match[2]) * (1024 if match[3] else 1)
    return MappingProxyType(found or _read_free(text))


def _read_free(text: str) -> dict[str, int]:
    """Read ``free -h``; without units nobody can tell KiB from MiB, so that is left out."""
    titles = _FREE_TITLES.search(text)
    row = _FREE_ROW.search(text)
    if titles is None or row is None:
        return {}
    cells = dict(zip(titles[0].split(), row[1].split(), strict=False))
    sizes = {name: _with_unit(cells.get(name, "")) for name in ("total", "available")}
    names = {"total": "MemTotal", "available": "MemAvailable"}
    return {names[name]: size for name, size in sizes.items() if size is not None}


def _with_unit(text: str) -> int | None:
    match = _SIZE.fullmatch(text)
    if match is None:
        return None
    return int(float(match[1].replace(",", ".")) * 1024 ** ("KMGTP".index(match[2]) + 1))


def read_os_release(text: str) -> Mapping[str, str]:
    """Return the assignments of ``/etc/os-release`` without their quotes."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        match = _ASSIGNMENT.match(line)
        if match is not None:
            found[match[1]] = _unquote(match[2])
    return MappingProxyType(found)


def _unquote(text: str) -> str:
    try:
        words = shlex.split(text)
    except ValueError:
        return text.strip().strip("\"'")
    return " ".join(words)


@dataclass(frozen=True, slots=True, kw_only=True)
class UserId:
    """Who the probe ran as."""

    uid: int
    name: str | None


def read_id(text: str) -> UserId | None:
    """Read ``id``."""
    match = _ID.search(text)
    return UserId(uid=int(match[1]), name=match[2] or None) if match is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Uname:
    """``uname -a``, the parts with a fixed place."""

    system: str
    hostname: str
    kernel: str
    architecture: str | None


_MACHINES = frozenset(
    {"x86_64", "aarch64", "arm64", "ppc64le", "s390x", "riscv64", "armv7l", "i686", "loongarch64"}
)


def read_uname(text: str) -> Uname | None:
    """Read ``uname -a`` (system, node name, release, …, machine)."""
    words = text.split()
    if len(words) < 3 or words[0] not in {"Linux", "Darwin", "FreeBSD"}:
        return None
    machine = next((word for word in reversed(words[3:]) if word in _MACHINES), None)
    return Uname(system=words[0], hostname=words[1], kernel=words[2], architecture=machine)


def read_kernel_driver(text: str) -> str | None:
    """Return the loaded driver's version from ``/proc/driver/nvidia/version``."""
    match = _DRIVER.search(text + "\n")
    return match[1] if match is not None else None
