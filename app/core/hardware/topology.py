"""Links, islands and groups: which GPUs belong together, and why.

An island is a set of GPUs that reach each other by NVLink, directly or through others. A group
is what a tensor-parallel deployment should take.
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.core.hardware.connected import connected
from app.core.hardware.fingerprint import Fingerprint, Link, LinkKind, Nic, NumaNode, Topology
from app.core.hardware.link_faults import unfit_for_groups
from app.core.hardware.tools.topo_matrix import TopoMatrix


class GroupReason(StrEnum):
    """Why GPUs form a group."""

    NVLINK_FULL = "nvlink_full"
    """Every pair has NVLink."""
    NVLINK_PARTIAL = "nvlink_partial"
    """One island, but some pairs have no NVLink of their own."""
    PCIE_NEAR = "pcie_near"
    """No NVLink; every pair meets below one CPU socket."""
    PCIE_FAR = "pcie_far"
    """No NVLink; some pair crosses the link between CPU sockets."""
    ACROSS_ISLANDS = "across_islands"
    """Some pairs have NVLink, others cross PCIe."""
    LINKS_UNKNOWN = "links_unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuGroup:
    """GPUs recommended for one deployment."""

    indices: tuple[int, ...]
    reason_code: GroupReason
    text: str
    """English, for the command line."""
    same_model: bool = True
    """False when cards of different kinds are mixed."""


DISTANCE: Final[Mapping[LinkKind, int]] = {
    LinkKind.NVLINK: 0,
    LinkKind.PIX: 1,
    LinkKind.PXB: 2,
    LinkKind.PHB: 3,
    LinkKind.NODE: 4,
    LinkKind.SYS: 5,
    LinkKind.UNKNOWN: 6,
}
"""Order of link classes, nearest first, as the legend of ``topo -m`` explains them."""

GROUP_SIZES: Final = (2, 4, 8)
_MOST_COMBINATIONS: Final = 500

_TEXTS: Final[Mapping[GroupReason, str]] = {
    GroupReason.NVLINK_FULL: "Every pair is joined by NVLink.",
    GroupReason.NVLINK_PARTIAL: "One NVLink island, but some pairs have no direct NVLink.",
    GroupReason.PCIE_NEAR: "No NVLink; all meet below one CPU socket, so PCIe is short.",
    GroupReason.PCIE_FAR: "No NVLink; some pairs cross the link between CPU sockets.",
    GroupReason.ACROSS_ISLANDS: "Some pairs have NVLink, others only PCIe.",
    GroupReason.LINKS_UNKNOWN: "How these GPUs are connected is not known.",
}


def link_kind(word: str) -> LinkKind:
    """Return the class of a link word such as ``NV18`` or ``SOC`` (old name of SYS)."""
    if word.startswith("NV"):
        return LinkKind.NVLINK
    if word == "SOC":
        return LinkKind.SYS
    try:
        return LinkKind(word)
    except ValueError:
        return LinkKind.UNKNOWN


def nvlink_islands(pairs: Iterable[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """Return connected sets of two or more GPUs, each sorted, in order of their first GPU."""
    return tuple(sorted(tuple(sorted(island)) for island in connected(pairs)))


def build_topology(
    matrix: TopoMatrix | None,
    *,
    numa_nodes: Sequence[NumaNode] = (),
    link_speed_gbps: Mapping[int, float] | None = None,
) -> Topology:
    """Turn a matrix into links, NICs and islands.

    Args:
        matrix: what ``topo -m`` printed, if anything.
        numa_nodes: nodes from elsewhere.
        link_speed_gbps: GB/s of one NVLink in one direction per GPU index, where reported.
    """
    if matrix is None:
        return Topology(numa_nodes=tuple(numa_nodes))
    return Topology(
        links=tuple(_links(matrix, link_speed_gbps or {})),
        nics=tuple(Nic(name=n, device=matrix.nic_devices.get(n)) for n in matrix.nics),
        numa_nodes=tuple(numa_nodes),
        gpu_cpu_affinity=matrix.cpu_affinity,
        gpu_numa_affinity=matrix.numa_affinity,
        nvlink_islands=nvlink_islands(matrix.nvlinks()),
        complete=matrix.complete,
    )


def _links(matrix: TopoMatrix, speeds: Mapping[int, float]) -> Iterable[Link]:
    names = [f"GPU{i}" for i in range(matrix.gpu_count)] + list(matrix.nics)
    for a, b in itertools.combinations(names, 2):
        word = matrix.adjacency.get(a, {}).get(b)
        if word is None:
            continue
        kind = link_kind(word)
        count = int(word[2:]) if kind is LinkKind.NVLINK else None
        speed = speeds.get(int(a[3:])) if count is not None else None
        yield Link(
            a=a,
            b=b,
            kind=kind,
            nvlink_count=count,
            bandwidth_gbps=round(2 * count * speed, 3) if count and speed else None,
        )


def gpu_links(topology: Topology) -> dict[tuple[int, int], Link]:
    """Return links between GPUs by index pair, smaller first."""
    found: dict[tuple[int, int], Link] = {}
    for link in topology.links:
        if link.a.startswith("GPU") and link.b.startswith("GPU"):
            a, b = sorted((int(link.a[3:]), int(link.b[3:])))
            found[a, b] = link
    return found


def recommend_groups(fingerprint: Fingerprint) -> tuple[GpuGroup, ...]:
    """Return the best group of each size 2, 4 and 8 that the host can form.

    Nearness counts first, then equal cards, then free memory, then lower indices. GPUs off the
    NVSwitch fabric or in MIG mode belong to no group.
    """
    unfit = unfit_for_groups(fingerprint)
    indices = [gpu.index for gpu in fingerprint.gpus if gpu.index not in unfit]
    links = gpu_links(fingerprint.topology)
    names = {gpu.index: gpu.name for gpu in fingerprint.gpus}
    used = {gpu.index: gpu.memory_used_mib or 0 for gpu in fingerprint.gpus}
    groups = []
    for size in GROUP_SIZES:
        candidates = _candidates(indices, size, links)
        if candidates:
            best = min(candidates, key=lambda group: _cost(group, links, names, used))
            groups.append(describe_group(best, links, names))
    return tuple(groups)


def _candidates(
    indices: Sequence[int], size: int, links: Mapping[tuple[int, int], Link]
) -> list[tuple[int, ...]]:
    """Return all groups of a size, or, when these are too many, one grown from each GPU."""
    if len(indices) < size:
        return []
    if math.comb(len(indices), size) <= _MOST_COMBINATIONS:
        return list(itertools.combinations(indices, size))

    def distance(a: int, b: int) -> int:
        link = links.get((min(a, b), max(a, b)))
        return DISTANCE[link.kind if link is not None else LinkKind.UNKNOWN]

    grown = []
    for start in indices:
        others = sorted((distance(start, i), i) for i in indices if i != start)
        grown.append(tuple(sorted([start, *(i for _, i in others[: size - 1])])))
    return grown


def _cost(
    group: tuple[int, ...],
    links: Mapping[tuple[int, int], Link],
    names: Mapping[int, str | None],
    used: Mapping[int, int],
) -> tuple[object, ...]:
    pairs = list(itertools.combinations(sorted(group), 2))
    kinds = [links[p].kind if p in links else LinkKind.UNKNOWN for p in pairs]
    nvlinks = [links[p].nvlink_count or 0 for p in pairs if p in links]
    return (
        max(DISTANCE[kind] for kind in kinds),
        sum(DISTANCE[kind] for kind in kinds),
        len({names[i] for i in group}) - 1,
        -min(nvlinks, default=0),
        -sum(nvlinks),
        sum(used[i] for i in group),
        group,
    )


def describe_group(
    group: tuple[int, ...],
    links: Mapping[tuple[int, int], Link],
    names: Mapping[int, str | None],
) -> GpuGroup:
    """Say how the GPUs of ``group`` are joined."""
    pairs = list(itertools.combinations(sorted(group), 2))
    kinds = {links[p].kind if p in links else LinkKind.UNKNOWN for p in pairs}
    code = _reason(kinds, group, pairs, links)
    same = len({names.get(i) for i in group}) == 1
    text = _TEXTS[code] if same else f"{_TEXTS[code]} The cards are not of one kind."
    return GpuGroup(indices=tuple(sorted(group)), reason_code=code, text=text, same_model=same)


def _reason(
    kinds: set[LinkKind],
    group: Sequence[int],
    pairs: Sequence[tuple[int, int]],
    links: Mapping[tuple[int, int], Link],
) -> GroupReason:
    if kinds == {LinkKind.NVLINK}:
        return GroupReason.NVLINK_FULL
    if LinkKind.UNKNOWN in kinds:
        return GroupReason.LINKS_UNKNOWN
    if LinkKind.NVLINK in kinds:
        joined = [p for p in pairs if links[p].kind is LinkKind.NVLINK]
        one_island = nvlink_islands(joined) == (tuple(sorted(group)),)
        return GroupReason.NVLINK_PARTIAL if one_island else GroupReason.ACROSS_ISLANDS
    return GroupReason.PCIE_FAR if LinkKind.SYS in kinds else GroupReason.PCIE_NEAR
