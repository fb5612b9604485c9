"""Read the probe's lines about PCI devices in sysfs: NUMA node, link speed and width.

One line per device: ``/sys/bus/pci/devices/0000:00:06.0 class=0x030200 dev=0x2335 numa=-1 …``.
"""

import re
from dataclasses import dataclass
from typing import Final

from app.core.hardware.tools.values import known_int, known_text, read_count, read_text

_LINE = re.compile(r"^\S*?([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])\s+(class=.*)$")
_ADDRESS = re.compile(r"(?<=/)[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7](?=/|\s*$)")
_PAIR = re.compile(r"([a-z]+)=(.*?)(?=\s+[a-z]+=|$)")
_SPEED = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*GT/s")

_GENERATIONS: Final = {
    "2.5": 1,
    "5": 2,
    "5.0": 2,
    "8": 3,
    "8.0": 3,
    "16.0": 4,
    "32.0": 5,
    "64.0": 6,
}
"""PCI Express generation by the kernel's transfer rate (GT/s)."""

_GPU_CLASSES: Final = ("0x0300", "0x0302")
NVIDIA: Final = "0x10de"


@dataclass(frozen=True, slots=True, kw_only=True)
class PciDevice:
    """One PCI device."""

    bus_id: str
    vendor: str | None
    device: str | None
    is_display: bool
    """VGA or 3D controller."""
    numa_node: int | None
    gen_current: int | None
    gen_max: int | None
    width_current: int | None
    width_max: int | None
    driver: str | None


def read_pci_sysfs(text: str) -> tuple[PciDevice, ...]:
    """Read all device lines."""
    found: list[PciDevice] = []
    for line in text.splitlines():
        match = _LINE.match(line.strip())
        if match is None:
            continue
        pairs = {m[1]: m[2].strip() for m in _PAIR.finditer(match[2])}
        found.append(
            PciDevice(
                bus_id=match[1],
                vendor=pairs.get("vendor") or None,
                device=pairs.get("dev") or None,
                is_display=pairs.get("class", "").startswith(_GPU_CLASSES),
                numa_node=known_int(read_count(pairs.get("numa", ""))),
                gen_current=_generation(pairs.get("speed", "")),
                gen_max=_generation(pairs.get("maxspeed", "")),
                width_current=_width(pairs.get("width", "")),
                width_max=_width(pairs.get("maxwidth", "")),
                driver=known_text(read_text(pairs.get("driver", ""))),
            )
        )
    return tuple(found)


def read_pci_paths(text: str) -> tuple[tuple[str, ...], ...]:
    """Return each device's way through the PCI tree: root port, bridges, the device itself."""
    paths = (line.rpartition(" path=")[2] for line in text.splitlines() if " path=" in line)
    return tuple(way for path in paths if (way := tuple(_ADDRESS.findall(path))))


def _generation(text: str) -> int | None:
    match = _SPEED.match(text)
    return _GENERATIONS.get(match[1]) if match is not None else None


def _width(text: str) -> int | None:
    width = known_int(read_count(text))
    return width if width is not None and 1 <= width <= 32 else None
