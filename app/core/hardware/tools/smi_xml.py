"""Read ``nvidia-smi -q -x`` of every schema version, also when it is cut.

Reading starts at the root element, behind any document type, so no entity can be declared and
nothing is expanded or fetched. A cut
document is read up to the cut: an element that is not closed counts as unknown.
"""

import re
from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Final
from xml.etree import ElementTree as ET

from app.core.hardware.fingerprint import GpuProcess, MigDevice, UnknownReason
from app.core.hardware.tools.paste import clean_paste
from app.core.hardware.tools.readings import GpuReading, SmiReading
from app.core.hardware.tools.smi_columns import Reader, read_bus_id, read_uuid
from app.core.hardware.tools.smi_xml_paths import PATHS, SUMS
from app.core.hardware.tools.throttle import reasons_of_states
from app.core.hardware.tools.values import (
    Cell,
    known_int,
    known_text,
    read_count,
    read_mib,
    read_text,
)

_START = re.compile(r"<nvidia_smi_log[\s>]")
_FOLD_MARK = re.compile(r"^[ \t]*[-+\u25bc\u25b6]\s*(?=<)", re.MULTILINE)
"""Marks with which browsers show that an element can be folded."""
_NUMBER = re.compile(r"[0-9]{1,4}\.[0-9]{1,3}(?:\.[0-9]{1,3})?")
_END: Final = "</nvidia_smi_log>"
_PIECE: Final = 65536
_LARGEST: Final = 32 * 1024 * 1024


def read_smi_xml(text: str) -> SmiReading | None:
    """Read the document, ``None`` when there is no ``nvidia_smi_log`` in ``text``."""
    if len(text) > _LARGEST:
        return None
    text = _FOLD_MARK.sub("", clean_paste(text))
    start = _START.search(text)
    if start is None:
        return None
    root, complete = _parse(text[start.start() :])
    if root is None:
        return None
    gpus = [_gpu(element) for element in root.findall("gpu")]
    processes = [p for element in root.findall("gpu") for p in _processes(element)]
    has_list = any(element.find("processes") is not None for element in root.findall("gpu"))
    return SmiReading(
        driver=_version(root, "driver_version", "kmd_version"),
        cuda=_version(root, "cuda_version", "cuda_umd_version"),
        gpus=tuple(gpus),
        processes=tuple(processes),
        process_count=len(processes) if has_list else None,
        complete=complete,
        warnings=() if complete else ("cut: the XML ends before its last element",),
    )


def _parse(body: str) -> tuple[ET.Element | None, bool]:
    """Parse piece by piece, so that what precedes a cut or a broken byte is kept.

    The element that is open at a cut loses its text: it may be half a value.
    """
    end = body.find(_END)
    body = body if end < 0 else body[: end + len(_END)]
    target = _KeepingBuilder()
    parser = ET.XMLParser(target=target)  # noqa: S314 - no doctype reaches it, so no entities
    try:
        for position in range(0, len(body), _PIECE):
            parser.feed(body[position : position + _PIECE])
    except ET.ParseError:
        return target.root, False
    return target.root, end >= 0


class _KeepingBuilder:
    """Builds elements as they come; text is set only when an element is closed."""

    def __init__(self) -> None:
        self.root: ET.Element | None = None
        self._open: list[ET.Element] = []
        self._text: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Open an element."""
        element = ET.Element(tag, attributes)
        if self._open:
            self._open[-1].append(element)
        elif self.root is None:
            self.root = element
        self._open.append(element)
        self._text = []

    def data(self, text: str) -> None:
        """Take text of the innermost element."""
        self._text.append(text)

    def end(self, _tag: str) -> None:
        """Close the innermost element; values are texts of elements without children."""
        element = self._open.pop()
        if len(element) == 0:
            element.text = "".join(self._text)
        self._text = []


def _text(element: ET.Element, path: str) -> str:
    return (element.findtext(path) or "").strip()


def _version(root: ET.Element, *names: str) -> str | None:
    """Return the first version number; newer drivers rename the elements."""
    for name in names:
        match = _NUMBER.match(_text(root, name))
        if match is not None:
            return match[0]
    return None


def _gpu(element: ET.Element) -> GpuReading:
    values: dict[str, Cell] = {}
    for field, (paths, read) in PATHS.items():
        values[field] = _first(element, paths, read)
    for field, ways in SUMS.items():
        values[field] = _sum(element, ways)
    if isinstance(values["bus_id"], UnknownReason):
        values["bus_id"] = read_bus_id(element.get("id", ""))
    values["throttle_reasons"] = _throttle_reasons(element)
    return GpuReading(
        values=MappingProxyType(values),
        mig_devices=tuple(_mig(m) for m in element.findall("mig_devices/mig_device")),
    )


def _first(element: ET.Element, paths: tuple[str, ...], read: Reader) -> Cell:
    """Return the first path with a value, else the first reason."""
    cells = [read(_text(element, path)) for path in paths if element.find(path) is not None]
    known = [cell for cell in cells if not isinstance(cell, UnknownReason)]
    return (known or cells or [UnknownReason.NOT_REPORTED])[0]


def _sum(element: ET.Element, ways: Sequence[tuple[str, ...]]) -> Cell:
    """Return the sum of the first way whose parts are all there; a part without value spoils it."""
    for way in ways:
        if all(element.find(path) is not None for path in way):
            cells = [read_count(_text(element, path)) for path in way]
            reason = next((cell for cell in cells if isinstance(cell, UnknownReason)), None)
            return reason or sum(cell for cell in cells if not isinstance(cell, UnknownReason))
    return UnknownReason.NOT_REPORTED


def _throttle_reasons(element: ET.Element) -> Cell:
    for name in ("clocks_event_reasons", "clocks_throttle_reasons"):
        group = element.find(name)
        if group is not None:
            prefix = f"{name.removesuffix('s')}_"
            states = [
                (child.tag.removeprefix(prefix), (child.text or "").strip()) for child in group
            ]
            return reasons_of_states(states)
    return UnknownReason.NOT_REPORTED


def _mig(element: ET.Element) -> MigDevice:
    return MigDevice(
        index=known_int(read_count(_text(element, "index"))) or 0,
        gpu_instance=known_int(read_count(_text(element, "gpu_instance_id"))),
        compute_instance=known_int(read_count(_text(element, "compute_instance_id"))),
        memory_total_mib=known_int(read_mib(_text(element, "fb_memory_usage/total"))),
        memory_used_mib=known_int(read_mib(_text(element, "fb_memory_usage/used"))),
    )


def _processes(element: ET.Element) -> Iterator[GpuProcess]:
    uuid = known_text(read_uuid(_text(element, "uuid")))
    for process in element.findall("processes/process_info"):
        pid = known_int(read_count(_text(process, "pid")))
        if pid is not None:
            yield GpuProcess(
                gpu_uuid=uuid,
                pid=pid,
                name=known_text(read_text(_text(process, "process_name"))) or "",
                memory_used_mib=known_int(read_mib(_text(process, "used_memory"))),
            )
