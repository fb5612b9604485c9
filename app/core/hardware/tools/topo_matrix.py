"""Read the matrix of ``nvidia-smi topo -m``: links, NICs, affinities, NUMA.

Rows are read by counting link cells from the left, never by column positions: pastes lose tabs,
indentation, the header, the first rows or the last cells. A cell that is not there is unknown.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from app.core.hardware.tools.paste import clean_paste

_LINK: Final = r"NV[0-9]+|SYS|NODE|PHB|PXB|PIX|SOC|X"
_LINK_CELL = re.compile(rf"(?:{_LINK})")
_LINK_RUN = re.compile(rf"(?:{_LINK})+")
_DEVICE_CELL = re.compile(r"GPU[0-9]+|NIC[0-9]+|mlx[0-9]+_(?:bond_?)?[0-9]+")
_DEVICE_RUN = re.compile(rf"(?:{_DEVICE_CELL.pattern})+")
_OTHER_NIC = re.compile(r"(?!NV[0-9])[a-z][A-Za-z0-9_-]*[0-9][A-Za-z0-9_]*")
"""Older drivers print the RDMA device's own name: ``ibp12s0``, ``bnxt_re0``, ``rdmap16s27``."""
_P2P_WORD = re.compile(r"\s*(?:OK|CNS|GNS|TNS|NS|DR|U)\b")
_LONGEST: Final = 4000
"""No row is longer: 144 devices with eight characters each are 1200."""
_TOO_MANY_NICS = re.compile(r"\b([0-9]{2,4}) NICs\b.*?\bdisplay\w* (?:only )?([0-9]{1,3})\b")
_NIC_LEGEND = re.compile(r"^\s*(NIC[0-9]+)\s*:\s*(\S+)\s*$")
_TAIL_TITLES: Final = (
    ("cpu", re.compile(r"CPU\s+Affinity", re.IGNORECASE)),
    ("numa", re.compile(r"NUMA\s+Affinity", re.IGNORECASE)),
    ("gpu_numa", re.compile(r"GPU\s+NUMA\s+ID", re.IGNORECASE)),
)
_ROW = re.compile(r"^[\s>|]*([A-Za-z][A-Za-z0-9_-]*[0-9][A-Za-z0-9_]*)[ \t|:]+(\S.*)$")
_AFFINITY = re.compile(r"(?:[0-9]+(?:-[0-9]+)?)(?:,[0-9]+(?:-[0-9]+)?)*")


_COLUMN = re.compile(r"(?!GPU0$)[A-Za-z][A-Za-z0-9_-]*[0-9][A-Za-z0-9_]*")
_GPU_ROW_START = re.compile(rf"^\s*GPU[0-9]+\s+(?:{_LINK})\b")


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


@dataclass(slots=True)
class _Header:
    devices: list[str]
    tail: list[str]
    is_cut: bool = False


@dataclass(slots=True)
class _Row:
    device: str
    links: list[str]
    tail_text: str
    cells: list[str] | None
    """Cells behind the links when tabs tell them apart, else ``None``."""
    is_cut: bool = False
    """The text ends in this row, without a line break."""


def read_topo_matrix(text: str) -> TopoMatrix | None:
    """Return the first matrix found in ``text``, ``None`` when there is none."""
    lines = join_wrapped(clean_paste(text).rstrip().splitlines())
    is_cut = not text.endswith(("\n", "\r"))
    header, rows = _read_lines(lines, is_cut=is_cut)
    if not any(row.device.startswith("GPU") and row.links for row in rows):
        return None
    if header is not None and (
        not header.tail or any(_LINK_CELL.match(row.tail_text) for row in rows)
    ):
        _widen(header, rows, lines)
        header, rows = _read_lines(lines, is_cut=is_cut, header=header)
    return _assemble(header, rows, _nic_devices(lines), tuple(_left_out(lines)))


