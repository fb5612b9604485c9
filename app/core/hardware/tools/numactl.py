"""Read ``numactl -H`` and the same facts from sysfs: NUMA nodes, their CPUs and memory."""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from app.core.hardware.fingerprint import NumaNode

_CPUS = re.compile(r"^node\s+([0-9]{1,5})\s+cpus:\s*([0-9 ]*)$")
_SIZE = re.compile(r"^node\s+([0-9]{1,5})\s+size:\s*([0-9]{1,12})\s*MB$")
_SYSFS = re.compile(r"^node([0-9]{1,5})\s+cpus=([0-9,-]*)(?:\s+memory_kb=([0-9]{1,15}))?\s*$")


def read_numactl(text: str) -> Mapping[int, NumaNode]:
    """Read ``numactl -H``; its MB are MiB."""
    cpus: dict[int, str] = {}
    sizes: dict[int, int] = {}
    for line in text.splitlines():
        cpu_line, size_line = _CPUS.match(line.strip()), _SIZE.match(line.strip())
        if cpu_line is not None:
            cpus[int(cpu_line[1])] = cpu_ranges(int(n) for n in cpu_line[2].split())
        elif size_line is not None:
            sizes[int(size_line[1])] = int(size_line[2])
    nodes = {
        i: NumaNode(id=i, cpus=cpus.get(i) or None, memory_mib=sizes.get(i))
        for i in sorted(cpus.keys() | sizes.keys())
    }
    return MappingProxyType(nodes)


def read_numa_sysfs(text: str) -> Mapping[int, NumaNode]:
    """Read the probe's own lines ``node0 cpus=0-31 memory_kb=…`` from sysfs."""
    found: dict[int, NumaNode] = {}
    for line in text.splitlines():
        match = _SYSFS.match(line.strip())
        if match is not None:
            memory = int(match[3]) // 1024 if match[3] else None
            found[int(match[1])] = NumaNode(
                id=int(match[1]), cpus=match[2] or None, memory_mib=memory
            )
    return MappingProxyType(dict(sorted(found.items())))


def cpu_ranges(numbers: Iterable[int]) -> str:
    """Write CPU numbers as the kernel does: ``0-3,8-11``."""
    parts: list[list[int]] = []
    for number in sorted(set(numbers)):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)
