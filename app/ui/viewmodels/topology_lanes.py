"""Which NUMA node each device of the topology picture belongs to."""

from collections.abc import Mapping, Sequence
from typing import Final

from app.core.hardware.fingerprint import Fingerprint, Gpu, Link, LinkKind, Nic

NEAR: Final = frozenset({LinkKind.NVLINK, LinkKind.PIX, LinkKind.PXB})
"""Links that count as connected when a device is pointed at."""

Lanes = dict[int | None, tuple[list[Gpu], list[Nic]]]


def assign(fingerprint: Fingerprint, links: Mapping[tuple[str, str], Link]) -> Lanes:
    """Return GPUs and NICs per NUMA node, nodes in order, the unknown one last."""
    numa_of = {f"GPU{gpu.index}": _numa_of(fingerprint, gpu) for gpu in fingerprint.gpus}
    lanes: Lanes = {node.id: ([], []) for node in fingerprint.topology.numa_nodes}
    for gpu in fingerprint.gpus:
        lanes.setdefault(numa_of[f"GPU{gpu.index}"], ([], []))[0].append(gpu)
    for nic in fingerprint.topology.nics:
        numa = nic.numa_node if nic.numa_node is not None else _nearest(nic, numa_of, links)
        lanes.setdefault(numa, ([], []))[1].append(nic)
    for gpus, nics in lanes.values():
        nics.sort(key=lambda nic: _position(nic, gpus, links))
    if len(lanes) > 1:
        lanes = {k: v for k, v in lanes.items() if k is not None or v[0] or v[1]}
    used = {k: v for k, v in lanes.items() if v[0] or v[1]}
    # Machines with many empty nodes (one per memory tile) would only show air.
    kept = used if len(lanes) > 4 and used else lanes
    return dict(sorted(kept.items(), key=lambda pair: (pair[0] is None, pair[0] or 0)))


def socket_of(fingerprint: Fingerprint, numa: int | None) -> int | None:
    """Return the socket of a NUMA node, where the counts leave no choice.

    With as many nodes as sockets each is one; one socket has all nodes. Several nodes on each of
    several sockets are numbered by the firmware, so nothing is said.
    """
    sockets, nodes = fingerprint.cpu.sockets, len(fingerprint.topology.numa_nodes)
    if numa is None or sockets is None:
        return None
    if sockets == 1:
        return 0
    return numa if sockets == nodes else None


def _numa_of(fingerprint: Fingerprint, gpu: Gpu) -> int | None:
    if gpu.numa_node is not None:
        return gpu.numa_node
    text = fingerprint.topology.gpu_numa_affinity.get(f"GPU{gpu.index}")
    return int(text) if text is not None and text.isdigit() else None


def _nearest(
    nic: Nic, numa_of: Mapping[str, int | None], links: Mapping[tuple[str, str], Link]
) -> int | None:
    """Return the node of the GPU that is nearest to a NIC (SYS says nothing)."""
    order = (LinkKind.PIX, LinkKind.PXB, LinkKind.PHB, LinkKind.NODE)
    for kind in order:
        for key, numa in numa_of.items():
            link = links.get((nic.name, key))
            if link is not None and link.kind is kind:
                return numa
    return None


def _position(nic: Nic, gpus: Sequence[Gpu], links: Mapping[tuple[str, str], Link]) -> int:
    """Return the place of the first GPU below the same PCIe switch, so that lines stay short."""
    for position, gpu in enumerate(gpus):
        link = links.get((f"GPU{gpu.index}", nic.name))
        if link is not None and link.kind in NEAR:
            return position
    return len(gpus)


def most_gpus(lanes: Lanes) -> int:
    """Return the number of GPUs in the fullest lane."""
    return max((len(gpus) for gpus, _ in lanes.values()), default=0)
