"""Read the plain table of ``nvidia-smi`` of all drivers, on Linux, WSL and Windows.

A GPU is two or three lines of three cells; MIG devices and processes have tables of their own.
Long names are cut by the tool itself (``NVIDIA GeForce RTX 3080 ...``) and stay as printed.
"""

import re
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from app.core.hardware.fingerprint import GpuProcess, MigDevice, UnknownReason
from app.core.hardware.tools.paste import clean_paste
from app.core.hardware.tools.readings import GpuReading, SmiReading
from app.core.hardware.tools.smi_columns import BUS, read_bus_id
from app.core.hardware.tools.smi_version import read_smi_version
from app.core.hardware.tools.values import (
    Cell,
    known_int,
    missing,
    read_count,
    read_float,
    read_int,
    read_mib,
    read_switch,
    read_text,
)

BANNER: Final = re.compile(r"\bNVIDIA-SMI\s+[0-9]{2,4}\.[0-9]+", re.IGNORECASE)

_DRIVER_MODELS = frozenset({"WDDM", "TCC", "MCDM"})
_MODEL = "On|Off|Enabled|Disabled|N/A|WDDM|TCC|MCDM|ERR!"
GPU_ROW: Final = re.compile(
    rf"^\s*\|?\s*([0-9]{{1,3}})\s+(\S.*?)\s+({_MODEL})\s*\|\s*({BUS}|N/A|ERR!)\s*(?:On|Off|N/A|ERR!)?\s*"
    r"(?:\|\s*([^|]*?)\s*\|?)?\s*$"
)
_USAGE = re.compile(r"(\S+)\s*([KMG]i?B)\s*/\s*([0-9.,]+)\s*([KMG]i?B)", re.IGNORECASE)
_TEMPERATURE = re.compile(r"\b(-?[0-9]{1,3})C\b")
_POWER = re.compile(
    r"(?:^|\s)([0-9]+(?:[.,][0-9]+)?\s*W|\S+)\s*/\s*([0-9]+(?:[.,][0-9]+)?\s*W|\S+)\s*$"
)
_UTIL = re.compile(r"^\s*([0-9]{1,3}\s*%|N/A|ERR!|-)\s*(.*?)\s*$")
_MIG_ROW = re.compile(
    r"^\s*\|?\s*([0-9]{1,3})\s+([0-9]{1,3})\s+([0-9]{1,3})\s+([0-9]{1,3})\s*\|\s*"
    r"([0-9]+\s*MiB)\s*/\s*([0-9]+\s*MiB)"
)
_PROCESS_ROW = re.compile(
    r"^\s*\|?\s*([0-9]{1,3})\s+(?:(?:N/A|[0-9]{1,3})\s+(?:N/A|[0-9]{1,3})\s+)?([0-9]{1,10})\s+"
    r"(C\+G|M\+C|C|G|M)\s+(\S.*?)\s+([0-9]+\s*MiB|N/A)\s*\|?\s*$"
)
_NO_PROCESSES = re.compile(r"No running (?:compute )?processes found", re.IGNORECASE)
_PROCESS_HEAD = re.compile(r"^\s*\|?\s*(?:Compute )?[Pp]rocesses:")
_RULE = re.compile(r"^[\s|+=-]*$")


@dataclass(slots=True)
class _Table:
    """One table while it is being read."""

    gpus: dict[int, dict[str, Cell]] = field(default_factory=dict)
    mig: dict[int, list[MigDevice]] = field(default_factory=dict)
    processes: list[GpuProcess] | None = None
    current: int | None = None
    line_of_gpu: int = 0
    warnings: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    has_banner: bool = False
    is_closed: bool = False
    """A rule stands below the last GPU."""

    def missing(self) -> list[str]:
        """Say what was cut off."""
        found = []
        if not self.has_banner:
            found.append("cut: the banner with driver and CUDA version is missing")
        if not self.gpus:
            found.append("cut: no GPU row is there")
        found += [
            f"cut: the row of GPU {index} ends before its memory"
            for index, values in self.gpus.items()
            if "memory_total_mib" not in values
        ]
        if self.gpus and not self.is_closed and len(found) == int(not self.has_banner):
            found.append(f"cut: the table ends in or behind the row of GPU {max(self.gpus)}")
        return found


