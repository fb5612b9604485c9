"""Read ``nvidia-smi nvlink -s``: state and speed of every NVLink of every GPU.

``-c`` (capabilities) and ``-e`` (error counters) are known by their shape; they tell no states.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType

from app.core.hardware.fingerprint import UnknownReason
from app.core.hardware.tools.paste import clean_paste
from app.core.hardware.tools.readings import GpuReading, SmiReading
from app.core.hardware.tools.smi_list import GPU_LINE, NAME_LINE, gpu_line_values
from app.core.hardware.tools.values import Cell, known_int, known_text, read_float

_LINK = re.compile(r"^\s*Link\s+([0-9]+):\s*(.+?)\s*$", re.IGNORECASE)
_NO_STATE = re.compile(
    r"^\s*Link\s+[0-9]+(?:,\s*\S.*supported:|:\s*(?:Replay|Recovery|CRC)\b)", re.IGNORECASE
)
_ERRORS = re.compile(
    r"^\s*Link\s+([0-9]+):\s*(Replay|Recovery|CRC)(?:\s+Errors)?:\s*([0-9]{1,15})\s*$",
    re.IGNORECASE,
)
_SPEED = re.compile(r"([0-9]+(?:[.,][0-9]+)?)\s*GB/s", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class NvLinkState:
    """One link; ``speed_gbps`` (GB/s, one direction) is ``None`` when it is not up."""

    link: int
    is_active: bool
    speed_gbps: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuNvLinks:
    """The links of one GPU; ``links`` is ``None`` when the driver does not say (MIG)."""

    index: int
    name: str | None
    uuid: str | None
    links: tuple[NvLinkState, ...] | None
    reason: str = ""

    @property
    def speed_gbps(self) -> float | None:
        """Speed of one active link in one direction, ``None`` when they differ or none is up."""
        speeds = {link.speed_gbps for link in self.links or () if link.speed_gbps is not None}
        return speeds.pop() if len(speeds) == 1 else None

    @property
    def inactive(self) -> tuple[int, ...]:
        """Numbers of links that are there but not up."""
        return tuple(link.link for link in self.links or () if not link.is_active)


def read_nvlinks(text: str) -> tuple[GpuNvLinks, ...]:
    """Read the links of all GPUs in the output."""
    found: list[GpuNvLinks] = []
    for line in clean_paste(text).splitlines():
        gpu = GPU_LINE.match(line)
        if gpu is not None:
            values = gpu_line_values(gpu)
            found.append(
                GpuNvLinks(
                    index=int(gpu[1]),
                    name=known_text(values.get("name")),
                    uuid=known_text(values["uuid"]),
                    links=None,
                )
            )
        elif (named := NAME_LINE.match(line)) is not None:
            found.append(_named(named))
        elif found:
            found[-1] = _add_line(found[-1], line)
    return tuple(_without_doubles(found))


def _named(match: re.Match[str]) -> GpuNvLinks:
    index = int(match[1].partition(",")[0])
    return GpuNvLinks(index=index, name=match[2], uuid=None, links=None)


def _without_doubles(gpus: Iterable[GpuNvLinks]) -> Iterable[GpuNvLinks]:
    """Return each GPU once, with its links: ``-L`` before it prints the same lines without."""
    kept: dict[tuple[int, str | None], GpuNvLinks] = {}
    for gpu in gpus:
        known = kept.get((gpu.index, gpu.uuid))
        if known is None or known.links is None:
            kept[gpu.index, gpu.uuid] = gpu
    return kept.values()


def _add_line(gpu: GpuNvLinks, line: str) -> GpuNvLinks:
    match = _LINK.match(line)
    links, reason = gpu.links, gpu.reason
    if _NO_STATE.match(line):
        reason = "capabilities or error counters only; “nvidia-smi nvlink -s” tells the states"
    elif match is not None:
        state = _state(int(match[1]), match[2])
        links = (*(links or ()), state) if state is not None else links
    elif re.search(r"not supported|no active|unable|insufficient", line, re.IGNORECASE):
        reason = line.strip()
    return GpuNvLinks(index=gpu.index, name=gpu.name, uuid=gpu.uuid, links=links, reason=reason)


def _state(link: int, text: str) -> NvLinkState | None:
    speed = _SPEED.fullmatch(text)
    if speed is not None:
        value = read_float(speed[1])
        gbps = None if isinstance(value, UnknownReason) else value
        return NvLinkState(link=link, is_active=True, speed_gbps=gbps)
    word = (known_text(text) or "").strip("<>[] ").lower()
    if word in {"inactive", "down", "disabled", "off"}:
        return NvLinkState(link=link, is_active=False, speed_gbps=None)
    return None


def read_nvlink_errors(text: str) -> SmiReading:
    """Read ``nvlink -e``: replay, recovery and CRC errors of all links of a GPU together."""
    found: list[dict[str, Cell]] = []
    for line in clean_paste(text).splitlines():
        gpu, error = GPU_LINE.match(line), _ERRORS.match(line)
        if gpu is not None:
            found.append(gpu_line_values(gpu))
        elif error is not None and found:
            before = known_int(found[-1].get("nvlink_errors"))
            found[-1]["nvlink_errors"] = (before or 0) + int(error[3])
    return SmiReading(gpus=tuple(GpuReading(values=MappingProxyType(v)) for v in found))


def nvlink_reading(gpus: Iterable[GpuNvLinks]) -> SmiReading:
    """Return the links as cells of GPUs, to be put together with other tools' cells."""
    return SmiReading(gpus=tuple(GpuReading(values=MappingProxyType(_cells(g))) for g in gpus))


def _cells(gpu: GpuNvLinks) -> dict[str, Cell]:
    values: dict[str, Cell] = {"index": gpu.index}
    if gpu.uuid is not None:
        values["uuid"] = gpu.uuid
    if gpu.name is not None:
        values["name"] = gpu.name
    if gpu.links is None:
        return values
    values["nvlink_links"] = len(gpu.links)
    values["nvlink_active"] = sum(link.is_active for link in gpu.links)
    if gpu.speed_gbps is not None:
        values["nvlink_link_gbps"] = gpu.speed_gbps
    return values
