"""Put together what several tools said of the GPUs: one `Gpu` each, with source and reasons."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Final

from app.core.hardware.catalogue import GpuCatalogue, GpuIdentity
from app.core.hardware.fingerprint import Gpu, MigDevice, UnknownReason
from app.core.hardware.tools.readings import GpuReading, SmiReading
from app.core.hardware.tools.smi_columns import bus_key
from app.core.hardware.tools.values import (
    Cell,
    Value,
    known_bool,
    known_float,
    known_int,
    known_text,
    known_words,
)

_BY_TYPE: Final[Mapping[object, Callable[[Cell | None], Value | tuple[str, ...] | None]]] = {
    str | None: known_text,
    int | None: known_int,
    float | None: known_float,
    bool | None: known_bool,
    tuple[str, ...] | None: known_words,
}
_CONVERT: Final = {
    f.name: _BY_TYPE[f.type] for f in fields(Gpu) if f.type in _BY_TYPE and f.name != "catalogue_id"
}
"""Every field of a GPU that tools fill, and how a cell becomes its value."""

_WEIGHT: Final = (
    UnknownReason.NOT_SUPPORTED,
    UnknownReason.NEEDS_ROOT,
    UnknownReason.UNREADABLE,
    UnknownReason.NOT_REPORTED,
)
"""Reasons a tool gave, most telling first."""


@dataclass(slots=True)
class MergedGpu:
    """One GPU while it is being put together."""

    position: int
    cells: dict[str, Value] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, set[UnknownReason]] = field(default_factory=dict)
    mig_devices: tuple[MigDevice, ...] = ()

    def take(self, source: str, reading: GpuReading) -> None:
        """Add one tool's cells; what is known already stays."""
        for name, cell in reading.values.items():
            if isinstance(cell, UnknownReason):
                self.reasons.setdefault(name, set()).add(cell)
            elif name not in self.cells:
                self.cells[name] = cell
                self.sources[name] = source
        self.mig_devices = merge_mig(self.mig_devices, reading.mig_devices)

    def add(self, source: str, values: Mapping[str, Value | None]) -> None:
        """Fill what is still unknown."""
        for name, value in values.items():
            if value is not None and name not in self.cells:
                self.cells[name] = value
                self.sources[name] = source

    @property
    def index(self) -> int:
        """Index as printed, else the place in the list."""
        index = known_int(self.cells.get("index"))
        return self.position if index is None else index


def merge_readings(readings: Iterable[tuple[str, SmiReading]]) -> list[MergedGpu]:
    """Match the GPUs of several tools by UUID, address or index; the first source counts most."""
    merged: list[MergedGpu] = []
    for source, reading in readings:
        for position, gpu in enumerate(reading.gpus):
            found = _find(merged, gpu.values, position, len(reading.gpus))
            if found is None:
                found = MergedGpu(position=len(merged))
                merged.append(found)
            found.take(source, gpu)
    return sorted(_without_doubles(merged), key=lambda gpu: gpu.index)


def _find(
    merged: Sequence[MergedGpu], values: Mapping[str, Cell], position: int, count: int
) -> MergedGpu | None:
    for name in ("uuid", "bus_id", "index"):
        key = _key(name, values.get(name))
        if key is None:
            continue
        others = [(gpu, _key(name, gpu.cells.get(name))) for gpu in merged]
        match = next((gpu for gpu, other in others if other == key), None)
        if match is not None:
            return match
        if any(other is not None for _, other in others):
            return None
    return merged[position] if count == len(merged) else None


def _key(name: str, cell: Cell | None) -> object | None:
    if name == "bus_id":
        text = known_text(cell)
        return bus_key(text) if text is not None else None
    return None if cell is None or isinstance(cell, UnknownReason) else cell