def read_smi_table(text: str) -> SmiReading | None:
    """Read the table, ``None`` when there is neither banner nor GPU row.

    Of several tables of the same GPUs the last complete one counts; else the first does.
    """
    tables = [table for table in _tables(clean_paste(text)) if table.gpus or table.has_banner]
    if not tables:
        return None
    chosen, warnings = _choose(tables)
    version = read_smi_version("\n".join(map(_whole_words, chosen.lines)))
    missing_parts = chosen.missing()
    return SmiReading(
        driver=version.driver,
        cuda=version.cuda,
        gpus=tuple(_reading(chosen, index) for index in sorted(chosen.gpus)),
        processes=tuple(chosen.processes or ()),
        process_count=len(chosen.processes) if chosen.processes is not None else None,
        complete=not missing_parts,
        warnings=(*warnings, *chosen.warnings, *missing_parts),
    )


def _whole_words(line: str) -> str:
    """Return a banner without the word in which it is cut: ``580.1`` of ``580.159.04``."""
    bare = line.rstrip()
    if BANNER.search(bare) is None or not bare.lstrip().startswith("|") or bare.endswith("|"):
        return line
    return bare.rpartition(" ")[0]


def _tables(text: str) -> list[_Table]:
    tables = [_Table()]
    for line in text.splitlines():
        if BANNER.search(line):
            if tables[-1].gpus or tables[-1].has_banner:
                tables.append(_Table())
            tables[-1].has_banner = True
        tables[-1].lines.append(line)
        _take(tables[-1], line)
    return tables


def _choose(tables: list[_Table]) -> tuple[_Table, list[str]]:
    first = tables[0]
    if len(tables) == 1:
        return first, []
    if any(_identity(table) != _identity(first) for table in tables if table.gpus):
        return first, ["second_table: tables of different machines; only the first one was read"]
    whole = [table for table in tables if table.gpus and not table.missing()]
    newest = (whole or [table for table in tables if table.gpus] or tables)[-1]
    text = f"second_table: {len(tables)} tables of the same GPUs; the newest complete one was read"
    return newest, [text]


def _identity(table: _Table) -> list[tuple[int, Cell, Cell]]:
    return [
        (index, values.get("bus_id", ""), values.get("name", ""))
        for index, values in sorted(table.gpus.items())
    ]


def _reading(table: _Table, index: int) -> GpuReading:
    return GpuReading(
        values=MappingProxyType(table.gpus[index]), mig_devices=tuple(table.mig.get(index, ()))
    )


def _take(table: _Table, line: str) -> None:
    """Read one line of whatever table it belongs to."""
    if not line.strip():
        return
    if _RULE.match(line):
        if table.line_of_gpu > 1:
            table.line_of_gpu, table.is_closed = 0, True
        return
    gpu, mig, process = GPU_ROW.match(line), _MIG_ROW.match(line), _PROCESS_ROW.match(line)
    if gpu is not None and int(gpu[1]) not in table.gpus:
        table.current, table.line_of_gpu, table.is_closed = int(gpu[1]), 1, False
        table.gpus[int(gpu[1])] = _first_line(gpu)
    elif mig is not None:
        table.mig.setdefault(int(mig[1]), []).append(_mig(mig))
    elif _PROCESS_HEAD.match(line) or _NO_PROCESSES.search(line):
        table.processes = table.processes or []
    elif process is not None and table.processes is not None:
        table.processes.append(_process(process))
    elif table.current is not None and 0 < table.line_of_gpu < 3:
        _next_line(table, line)


