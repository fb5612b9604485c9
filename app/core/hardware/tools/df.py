"""Read ``df -PT -B1`` (also in 1K blocks, and ``df -h``): file systems with their room in bytes."""

import re
from typing import Final

from app.core.hardware.fingerprint import Disk

_ROW = re.compile(
    r"^(?P<device>\S.*?)\s+(?:(?P<type>[A-Za-z][\w.+-]*)\s+)?(?P<total>[0-9]{1,19})\s+(?P<used>[0-9]{1,19})\s+"
    r"(?P<free>-?[0-9]{1,19})\s+(?:[0-9]{1,3}%|-)\s+(?P<mount>/.*)$"
)
_HUMAN_ROW = re.compile(
    r"^(?P<device>\S.*?)\s+(?:(?P<type>[A-Za-z][\w.+-]*)\s+)?(?P<total>[0-9.,]+[KMGTPE]?)\s+"
    r"(?P<used>[0-9.,]+[KMGTPE]?)\s+(?P<free>[0-9.,]+[KMGTPE]?)\s+(?:[0-9]{1,3}%|-)\s+(?P<mount>/.*)$"
)
_HUMAN_TITLES: Final = frozenset({"Size", "容量", "大小"})
_UNIT: Final = {"1-blocks": 1, "1B-blocks": 1, "1024-blocks": 1024, "1K-blocks": 1024}

NOT_FOR_MODELS: Final = frozenset(
    {
        "autofs",
        "cgroup2",
        "configfs",
        "debugfs",
        "devtmpfs",
        "efivarfs",
        "fuse.lxcfs",
        "fuse.snapfuse",
        "iso9660",
        "nsfs",
        "proc",
        "ramfs",
        "squashfs",
        "sysfs",
        "tmpfs",
    }
)
"""File system types that hold no models: in memory, read-only images, the kernel's own."""


def read_df(text: str) -> tuple[Disk, ...]:
    """Read all rows whose size is certain; the header says what a block is."""
    found: list[Disk] = []
    unit: int | None = None
    is_human = False
    for line in text.splitlines():
        words = line.split()
        if _HUMAN_TITLES & set(words) and line.rstrip().endswith(("Mounted on", "挂载点")):
            is_human = True
            continue
        if is_human:
            found.extend(_human(line))
            continue
        blocks = next((_UNIT[word] for word in words if word in _UNIT), None)
        if blocks is not None:
            unit = blocks
            continue
        match = _ROW.match(line.rstrip())
        if match is not None and unit is not None:
            found.append(
                Disk(
                    mount=match["mount"],
                    device=match["device"],
                    fs_type=match["type"] or "",
                    total_bytes=int(match["total"]) * unit,
                    free_bytes=max(0, int(match["free"])) * unit,
                )
            )
    return tuple(found)


def _human(line: str) -> tuple[Disk, ...]:
    """Read a row of ``df -h``; its figures are rounded, as everybody shows them."""
    match = _HUMAN_ROW.match(line.rstrip())
    sizes = [_size(match[name]) for name in ("total", "free")] if match is not None else []
    if match is None or None in sizes:
        return ()
    total, free = (size or 0 for size in sizes)
    disk = Disk(
        mount=match["mount"], device=match["device"], fs_type=match["type"] or "",
        total_bytes=total, free_bytes=free,
    )  # fmt: skip
    return (disk,)


def _size(text: str) -> int | None:
    power = "KMGTPE".find(text[-1]) + 1
    try:
        number = float(text.rstrip("KMGTPE").replace(",", "."))
    except ValueError:
        return None
    return int(number * 1024**power)


def model_disks(disks: tuple[Disk, ...]) -> tuple[Disk, ...]:
    """Return those that could hold models or images, each device and size once, ``/`` first."""
    kept: dict[tuple[str, int, int], Disk] = {}
    for disk in sorted(disks, key=lambda d: (d.mount != "/", len(d.mount), d.mount)):
        is_candidate = (
            disk.fs_type not in NOT_FOR_MODELS
            and disk.total_bytes > 0
            and not disk.mount.startswith(("/boot", "/proc", "/sys", "/dev", "/run/", "/snap/"))
            and (disk.fs_type != "overlay" or disk.mount == "/")
        )
        if is_candidate:
            kept.setdefault((disk.device, disk.total_bytes, disk.free_bytes), disk)
    return tuple(kept.values())