def _read_lines(
    lines: Sequence[str], *, is_cut: bool, header: _Header | None = None
) -> tuple[_Header | None, list[_Row]]:
    """Return header and rows of the first matrix; a header that is given counts more."""
    given = header
    rows: list[_Row] = []
    for number, line in enumerate(lines, start=1):
        found = _read_header(line)
        if found is not None:
            if rows:
                break  # a second matrix (topo -p2p) follows
            header = given or found
            continue
        row = _read_row(line, header)
        if row is not None and row.device not in {known.device for known in rows}:
            row.is_cut = is_cut and number == len(lines)
            rows.append(row)
        elif rows and re.match(r"\s*Legend", line):
            break
    return header, rows


def _widen(header: _Header, rows: Sequence[_Row], lines: Sequence[str]) -> None:
    """Name the columns that a cut header lost: adapters are counted on, GPUs are not guessed."""
    wide = [row for line in lines if (row := _read_row(line, None)) is not None]
    width = max(len(row.links) for row in wide) if wide else 0
    rows_named = [m[1] for line in lines if (m := _ROW.match(line)) and _LINK_CELL.match(m[2])]
    header.devices.extend(
        name
        for name in dict.fromkeys(rows_named)
        if _DEVICE_CELL.fullmatch(name) and name not in header.devices
    )
    stem = re.sub(r"[0-9]+$", "", header.devices[-1])
    if width <= len(header.devices):
        pass  # the rows name them all
    elif stem == "GPU":
        header.devices[:] = _columns_without_header(wide or rows)
    else:
        start = int(header.devices[-1][len(stem) :] or 0) + 1
        more = width - len(header.devices)
        header.devices.extend(f"{stem}{i}" for i in range(start, start + max(0, more)))
    header.is_cut = True


def _left_out(lines: Sequence[str]) -> Iterator[str]:
    """Say what the tool itself left out, and that another matrix follows."""
    firsts = [row for line in lines if (row := _read_row(line, None)) and row.device == "GPU0"]
    if len(firsts) > 1 and any(row.links != firsts[0].links for row in firsts):
        yield "second_table: another matrix follows; only the first was read"
    for line in lines:
        match = _TOO_MANY_NICS.search(line)
        if match is not None:
            yield f"nics_left_out: the host has {match[1]} NICs, the tool shows {match[2]}"
            return


def join_wrapped(lines: Sequence[str]) -> list[str]:
    """Undo a terminal's wrapping: lines that only continue a header or a row are appended."""
    joined: list[str] = []
    for line in lines:
        before = joined[-1] if joined else ""
        is_rest = bool(line.strip()) and (
            (_continues_header(line) and _read_header(before) is not None)
            or (_continues_row(line) and _GPU_ROW_START.match(before) is not None)
        )
        if is_rest:
            joined[-1] = f"{before.rstrip()}\t{line.strip()}"
        else:
            joined.append(line)
    return joined


def _continues_header(line: str) -> bool:
    for _, title in _TAIL_TITLES:
        line = title.sub("", line)
    return all(_COLUMN.fullmatch(word) for word in line.split())


def _continues_row(line: str) -> bool:
    return all(
        word == "N/A" or _LINK_CELL.fullmatch(word) or _AFFINITY.fullmatch(word)
        for word in line.split()
    )


def _read_header(line: str) -> _Header | None:
    """Return the header's columns. A row has link words, a header has none."""
    positions = [m.start() for _, title in _TAIL_TITLES for m in title.finditer(line)]
    head = line[: min(positions)] if positions else line
    devices: list[str] = []
    for word in head.replace("|", " ").split():
        if _DEVICE_RUN.fullmatch(word):
            devices += _DEVICE_CELL.findall(word)
        elif devices and _OTHER_NIC.fullmatch(word):
            devices.append(word)
        else:
            return None
    if "GPU0" not in devices or (len(devices) == 1 and not positions):
        return None
    return _Header(devices, [key for key, title in _TAIL_TITLES if title.search(line)])