def _first_line(match: re.Match[str]) -> dict[str, Cell]:
    values: dict[str, Cell] = {
        "index": int(match[1]),
        "name": read_text(match[2]),
        "bus_id": read_bus_id(match[4]),
        **_mode(match[3]),
    }
    ecc = (match[5] or "").split(" ")[0]
    switch = read_switch(ecc) if ecc.isalpha() else UnknownReason.NOT_REPORTED
    count = read_count(ecc)
    values["ecc_mode"] = switch if isinstance(count, UnknownReason) else True
    values["ecc_uncorrected_volatile"] = count
    if missing(ecc) is not None:
        values["ecc_mode"] = values["ecc_uncorrected_volatile"] = UnknownReason.NOT_REPORTED
    return values


def _mode(text: str) -> dict[str, Cell]:
    """Read the column that Linux has for persistence and Windows for the driver model."""
    if text in _DRIVER_MODELS:
        return {"driver_model": text, "persistence_mode": UnknownReason.NOT_SUPPORTED}
    return {"persistence_mode": read_switch(text)}


def _next_line(table: _Table, line: str) -> None:
    """Read the second line (sensors, memory, load) or the third (MIG mode)."""
    if table.current is None:
        return
    cells = line.strip().strip("|").split("|")
    values = table.gpus[table.current]
    if table.line_of_gpu == 1 and len(cells) >= 2:
        values.update(_sensors(cells[0]))
        values.update(_memory(cells[1]))
        values.update(_load(cells[2]) if len(cells) > 2 else {})
        if "ERR!" in line and "lost" not in line:
            table.warnings.append(
                f"transient_sensor_error: GPU {table.current} reads ERR!, usually for a moment"
            )
    elif table.line_of_gpu == 2 and len(cells) >= 3 and not cells[0].strip():
        values["mig_mode"] = read_switch(cells[2])
    table.line_of_gpu += 1


def _sensors(cell: str) -> dict[str, Cell]:
    values: dict[str, Cell] = {}
    temperature = _TEMPERATURE.search(cell)
    values["temperature_c"] = (
        read_int(temperature[1]) if temperature is not None else UnknownReason.NOT_REPORTED
    )
    power = _POWER.search(cell)
    if power is not None:
        values["power_w"] = read_float(power[1])
        values["power_limit_w"] = read_float(power[2])
    return values


def _memory(cell: str) -> dict[str, Cell]:
    usage = _USAGE.search(cell)
    if usage is not None:
        return {
            "memory_used_mib": read_mib(f"{usage[1]} {usage[2]}"),
            "memory_total_mib": read_mib(f"{usage[3]} {usage[4]}"),
        }
    parts = re.split(r"\s/\s", cell)
    reasons = [missing(part) for part in (parts if len(parts) == 2 else [cell, cell])]
    used, total = (reason or UnknownReason.UNREADABLE for reason in reasons)
    return {"memory_used_mib": used, "memory_total_mib": total}


def _load(cell: str) -> dict[str, Cell]:
    match = _UTIL.match(cell)
    if match is None:
        return {"utilization_percent": UnknownReason.UNREADABLE}
    mode: Cell = match[2] or UnknownReason.NOT_REPORTED
    return {"utilization_percent": read_count(match[1]), "compute_mode": mode}


def _mig(match: re.Match[str]) -> MigDevice:
    return MigDevice(
        index=int(match[4]),
        gpu_instance=int(match[2]),
        compute_instance=int(match[3]),
        memory_used_mib=known_int(read_mib(match[5])),
        memory_total_mib=known_int(read_mib(match[6])),
    )


def _process(match: re.Match[str]) -> GpuProcess:
    return GpuProcess(
        gpu_uuid=None,
        pid=int(match[2]),
        name=match[4],
        memory_used_mib=known_int(read_mib(match[5])),
    )
