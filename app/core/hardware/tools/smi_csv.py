"""Read ``nvidia-smi --query-gpu=… --format=csv`` with or without header, units, known columns."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from app.core.hardware.fingerprint import UnknownReason
from app.core.hardware.tools.readings import GpuReading, SmiReading
from app.core.hardware.tools.smi_columns import FIELDS
from app.core.hardware.tools.smi_csv_rows import DRIVER, GpuTable, parse_gpu_rows, parse_gpu_tables
from app.core.hardware.tools.values import Cell, known_text

__all__ = ["GpuTable", "parse_gpu_rows", "read_gpu_csv"]

_CLOCK = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2}(?:\.[0-9]+)?)")
_KEYS = ("uuid", "bus_id", "index")


def read_gpu_csv(text: str, columns: Sequence[str] | None = None) -> SmiReading:
    """Read CSV output into cells; rows of a sampling loop are put together, newest wins.

    Several queries in one paste fill each other's GPUs.
    """
    tables = [table for table in parse_gpu_tables(text, columns) if "pid" not in table.columns]
    gpus: list[GpuReading] = []
    warnings: list[str] = []
    for table in tables:
        gpus = _joined(gpus, _newest(table), warnings)
    if any(table.guessed for table in tables):
        warnings.append("columns_guessed: the output has no header")
    is_cut = any(table.is_cut for table in tables)
    if is_cut:
        warnings.append("cut: the last row is not complete")
    drivers = (known_text(_driver(row)) for table in tables for row in table.rows)
    return SmiReading(
        driver=next((driver for driver in drivers if driver is not None), None),
        gpus=tuple(gpus),
        complete=not is_cut,
        warnings=tuple(warnings),
    )


def _newest(table: GpuTable) -> list[GpuReading]:
    """Return one reading for each GPU of a table."""
    newest: dict[object, GpuReading] = {}
    ticks = _Ticks()
    for row in table.rows:
        values = _cells(row)
        key = _identity(values) or ticks.place(row.get("timestamp", ""))
        before = newest.get(key)
        newest[key] = GpuReading(
            values=MappingProxyType(values), rows=1 if before is None else before.rows + 1
        )
    return list(newest.values())


def _joined(
    known: list[GpuReading], more: list[GpuReading], warnings: list[str]
) -> list[GpuReading]:
    """Fill the GPUs of one query with another's, by identity or, in equal numbers, by place."""
    if not known or not more:
        return known or more
    if not any(_values(gpu) for gpu in more):
        return known
    if not any(_values(gpu) for gpu in known):
        return more
    by_place = len(known) == len(more) and not any(
        _clash(a, b) for a, b in zip(known, more, strict=True)
    )
    if by_place:
        return [_filled(a, b) for a, b in zip(known, more, strict=True)]
    if any(_same(a, b) for a in known for b in more):
        others = [b for b in more if not any(_same(a, b) for a in known)]
        return [_filled(a, next((b for b in more if _same(a, b)), None)) for a in known] + others
    warnings.append("second_query: the queries list different GPUs; only the first was read")
    return known


def _values(gpu: GpuReading) -> dict[str, Cell]:
    return {k: v for k, v in gpu.values.items() if not isinstance(v, UnknownReason)}


def _same(a: GpuReading, b: GpuReading) -> bool:
    known, other = _values(a), _values(b)
    return any(known[key] == other[key] for key in _KEYS if key in known and key in other)


def _clash(a: GpuReading, b: GpuReading) -> bool:
    known, other = _values(a), _values(b)
    keys = (*_KEYS, "name")
    return any(known[key] != other[key] for key in keys if key in known and key in other)


def _filled(a: GpuReading, b: GpuReading | None) -> GpuReading:
    if b is None:
        return a
    return replace(a, values=MappingProxyType({**b.values, **a.values, **_values(b), **_values(a)}))


def _driver(row: Mapping[str, str]) -> Cell:
    found = (row.get(name, "") for name in ("driver_version", "kmd_version"))
    return next((text for text in found if DRIVER.fullmatch(text)), UnknownReason.NOT_REPORTED)


def _cells(row: Mapping[str, str]) -> dict[str, Cell]:
    values: dict[str, Cell] = {}
    for column, text in row.items():
        if column in FIELDS:
            field, read = FIELDS[column]
            if isinstance(values.get(field, UnknownReason.NOT_REPORTED), UnknownReason):
                values[field] = read(text)
    return values


def _identity(values: Mapping[str, Cell]) -> object | None:
    """Return what tells GPUs apart: UUID, address and index, as far as they are known.

    All of them, since a paste may have the same placeholder in place of every UUID.
    """
    found = tuple(
        (key, values[key])
        for key in _KEYS
        if key in values and not isinstance(values[key], UnknownReason)
    )
    return found or None


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