def _read_row(line: str, header: _Header | None) -> _Row | None:
    match = _ROW.match(line) if len(line) < _LONGEST else None
    if match is None:
        return None
    is_device = match[1] in header.devices if header else bool(_DEVICE_CELL.fullmatch(match[1]))
    if not is_device:
        return None
    width = len(header.devices) if header else None
    links, rest = _take_links(match[2], width)
    if not links or (header is None and "X" not in links) or _P2P_WORD.match(rest):
        return None
    cells = [cell.strip() for cell in rest.split("\t")[1:]] if "\t" in rest else None
    return _Row(match[1], links, rest.strip(" \t|"), cells)


def _take_links(text: str, limit: int | None) -> tuple[list[str], str]:
    """Take link cells from the left, also where the blank between two got lost."""
    links: list[str] = []
    position = 0
    while limit is None or len(links) < limit:
        begin = position + len(text[position:]) - len(text[position:].lstrip(" \t|"))
        cell = _LINK_CELL.match(text, begin)
        if cell is None or not _ends_cell(text, cell.end(), limit, len(links) + 1):
            break
        links.append(cell[0])
        position = cell.end()
    return links, text[position:]


def _ends_cell(text: str, end: int, limit: int | None, count: int) -> bool:
    """Tell whether a link word really ends here and is not the start of another word."""
    if end >= len(text) or text[end] in " \t|":
        return True
    if _LINK_RUN.fullmatch(re.split(r"[ \t|]", text[end:], maxsplit=1)[0]):
        return True
    return limit is not None and count == limit and text[end].isdigit()


def _assemble(
    header: _Header | None,
    rows: Sequence[_Row],
    devices: Mapping[str, str],
    left_out: tuple[str, ...],
) -> TopoMatrix:
    columns = header.devices if header else _columns_without_header(rows)
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
    header: _Header | None, rows: Sequence[_Row], gpus: Sequence[str], columns: Sequence[str]
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


def _drop_half_link(rows: Sequence[_Row], columns: Sequence[str]) -> None:
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
    last: _Row,
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


def _columns_without_header(rows: Sequence[_Row]) -> list[str]:
    """Name the columns from the rows: the X of a GPU row stands in its own column."""
    width = max(len(row.links) for row in rows)
    gpu_rows = [row for row in rows if row.device.startswith("GPU")]
    count = max(int(row.device[3:]) for row in gpu_rows) + 1
    nic_rows = [row for row in rows if not row.device.startswith("GPU") and "X" in row.links]
    if nic_rows:
        first = nic_rows[0]
        stem = re.sub(r"[0-9]+$", "", first.device)
        count = first.links.index("X") - int(first.device[len(stem) :])
    else:
        stem = "NIC"
        count = max(count, _gpu_columns(gpu_rows))
    count = max(0, min(count, width))
    return [f"GPU{i}" for i in range(count)] + [f"{stem}{i}" for i in range(width - count)]


def _gpu_columns(gpu_rows: Iterable[_Row]) -> int:
    """Return how many leading columns are certainly GPUs: up to the last NVLink or X."""
    return max(
        (
            i + 1
            for row in gpu_rows
            for i, word in enumerate(row.links)
            if word[0] in "NX" and word != "NODE"
        ),
        default=0,
    )


def _mirror(cells: dict[str, dict[str, str]]) -> None:
    for a in list(cells):
        cells[a].setdefault(a, "X")
        for b, word in list(cells[a].items()):
            if b in cells:
                cells[b].setdefault(a, word)


def _read_tail(row: _Row, titles: Sequence[str], columns: int) -> dict[str, str | None]:
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
    return bare if _AFFINITY.fullmatch(bare) else None


def _nic_devices(lines: Iterable[str]) -> Mapping[str, str]:
    matches = (_NIC_LEGEND.match(line) for line in lines)
    return {m[1]: m[2] for m in matches if m is not None}
