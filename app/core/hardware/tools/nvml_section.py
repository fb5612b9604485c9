"""Read the ``nvml`` section: what the driver's library says on this very machine.

Two shapes are known: our own (`app.io.nvml`, lower-case keys that are fields of a GPU) and the
recordings' (NVML's names). MiB are rounded as nvidia-smi does: used and total down, reserved and
free up.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Final

from app.core.hardware.fingerprint import Gpu, GpuProcess, UnknownReason
from app.core.hardware.tools.json_access import child, int_of, items, parse_object, text_of
from app.core.hardware.tools.readings import GpuReading, SmiReading
from app.core.hardware.tools.throttle import reasons_of_mask
from app.core.hardware.tools.values import Cell, known_int

_MIB = 1024**2
_KINDS: Final[Mapping[str, type | tuple[type, ...]]] = {
    f.name: kinds
    for f in fields(Gpu)
    for shape, kinds in (
        (str | None, str),
        (int | None, int),
        (int, int),
        (float | None, (int, float)),
        (bool | None, bool),
    )
    if f.type == shape and not f.name.startswith(("memory_total", "memory_used", "memory_free"))
}
"""Fields that our own section holds as they are; memory stands there in bytes."""
_TUPLE = re.compile(r"\(([0-9]{1,2}), ([0-9])\)")


def read_nvml(text: str) -> SmiReading | None:
    """Read either shape, ``None`` when it is neither."""
    document = parse_object(text)
    if document is None or not isinstance(document.get("gpus"), list):
        return None
    gpus: list[GpuReading] = []
    running: list[GpuProcess] = []
    is_listed = False
    for index, gpu in enumerate(items(document, "gpus")):
        if isinstance(gpu, dict):
            values = _recorded(gpu, index) if "Name" in gpu else _own(gpu, index)
            gpus.append(GpuReading(values=MappingProxyType(values)))
            running += _processes(gpu)
            is_listed = is_listed or "processes" in gpu
    return SmiReading(
        driver=text_of(document, "driver"),
        cuda=_cuda(int_of(document, "cuda")),
        gpus=tuple(gpus),
        processes=tuple(running),
        process_count=len(running) if is_listed else None,
    )


def _cuda(number: int | None) -> str | None:
    """Turn 13000 into ``13.0`` and 12080 into ``12.8``."""
    if number is None or not 1000 <= number < 100_000:
        return None
    return f"{number // 1000}.{number % 1000 // 10}"


def _own(gpu: Mapping[str, object], index: int) -> dict[str, Cell]:
    values: dict[str, Cell] = {"index": index}
    for name, kinds in _KINDS.items():
        value = gpu.get(name)
        is_kind = isinstance(value, kinds) and (kinds is bool or not isinstance(value, bool))
        is_negative = isinstance(value, int | float) and value < 0 and "temperature" not in name
        if is_kind and not is_negative and isinstance(value, str | int | float | bool):
            values[name] = value
    for key in ("total", "free", "used", "reserved"):
        values[f"memory_{key}_mib"] = _mib(
            gpu, f"memory_{key}_bytes", up=key in {"reserved", "free"}
        )
    for key in ("total", "used"):
        if f"bar1_{key}_bytes" in gpu:
            values[f"bar1_{key}_mib"] = _mib(gpu, f"bar1_{key}_bytes", up=False)
    mask = int_of(gpu, "throttle_mask")
    if mask is not None and mask >= 0:
        values["throttle_reasons"] = reasons_of_mask(mask)
    return values


def _processes(gpu: Mapping[str, object]) -> Iterator[GpuProcess]:
    for entry in items(gpu, "processes"):
        pid = int_of(entry, "pid") if isinstance(entry, dict) else None
        if isinstance(entry, dict) and pid is not None:
            yield GpuProcess(
                gpu_uuid=text_of(gpu, "uuid"),
                pid=pid,
                name=text_of(entry, "name") or "",
                memory_used_mib=known_int(_mib(entry, "memory_used_bytes", up=False)),
            )


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
