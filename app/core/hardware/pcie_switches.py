"""Which devices sit below one PCIe switch, from the kernel's device paths and the link matrix.

The matrix says NV# for GPUs that NVLink joins, so it hides their PCIe neighbourhood: two GPUs of
one switch show only through the NICs they share. Paths of sysfs say it outright.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from app.core.hardware.connected import connected
from app.core.hardware.fingerprint import Fingerprint, LinkKind
from app.core.hardware.tools.pci_sysfs import read_pci_paths
from app.core.hardware.tools.smi_columns import bus_key

_BELOW_SWITCHES: Final = frozenset({LinkKind.PIX, LinkKind.PXB})
_SECTION: Final = "pci-sysfs"


@dataclass(frozen=True, slots=True, kw_only=True)
class PcieSwitch:
    """Devices that reach each other without the CPU's host bridge."""

    members: tuple[str, ...]
    """``GPU0``, ``NIC1``: in the order of the matrix, GPUs first."""
    port: str | None = None
    """PCI address of the root port above, when sysfs told; ``0000:15:01.0``."""
    several: bool = False
    """Some pair goes through more than one switch (PXB)."""


def pcie_switches(fingerprint: Fingerprint) -> tuple[PcieSwitch, ...]:
    """Return the switches with at least one GPU and one further device, in order of their GPUs."""
    names = [f"GPU{gpu.index}" for gpu in fingerprint.gpus]
    names += [nic.name for nic in fingerprint.topology.nics]
    ports = _root_ports(fingerprint)
    near = [
        (link.a, link.b, link.kind)
        for link in fingerprint.topology.links
        if link.kind in _BELOW_SWITCHES
    ]
    same_port = pairwise(sorted(ports, key=lambda name: (ports[name], name)))
    joined = [(a, b) for a, b, _ in near]
    joined += [(a, b) for a, b in same_port if ports[a] == ports[b]]
    far = {name for a, b, kind in near if kind is LinkKind.PXB for name in (a, b)}
    switches = []
    for group in connected(joined):
        members = tuple(name for name in names if name in group)
        if len(members) > 1 and members[0].startswith("GPU"):
            port = next((ports[name] for name in members if name in ports), None)
            switches.append(PcieSwitch(members=members, port=port, several=bool(far & group)))
    return tuple(sorted(switches, key=lambda switch: names.index(switch.members[0])))


def _root_ports(fingerprint: Fingerprint) -> Mapping[str, str]:
    """Return the root port of each GPU that has a switch between itself and the port.

    A root port is one link, so all that hangs below it shares its first switch.
    """
    text = next((s.stdout for s in fingerprint.sections if s.name == _SECTION), "")
    paths = {bus_key(path[-1]): path for path in read_pci_paths(text)}
    found: dict[str, str] = {}
    for gpu in fingerprint.gpus:
        path = paths.get(bus_key(gpu.bus_id)) if gpu.bus_id is not None else None
        # Root port, switch (upstream and downstream side), device.
        if path is not None and len(path) >= 4:
            found[f"GPU{gpu.index}"] = path[0]
    return found
