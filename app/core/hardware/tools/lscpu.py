"""Read ``lscpu``, as JSON (``-J``) or as text."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from app.core.hardware.fingerprint import Cpu
from app.core.hardware.tools.values import known_int, known_text, read_count, read_text

_LINE = re.compile(r"^\s*([A-Za-z][^:]*):\s*(.*?)\s*$")
_NODE = re.compile(r"NUMA node([0-9]+) CPU\(s\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class LscpuReading:
    """What lscpu said."""

    cpu: Cpu = field(default_factory=Cpu)
    architecture: str | None = None
    hypervisor: str | None = None
    numa_cpus: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    """CPU list per NUMA node."""


def read_lscpu(text: str) -> LscpuReading | None:
    """Read either form, ``None`` when it is neither."""
    fields = dict(_json_fields(text) or _text_fields(text))
    if not any(name in fields for name in ("Architecture", "CPU(s)", "Model name")):
        return None
    numa = {
        int(match[1]): value
        for name, value in fields.items()
        if (match := _NODE.fullmatch(name)) and value
    }
    return LscpuReading(
        cpu=_cpu(fields),
        architecture=_text(fields, "Architecture"),
        hypervisor=_text(fields, "Hypervisor vendor"),
        numa_cpus=MappingProxyType(dict(sorted(numa.items()))),
    )


def lscpu_flags(text: str) -> frozenset[str] | None:
    """Return the instruction-set flags; ``None`` when lscpu did not list them."""
    words = dict(_json_fields(text) or _text_fields(text)).get("Flags", "").split()
    return frozenset(words) or None


def _cpu(fields: Mapping[str, str]) -> Cpu:
    sockets = _count(fields, "Socket(s)")
    per_socket = _count(fields, "Core(s) per socket")
    clusters = _count(fields, "Cluster(s)")
    per_cluster = _count(fields, "Core(s) per cluster")
    cores = None
    if sockets and per_socket:
        cores = sockets * per_socket
    elif clusters and per_cluster:
        cores = clusters * per_cluster
    return Cpu(
        model=_text(fields, "Model name"),
        sockets=sockets or None,
        cores=cores,
        threads=_count(fields, "CPU(s)"),
    )


def _json_fields(text: str) -> list[tuple[str, str]]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return list(_walk(document.get("lscpu"))) if isinstance(document, dict) else []


def _walk(entries: object) -> Iterable[tuple[str, str]]:
    """Yield field and data; newer releases nest entries below ``children``."""
    pending = [entries]
    while pending:
        entry = pending.pop(0)
        if isinstance(entry, list):
            pending = [*entry, *pending]
        elif isinstance(entry, dict):
            name, data = entry.get("field"), entry.get("data")
            if isinstance(name, str) and isinstance(data, str):
                yield name.strip().rstrip(":"), data
            pending.insert(0, entry.get("children"))


def _text_fields(text: str) -> list[tuple[str, str]]:
    found = [match for match in map(_LINE.match, text.splitlines()) if match is not None]
    return [(match[1].strip(), match[2]) for match in found]


def _text(fields: Mapping[str, str], name: str) -> str | None:
    return known_text(read_text(fields.get(name, "")))


def _count(fields: Mapping[str, str], name: str) -> int | None:
    return known_int(read_count(fields.get(name, "")))
