"""GPUs of the demo host: recorded rows whose changing columns follow the simulated engines.

Idle and busy values come from the recordings; between them a GPU moves with its load.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from app.io.demo.pace import Pace
from app.io.demo.recordings import Recordings

ALIASES: Final[Mapping[str, str]] = {
    "clocks.sm": "clocks.current.sm",
    "clocks.mem": "clocks.current.memory",
    "clocks.current.mem": "clocks.current.memory",
    "gpu_name": "name",
    "gpu_uuid": "uuid",
    "gpu_bus_id": "pci.bus_id",
}
_WARMING_S: Final = 20.0
"""Time constant of the temperature; a guess that only makes the curve look natural."""


@dataclass(slots=True)
class Use:
    """What one simulated engine does to one GPU."""

    memory_mib: int = 0
    load: float = 0.0
    """0 idle, 1 as in the busy recording."""


@dataclass(slots=True)
class _Gpu:
    idle: dict[str, str]
    busy: dict[str, str]
    uses: dict[str, Use] = field(default_factory=dict)
    temperature_c: float = 0.0
    at_s: float = 0.0


class DemoGpus:
    """The rows that ``nvidia-smi --query-gpu`` prints on the demo host."""

    def __init__(self, idle: Recordings, busy: Recordings, clock: Pace) -> None:
        self._clock = clock
        self._headers, idle_rows = _table(idle)
        _, busy_rows = _table(busy)
        self._gpus = [_Gpu(idle=i, busy=b) for i, b in zip(idle_rows, busy_rows, strict=True)]
        for gpu in self._gpus:
            gpu.temperature_c = float(gpu.idle["temperature.gpu"])
            gpu.at_s = clock.monotonic_s()

    @property
    def uuids(self) -> tuple[str, ...]:
        """UUIDs by index."""
        return tuple(gpu.idle["uuid"] for gpu in self._gpus)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that was recorded."""
        return tuple(self._headers)

    def used_mib(self, uuid: str) -> int:
        """Memory in use on one GPU."""
        return sum(use.memory_mib for use in self._find(uuid).uses.values())

    def free_mib(self, uuid: str) -> int:
        """Memory that nothing uses yet."""
        gpu = self._find(uuid)
        return _number(gpu.idle["memory.free"]) - self.used_mib(uuid)

    def set_use(self, uuid: str, owner: str, *, memory_mib: int, load: float) -> None:
        """Say what ``owner`` does to a GPU from now on."""
        self._find(uuid).uses[owner] = Use(memory_mib=memory_mib, load=load)

    def clear_use(self, owner: str) -> None:
        """Take away everything ``owner`` did."""
        for gpu in self._gpus:
            gpu.uses.pop(owner, None)

    def query(self, columns: Sequence[str], *, header: bool, units: bool) -> list[str]:
        """Return the lines of one query.

        Raises:
            KeyError: a column that was not recorded; the real tool refuses the whole query too.
        """
        wanted = [ALIASES.get(column, column) for column in columns]
        titles = [self._headers[name] for name in wanted]
        lines = [", ".join(titles)] if header else []
        for gpu in self._gpus:
            row = self._row(gpu)
            cells = [row[name] for name in wanted]
            if not units:
                cells = [
                    _bare(cell) if "[" in title else cell
                    for cell, title in zip(cells, titles, strict=True)
                ]
            lines.append(", ".join(cells))
        return lines

    def _find(self, uuid: str) -> _Gpu:
        return next(gpu for gpu in self._gpus if gpu.idle["uuid"] == uuid)

    def _row(self, gpu: _Gpu) -> dict[str, str]:
        used = sum(use.memory_mib for use in gpu.uses.values())
        load = min(1.0, sum(use.load for use in gpu.uses.values()))
        held = bool(gpu.uses)
        return gpu.idle | {
            "memory.used": f"{used} MiB",
            "memory.free": f"{_number(gpu.idle['memory.free']) - used} MiB",
            "utilization.gpu": f"{self._between(gpu, 'utilization.gpu', load):.0f} %",
            "utilization.memory": f"{self._between(gpu, 'utilization.memory', load):.0f} %",
            "power.draw": f"{self._between(gpu, 'power.draw', max(load, 0.06 * held)):.2f} W",
            "temperature.gpu": f"{self._temperature(gpu, load):.0f}",
            "clocks.current.sm": (gpu.busy if load > 0 else gpu.idle)["clocks.current.sm"],
            "clocks_event_reasons.active": (gpu.busy if load > 0.9 else gpu.idle)[
                "clocks_event_reasons.active"
            ],
        }

    @staticmethod
    def _between(gpu: _Gpu, column: str, load: float) -> float:
        low, high = _value(gpu.idle[column]), _value(gpu.busy[column])
        return low + (high - low) * load

    def _temperature(self, gpu: _Gpu, load: float) -> float:
        now_s = self._clock.monotonic_s()
        target = self._between(gpu, "temperature.gpu", load)
        share = 1 - math.exp(-(now_s - gpu.at_s) / _WARMING_S)
        gpu.temperature_c += (target - gpu.temperature_c) * share
        gpu.at_s = now_s
        return gpu.temperature_c


def _table(recordings: Recordings) -> tuple[dict[str, str], list[dict[str, str]]]:
    recorded = recordings.read("smi-csv")
    lines = recorded.stdout.splitlines() if recorded is not None else []
    titles = lines[0].split(", ") if lines else []
    names = [title.split(" [")[0] for title in titles]
    rows = [dict(zip(names, line.split(", "), strict=True)) for line in lines[1:] if line]
    return dict(zip(names, titles, strict=True)), rows


def _bare(cell: str) -> str:
    return cell.split(" ", maxsplit=1)[0] if cell[:1].isdigit() else cell


def _value(cell: str) -> float:
    return float(_bare(cell))


def _number(cell: str) -> int:
    return int(_value(cell))
