"""``nvidia-smi`` for those who sample: which columns are asked at 1 Hz and what a line says."""

from dataclasses import dataclass
from typing import Final

from app.core.hardware.tools.csv_lines import split_line
from app.core.hardware.tools.smi_columns import FIELDS, FINGERPRINT_COLUMNS
from app.core.hardware.tools.smi_csv import GpuTable, parse_gpu_rows, read_gpu_csv
from app.core.hardware.tools.values import Cell, known_float, known_int

__all__ = [
    "FINGERPRINT_COLUMNS",
    "SAMPLE_COLUMNS",
    "GpuSample",
    "GpuTable",
    "parse_gpu_rows",
    "parse_sample_line",
    "read_gpu_csv",
]

SAMPLE_COLUMNS: Final = (
    "index",
    "memory.used",
    "utilization.gpu",
    "power.draw",
    "temperature.gpu",
)
"""Columns for ``--query-gpu=… --format=csv,noheader,nounits -lms 1000``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuSample:
    """One GPU at one tick; ``None`` is unknown."""

    index: int
    memory_used_mib: int | None
    utilization_percent: int | None
    power_w: float | None
    temperature_c: int | None


def parse_sample_line(line: str) -> GpuSample | None:
    """Read one line of the sampling stream; ``None`` for headers, messages and cut lines."""
    cells = split_line(line, len(SAMPLE_COLUMNS))
    if len(cells) != len(SAMPLE_COLUMNS):
        return None
    values: dict[str, Cell] = {}
    for column, text in zip(SAMPLE_COLUMNS, cells, strict=True):
        field, read = FIELDS[column]
        values[field] = read(text)
    index = known_int(values["index"])
    if index is None:
        return None
    return GpuSample(
        index=index,
        memory_used_mib=known_int(values["memory_used_mib"]),
        utilization_percent=known_int(values["utilization_percent"]),
        power_w=known_float(values["power_w"]),
        temperature_c=known_int(values["temperature_c"]),
    )
