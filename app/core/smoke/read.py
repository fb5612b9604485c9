"""Read what the program in the container printed; any other output is left alone."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from app.core.hardware.fingerprint import Fingerprint, Gpu
from app.core.hardware.tools.smi_columns import bus_key
from app.core.smoke.report import SmokeDevice
from app.core.smoke.spec import SmokeQuantity

MARK: Final = "pitwall-smoke "
_LISTED: Final = re.compile(
    r"^\s*(?:CUDA|ROCm|Vulkan|SYCL|Metal)(\d+): (.+?) \((\d+) MiB, (\d+) MiB free\)\s*$"
)
_MIB: Final = 2**20
_NOT_KNOWN: Final = -1


@dataclass(slots=True, kw_only=True)
class RawFigure:
    """A measurement before it is compared."""

    quantity: SmokeQuantity
    indices: tuple[int, ...]
    gbps: float | None
    direct: bool | None
    error: str


@dataclass(slots=True, kw_only=True)
class SmokeReading:
    """What was printed so far; feed it lines as they come."""

    torch: str = ""
    cuda: str = ""
    device_count: int | None = None
    devices: list[SmokeDevice] = field(default_factory=list)
    uuids: dict[int, str] = field(default_factory=dict)
    figures: list[RawFigure] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    done: bool = False
    steps: int = 0

    def feed(self, line: str) -> bool:
        """Take a line into account; return whether it was one of ours."""
        if line.startswith(MARK):
            values = _object(line[len(MARK) :])
            if values is not None:
                self.steps += 1
                self._take(values)
                return True
            return False
        listed = _LISTED.match(line)
        if listed is None:
            return False
        self.devices.append(
            SmokeDevice(
                index=int(listed[1]),
                gpu=None,
                name=listed[2],
                total_bytes=int(listed[3]) * _MIB,
                free_bytes=int(listed[4]) * _MIB,
            )
        )
        return True

    def _take(self, values: Mapping[str, object]) -> None:
        step, error = values.get("step"), _text(values, "error")
        match step:
            case "runtime":
                self.torch, self.cuda = _text(values, "torch"), _text(values, "cuda")
            case "cuda":
                self.device_count = _count(values, "devices")
            case "device":
                self._take_device(values, error)
            case "done":
                self.done = True
            case _ if step in set(SmokeQuantity):
                self._take_figure(SmokeQuantity(str(step)), values, error)
        if error and step in {"runtime", "cuda"}:
            self.errors.append(error)

    def _take_device(self, values: Mapping[str, object], error: str) -> None:
        index = _count(values, "gpu")
        if index is None:
            return
        computes = values.get("computes")
        self.uuids[index] = _text(values, "uuid")
        self.devices.append(
            SmokeDevice(
                index=index,
                gpu=None,
                name=_text(values, "name"),
                compute_cap=_text(values, "compute_cap"),
                total_bytes=_count(values, "total_bytes"),
                free_bytes=_count(values, "free_bytes"),
                computes=computes if isinstance(computes, bool) else None,
                error=error,
            )
        )

    def _take_figure(
        self, quantity: SmokeQuantity, values: Mapping[str, object], error: str
    ) -> None:
        gpus, gbps, direct = values.get("gpus"), values.get("gbps"), values.get("direct")
        self.figures.append(
            RawFigure(
                quantity=quantity,
                indices=tuple(i for i in gpus if type(i) is int) if isinstance(gpus, list) else (),
                gbps=float(gbps) if isinstance(gbps, int | float) and gbps > 0 else None,
                direct=direct if isinstance(direct, bool) else None,
                error=error,
            )
        )


def host_gpus(
    reading: SmokeReading, fingerprint: Fingerprint | None, uuids: Iterable[str]
) -> dict[int, Gpu]:
    """Return the host's GPU of each CUDA index: by UUID, else by PCI order of those handed over."""
    if fingerprint is None:
        return {}
    known = {_bare(gpu.uuid): gpu for gpu in fingerprint.gpus if gpu.uuid is not None}
    handed = [known[_bare(uuid)] for uuid in uuids if _bare(uuid) in known]
    handed.sort(key=lambda gpu: bus_key(gpu.bus_id or "") or (_NOT_KNOWN,) * 4)
    found: dict[int, Gpu] = {}
    for position, device in enumerate(sorted(reading.devices, key=lambda d: d.index)):
        by_uuid = known.get(_bare(reading.uuids.get(device.index, "")))
        by_order = handed[position] if position < len(handed) else None
        gpu = by_uuid or by_order
        if gpu is not None:
            found[device.index] = gpu
    return found


def _bare(uuid: str | None) -> str:
    return (uuid or "").casefold().removeprefix("gpu-")


def _object(text: str) -> Mapping[str, object] | None:
    try:
        values = json.loads(text)
    except ValueError:
        return None
    return values if isinstance(values, dict) else None


def _text(values: Mapping[str, object], key: str) -> str:
    value = values.get(key)
    return value if isinstance(value, str) else ""


def _count(values: Mapping[str, object], key: str) -> int | None:
    value = values.get(key)
    return value if type(value) is int and value >= 0 else None
