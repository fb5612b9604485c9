"""Read the kernel's log for what NVIDIA's driver and PCI Express complained of.

Lines come from ``dmesg`` or ``journalctl -k``; a GPU is named by its PCI address, with or without
``PCI:`` before it and with or without a function behind it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_XID = re.compile(r"NVRM: Xid \((?P<pci>(?:PCI:)?[0-9A-Fa-f:.]+)\).*?: (?P<code>[0-9]{1,4})\b")
_SXID = re.compile(r"SXid \((?P<pci>[^)]{1,40})\).*?: (?P<code>[0-9]{1,6})\b")
_OFF_BUS = re.compile(r"GPU .{0,60}has fallen off the bus")
_AER = re.compile(r"PCIe Bus Error: severity=(?P<kind>[A-Za-z]+)|AER: (?P<word>Uncorrected|Fatal)")


@dataclass(frozen=True, slots=True, kw_only=True)
class XidEvent:
    """One error that the driver reported."""

    code: int
    bus_id: str
    line: str
    is_switch: bool = False
    """An NVSwitch's own code (SXid); the numbers mean something else there."""


def read_xid_events(text: str) -> tuple[XidEvent, ...]:
    """Return all Xid and SXid lines in the order of the log."""
    found = []
    for line in text.splitlines():
        match = _XID.search(line)
        switch = _SXID.search(line) if match is None else None
        either = match or switch
        if either is not None:
            found.append(
                XidEvent(
                    code=int(either["code"]),
                    bus_id=either["pci"].removeprefix("PCI:"),
                    line=line.strip()[:300],
                    is_switch=switch is not None,
                )
            )
    return tuple(found)


def off_bus_lines(text: str) -> tuple[str, ...]:
    """Return the lines that say that a GPU fell off the bus."""
    return tuple(line.strip()[:300] for line in text.splitlines() if _OFF_BUS.search(line))


def uncorrected_bus_errors(text: str) -> tuple[str, ...]:
    """Return the lines of PCI Express errors that the hardware could not correct."""
    return tuple(line.strip()[:300] for line in text.splitlines() if _is_uncorrected(line))


def _is_uncorrected(line: str) -> bool:
    match = _AER.search(line)
    if match is None:
        return False
    return match["word"] is not None or match["kind"].lower().startswith(("uncorrect", "fatal"))


def lines_with(text: str, words: Iterable[str]) -> tuple[str, ...]:
    """Return the lines that hold one of ``words``, upper or lower case."""
    wanted = [word.lower() for word in words]
    return tuple(
        line.strip()[:300]
        for line in text.splitlines()
        if any(word in line.lower() for word in wanted)
    )
