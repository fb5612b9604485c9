"""The Topology page without widgets: words on the picture, selection, groups worth choosing."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from app.core.events import FingerprintTaken
from app.core.hardware.fingerprint import Fingerprint, Gpu, LinkKind
from app.core.hardware.pcie_switches import PcieSwitch
from app.core.hardware.topology import GpuGroup, GroupReason, recommend_groups
from app.core.ids import HostId
from app.services.user_files import save_file
from app.ui.bridge import CoreBridge
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.viewmodels.base import ViewModel
from app.ui.viewmodels.fingerprint_facts import Fact, cpus_text, facts_of_gpu, link_text, mib_text
from app.ui.viewmodels.topology_shapes import Lane

if TYPE_CHECKING:
    from app.bootstrap import Application

translate = QCoreApplication.translate

_REASONS: Final = {
    GroupReason.NVLINK_FULL: QT_TRANSLATE_NOOP("Topology", "Every pair is joined by NVLink."),
    GroupReason.NVLINK_PARTIAL: QT_TRANSLATE_NOOP(
        "Topology", "One NVLink island, but some pairs have no direct NVLink."
    ),
    GroupReason.PCIE_NEAR: QT_TRANSLATE_NOOP(
        "Topology", "No NVLink; all meet below one CPU socket, so PCIe is short."
    ),
    GroupReason.PCIE_FAR: QT_TRANSLATE_NOOP(
        "Topology", "No NVLink; some pairs cross the link between CPU sockets."
    ),
    GroupReason.ACROSS_ISLANDS: QT_TRANSLATE_NOOP(
        "Topology", "Some pairs have NVLink, others only PCIe."
    ),
    GroupReason.LINKS_UNKNOWN: QT_TRANSLATE_NOOP(
        "Topology", "How these GPUs are connected is not known."
    ),
}

_KINDS: Final = {
    LinkKind.NVLINK: QT_TRANSLATE_NOOP("Topology", "NVLink"),
    LinkKind.PIX: QT_TRANSLATE_NOOP("Topology", "same PCIe switch"),
    LinkKind.PXB: QT_TRANSLATE_NOOP("Topology", "several PCIe switches"),
    LinkKind.PHB: QT_TRANSLATE_NOOP("Topology", "through the CPU's host bridge"),
    LinkKind.NODE: QT_TRANSLATE_NOOP("Topology", "between host bridges of one NUMA node"),
    LinkKind.SYS: QT_TRANSLATE_NOOP("Topology", "between NUMA nodes"),
    LinkKind.UNKNOWN: QT_TRANSLATE_NOOP("Topology", "unknown"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupChoice:
    """A group of GPUs that can be chosen with one click."""

    words: str
    why: str
    indices: tuple[int, ...]


def present_groups(fingerprint: Fingerprint) -> tuple[GroupChoice, ...]:
    """Return the recommended groups."""
    return tuple(_choice(group) for group in recommend_groups(fingerprint))


def _choice(group: GpuGroup) -> GroupChoice:
    text = translate("Topology", "TP {count}: GPU {list}")
    words = text.format(count=len(group.indices), list=ranges_text(group.indices))
    why = translate("Topology", _REASONS[group.reason_code])
    if not group.same_model:
        why += " " + translate("Topology", "The cards are of different kinds.")
    return GroupChoice(words=words, why=why, indices=group.indices)


def ranges_text(indices: Iterable[int]) -> str:
    """Return ``0–3, 6`` for 0, 1, 2, 3, 6."""
    runs: list[list[int]] = []
    for index in sorted(indices):
        if runs and index == runs[-1][-1] + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return ", ".join(str(r[0]) if len(r) == 1 else f"{r[0]}–{r[-1]}" for r in runs)


def lane_text(lane: Lane) -> str:
    """Return the title of a NUMA node."""
    if lane.numa is None:
        return translate("Topology", "NUMA node unknown")
    parts = [translate("Topology", "NUMA node {id}").format(id=lane.numa)]
    if lane.socket is not None:
        parts.insert(0, translate("Topology", "Socket {id}").format(id=lane.socket))
    if lane.cpus:
        parts.append(translate("Topology", "CPUs {list}").format(list=cpus_text(lane.cpus)))
    if lane.memory_mib is not None:
        parts.append(f"{lane.memory_mib / 1024:,.0f} GiB")
    return " · ".join(parts)


def switch_text(switch: PcieSwitch) -> str:
    """Return the words on a switch's bar."""
    if switch.several:
        return translate("Topology", "PCIe switches")
    return translate("Topology", "PCIe switch")


def switch_tip(switch: PcieSwitch) -> str:
    """Return what hangs below a switch, and where it is."""
    text = ", ".join(switch.members)
    if switch.port is not None:
        text += "\n" + translate("Topology", "Root port {address}").format(address=switch.port)
    return text


