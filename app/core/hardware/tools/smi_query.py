"""Read the long text of ``nvidia-smi -q``: the XML's facts, indented.

Only what a fingerprint needs is taken; sections are told apart by indentation.
"""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from app.core.hardware.tools.paste import clean_paste
from app.core.hardware.tools.readings import GpuReading, SmiReading
from app.core.hardware.tools.smi_columns import Reader, read_bus_id, read_uuid
from app.core.hardware.tools.smi_version import read_smi_version
from app.core.hardware.tools.values import (
    Cell,
    read_count,
    read_float,
    read_int,
    read_mib,
    read_switch,
    read_text,
)

START: Final = re.compile(r"=+\s*NVSMI LOG\s*=+")
_GPU = re.compile(r"^GPU\s+([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])\s*$")
_PAIR = re.compile(r"^(\s+)(\S.*?)\s+:\s?(.*)$")
_HEAD = re.compile(r"^(\s+)(\S.*?)\s*$")

_FIELDS: Final[Mapping[tuple[str, str], tuple[str, Reader]]] = {
    ("", "Product Name"): ("name", read_text),
    ("", "GPU UUID"): ("uuid", read_uuid),
    ("", "Persistence Mode"): ("persistence_mode", read_switch),
    ("", "Compute Mode"): ("compute_mode", read_text),
    ("MIG Mode", "Current"): ("mig_mode", read_switch),
    ("ECC Mode", "Current"): ("ecc_mode", read_switch),
    ("FB Memory Usage", "Total"): ("memory_total_mib", read_mib),
    ("FB Memory Usage", "Reserved"): ("memory_reserved_mib", read_mib),
    ("FB Memory Usage", "Used"): ("memory_used_mib", read_mib),
    ("FB Memory Usage", "Free"): ("memory_free_mib", read_mib),
    ("Utilization", "GPU"): ("utilization_percent", read_count),
    ("Utilization", "Gpu"): ("utilization_percent", read_count),
    ("Temperature", "GPU Current Temp"): ("temperature_c", read_int),
    ("Power Readings", "Power Draw"): ("power_w", read_float),
    ("GPU Power Readings", "Average Power Draw"): ("power_w", read_float),
    ("GPU Power Readings", "Power Draw"): ("power_w", read_float),
    ("Power Readings", "Power Limit"): ("power_limit_w", read_float),
    ("GPU Power Readings", "Current Power Limit"): ("power_limit_w", read_float),
    ("Clocks", "SM"): ("clock_sm_mhz", read_count),
    ("Clocks", "Memory"): ("clock_mem_mhz", read_count),
    ("Max Clocks", "SM"): ("clock_sm_max_mhz", read_count),
}


def read_smi_query(text: str) -> SmiReading | None:
    """Read the log, ``None`` when its title is not there."""
    clean = clean_paste(text)
    start = START.search(clean)
    if start is None:
        return None
    gpus: list[dict[str, Cell]] = []
    for group, name, value, bus_id in _entries(clean[start.end() :]):
        if bus_id:
            gpus.append({"bus_id": read_bus_id(bus_id)})
        elif gpus and (group, name) in _FIELDS:
            field, read = _FIELDS[group, name]
            gpus[-1].setdefault(field, read(value))
    version = read_smi_version(clean)
    return SmiReading(
        driver=version.driver,
        cuda=version.cuda,
        gpus=tuple(GpuReading(values=MappingProxyType(values)) for values in gpus),
        complete=all("memory_total_mib" in values for values in gpus) and bool(gpus),
    )


def _entries(text: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield group, name, value of every entry; a GPU's own line has its address last."""
    group, group_indent = "", 0
    for line in text.splitlines():
        gpu = _GPU.match(line)
        pair, head = _PAIR.match(line), _HEAD.match(line)
        if gpu is not None:
            group, group_indent = "", 0
            yield "", "", "", gpu[1]
        elif pair is not None:
            if len(pair[1]) <= group_indent:
                group, group_indent = "", 0
            yield group, pair[2], pair[3], ""
        elif head is not None:
            group, group_indent = head[2], len(head[1])