def _without_doubles(merged: Iterable[MergedGpu]) -> list[MergedGpu]:
    """Keep one GPU per index: an index names one GPU only."""
    kept: dict[int, MergedGpu] = {}
    for gpu in merged:
        kept.setdefault(gpu.index, gpu)
    return list(kept.values())


def merge_mig(first: tuple[MigDevice, ...], second: tuple[MigDevice, ...]) -> tuple[MigDevice, ...]:
    """Fill MIG devices of equal index with each other's values."""
    by_index = {device.index: device for device in first}
    for device in second:
        known = by_index.get(device.index)
        by_index[device.index] = device if known is None else _fill(known, device)
    return tuple(by_index[index] for index in sorted(by_index))


def _fill(known: MigDevice, other: MigDevice) -> MigDevice:
    return MigDevice(
        index=known.index,
        gpu_instance=_first(known.gpu_instance, other.gpu_instance),
        compute_instance=_first(known.compute_instance, other.compute_instance),
        profile=known.profile or other.profile,
        uuid=known.uuid or other.uuid,
        memory_total_mib=_first(known.memory_total_mib, other.memory_total_mib),
        memory_used_mib=_first(known.memory_used_mib, other.memory_used_mib),
    )


def _first(a: int | None, b: int | None) -> int | None:
    return b if a is None else a


def build_gpu(merged: MergedGpu, catalogue: GpuCatalogue | None) -> Gpu:
    """Turn merged cells into the value."""
    values = {name: read(merged.cells.get(name)) for name, read in _CONVERT.items()}
    model = identify(merged, catalogue).model
    make: Callable[..., Gpu] = Gpu  # `_CONVERT` gives every field a value of its type
    return make(
        index=merged.index,
        mig_devices=merged.mig_devices,
        catalogue_id=model.id if model is not None else None,
        **values,
    )


def identify(merged: MergedGpu, catalogue: GpuCatalogue | None) -> GpuIdentity:
    """Say which product it is by name, memory and PCI device."""
    name = known_text(merged.cells.get("name"))
    if catalogue is None or name is None:
        return GpuIdentity()
    return catalogue.identify(
        name,
        memory_mib=known_int(merged.cells.get("memory_total_mib")),
        pci_device_id=known_text(merged.cells.get("pci_device_id")),
    )


def identity_warnings(merged: MergedGpu, catalogue: GpuCatalogue | None) -> Iterator[str]:
    """Say what is not certain about a GPU's product."""
    identity = identify(merged, catalogue)
    whose = f"GPU {merged.index} “{merged.cells.get('name')}”"
    names = ", ".join(model.name for model in identity.candidates[:4])
    if "memory_total_mib" in identity.conflicts:
        size = merged.cells.get("memory_total_mib")
        yield f"gpu_memory_differs: {whose} has {size} MiB, which no {names} has"
    elif "pci_device_id" in identity.conflicts:
        yield f"gpu_name_and_device_differ: {whose} may be {names}"
    elif identity.model is None and identity.candidates:
        yield f"gpu_ambiguous: {whose} may be {names}"


def gpu_unknowns(
    merged: MergedGpu, gpu: Gpu, position: int, otherwise: UnknownReason
) -> dict[str, UnknownReason]:
    """Return the reason of every field that stayed unknown."""
    found: dict[str, UnknownReason] = {}
    for name in _CONVERT:
        if getattr(gpu, name) is None:
            given = merged.reasons.get(name, set())
            reason = next((r for r in _WEIGHT if r in given), otherwise)
            found[f"gpus.{position}.{name}"] = reason
    return found


def gpu_sources(merged: MergedGpu, position: int) -> dict[str, str]:
    """Return the GPU's main source, and the values that came from elsewhere."""
    if not merged.sources:
        return {}
    names = list(merged.sources.values())
    main = max(dict.fromkeys(names), key=names.count)
    found = {f"gpus.{position}": main}
    found.update({f"gpus.{position}.{k}": v for k, v in merged.sources.items() if v != main})
    return found
