"""Split ``--query-gpu`` output into tables: rows of named texts, with or without a header.

Several queries in one paste make several tables. What was cut off at the end is no row, and a
last cell that is half a value does not count.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from app.core.hardware.fingerprint import UnknownReason
from app.core.hardware.tools.csv_lines import split_line
from app.core.hardware.tools.paste import clean_paste
from app.core.hardware.tools.smi_columns import (
    column_name,
    looks_like_header,
    read_bus_id,
    read_compute_cap,
    read_uuid,
)
from app.core.hardware.tools.values import missing, read_mib

_PRODUCT: Final = re.compile(
    r"(?:(?:NVIDIA|Tesla|Quadro|GeForce|GRID|RTX|GTX|Jetson)[ -](?!SMI\b)(?=[^0-9]*[0-9])|"
    r"(?:NVIDIA )?TITAN |[ABH][0-9]{2,3}-)"
    r"[\w ()/+-]{1,48}"
)
"""A product's name; sentences and commands that begin like one end with a stop or hold none."""
DRIVER: Final = re.compile(r"[0-9]{3}\.[0-9]{2,3}(?:\.[0-9]{1,2})?")
_IDENTITY: Final = frozenset({"name", "uuid", "pci.bus_id"})
_WHOLE_VALUES: Final = _IDENTITY | {"driver_version", "memory.total"}
"""Columns in which rows repeat each other's values, so that half of one is recognised."""
_HALF: Final = "ERR!"
"""Stands in for half a value: read like a failed reading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuTable:
    """Rows as printed: column name → text."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]
    guessed: bool = False
    """True when no header said what the columns are."""
    is_cut: bool = False
    """The text ends within a row."""


@dataclass(slots=True)
class _Draft:
    """One table while its lines are read."""

    names: tuple[str, ...]
    rows: list[dict[str, str]] = field(default_factory=list)
    is_cut: bool = False
    is_longest: bool = False
    """No line of the text is longer than the header: it may be cut."""


def parse_gpu_rows(text: str, columns: Sequence[str] | None = None) -> GpuTable:
    """Return the first table, an empty one when there is none.

    Args:
        text: the output, possibly with other lines around it.
        columns: what was asked, for ``noheader`` output.
    """
    tables = parse_gpu_tables(text, columns)
    return tables[0] if tables else GpuTable(columns=(), rows=())


def parse_gpu_tables(text: str, columns: Sequence[str] | None = None) -> tuple[GpuTable, ...]:
    """Return every table in ``text``; equal headers continue one table."""
    drafts = [_Draft(tuple(column_name(c) for c in columns))] if columns else []
    loose: list[str] = []
    lines = [line for line in clean_paste(text).splitlines() if line.strip(" \t|:+=-")]
    is_narrow = len(lines) > 2 and len({len(line) for line in lines}) == 1
    for line in lines:
        header = split_line(line.rstrip(" ,"))
        if looks_like_header(header):
            _begin(drafts, tuple(column_name(cell) for cell in header))
            drafts[-1].is_longest = len(line) == max(map(len, lines))
        elif drafts:
            _add_row(drafts[-1], line, is_last=line is lines[-1], is_narrow=is_narrow)
        elif not line.lstrip().startswith("|"):  # a table's row is no line of values
            loose.append(line)
    if drafts and lines and not text.endswith(("\n", "\r")):
        _drop_half_cell(drafts[-1], lines[-1])
    tables = [
        GpuTable(columns=d.names, rows=tuple(map(MappingProxyType, d.rows)), is_cut=d.is_cut)
        for d in drafts
    ]
    return tuple(tables) if tables else _guess(loose)


def _begin(drafts: list[_Draft], names: tuple[str, ...]) -> None:
    known = next((draft for draft in drafts if draft.names == names), None)
    if known is not None:
        drafts.remove(known)
    drafts.append(known or _Draft(names))


def _add_row(draft: _Draft, line: str, *, is_last: bool, is_narrow: bool) -> None:
    """Add a row; of rows that a narrow window cut, header and all, the whole cells."""
    cells = split_line(line, len(draft.names))
    names = [column_name(cell) for cell in cells]
    if sum(a == b for a, b in zip(names, draft.names, strict=False)) * 2 > len(cells):
        return  # the header once more, with a damaged cell
    if len(cells) == len(draft.names):
        draft.rows.append(dict(zip(draft.names, cells, strict=True)))
    elif is_narrow and 2 <= len(cells) < len(draft.names):
        draft.rows.append(dict(zip(draft.names, cells[:-1], strict=False)))
        draft.is_cut = True
    elif draft.is_longest and len(draft.names) < len(cells) and len(draft.names) > 2:
        draft.rows.append(_under_cut_header(draft.names, cells))
        draft.is_cut = True
    elif is_last and 2 <= len(cells) < len(draft.names):
        draft.is_cut = True


