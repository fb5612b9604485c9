"""What is wrong with the links: NVLinks that are down, a GPU that fell off the NVSwitch fabric.

Only what the host itself shows counts: GPUs are judged against their equals, so a card that never
had a bridge is no fault. A faulty link slows or stops the whole group.

Source: host checks ``nvlink-links``, ``fabric-state`` and ``pcie-width``, gathered 2026-11-29.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.core.hardware.fingerprint import Fingerprint, Gpu, LinkKind

_MOST_LINKS: Final = 18
"""NVLinks of the GPU that has most (H100, B200), so a GPU with more in its row sits on a switch."""
_READY: Final = frozenset({"completed", "n/a", "not supported"})
_SUCCESS: Final = frozenset({"success", "n/a", "not supported"})


class LinkFaultKind(StrEnum):
    """What is wrong."""

    OFF_FABRIC = "off_fabric"
    """Its equals reach each other by NVSwitch, this GPU has no NVLink at all."""
    FABRIC_NOT_READY = "fabric_not_ready"
    """The GPU is not registered with the fabric: CUDA refuses to start on it."""
    LINKS_INACTIVE = "links_inactive"
    """Fewer NVLinks are up than on its equals."""
    FEWER_LINKS = "fewer_links"
    """A pair on an NVSwitch machine has fewer NVLinks than the other pairs."""
    PCIE_NARROW = "pcie_narrow"
    """Fewer PCIe lanes than its equals have in the same kind of slot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkFault:
    """One fault and the GPUs it concerns."""

    kind: LinkFaultKind
    gpus: tuple[int, ...]
    """Indices: one GPU, or the two of a pair."""
    have: int | None = None
    """Links or lanes found."""
    expected: int | None = None
    """Links or lanes that its equals have."""
    state: str = ""
    """What the driver says, for the fabric."""


def link_faults(fingerprint: Fingerprint) -> tuple[LinkFault, ...]:
    """Return every fault that the fingerprint shows, the gravest kind first."""
    pairs = _nvlink_pairs(fingerprint)
    found: list[LinkFault] = []
    for equals in _equals(fingerprint.gpus):
        found += _off_fabric(equals, pairs)
        found += _inactive(equals)
        found += _narrow(equals)
    found += _not_ready(fingerprint.gpus)
    found += _fewer(pairs)
    order = list(LinkFaultKind)
    return tuple(sorted(found, key=lambda fault: (order.index(fault.kind), fault.gpus)))


def unfit_for_groups(fingerprint: Fingerprint) -> frozenset[int]:
    """Return GPUs that no group should contain: off the fabric, or cut into MIG instances.

    Source: MIG user guide (no NVLink and no P2P between instances), as gathered 2026-11-29.
    """
    off = {LinkFaultKind.OFF_FABRIC, LinkFaultKind.FABRIC_NOT_READY}
    faulty = {gpu for fault in link_faults(fingerprint) if fault.kind in off for gpu in fault.gpus}
    return frozenset(faulty | {gpu.index for gpu in fingerprint.gpus if gpu.mig_mode})


def has_nvswitch(fingerprint: Fingerprint) -> bool:
    """Tell whether a switch joins the GPUs: a GPU's pairs count more NVLinks than it has."""
    return _switched(_nvlink_pairs(fingerprint))


_Pairs = Mapping[tuple[int, int], int]


def _nvlink_pairs(fingerprint: Fingerprint) -> _Pairs:
    """Return NVLinks per pair of GPU indices, smaller index first."""
    return {
        (int(link.a[3:]), int(link.b[3:])): link.nvlink_count
        for link in fingerprint.topology.links
        if link.kind is LinkKind.NVLINK and link.nvlink_count
    }


def _equals(gpus: Iterable[Gpu]) -> list[list[Gpu]]:
    """Return GPUs by name, those whose name is known and not alone."""
    by_name: dict[str, list[Gpu]] = defaultdict(list)
    for gpu in gpus:
        if gpu.name is not None:
            by_name[gpu.name].append(gpu)
    return [group for group in by_name.values() if len(group) > 1]


def _switched(pairs: _Pairs) -> bool:
    """A GPU cannot have more links than its silicon, unless a switch lends them to each pair."""
    rows: dict[int, int] = defaultdict(int)
    for (a, b), count in pairs.items():
        rows[a] += count
        rows[b] += count
    return max(rows.values(), default=0) > _MOST_LINKS


def _off_fabric(equals: list[Gpu], pairs: _Pairs) -> Iterable[LinkFault]:
    joined = {index for pair in pairs for index in pair}
    members = [gpu for gpu in equals if gpu.index in joined]
    if not members or not _switched(pairs):
        return
    most = max(pairs.values())
    for gpu in equals:
        if gpu.index not in joined and not gpu.mig_mode:
            yield LinkFault(kind=LinkFaultKind.OFF_FABRIC, gpus=(gpu.index,), have=0, expected=most)


def _fewer(pairs: _Pairs) -> Iterable[LinkFault]:
    if not _switched(pairs):
        return
    most = max(pairs.values())
    for pair, count in pairs.items():
        if count < most:
            yield LinkFault(kind=LinkFaultKind.FEWER_LINKS, gpus=pair, have=count, expected=most)


def _inactive(equals: list[Gpu]) -> Iterable[LinkFault]:
    active = [gpu.nvlink_active for gpu in equals if gpu.nvlink_active is not None]
    most = max(active, default=0)
    for gpu in equals:
        if gpu.nvlink_active is not None and gpu.nvlink_active < most and not gpu.mig_mode:
            yield LinkFault(
                kind=LinkFaultKind.LINKS_INACTIVE,
                gpus=(gpu.index,),
                have=gpu.nvlink_active,
                expected=most,
            )


def _narrow(equals: list[Gpu]) -> Iterable[LinkFault]:
    """Lanes do not change when idle, unlike the generation; a narrow slot shows at its equals."""
    widths = [gpu.pcie_width_current for gpu in equals if gpu.pcie_width_current is not None]
    most = max(widths, default=0)
    for gpu in equals:
        now = gpu.pcie_width_current
        if now is not None and now < most:
            yield LinkFault(
                kind=LinkFaultKind.PCIE_NARROW, gpus=(gpu.index,), have=now, expected=most
            )


def _not_ready(gpus: Iterable[Gpu]) -> Iterable[LinkFault]:
    for gpu in gpus:
        state, status = gpu.fabric_state or "", gpu.fabric_status or ""
        late = bool(state) and state.casefold() not in _READY
        failed = bool(status) and not late and status.casefold() not in _SUCCESS
        if late or failed:
            yield LinkFault(
                kind=LinkFaultKind.FABRIC_NOT_READY,
                gpus=(gpu.index,),
                state=state if late else status,
            )
