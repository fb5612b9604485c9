"""Read the ``nvml`` section: what the driver's library says on this very machine.

Two shapes are known: our own (`app.io.nvml`, lower-case keys that are fields of a GPU) and the
recordings' (NVML's names). MiB are rounded as nvidia-smi does: used and total down, reserved and
free up.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

from app.core.hardware.fingerprint import UnknownReason
from app.core.hardware.tools.json_access import child, int_of, items, parse_object, text_of
from app.core.hardware.tools.readings import GpuReading, SmiReading
from app.core.hardware.tools.values import Cell

_MIB = 1024**2
_TUPLE = re.compile(r"\(([0-9]{1,2}), ([0-9])\)")


def read_nvml(text: str) -> SmiReading | None:
    """Read either shape, ``None`` when it is neither."""
    document = parse_object(text)
    if document is None or not isinstance(document.get("gpus"), list):
        return None
    gpus = []
    for index, gpu in enumerate(items(document, "gpus")):
        if isinstance(gpu, dict):
            values = _recorded(gpu, index) if "Name" in gpu else _own(gpu, index)
            gpus.append(GpuReading(values=MappingProxyType(values)))
    return SmiReading(
        driver=text_of(document, "driver"),
        cuda=_cuda(int_of(document, "cuda")),
        gpus=tuple(gpus),
    )


def _cuda(number: int | None) -> str | None:
    """Turn 13000 into ``13.0`` and 12080 into ``12.8``."""
    if number is None or not 1000 <= number < 100_000:
        return None
    return f"{number // 1000}.{number % 1000 // 10}"


def _own(gpu: Mapping[str, object], index: int) -> dict[str, Cell]:
    values: dict[str, Cell] = {"index": index}
    for key in ("index", "name", "uuid", "bus_id", "compute_cap"):
        value = gpu.get(key)
        if isinstance(value, str) or (key == "index" and isinstance(value, int)):
            values[key] = value
    for key in ("total", "free", "used", "reserved"):
        values[f"memory_{key}_mib"] = _mib(
            gpu, f"memory_{key}_bytes", up=key in {"reserved", "free"}
        )
    for key in ("pcie_gen_max", "pcie_width_max", "numa_node"):
        value = int_of(gpu, key)
        if value is not None and value >= 0:
            values[key] = value
    return values


def _recorded(gpu: Mapping[str, object], index: int) -> dict[str, Cell]:
    memory = child(gpu, "MemoryInfo_v2")
    capability = _TUPLE.fullmatch(text_of(gpu, "CudaComputeCapability") or "")
    values: dict[str, Cell] = {
        "index": index,
        "name": text_of(gpu, "Name") or UnknownReason.NOT_REPORTED,
        "uuid": text_of(gpu, "UUID") or UnknownReason.NOT_REPORTED,
        "bus_id": text_of(child(gpu, "PciInfo"), "busId") or UnknownReason.NOT_REPORTED,
    }
    if capability is not None:
        values["compute_cap"] = f"{capability[1]}.{capability[2]}"
    for key in ("total", "free", "used", "reserved"):
        values[f"memory_{key}_mib"] = _mib(memory, key, up=key in {"reserved", "free"})
    return values


def _mib(document: Mapping[str, object], key: str, *, up: bool) -> Cell:
    """Return bytes as whole MiB; nvidia-smi prints 644,939,776 B as 616 MiB."""
    size = int_of(document, key)
    if size is None or size < 0:
        return UnknownReason.NOT_REPORTED
    return -(-size // _MIB) if up else size // _MIB