def _under_cut_header(names: tuple[str, ...], cells: tuple[str, ...]) -> dict[str, str]:
    """Name the cells of a row that is longer than its header, by what they look like.

    Most headers lack their end, in a narrow window; a text may also begin within its header.
    """
    end_cut = dict(zip(names[:-1], cells, strict=False))
    start_cut = dict(zip(names[1:], cells[1 - len(names) :], strict=True))

    def fits(row: dict[str, str]) -> int:
        return sum(_shape(cell) == name for name, cell in row.items())

    return start_cut if fits(start_cut) > fits(end_cut) else end_cut


def _drop_half_cell(draft: _Draft, line: str) -> None:
    """Drop the last cell of a text that ends in it, when other rows show that more was to come."""
    if len(draft.rows) < 2 or split_line(line, len(draft.names)) != tuple(draft.rows[-1].values()):
        return
    name = draft.names[-1]
    half = draft.rows[-1].get(name, "")
    others = [row.get(name, "") for row in draft.rows[:-1]]
    lacks_unit = half[-1:].isdigit() and all(other[-1:] in "BWz%" for other in others if other)
    is_short = name == "uuid" and all(len(half) < len(other) for other in others)
    is_prefix = name in _WHOLE_VALUES and any(o != half and o.startswith(half) for o in others)
    if lacks_unit or is_prefix or is_short:
        draft.rows[-1][name], draft.is_cut = _HALF, True


def _guess(lines: Sequence[str]) -> tuple[GpuTable, ...]:
    """Read lines without header: columns are named by what all their values look like."""
    rows = [cells for line in lines if _could_be_row(cells := split_line(line))]
    if not rows:
        return ()
    width = Counter(len(cells) for cells in rows).most_common(1)[0][0]
    rows = [cells for cells in rows if len(cells) == width]
    names = _name_columns(rows)
    table = tuple(MappingProxyType(dict(zip(names, cells, strict=True))) for cells in rows)
    return (GpuTable(columns=names, rows=table, guessed=True),)


def _could_be_row(cells: tuple[str, ...]) -> bool:
    """Tell whether a line names a GPU; a label and its value is a file of /proc, not a row."""
    shapes = {_shape(cell) for cell in cells}
    is_named = bool(shapes & {"name", "uuid"}) or ("pci.bus_id" in shapes and len(cells) > 1)
    return is_named and not any(cell.endswith(":") for cell in cells)


def _name_columns(rows: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Name what cannot be anything else; the rest gets names such as ``?0``.

    A single number with unit MiB, or a single plain number that is large enough for a GPU's
    memory, is its total; with two of them it is not known which.
    """
    columns = list(zip(*rows, strict=True))
    names = [_shape_of_all(column) for column in columns]
    sizes = [
        i
        for i, column in enumerate(columns)
        if names[i] == "?" and any(_is_size(cell) for cell in column)
    ]
    is_gpu_list = "name" in names  # a process list names GPUs by their UUID only
    if (
        is_gpu_list
        and len(sizes) == 1
        and all(_is_size(c) or missing(c) for c in columns[sizes[0]])
    ):
        names[sizes[0]] = "memory.total"
    return tuple(
        name if names.index(name) == i and name != "?" else f"?{i}" for i, name in enumerate(names)
    )


def _shape_of_all(column: Sequence[str]) -> str:
    shapes = {_shape(cell) for cell in column if missing(cell) is None}
    return shapes.pop() if len(shapes) == 1 else "?"


def _shape(cell: str) -> str:
    if missing(cell) is not None:
        return "?"
    for name, fits in (
        ("uuid", not isinstance(read_uuid(cell), UnknownReason)),
        ("pci.bus_id", not isinstance(read_bus_id(cell), UnknownReason)),
        ("driver_version", bool(DRIVER.fullmatch(cell))),
        ("compute_cap", not isinstance(read_compute_cap(cell), UnknownReason)),
        ("name", bool(_PRODUCT.fullmatch(cell))),
    ):
        if fits:
            return name
    return "?"


def _is_size(cell: str) -> bool:
    size = read_mib(cell)
    return not isinstance(size, UnknownReason) and size >= 1024 and "%" not in cell
