"""Read the long text of ``nvidia-smi -q``: the XML's facts, indented.

A value is named by the headings above it, told apart by indentation. Where a paste lost the
indentation, only values directly below a heading that names them alone are taken.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from app.core.hardware.fingerprint import GpuProcess, MigDevice, UnknownReason
from app.core.hardware.tools.paste import clean_paste
from app.core.hardware.tools.readings import GpuReading, SmiReading
from app.core.hardware.tools.smi_columns import BUS, read_bus_id, read_uuid
from app.core.hardware.tools.smi_query_paths import FLAT_HEADS, PATHS, SUMS, THROTTLE_HEADS
from app.core.hardware.tools.smi_version import read_smi_version
from app.core.hardware.tools.throttle import reasons_of_states
from app.core.hardware.tools.values import (
    Cell,
    known_int,
    known_text,
    read_count,
    read_mib,
    read_text,
)

START: Final = re.compile(r"=+\s*NVSMI LOG\s*=+")
_GPU = re.compile(rf"^\s*GPU\s+({BUS})\s*$")
_PAIR = re.compile(r"^(\s*)(\S.*?)\s+:(?:\s(.*))?$")
_HEAD = re.compile(r"^(\s*)(\S.*?)\s*:?\s*$")
_NOTE = re.compile(r"\s*\[(?:Deprecated|deprecated)[^\]]*\]")
"""R610 and newer mark keys that are about to go."""
_MIG: Final = "MIG Device"
_PROCESSES: Final = "Processes"


@dataclass(slots=True)
class _Gpu:
    """What has been read of one GPU."""

    bus_id: str
    texts: dict[str, str] = field(default_factory=dict)
    mig: list[dict[str, str]] = field(default_factory=list)
    states: list[tuple[str, str]] = field(default_factory=list)
    processes: list[dict[str, str]] | None = None


def read_smi_query(text: str) -> SmiReading | None:
    """Read the log, ``None`` when its title is not there."""
    clean = clean_paste(text)
    start = START.search(clean)
    if start is None:
        return None
    gpus: list[_Gpu] = []
    lines = _without_cut_ends(clean[start.end() :].splitlines())
    for path, value in _entries(lines):
        if path == "GPU":
            gpus.append(_Gpu(bus_id=value))
        elif gpus:
            if path == "Product Name" and path in gpus[-1].texts:
                gpus.append(_Gpu(bus_id=""))  # the line that names the next GPU got lost
            _take(gpus[-1], path, value)
    version = read_smi_version("\n".join(lines))
    readings = tuple(_reading(gpu) for gpu in gpus)
    lists = [gpu.processes for gpu in gpus if gpu.processes is not None]
    processes = tuple(p for gpu in gpus for p in _processes(gpu))
    known = all("memory_total_mib" in gpu.values for gpu in readings)
    return SmiReading(
        driver=version.driver,
        cuda=version.cuda,
        gpus=readings,
        processes=processes,
        process_count=len(processes) if lists else None,
        complete=known and bool(gpus),
    )


def _without_cut_ends(lines: Sequence[str]) -> list[str]:
    """Leave out lines that a narrow window cut: more than one a GPU are the longest."""
    width = max((len(line) for line in lines), default=0)
    ends = sum(len(line) == width for line in lines)
    is_cut = ends > max(1, sum(_GPU.match(line) is not None for line in lines))
    return [line for line in lines if not is_cut or len(line) < width]


def _entries(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the path of headings and name, and the value; a GPU's own line is ``GPU``."""
    flat = _is_flat(lines)
    heads: list[tuple[int, str]] = []
    for line in lines:
        gpu, pair = _GPU.match(line), _PAIR.match(_NOTE.sub("", line))
        if gpu is not None:
            heads = []
            yield "GPU", gpu[1]
        elif pair is not None:
            heads = _above(heads, len(pair[1]), pair[2], flat=flat)
            yield "/".join([*(name for _, name in heads), pair[2]]), pair[3] or ""
        elif line.strip():
            head = _HEAD.match(line)
            if head is not None:
                heads = [] if flat else _above(heads, len(head[1]), head[2], flat=False)
                heads.append((len(head[1]), head[2]))


