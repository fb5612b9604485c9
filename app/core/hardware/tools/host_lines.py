"""Read the small answers around a host: counted words, units, files, ports, installed kernels.

Nothing here raises; what is not understood is left out, and the caller says that it is unknown.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

_COUNTED = re.compile(r"^\s*([0-9]{1,7})\s+(\S+)\s*$")
_FILE_LINE = re.compile(r"^(/[^:\n]+):(.*)$")
_PAIR = re.compile(r"^\s*([A-Za-z][\w.-]*)\s*[=:]\s*(.*?)\s*$")
_QUOTED = re.compile(r'([A-Z][A-Z:-]*)="([^"]*)"')
_PORT = re.compile(r"^(?:LISTEN\s+)?[0-9]+\s+[0-9]+\s+(\S+):([0-9]{1,5})\s")
_KERNEL = re.compile(r"^(\S+) nvidia=(.*)$")
_DKMS = re.compile(
    r"^nvidia[\w-]*[/,]\s*([\w.+~-]+),\s*([\w.+~-]+)(?:,\s*\w+)?:\s*(\w+)", re.MULTILINE
)


def read_counted(text: str) -> Mapping[str, int]:
    """Read the output of ``sort | uniq -c``: word → how often."""
    matches = (_COUNTED.match(line) for line in text.splitlines())
    return MappingProxyType({m[2]: int(m[1]) for m in matches if m is not None})


def read_file_lines(text: str) -> Mapping[str, tuple[str, ...]]:
    """Read the output of ``grep '' FILE…``: path → its lines."""
    found: dict[str, tuple[str, ...]] = {}
    for line in text.splitlines():
        match = _FILE_LINE.match(line)
        if match is not None:
            found[match[1]] = (*found.get(match[1], ()), match[2])
    return MappingProxyType(found)


def read_pairs(text: str) -> Mapping[str, str]:
    """Read ``name=value`` or ``name: value`` lines; the first of equal names counts."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        match = _PAIR.match(line)
        if match is not None:
            found.setdefault(match[1], match[2])
    return MappingProxyType(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One systemd unit."""

    name: str
    is_installed: bool
    is_active: bool
    limits: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """``LimitMEMLOCK`` in bytes, ``LimitNOFILE`` as a count; ``infinity`` stays that word."""


def read_units(text: str) -> Mapping[str, Unit]:
    """Read ``systemctl show -p Id,…`` of several units, parted by empty lines."""
    found: dict[str, Unit] = {}
    for part in re.split(r"\n\s*\n", text):
        pairs = read_pairs(part)
        name = pairs.get("Id", "").removesuffix(".service")
        if name:
            found[name] = Unit(
                name=name,
                is_installed=pairs.get("LoadState") == "loaded",
                is_active=pairs.get("ActiveState") == "active",
                limits=MappingProxyType({k: v for k, v in pairs.items() if k.startswith("Limit")}),
            )
    return MappingProxyType(found)


def read_listening(text: str) -> Mapping[int, tuple[str, ...]]:
    """Read ``ss -ltn``: port → the addresses on which somebody listens."""
    found: dict[int, tuple[str, ...]] = {}
    for line in text.splitlines():
        match = _PORT.match(line.strip())
        if match is not None:
            port = int(match[2])
            found[port] = (*found.get(port, ()), match[1].strip("[]"))
    return MappingProxyType(found)


def read_block_devices(text: str) -> Mapping[str, Mapping[str, str]]:
    """Read ``lsblk -P``: device name → its columns."""
    rows = [dict(_QUOTED.findall(line)) for line in text.splitlines()]
    return MappingProxyType({row["NAME"]: MappingProxyType(row) for row in rows if "NAME" in row})


def read_kernels(text: str) -> Mapping[str, bool]:
    """Read the probe's list of installed kernels: release → has NVIDIA's module."""
    matches = (_KERNEL.match(line.strip()) for line in text.splitlines())
    return MappingProxyType({m[1]: bool(m[2].strip()) for m in matches if m is not None})


def read_dkms(text: str) -> Mapping[str, str]:
    """Read ``dkms status``: kernel release → state of NVIDIA's module (``installed`` …)."""
    return MappingProxyType({m[2]: m[3].lower() for m in _DKMS.finditer(text)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """What the remote shell had before the probe set its own."""

    path: tuple[str, ...]
    locale: str


def read_login(text: str) -> Login | None:
    """Read the probe's line ``path=… locale=…``."""
    match = re.search(r"path=(\S*) locale=(\S*)", text)
    if match is None:
        return None
    return Login(path=tuple(part for part in match[1].split(":") if part), locale=match[2])


def read_tool_paths(text: str) -> Mapping[str, str]:
    """Read ``TOOL PATH`` lines; a tool that was not found has an empty path."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        words = line.split(None, 1)
        if words and not words[0].startswith("/"):
            found[words[0]] = words[1].strip() if len(words) > 1 else ""
    return MappingProxyType(found)
