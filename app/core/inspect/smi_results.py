"""Readings of nvidia-smi as JSON values: the keys that ``pitwall inspect --json`` prints."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Final

from app.core.hardware.fingerprint import UnknownReason
from app.core.hardware.tools.csv_lines import split_line
from app.core.hardware.tools.json_access import parse_object
from app.core.hardware.tools.nvml_section import read_nvml
from app.core.hardware.tools.paste import clean_paste
from app.core.hardware.tools.readings import GpuReading, SmiReading
from app.core.hardware.tools.smi_apps import read_apps
from app.core.hardware.tools.smi_columns import FIELDS, column_name, looks_like_header
from app.core.hardware.tools.smi_csv import read_gpu_csv
from app.core.hardware.tools.smi_errors import find_smi_error
from app.core.hardware.tools.smi_list import read_gpu_list
from app.core.hardware.tools.smi_mig import read_mig
from app.core.hardware.tools.smi_nvlink import GpuNvLinks, read_nvlinks
from app.core.hardware.tools.smi_query import read_smi_query
from app.core.hardware.tools.smi_table import read_smi_table
from app.core.hardware.tools.smi_xml import read_smi_xml
from app.core.hardware.tools.values import known_text
from app.core.inspect.kinds import Inspection, InspectKind

_ALWAYS: Final = (
    "index",
    "name",
    "uuid",
    "bus_id",
    "compute_cap",
    "memory_total_mib",
    "memory_used_mib",
    "memory_reserved_mib",
)


_HELP: Final = re.compile(
    r"^(?:\s*nvidia-smi \[OPTION1|List of valid properties to query for the switch)", re.MULTILINE
)
"""``--help`` and ``--help-query-gpu`` name columns; that is no answer."""


def gpu_result(gpu: GpuReading) -> dict[str, object]:
    """Return one GPU's values; what is not known is ``None``, why stands in ``unknown``."""
    values: dict[str, object] = dict.fromkeys(_ALWAYS)
    unknown: dict[str, str] = {}
    for field, cell in gpu.values.items():
        if isinstance(cell, UnknownReason):
            values[field] = None
            unknown[field] = cell.value
        else:
            values[field] = cell
    values["mig_mode"] = _mode(gpu.values.get("mig_mode"))
    values["mig_devices"] = [asdict(device) for device in gpu.mig_devices]
    values["unknown"] = unknown
    return values


def _mode(cell: object) -> str | None:
    return {True: "Enabled", False: "Disabled"}.get(cell) if isinstance(cell, bool) else None


def smi_result(reading: SmiReading) -> dict[str, object]:
    """Return a whole reading."""
    return {
        "driver": reading.driver,
        "cuda": reading.cuda,
        "gpus": [gpu_result(gpu) for gpu in reading.gpus],
        "gpu_count": len(reading.gpus),
        "process_count": reading.process_count,
        "processes": [asdict(process) for process in reading.processes],
        "complete": reading.complete,
    }


def _inspection(kind: InspectKind, reading: SmiReading, text: str) -> Inspection:
    warnings = list(reading.warnings)
    error = find_smi_error(text)
    if error is not None:
        warnings.append(f"{error.cause}: {error.evidence}")
    if not reading.complete and not any(text.startswith("cut:") for text in warnings):
        warnings.append("cut: the output is not complete")
    return Inspection(kind=kind, result=smi_result(reading), warnings=tuple(warnings))


def inspect_xml(text: str) -> Inspection | None:
    """Read ``-q -x``."""
    reading = read_smi_xml(text)
    return None if reading is None else _inspection(InspectKind.SMI_XML, reading, "")


def inspect_table(text: str) -> Inspection | None:
    """Read the plain table or the long text of ``-q``."""
    reading = read_smi_table(text) or read_smi_query(text)
    return None if reading is None else _inspection(InspectKind.SMI_TABLE, reading, text)


def inspect_list(text: str) -> Inspection | None:
    """Read ``-L``."""
    found = inspect_any_list(text)
    if found is None:
        return None
    has_identity = any(known_text(gpu.values.get("uuid")) for gpu in read_gpu_list(text).gpus)
    filled = sum(bool(line.strip()) for line in clean_paste(text).splitlines())
    listed = found.result["gpu_count"]
    is_whole = isinstance(listed, int) and listed * 2 >= filled
    is_list = has_identity or is_whole or "(UUID:" in text
    return found if is_list else None


def inspect_any_list(text: str) -> Inspection | None:
    """Read the GPUs that are listed anywhere, as in an engine's report of its environment."""
    reading = read_gpu_list(text)
    return _inspection(InspectKind.SMI_LIST, reading, text) if reading.gpus else None


def inspect_csv(text: str) -> Inspection | None:
    """Read ``--query-gpu``."""
    if _HELP.search(text):
        return None
    reading = read_gpu_csv(text)
    if not reading.gpus and not _csv_header(text):
        return None
    found = _inspection(InspectKind.SMI_CSV, reading, text)
    rows = sum(gpu.rows for gpu in reading.gpus)
    return Inspection(
        kind=found.kind, result={**found.result, "rows": rows}, warnings=found.warnings
    )