def _is_flat(lines: Sequence[str]) -> bool:
    """Tell whether the indentation that names values got lost."""
    pairs = (_PAIR.match(line) for line in lines)
    return len({len(pair[1]) for pair in pairs if pair is not None and pair[1]}) < 2


def _above(
    heads: list[tuple[int, str]], indent: int, name: str, *, flat: bool
) -> list[tuple[int, str]]:
    """Return the headings that a line of this indentation stands below."""
    if not flat:
        return [(depth, head) for depth, head in heads if depth < indent]
    is_below = bool(heads) and name in FLAT_HEADS.get(heads[-1][1], ())
    return heads if is_below else []


def _take(gpu: _Gpu, path: str, value: str) -> None:
    """Keep one value; what belongs to a MIG device is kept apart."""
    head, _, rest = path.partition("/")
    if head == _MIG:
        if rest == "Index":
            gpu.mig.append({})
        if gpu.mig:
            gpu.mig[-1].setdefault(rest, value)
    elif head == _PROCESSES:
        gpu.processes = gpu.processes or []
        name = path.rpartition("/")[2]
        if name == "Process ID":
            gpu.processes.append({})
        if gpu.processes:
            gpu.processes[-1].setdefault(name, value)
    elif head in THROTTLE_HEADS:
        gpu.states.append((path.rpartition("/")[2], value))
    else:
        gpu.texts.setdefault(path, value)


def _reading(gpu: _Gpu) -> GpuReading:
    values: dict[str, Cell] = {"bus_id": read_bus_id(gpu.bus_id)}
    for name, (paths, read) in PATHS.items():
        cells = [read(gpu.texts[path]) for path in paths if path in gpu.texts]
        if cells:
            values[name] = next((c for c in cells if not _is_reason(c)), cells[0])
    for name, ways in SUMS.items():
        way = next((way for way in ways if all(path in gpu.texts for path in way)), None)
        if way is not None:
            counts = [read_count(gpu.texts[path]) for path in way]
            values[name] = next((c for c in counts if _is_reason(c)), _total(counts))
    if gpu.states:
        values["throttle_reasons"] = reasons_of_states(gpu.states)
    return GpuReading(
        values=MappingProxyType(values),
        mig_devices=tuple(_mig(texts) for texts in gpu.mig),
    )


def _processes(gpu: _Gpu) -> Iterator[GpuProcess]:
    uuid = known_text(read_uuid(gpu.texts.get("GPU UUID", "")))
    for texts in gpu.processes or ():
        pid = known_int(read_count(texts.get("Process ID", "")))
        if pid is not None:
            yield GpuProcess(
                gpu_uuid=uuid,
                pid=pid,
                name=known_text(read_text(texts.get("Name", ""))) or "",
                memory_used_mib=known_int(read_mib(texts.get("Used GPU Memory", ""))),
            )


def _is_reason(cell: Cell) -> bool:
    return isinstance(cell, UnknownReason)


def _total(cells: Sequence[Cell]) -> int:
    return sum(known_int(cell) or 0 for cell in cells)


def _mig(texts: Mapping[str, str]) -> MigDevice:
    def count(path: str) -> int | None:
        return known_int(read_count(texts.get(path, "")))

    def size(path: str) -> int | None:
        return known_int(read_mib(texts.get(path, "")))

    return MigDevice(
        index=count("Index") or 0,
        gpu_instance=count("GPU Instance ID"),
        compute_instance=count("Compute Instance ID"),
        memory_total_mib=size("FB Memory Usage/Total"),
        memory_used_mib=size("FB Memory Usage/Used"),
    )
