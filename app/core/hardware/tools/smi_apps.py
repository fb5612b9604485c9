"""Read ``nvidia-smi --query-compute-apps=…``: processes that hold GPU memory."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.core.hardware.fingerprint import GpuProcess, UnknownReason
from app.core.hardware.tools.csv_lines import split_line
from app.core.hardware.tools.paste import clean_paste
from app.core.hardware.tools.smi_columns import column_name, looks_like_header, read_uuid
from app.core.hardware.tools.values import known_int, known_text, missing, read_count, read_mib


@dataclass(frozen=True, slots=True, kw_only=True)
class AppList:
    """The processes; ``None`` when no process table was found."""

    processes: tuple[GpuProcess, ...] | None
    bus_ids: tuple[str | None, ...] = ()
    """PCI address of each process's GPU, where the column was asked."""


def read_apps(text: str) -> AppList:
    """Read a process table with header; a header alone means that nothing runs."""
    names: tuple[str, ...] = ()
    found: list[GpuProcess] = []
    bus_ids: list[str | None] = []
    for line in clean_paste(text).splitlines():
        if not line.strip():
            continue
        header = split_line(line)
        if looks_like_header(header):
            names = tuple(column_name(cell) for cell in header)
            continue
        row = _row(line, names) if "pid" in names else None
        process = _process(row) if row is not None else None
        if process is not None and row is not None:
            found.append(process)
            bus_ids.append(known_text(row.get("pci.bus_id") or None))
    if "pid" not in names and not found:
        return AppList(processes=None)
    return AppList(processes=tuple(found), bus_ids=tuple(bus_ids))


def _row(line: str, names: tuple[str, ...]) -> Mapping[str, str] | None:
    cells = split_line(line, len(names))
    extra = len(cells) - len(names)
    if extra > 0 and "process_name" in names:
        # A process name may hold the separator: it takes what is too much.
        at = names.index("process_name")
        cells = (*cells[:at], ", ".join(cells[at : at + extra + 1]), *cells[at + extra + 1 :])
    return dict(zip(names, cells, strict=True)) if len(cells) == len(names) else None


def _process(row: Mapping[str, str]) -> GpuProcess | None:
    pid = known_int(read_count(row.get("pid", "")))
    if pid is None:
        return None
    memory = row.get("used_gpu_memory", row.get("used_memory", ""))
    uuid = read_uuid(row.get("uuid", ""))
    name = row.get("process_name", "")
    return GpuProcess(
        gpu_uuid=None if isinstance(uuid, UnknownReason) else uuid,
        pid=pid,
        name="" if missing(name) is not None else name,
        memory_used_mib=known_int(read_mib(memory)),
    )
