"""Read the matrix of ``nvidia-smi topo -m``: links, NICs, affinities, NUMA.

Rows are read by counting link cells from the left, never by column positions: pastes lose tabs,
indentation, the header, the first rows or the last cells. A cell that is not there is unknown.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from app.core.hardware.tools.paste import clean_paste
from app.core.hardware.tools.topo_lines import (
    AFFINITY,
    DEVICE_CELL,
    LINK_CELL,
    ROW,
    Header,
    Row,
    columns_without_header,
    join_wrapped,
    read_lines,
    read_row,
)

_TOO_MANY_NICS = re.compile(r"\b([0-9]{2,4}) NICs\b.*?\bdisplay\w* (?:only )?([0-9]{1,3})\b")
_NIC_LEGEND = re.compile(r"^\s*(NIC[0-9]+)\s*:\s*(\S+)\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopoMatrix:
    """The matrix as far as it could be read.

    ``adjacency`` holds the printed link words; symmetric cells fill each other.
    """

    gpu_count: int
    nics: tuple[str, ...] = ()
    nic_devices: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    adjacency: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    cpu_affinity: Mapping[str, str | None] = field(default_factory=lambda: MappingProxyType({}))
    numa_affinity: Mapping[str, str | None] = field(default_factory=lambda: MappingProxyType({}))
    gpu_numa_id: Mapping[str, str | None] = field(default_factory=lambda: MappingProxyType({}))
    complete: bool = True
    missing: tuple[str, ...] = ()
    """What was cut off or left out by the tool, in words; empty when nothing was."""

    def nvlinks(self) -> Mapping[tuple[int, int], int]:
        """Return bonded NVLinks per GPU pair, smaller index first."""
        found: dict[tuple[int, int], int] = {}
        for i in range(self.gpu_count):
            for j in range(i + 1, self.gpu_count):
                word = self.adjacency.get(f"GPU{i}", {}).get(f"GPU{j}", "")
                if word.startswith("NV"):
                    found[i, j] = int(word[2:])
        return MappingProxyType(found)


def read_topo_matrix(text: str) -> TopoMatrix | None:
    """Return the first matrix found in ``text``, ``None`` when there is none."""
    lines = join_wrapped(clean_paste(text).rstrip().splitlines())
    is_cut = not text.endswith(("\n", "\r"))
    header, rows = read_lines(lines, is_cut=is_cut)
    if not any(row.device.startswith("GPU") and row.links for row in rows):
        return None
    if header is not None and (
        not header.tail or any(LINK_CELL.match(row.tail_text) for row in rows)
    ):
        _widen(header, rows, lines)
        header, rows = read_lines(lines, is_cut=is_cut, header=header)
    return _assemble(header, rows, _nic_devices(lines), tuple(_left_out(lines)))


def _widen(header: Header, rows: Sequence[Row], lines: Sequence[str]) -> None:
    """Name the columns that a cut header lost: adapters are counted on, GPUs are not guessed."""
    wide = [row for line in lines if (row := read_row(line, None)) is not None]
    width = max(len(row.links) for row in wide) if wide else 0
    rows_named = [m[1] for line in lines if (m := ROW.match(line)) and LINK_CELL.match(m[2])]
    header.devices.extend(
        name
        for name in dict.fromkeys(rows_named)
        if DEVICE_CELL.fullmatch(name) and name not in header.devices
    )
    stem = re.sub(r"[0-9]+$", "", header.devices[-1])
    if width <= len(header.devices):
        pass  # the rows name them all
    elif stem == "GPU":
        header.devices[:] = columns_without_header(wide or rows)
    else:
        start = int(header.devices[-1][len(stem) :] or 0) + 1
        more = width - len(header.devices)
        header.devices.extend(f"{stem}{i}" for i in range(start, start + max(0, more)))
    header.is_cut = True


def _left_out(lines: Sequence[str]) -> Iterator[str]:
    """Say what the tool itself left out, and that another matrix follows."""
    firsts = [row for line in lines if (row := read_row(line, None)) and row.device == "GPU0"]
    if len(firsts) > 1 and any(row.links != firsts[0].links for row in firsts):
        yield "second_table: another matrix follows; only the first was read"
    for line in lines:
        match = _TOO_MANY_NICS.search(line)
        if match is not None:
            yield f"nics_left_out: the host has {match[1]} NICs, the tool shows {match[2]}"
            return


def _assemble(
    header: Header | None,
    rows: Sequence[Row],
    devices: Mapping[str, str],
    left_out: tuple[str, ...],
) -> TopoMatrix:
    columns = header.devices if header else columns_without_header(rows)
    gpus = [name for name in columns if name.startswith("GPU")]
    nics = [name for name in columns if not name.startswith("GPU")]
    _drop_half_link(rows, columns)
    cells: dict[str, dict[str, str]] = {name: {} for name in columns}
    for row in rows:
        for other, word in zip(columns, row.links, strict=False):
            cells.setdefault(row.device, {})[other] = word
    _mirror(cells)
    gpu_rows = [row for row in rows if row.device.startswith("GPU")]
    tail = header.tail if header else ["cpu", "numa"]
    tails = {row.device: _read_tail(row, tail, len(columns)) for row in gpu_rows}
    _drop_half_tail(rows[-1], tails, tail, is_whole=len(gpu_rows) == len(gpus))
    cut = tuple(_cut_parts(header, gpu_rows, gpus, columns))
    return TopoMatrix(
        gpu_count=len(gpus),
        nics=tuple(nics),
        nic_devices=MappingProxyType({k: v for k, v in devices.items() if k in nics}),
        adjacency=MappingProxyType({k: MappingProxyType(v) for k, v in cells.items()}),
        cpu_affinity=MappingProxyType({k: v.get("cpu") for k, v in tails.items()}),
        numa_affinity=MappingProxyType({k: v.get("numa") for k, v in tails.items()}),
        gpu_numa_id=MappingProxyType({k: v.get("gpu_numa") for k, v in tails.items()}),
        complete=not cut,
        missing=(*cut, *left_out),
    )


def _cut_parts(
    header: Header | None, rows: Sequence[Row], gpus: Sequence[str], columns: Sequence[str]
) -> Iterator[str]:
    """Say what of the matrix is not there."""
    if header is None:
        yield "cut: the header is missing; columns are named by the rows"
    elif header.is_cut or not header.tail:
        yield "cut: the right part of the header with the affinity columns is missing"
    missing = [name for name in gpus if name not in {row.device for row in rows}]
    if missing:
        yield f"cut: rows are missing: {', '.join(missing)}"
    for row in rows:
        if len(row.links) < len(columns):
            yield f"cut: row {row.device} has {len(row.links)} of {len(columns)} links"


def _drop_half_link(rows: Sequence[Row], columns: Sequence[str]) -> None:
    """Drop the last link of a cut row when it may be half a word: ``NV1`` of ``NV18``."""
    words = {word for row in rows for word in row.links}
    last = rows[-1]
    half = last.links[-1]
    is_half = any(w != half and w.startswith(half) for w in words) or (
        last.is_cut and not last.tail_text and half.startswith("NV")
    )
    if len(last.links) < len(columns) and is_half:
        last.links.pop()


def _drop_half_tail(
    last: Row,
    tails: Mapping[str, dict[str, str | None]],
    titles: Sequence[str],
    *,
    is_whole: bool,
) -> None:
    """Drop the last affinity of a cut row when it may be half of one: ``0-23,4``.

    A value that another row has as well is whole. Else it is trusted when all rows follow the
    header, and the line has its end, or all its cells while no other value begins like it.
    """
    tail = tails.get(last.device, {})
    title, value = next(((k, v) for k, v in reversed(tail.items()) if v is not None), ("", None))
    if value is None:
        return
    others = {other.get(title) for name, other in tails.items() if name != last.device}
    is_prefix = any((other or "").startswith(value) for other in others)
    is_short = len(last.tail_text.split()) < len(titles)
    if value not in others and (not is_whole or (last.is_cut and (is_prefix or is_short))):
        tail[title] = None


def _mirror(cells: dict[str, dict[str, str]]) -> None:
    for a in list(cells):
        cells[a].setdefault(a, "X")
        for b, word in list(cells[a].items()):
            if b in cells:
                cells[b].setdefault(a, word)


def _read_tail(row: Row, titles: Sequence[str], columns: int) -> dict[str, str | None]:
    """Read affinity cells; with tabs by position, else by their number and shape."""
    if len(row.links) < columns:
        return {}
    if row.cells is not None and len([c for c in row.cells if c]) == len(row.tail_text.split()):
        cells = _drop_extra_tab(row.cells, titles)
    else:
        cells = _spread(row.tail_text, titles)
    return {title: _affinity(text) for title, text in zip(titles, cells, strict=False)}


def _drop_extra_tab(cells: Sequence[str], titles: Sequence[str]) -> list[str]:
    """Undo the second tab that nvidia-smi prints before ``GPU NUMA ID``."""
    result = list(cells)
    if len(result) > len(titles) and len(titles) == 3 and len(result) >= 4:
        del result[2 : len(result) - 1 if result[-1] else 3]
    return result


def _spread(text: str, titles: Sequence[str]) -> list[str]:
    words = re.sub(r",\s+(?=[0-9])", ",", text).split()
    if len(words) >= len(titles):
        return words
    if len(titles) == 3 and words and _affinity(words[-1]) is None:
        # GPU NUMA ID is the column that reads N/A where affinities are blank.
        front = words[:-1]
        return [*front, *[""] * (2 - len(front)), words[-1]]
    return words


def _affinity(text: str) -> str | None:
    bare = text.strip(" |")
    return bare if AFFINITY.fullmatch(bare) else None


def _nic_devices(lines: Iterable[str]) -> Mapping[str, str]:
    matches = (_NIC_LEGEND.match(line) for line in lines)
    return {m[1]: m[2] for m in matches if m is not None}