def selection_facts(fingerprint: Fingerprint, indices: frozenset[int]) -> tuple[Fact, ...]:
    """Return what is worth knowing about the chosen GPUs: one in full, several together."""
    chosen = [
        (position, gpu) for position, gpu in enumerate(fingerprint.gpus) if gpu.index in indices
    ]
    if len(chosen) == 1:
        return facts_of_gpu(fingerprint, *chosen[0])
    gpus = [gpu for _, gpu in chosen]
    return (*_sums(gpus), *_pairs(fingerprint, indices))


def _sums(gpus: list[Gpu]) -> tuple[Fact, ...]:
    models = sorted({gpu.name or "?" for gpu in gpus})
    totals = [gpu.memory_total_mib for gpu in gpus if gpu.memory_total_mib is not None]
    used = [gpu.memory_used_mib for gpu in gpus if gpu.memory_used_mib is not None]
    complete = len(totals) == len(gpus)
    nodes = sorted({str(gpu.numa_node) for gpu in gpus if gpu.numa_node is not None})
    return (
        Fact(label=translate("Topology", "Model"), value=", ".join(models)),
        Fact(
            label=translate("Topology", "Memory together"),
            value=mib_text(sum(totals)) if complete else None,
            reason=translate("Topology", "not reported"),
        ),
        Fact(
            label=translate("Topology", "Memory used"),
            value=mib_text(sum(used)) if len(used) == len(gpus) else None,
            reason=translate("Topology", "not reported"),
        ),
        Fact(
            label=translate("Topology", "NUMA nodes")
            if len(nodes) > 1
            else translate("Topology", "NUMA node"),
            value=", ".join(nodes) or None,
            reason=translate("Topology", "not reported"),
        ),
    )


def _pairs(fingerprint: Fingerprint, indices: frozenset[int]) -> tuple[Fact, ...]:
    links = {(link.a, link.b): link for link in fingerprint.topology.links}
    kinds: dict[str, list[str]] = {}
    words: dict[str, LinkKind] = {}
    for a, b in combinations(sorted(indices), 2):
        link = links.get((f"GPU{a}", f"GPU{b}"))
        text = link_text(link) if link else LinkKind.UNKNOWN.value
        kinds.setdefault(text, []).append(f"{a}–{b}")
        words[text] = link.kind if link else LinkKind.UNKNOWN
    return tuple(
        Fact(
            label=kind_text(words[text]),
            value=f"{text} ({', '.join(pairs)})",
            status="warn" if words[text] is LinkKind.SYS else "",
        )
        for text, pairs in kinds.items()
    )


def kind_text(kind: LinkKind) -> str:
    """Return what a link class means."""
    return translate("Topology", _KINDS[kind])


class TopologyViewModel(ViewModel):
    """Load the topology of the chosen host and hold which GPUs are chosen."""

    loaded = Signal(object)
    """``Fingerprint | None``."""
    selection_changed = Signal(object)
    """``frozenset`` of GPU indices."""
    saved = Signal(object)

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        self._host: HostId | None = None
        self.fingerprint: Fingerprint | None = None
        self._selected: frozenset[int] = frozenset()
        bridge.event_arrived.connect(self._on_event)

    @property
    def selected(self) -> frozenset[int]:
        """Indices of the chosen GPUs."""
        return self._selected

    @property
    def selected_uuids(self) -> tuple[str, ...]:
        """UUIDs of the chosen GPUs, in index order."""
        if self.fingerprint is None:
            return ()
        return tuple(
            gpu.uuid
            for gpu in self.fingerprint.gpus
            if gpu.index in self._selected and gpu.uuid is not None
        )

    def show_host(self, host_id: HostId | None) -> None:
        """Show another host."""
        if host_id != self._host:
            self._host = host_id
            self.select(())
            self.reload()

    def reload(self) -> None:
        """Ask for the newest fingerprint again."""
        host_id = self._host
        if host_id is None:
            self._set(None)
            return
        self.run(
            self._app.hosts.fingerprint(host_id),
            on_result=lambda found: self._set(found) if host_id == self._host else None,
        )

    def take(self) -> None:
        """Ask the host what it is."""
        if self._host is not None:
            self.run(self._app.hosts.take_fingerprint(self._host))

    def select(self, indices: Iterable[int]) -> None:
        """Choose exactly these GPUs."""
        chosen = frozenset(indices)
        if chosen != self._selected:
            self._selected = chosen
            self.selection_changed.emit(chosen)

    def toggle(self, index: int) -> None:
        """Add a GPU to the choice, or take it out."""
        self.select(self._selected ^ {index})

    def save(self, path: Path, content: bytes) -> None:
        """Write the picture."""
        self.run(save_file(path, content), on_result=self.saved.emit)

    def _set(self, fingerprint: Fingerprint | None) -> None:
        self.fingerprint = fingerprint
        if fingerprint is not None:
            known = {gpu.index for gpu in fingerprint.gpus}
            self.select(self._selected & known)
        self.loaded.emit(fingerprint)

    @Slot(object)
    def _on_event(self, event: object) -> None:
        if isinstance(event, FingerprintTaken) and event.host_id == self._host:
            self.reload()
