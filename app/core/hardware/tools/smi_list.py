"""Read ``nvidia-smi -L``: GPUs and MIG devices with their UUIDs."""

import re
from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from app.core.hardware.fingerprint import MigDevice, UnknownReason
from app.core.hardware.tools.paste import clean_paste
from app.core.hardware.tools.readings import GpuReading, SmiReading
from app.core.hardware.tools.smi_columns import read_uuid
from app.core.hardware.tools.values import Cell, known_text, read_text

GPU_LINE: Final = re.compile(
    r"^\s*GPU\s+([0-9]+):\s*((?:(?!\(UUID:).)*?)\s*\(UUID:\s*([^()]*)(\)?)\s*$"
)
"""Two lines that a cut ran together are none."""
NAME_LINE: Final = re.compile(
    r"^\s*GPU\s+([0-9]{1,3}(?:,\s*[0-9]{1,3})*):\s+"
    r"((?:NVIDIA|Tesla|Quadro|GeForce|GRID|TITAN)[ -][\w /+-]{1,48}?)\s*$"
)
"""Reports of engines name the GPUs alone: ``GPU 0: NVIDIA L4``, ``GPU 0,1: NVIDIA H20``."""
_MIG_LINE = re.compile(
    r"^\s*MIG\s+(\S+)\s+Device\s+([0-9]+):\s*\(UUID:\s*([^)]*)\)?\s*$", re.IGNORECASE
)


def read_gpu_list(text: str) -> SmiReading:
    """Read the list; lines of other kinds are passed over."""
    gpus: list[GpuReading] = []
    seen: set[object] = set()
    is_cut = False
    lines = clean_paste(text).splitlines()
    if not text.endswith(("\n", "\r")) and lines and NAME_LINE.match(lines[-1]):
        lines = _without_half_name(lines)
    for line in lines:
        gpu = GPU_LINE.match(line)
        mig = _MIG_LINE.match(line)
        if gpu is not None:
            values = gpu_line_values(gpu)
            key = values["uuid"] if isinstance(known_text(values["uuid"]), str) else line
            if key not in seen:  # nvlink -s and a second -L print the same lines again
                gpus.append(GpuReading(values=MappingProxyType(values)))
            seen.update((key, ("index", int(gpu[1]))))
            is_cut = not gpu[4]
        elif (named := NAME_LINE.match(line)) is not None:
            gpus.extend(_named(named, seen))
        elif mig is not None and gpus:
            device = MigDevice(
                index=int(mig[2]), profile=mig[1], uuid=known_text(read_uuid(mig[3]))
            )
            last = gpus[-1]
            gpus[-1] = GpuReading(values=last.values, mig_devices=(*last.mig_devices, device))
    return SmiReading(
        gpus=tuple(gpus),
        complete=not is_cut,
        warnings=("cut: the last line is not complete",) if is_cut else (),
    )


def _without_half_name(lines: list[str]) -> list[str]:
    """Leave out a last line whose name may be cut: no other GPU has that name."""
    names = {m[2] for line in lines[:-1] if (m := NAME_LINE.match(line)) is not None}
    last = NAME_LINE.match(lines[-1])
    return lines[:-1] if last is not None and last[2] not in names else lines


def _named(match: re.Match[str], seen: set[object]) -> Iterator[GpuReading]:
    """Yield the GPUs of a line without UUIDs, each index once."""
    for text in match[1].split(","):
        index = int(text)
        if ("index", index) not in seen:
            seen.add(("index", index))
            yield GpuReading(values=MappingProxyType({"index": index, "name": match[2]}))


def gpu_line_values(match: re.Match[str]) -> dict[str, Cell]:
    """Return the cells of a matched `GPU_LINE`."""
    uuid = read_uuid(match[3]) if match[4] else UnknownReason.UNREADABLE  # cut without its bracket
    values: dict[str, Cell] = {"index": int(match[1]), "uuid": uuid}
    if match[2]:
        values["name"] = read_text(match[2])
    return values
