"""Read ``nvidia-smi -L``: GPUs and MIG devices with their UUIDs."""

import re
from types import MappingProxyType
from typing import Final

from app.core.hardware.fingerprint import MigDevice
from app.core.hardware.tools.paste import clean_paste
from app.core.hardware.tools.readings import GpuReading, SmiReading
from app.core.hardware.tools.smi_columns import read_uuid
from app.core.hardware.tools.values import Cell, known_text

GPU_LINE: Final = re.compile(r"^\s*GPU\s+([0-9]+):\s*(.*?)\s*\(UUID:\s*([^)]*)\)?\s*$")
_MIG_LINE = re.compile(
    r"^\s*MIG\s+(\S+)\s+Device\s+([0-9]+):\s*\(UUID:\s*([^)]*)\)?\s*$", re.IGNORECASE
)


def read_gpu_list(text: str) -> SmiReading:
    """Read the list; lines of other kinds are passed over."""
    gpus: list[GpuReading] = []
    for line in clean_paste(text).splitlines():
        gpu = GPU_LINE.match(line)
        mig = _MIG_LINE.match(line)
        if gpu is not None:
            gpus.append(GpuReading(values=MappingProxyType(gpu_line_values(gpu))))
        elif mig is not None and gpus:
            device = MigDevice(
                index=int(mig[2]), profile=mig[1], uuid=known_text(read_uuid(mig[3]))
            )
            last = gpus[-1]
            gpus[-1] = GpuReading(values=last.values, mig_devices=(*last.mig_devices, device))
    return SmiReading(gpus=tuple(gpus))


def gpu_line_values(match: re.Match[str]) -> dict[str, Cell]:
    """Return the cells of a matched `GPU_LINE`."""
    values: dict[str, Cell] = {"index": int(match[1]), "uuid": read_uuid(match[3])}
    if match[2]:
        values["name"] = match[2]
    return values
