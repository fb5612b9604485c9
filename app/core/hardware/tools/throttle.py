"""What holds a GPU's clocks down: names for the bits of NVML's mask, and lists of them.

Bits as in ``nvml.h`` (``nvmlClocksEventReason*``), names as the XML's elements end. A list is one
text with commas; an empty one means that nothing holds the clocks down.
"""

import re
from collections.abc import Iterable
from typing import Final

from app.core.hardware.fingerprint import UnknownReason
from app.core.hardware.tools.values import missing

_BITS: Final = (
    (0x001, "gpu_idle"),
    (0x002, "applications_clocks_setting"),
    (0x004, "sw_power_cap"),
    (0x008, "hw_slowdown"),
    (0x010, "sync_boost"),
    (0x020, "sw_thermal_slowdown"),
    (0x040, "hw_thermal_slowdown"),
    (0x080, "hw_power_brake_slowdown"),
    (0x100, "display_clocks_setting"),
)
_MASK = re.compile(r"0x[0-9a-fA-F]{1,16}")
_BY_TITLE: Final = {"idle": "gpu_idle", "display_clock_setting": "display_clocks_setting"}


def reasons_of_mask(mask: int) -> str:
    """Return the names of the bits that are set; a bit without name as its number."""
    names = [name for bit, name in _BITS if mask & bit]
    rest = mask & ~sum(bit for bit, _ in _BITS)
    return ",".join([*names, f"{rest:#x}"] if rest else names)


def read_reason_mask(text: str) -> str | UnknownReason:
    """Read ``0x0000000000000004``."""
    reason = missing(text)
    if reason is not None:
        return reason
    bare = text.strip()
    return reasons_of_mask(int(bare, 16)) if _MASK.fullmatch(bare) else UnknownReason.UNREADABLE


def reasons_of_states(states: Iterable[tuple[str, str]]) -> str | UnknownReason:
    """Read names with ``Active`` or ``Not Active``; one that says neither makes all unknown."""
    found: list[str] = []
    is_known = False
    for title, state in states:
        reason = missing(state)
        if reason is not None:
            continue
        if state.strip().lower() not in {"active", "not active"}:
            return UnknownReason.UNREADABLE
        is_known = True
        name = re.sub(r"[^a-z0-9]+", "_", title.strip().lower())
        if state.strip().lower() == "active":
            found.append(_BY_TITLE.get(name, name))
    return ",".join(found) if is_known else UnknownReason.NOT_REPORTED
