"""Read ``lspci -vv``: which bridges redirect peer traffic (ACS), and what root alone may see."""

import re
from dataclasses import dataclass

_HEAD = re.compile(r"^((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\s+(.*)$", re.IGNORECASE)
_ACS = re.compile(r"ACSCtl:\s*(.*)$")
_FLAG = re.compile(r"(\w+)([+-])")
_REDIRECTS = frozenset({"ReqRedir", "CmpltRedir", "UpstreamFwd"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PciBridge:
    """One PCI bridge and the redirections that are switched on in it."""

    bus_id: str
    title: str
    redirects: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AcsReading:
    """What ``lspci -vv`` told of ACS."""

    bridges: tuple[PciBridge, ...] = ()
    """Only bridges that have the capability at all."""
    is_denied: bool = False
    """Capabilities were hidden from this user."""


def read_acs(text: str) -> AcsReading:
    """Read every bridge's ACS control."""
    bridges: list[PciBridge] = []
    bus_id = title = ""
    for line in text.splitlines():
        head, control = _HEAD.match(line), _ACS.search(line)
        if head is not None:
            bus_id, title = head[1], head[2]
        elif control is not None and "bridge" in title.lower():
            on = tuple(name for name, sign in _FLAG.findall(control[1]) if sign == "+")
            bridges.append(
                PciBridge(
                    bus_id=bus_id,
                    title=title[:80],
                    redirects=tuple(name for name in on if name in _REDIRECTS),
                )
            )
    return AcsReading(bridges=tuple(bridges), is_denied="access denied" in text.lower())
