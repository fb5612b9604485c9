"""Read ``nvidia-smi --query-gpu=… --format=csv`` with or without header, units, known columns."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.core.hardware.fingerprint import UnknownReason
from app.core.hardware.tools.csv_lines import split_line
from app.core.hardware.tools.paste import clean_paste
from app.core.hardware.tools.readings import GpuReading, SmiReading
from app.core.hardware.tools.smi_columns import (
    FIELDS,
    column_name,
    looks_like_header,
    read_bus_id,
    read_compute_cap,
    read_uuid,
)
from app.core.hardware.tools.values import Cell, known_text, missing, read_mib

_PRODUCT: Final = re.compile(
    r"(?:(?:NVIDIA|Tesla|Quadro|GeForce|GRID|RTX|GTX|Jetson)[ -](?!SMI\b)(?=[^0-9]*[0-9])|"
    r"(?:NVIDIA )?TITAN |[ABH][0-9]{2,3}-)"
    r"[\w ()/+-]{1,48}"
)
"""A product's name; sentences and commands that begin like one end with a stop or hold none."""
_DRIVER = re.compile(r"[0-9]{3}\.[0-9]{1,3}(?:\.[0-9]{1,2})?")
_CLOCK = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2}(?:\.[0-9]+)?)")


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuTable:
    """Rows as printed: column name → text."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]
    guessed: bool = False
    """True when no header said what the columns are."""


def parse_gpu_rows(text: str, columns: Sequence[str] | None = None) -> GpuTable:
    """Split CSV output into rows.

    Args:
        text: the output, possibly with other lines around it.
        columns: what was asked, for ``noheader`` output.
    """
    names: tuple[str, ...] = tuple(column_name(c) for c in columns) if columns else ()
    guessed = False
    rows: list[Mapping[str, str]] = []
    for line in clean_paste(text).splitlines():
        if not line.strip():
            continue
        header = split_line(line)
        if looks_like_header(header):
            names = tuple(column_name(cell) for cell in header)
            guessed = False
            continue
        if not names and columns is None:
            names = _guess_columns(header)
            guessed = bool(names)
        row = _row(line, names)
        if row is not None and not (guessed and _guess_columns(tuple(row.values())) != names):
            rows.append(row)
    return GpuTable(columns=names, rows=tuple(rows), guessed=guessed)


def _row(line: str, names: tuple[str, ...]) -> Mapping[str, str] | None:
    """Return the row, ``None`` when the line is not one: too few or too many cells."""
    cells = split_line(line, len(names))
    if not names or len(cells) != len(names):
        return None
    return MappingProxyType(dict(zip(names, cells, strict=True)))


def _guess_columns(cells: tuple[str, ...]) -> tuple[str, ...]:
    """Name columns by the shape of their values; what cannot be told is named ``?``.

    Only what cannot be anything else is named: a single number with unit MiB, or a single plain
    number that is large enough for a GPU's memory, is its total.
    """
    if any(cell.endswith(":") for cell in cells):
        return ()  # a label and its value: a file of /proc, not a row
    names = [_shape(cell) for cell in cells]
    sizes = [i for i, cell in enumerate(cells) if names[i] == "?" and _is_size(cell)]
    if len(sizes) == 1:
        names[sizes[0]] = "memory.total"
    known = [name for name in names if name != "?"]
    if "name" not in known and "uuid" not in known and "pci.bus_id" not in known:
        return ()
    return tuple(
        name if names.index(name) == i and name != "?" else f"?{i}" for i, name in enumerate(names)
    )


def _shape(cell: str) -> str:
    if missing(cell) is not None:
        return "?"
    for name, fits in (
        ("uuid", not isinstance(read_uuid(cell), UnknownReason)),
        ("pci.bus_id", not isinstance(read_bus_id(cell), UnknownReason)),
        ("driver_version", bool(_DRIVER.fullmatch(cell))),
        ("compute_cap", not isinstance(read_compute_cap(cell), UnknownReason)),
        ("name", bool(_PRODUCT.fullmatch(cell))),
    ):
        if fits:
            return name
    return "?"


def _is_size(cell: str) -> bool:
    size = read_mib(cell)
    return not isinstance(size, UnknownReason) and size >= 1024 and "%" not in cell


def read_gpu_csv(text: str, columns: Sequence[str] | None = None) -> SmiReading:
    """Read CSV output into cells; rows of a sampling loop are put together, newest wins."""
    table = parse_gpu_rows(text, columns)
    driver: str | None = None
    newest: dict[object, GpuReading] = {}
    ticks = _Ticks()
    for row in table.rows:
        if "pid" in row:
            continue  # a process list pasted behind the GPU list
        values = _cells(row)
        driver = driver or known_text(_driver(row))
        key = _identity(values) or ticks.place(row.get("timestamp", ""))
        before = newest.get(key)
        newest[key] = GpuReading(
            values=MappingProxyType(values), rows=1 if before is None else before.rows + 1
        )
    warnings = ("columns_guessed: the output has no header",) if table.guessed else ()
    return SmiReading(driver=driver, gpus=tuple(newest.values()), warnings=warnings)


def _driver(row: Mapping[str, str]) -> Cell:
    found = (row.get(name, "") for name in ("driver_version", "kmd_version"))
    return next((text for text in found if _DRIVER.fullmatch(text)), UnknownReason.NOT_REPORTED)


def _cells(row: Mapping[str, str]) -> dict[str, Cell]:
    values: dict[str, Cell] = {}
    for column, text in row.items():
        if column in FIELDS:
            field, read = FIELDS[column]
            if isinstance(values.get(field, UnknownReason.NOT_REPORTED), UnknownReason):
                values[field] = read(text)
    return values


def _identity(values: Mapping[str, Cell]) -> object | None:
    """Return what tells GPUs apart: UUID, address or index."""
    for field in ("uuid", "bus_id", "index"):
        cell = values.get(field)
        if cell is not None and not isinstance(cell, UnknownReason):
            return (field, cell)
    return None


class _Ticks:
    """Gives rows without identity their place within one tick of a sampling loop.

    Rows of one tick carry time stamps a few milliseconds apart, ticks are at least 0.5 s apart.
    Without time stamps every row is a GPU of its own.
    """

    def __init__(self) -> None:
        self._last_s: float | None = None
        self._place = -1

    def place(self, timestamp: str) -> object:
        match = _CLOCK.search(timestamp)
        now_s = None
        if match is not None:
            now_s = int(match[1]) * 3600 + int(match[2]) * 60 + float(match[3])
        is_new_tick = now_s is not None and (
            self._last_s is not None and abs(now_s - self._last_s) >= 0.5
        )
        self._place = 0 if is_new_tick else self._place + 1
        self._last_s = now_s
        return ("place", self._place)
