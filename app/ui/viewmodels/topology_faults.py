"""Words for faults of links and for MIG instances, on the picture and above it."""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.hardware.fingerprint import Fingerprint, Gpu
from app.core.hardware.link_faults import LinkFault, LinkFaultKind, link_faults
from app.ui.i18n import QT_TRANSLATE_NOOP

translate = QCoreApplication.translate

_SENTENCES: Final = {
    LinkFaultKind.OFF_FABRIC: QT_TRANSLATE_NOOP(
        "Topology",
        "GPU {gpus} has no NVLink, its equals reach each other by {expected} links: it fell off "
        "the NVSwitch fabric. Leave it out, reset the GPUs or look at the fabric manager.",
    ),
    LinkFaultKind.FABRIC_NOT_READY: QT_TRANSLATE_NOOP(
        "Topology",
        "GPU {gpus} is not registered with the NVSwitch fabric (“{state}”): CUDA refuses to start "
        "on it. Look whether nvidia-fabricmanager runs in the driver's own version.",
    ),
    LinkFaultKind.LINKS_INACTIVE: QT_TRANSLATE_NOOP(
        "Topology",
        "GPU {gpus} has {have} NVLinks up, its equals {expected}: the whole group runs slower. "
        "Look at bridge or baseboard and for Xid 74.",
    ),
    LinkFaultKind.FEWER_LINKS: QT_TRANSLATE_NOOP(
        "Topology",
        "GPUs {gpus} have {have} NVLinks between them, the other pairs {expected}.",
    ),
    LinkFaultKind.PCIE_NARROW: QT_TRANSLATE_NOOP(
        "Topology",
        "GPU {gpus} has {have} PCIe lanes, its equals {expected}: look at slot and bifurcation.",
    ),
}
_SHORT: Final = {
    LinkFaultKind.OFF_FABRIC: QT_TRANSLATE_NOOP("Topology", "off the fabric"),
    LinkFaultKind.FABRIC_NOT_READY: QT_TRANSLATE_NOOP("Topology", "fabric not ready"),
    LinkFaultKind.LINKS_INACTIVE: QT_TRANSLATE_NOOP("Topology", "NVLinks down"),
    LinkFaultKind.FEWER_LINKS: QT_TRANSLATE_NOOP("Topology", "weak NVLink"),
    LinkFaultKind.PCIE_NARROW: QT_TRANSLATE_NOOP("Topology", "PCIe narrow"),
}
_GRAVE: Final = frozenset({LinkFaultKind.OFF_FABRIC, LinkFaultKind.FABRIC_NOT_READY})


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFault:
    """What stands on a GPU's card instead of its temperature."""

    words: str
    color: str
    """Theme token of words and border."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultNotes:
    """All faults of a host in words."""

    sentences: tuple[str, ...]
    cards: dict[int, CardFault]
    """The gravest fault by GPU index."""
    pairs: frozenset[frozenset[str]]
    """Devices of links that are drawn as broken."""

    @property
    def status(self) -> str:
        """Status of the worst fault."""
        grave = any(card.color == "status.error" for card in self.cards.values())
        return "error" if grave else "warn"


def present_faults(fingerprint: Fingerprint) -> FaultNotes:
    """Return the faults of a host, the gravest first; those of one kind and measure together."""
    faults = link_faults(fingerprint)
    merged: dict[tuple[object, ...], list[LinkFault]] = {}
    for fault in faults:
        key = (fault.kind, fault.have, fault.expected, fault.state)
        merged.setdefault(key, []).append(fault)
    cards: dict[int, CardFault] = {}
    for fault in reversed(faults):
        color = "status.error" if fault.kind in _GRAVE else "status.warn"
        words = translate("Topology", _SHORT[fault.kind])
        cards |= dict.fromkeys(fault.gpus, CardFault(words=words, color=color))
    return FaultNotes(
        sentences=tuple(_sentence(group) for group in merged.values()),
        cards=cards,
        pairs=frozenset(
            frozenset(f"GPU{index}" for index in fault.gpus)
            for fault in faults
            if fault.kind is LinkFaultKind.FEWER_LINKS
        ),
    )


def _sentence(faults: list[LinkFault]) -> str:
    first = faults[0]
    gpus = ", ".join("–".join(map(str, fault.gpus)) for fault in faults)
    return translate("Topology", _SENTENCES[first.kind]).format(
        gpus=gpus, have=first.have, expected=first.expected, state=first.state
    )


def mig_text(gpu: Gpu) -> str:
    """Return ``MIG 2 × 1g.18gb, 3g.71gb``; empty for a GPU that is not in MIG mode."""
    if not gpu.mig_mode:
        return ""
    if not gpu.mig_devices:
        return translate("Topology", "MIG on, no instance")
    counts = Counter(device.profile or "?" for device in gpu.mig_devices)
    parts = [name if count == 1 else f"{count} × {name}" for name, count in counts.items()]
    return "MIG " + ", ".join(parts)
