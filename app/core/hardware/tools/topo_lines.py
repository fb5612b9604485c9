"""Read lines of ``nvidia-smi topo -m`` one by one: header, rows, and what wrapping did to them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

_LINK: Final = r"NV[0-9]+|SYS|NODE|PHB|PXB|PIX|SOC|X"
LINK_CELL = re.compile(rf"(?:{_LINK})")
_LINK_RUN = re.compile(rf"(?:{_LINK})+")
DEVICE_CELL = re.compile(r"GPU[0-9]+|NIC[0-9]+|mlx[0-9]+_(?:bond_?)?[0-9]+")
_DEVICE_RUN = re.compile(rf"(?:{DEVICE_CELL.pattern})+")
_OTHER_NIC = re.compile(r"(?!NV[0-9])[a-z][A-Za-z0-9_-]*[0-9][A-Za-z0-9_]*")
"""Older drivers print the RDMA device's own name: ``ibp12s0``, ``bnxt_re0``, ``rdmap16s27``."""
_P2P_WORD = re.compile(r"\s*(?:OK|CNS|GNS|TNS|NS|DR|U)\b")
_LONGEST: Final = 4000
"""No row is longer: 144 devices with eight characters each are 1200."""
_TAIL_TITLES: Final = (
    ("cpu", re.compile(r"CPU\s+Affinity", re.IGNORECASE)),
    ("numa", re.compile(r"NUMA\s+Affinity", re.IGNORECASE)),
    ("gpu_numa", re.compile(r"GPU\s+NUMA\s+ID", re.IGNORECASE)),
)
ROW = re.compile(r"^[\s>|]*([A-Za-z][A-Za-z0-9_-]*[0-9][A-Za-z0-9_]*)[ \t|:]+(\S.*)$")
AFFINITY = re.compile(r"(?:[0-9]+(?:-[0-9]+)?)(?:,[0-9]+(?:-[0-9]+)?)*")
_COLUMN = re.compile(r"(?!GPU0$)[A-Za-z][A-Za-z0-9_-]*[0-9][A-Za-z0-9_]*")
_GPU_ROW_START = re.compile(rf"^\s*GPU[0-9]+\s+(?:{_LINK})\b")


@dataclass(slots=True)
class Header:
    """The columns, and what stands behind the links."""

    devices: list[str]
    tail: list[str]
    is_cut: bool = False


@dataclass(slots=True)
class Row:
    """One device and its links."""

    device: str
    links: list[str]
    tail_text: str
    cells: list[str] | None
    """Cells behind the links when tabs tell them apart, else ``None``."""
    is_cut: bool = False
    """The text ends in this row, without a line break."""


def read_lines(
    lines: Sequence[str], *, is_cut: bool, header: Header | None = None
) -> tuple[Header | None, list[Row]]:
    """Return header and rows of the first matrix; a header that is given counts more."""
    given = header
    rows: list[Row] = []
    for number, line in enumerate(lines, start=1):
        found = _read_header(line)
        if found is not None:
            if rows:
                break  # a second matrix (topo -p2p) follows
            header = given or found
            continue
        row = read_row(line, header)
        if row is not None and row.device not in {known.device for known in rows}:
            row.is_cut = is_cut and number == len(lines)
            rows.append(row)
        elif rows and re.match(r"\s*Legend", line):
            break
    return header, rows


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
        word == "N/A" or LINK_CELL.fullmatch(word) or AFFINITY.fullmatch(word)
        for word in line.split()
    )


def _read_header(line: str) -> Header | None:
    """Return the header's columns. A row has link words, a header has none."""
    positions = [m.start() for _, title in _TAIL_TITLES for m in title.finditer(line)]
    head = line[: min(positions)] if positions else line
    devices: list[str] = []
    for word in head.replace("|", " ").split():
        if _DEVICE_RUN.fullmatch(word):
            devices += DEVICE_CELL.findall(word)
        elif devices and _OTHER_NIC.fullmatch(word):
            devices.append(word)
        else:
            return None
    if "GPU0" not in devices or (len(devices) == 1 and not positions):
        return None
    return Header(devices, [key for key, title in _TAIL_TITLES if title.search(line)])


def read_row(line: str, header: Header | None) -> Row | None:
    """Return the row of a line; without a header only devices of known names are rows."""
    match = ROW.match(line) if len(line) < _LONGEST else None
    if match is None:
        return None
    is_device = match[1] in header.devices if header else bool(DEVICE_CELL.fullmatch(match[1]))
    if not is_device:
        return None
    width = len(header.devices) if header else None
    links, rest = _take_links(match[2], width)
    if not links or (header is None and "X" not in links) or _P2P_WORD.match(rest):
        return None
    cells = [cell.strip() for cell in rest.split("\t")[1:]] if "\t" in rest else None
    return Row(match[1], links, rest.strip(" \t|"), cells)


def _take_links(text: str, limit: int | None) -> tuple[list[str], str]:
    """Take link cells from the left, also where the blank between two got lost."""
    links: list[str] = []
    position = 0
    while limit is None or len(links) < limit:
        begin = position + len(text[position:]) - len(text[position:].lstrip(" \t|"))
        cell = LINK_CELL.match(text, begin)
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


def columns_without_header(rows: Sequence[Row]) -> list[str]:
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


def _gpu_columns(gpu_rows: Iterable[Row]) -> int:
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