def _csv_header(text: str) -> bool:
    """Tell whether a header of a GPU query is there, so that zero rows are an answer."""
    for line in clean_paste(text).splitlines():
        cells = split_line(line)
        if len(cells) > 1 and looks_like_header(cells):
            return "pid" not in {column_name(cell) for cell in cells}
    return False


def inspect_apps(text: str) -> Inspection | None:
    """Read ``--query-compute-apps``."""
    apps = read_apps(text)
    if apps.processes is None:
        return None
    result: dict[str, object] = {
        "driver": None,
        "cuda": None,
        "gpus": _gpus_of_apps(text),
        "process_count": len(apps.processes),
        "processes": [
            {**asdict(process), "bus_id": bus_id}
            for process, bus_id in zip(apps.processes, apps.bus_ids, strict=True)
        ],
    }
    return Inspection(kind=InspectKind.SMI_APPS, result=result)


def _gpus_of_apps(text: str) -> list[dict[str, object]]:
    """Return the GPUs that the rows name, each once."""
    names: tuple[str, ...] = ()
    found: dict[tuple[str, ...], dict[str, object]] = {}
    keys = {"name": "name", "uuid": "uuid", "pci.bus_id": "bus_id"}
    for line in clean_paste(text).splitlines():
        cells = split_line(line, len(names) or None)
        if looks_like_header(cells):
            names = tuple(column_name(cell) for cell in cells)
        elif names and len(cells) == len(names):
            row = dict(zip(names, cells, strict=True))
            gpu: dict[str, object] = {
                key: known_text(FIELDS[column][1](row[column]))
                for column, key in keys.items()
                if column in row
            }
            found.setdefault(tuple(str(v) for v in gpu.values()), gpu)
    return [gpu for gpu in found.values() if gpu]


def inspect_nvlink(text: str) -> Inspection | None:
    """Read ``nvlink -s``."""
    gpus = read_nvlinks(text)
    if not any(gpu.links is not None or gpu.reason for gpu in gpus):
        return None
    warnings = [
        f"nvlink_partly_down: GPU {gpu.index} links {list(gpu.inactive)} are inactive"
        for gpu in gpus
        if gpu.inactive and len(gpu.inactive) < len(gpu.links or ())
    ]
    result = {
        "driver": None,
        "cuda": None,
        "gpus": [_nvlink_gpu(gpu) for gpu in gpus],
        "gpu_count": len(gpus),
        "process_count": None,
    }
    return Inspection(kind=InspectKind.SMI_NVLINK, result=result, warnings=tuple(warnings))


def _nvlink_gpu(gpu: GpuNvLinks) -> Mapping[str, object]:
    links = gpu.links
    return {
        "index": gpu.index,
        "name": gpu.name,
        "uuid": gpu.uuid,
        "links_total": None if links is None else len(links),
        "links_active": None if links is None else sum(link.is_active for link in links),
        "inactive": None if links is None else list(gpu.inactive),
        "link_speed_gbps": gpu.speed_gbps,
        "reason": gpu.reason or None,
    }


def inspect_mig(text: str) -> Inspection | None:
    """Read ``mig -lgip`` and ``mig -lgi``."""
    listing = read_mig(text)
    if listing is None:
        return None
    result = {
        "profiles": [asdict(profile) for profile in listing.profiles],
        "instances": [asdict(instance) for instance in listing.instances],
    }
    return Inspection(kind=InspectKind.SMI_MIG, result=result)


def inspect_error(text: str) -> Inspection | None:
    """Read a failure text."""
    error = find_smi_error(text)
    if error is None:
        return None
    result: dict[str, object] = {
        "driver": None,
        "cuda": None,
        "gpus": [],
        "process_count": None,
        "cause": error.cause,
        "remedy": error.remedy,
        "evidence": error.evidence,
    }
    return Inspection(kind=InspectKind.SMI_ERROR, result=result)


def inspect_nvml(text: str) -> Inspection | None:
    """Read our own NVML section, shown like a GPU query."""
    document = parse_object(text)
    reading = read_nvml(text) if document is not None and "nvml" in document else None
    return None if reading is None else _inspection(InspectKind.SMI_CSV, reading, "")


SmiReader = Callable[[str], Inspection | None]
SMI_READERS: Final[Sequence[tuple[InspectKind, SmiReader]]] = (
    (InspectKind.SMI_XML, inspect_xml),
    (InspectKind.SMI_MIG, inspect_mig),
    (InspectKind.SMI_TABLE, inspect_table),
    (InspectKind.SMI_NVLINK, inspect_nvlink),
    (InspectKind.SMI_LIST, inspect_list),
    (InspectKind.SMI_APPS, inspect_apps),
    (InspectKind.SMI_CSV, inspect_csv),
)
"""In the order in which a paste is tried: the more certain kinds first."""
