"""What is remembered between looks while connected: GPUs, engines, the host.

A track turns looks into figures over time (for how long, how much more than at first); which of
them are trouble is for the rules to say. Memory is bounded, and a gap counts for nothing.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final

from app.core.hardware.fingerprint import Gpu
from app.core.slow.breakdown import break_down
from app.core.slow.creep import Creep, creep_facts
from app.core.slow.facts import BRAKE, BUSY_PERCENT, THERMAL, Facts, engine_facts, gpu_facts
from app.core.slow.readings import EngineReading, window_of
from app.core.slow.spec import Figure, SlowRules

SPAN_S: Final = 900.0
"""How far back durations are added up."""
LONGEST_STEP_S: Final = 180.0
"""A look after a longer pause says nothing of the time between."""
WINDOW_S: Final = 180.0
_GPU_SAMPLES: Final = 10
_COUNTERS: Final = {
    "ecc_uncorrected_volatile": "ecc_added",
    "remapped_rows_uncorrectable": "remap_added",
    "pcie_replays": "replays_added",
}
_HEALTHY_FABRIC: Final = frozenset({"completed", "not supported", "n/a"})


class Durations:
    """For how long each of some conditions held within the last quarter of an hour."""

    def __init__(self) -> None:
        self._last_s: float | None = None
        self._steps: deque[tuple[float, float, frozenset[str]]] = deque()

    def look(self, at_s: float, conditions: Iterable[str]) -> dict[str, float]:
        """Take a look; what holds now is taken to have held since the last one."""
        held = frozenset(conditions)
        step = 0.0 if self._last_s is None else at_s - self._last_s
        self._last_s = at_s
        if 0 < step <= LONGEST_STEP_S:
            self._steps.append((at_s, step, held))
        while self._steps and self._steps[0][0] < at_s - SPAN_S:
            self._steps.popleft()
        sums: dict[str, float] = {}
        for _, seconds, names in self._steps:
            for name in names:
                sums[name] = sums.get(name, 0.0) + seconds
        return sums


class GpuTrack:
    """One GPU over time."""

    def __init__(self) -> None:
        self._durations = Durations()
        self._first: dict[str, int] = {}
        self._samples: deque[Gpu] = deque(maxlen=_GPU_SAMPLES)

    def look(self, at_s: float, gpu: Gpu) -> Facts:
        """Return what is known of it by now."""
        self._samples.append(gpu)
        facts: Facts = {"gpu": gpu.index}
        for name, seconds in self._durations.look(at_s, _conditions(gpu)).items():
            facts[f"{name}_s"] = seconds
        for field, name in _COUNTERS.items():
            added = self._added(field, getattr(gpu, field))
            if added is not None:
                facts[name] = added
        for name in ("remapped_rows_pending", "remapped_rows_failure", "memory_unrepairable"):
            value = getattr(gpu, name)
            if value is not None:
                facts[name] = value
        if gpu.recovery_action is not None:
            facts["recovery_action"] = gpu.recovery_action
            facts["recovery_wanted"] = gpu.recovery_action.lower() not in {"none", "n/a"}
        for name in ("fabric_state", "fabric_status"):
            value = getattr(gpu, name)
            if value is not None:
                facts[name] = value
        return facts | gpu_facts(tuple(self._samples))

    def _added(self, field: str, value: int | None) -> int | None:
        """More than when it was first seen; a counter that fell was reset."""
        if value is None:
            return None
        first = self._first.setdefault(field, value)
        if value < first:
            self._first[field] = value
        return value - self._first[field]


def _conditions(gpu: Gpu) -> set[str]:
    reasons = frozenset(gpu.throttle_reasons or ())
    busy = (gpu.utilization_percent or 0) >= BUSY_PERCENT
    state = (gpu.fabric_state or "").lower()
    status = (gpu.fabric_status or "").lower()
    conditions = {
        "hot": bool(reasons & THERMAL) and busy,
        "brake": BRAKE in reasons,
        "busy": busy,
        "fabric_waiting": bool(state) and state not in _HEALTHY_FABRIC,
        "fabric_failed": state == "completed" and status not in {"", "success", "n/a"},
    }
    return {name for name, holds in conditions.items() if holds}


class EngineTrack:
    """One deployment over time."""

    def __init__(self, engine: str) -> None:
        self._engine = engine
        self._readings: deque[EngineReading] = deque()
        self._durations = Durations()
        self._most_mib = 0.0
        self._server = Creep()

    def look(self, reading: EngineReading, gpus: Sequence[Gpu] | None, rules: SlowRules) -> Facts:
        """Return what is known of it by now.

        Args:
            reading: The engine's own figures.
            gpus: The GPUs it was given, as of now; ``None`` when that is not known.
            rules: For where figures come from.
        """
        before = self._readings[-1] if self._readings else None
        if before is not None and _has_restarted(before, reading):
            self._readings.clear()
            self._server.forget()
            self._most_mib = 0.0
        self._readings.append(reading)
        while len(self._readings) > 2 and self._readings[1].at_s <= reading.at_s - WINDOW_S:
            self._readings.popleft()
        window = window_of(tuple(self._readings))
        facts: Facts = {}
        if window is not None:
            facts |= engine_facts(window, break_down(window, rules, self._engine))
        held = self._conditions(before, reading) | self._gpu_conditions(reading, gpus, facts)
        for name, seconds in self._durations.look(reading.at_s, held).items():
            facts[f"{name}_s"] = seconds
        memory = reading.values.get(Figure.SERVER_MEMORY_BYTES)
        if memory is not None:
            self._server.add(reading.at_s, memory / 2**20)
            facts |= creep_facts(self._server.slope, total=None)
        return facts

    def _conditions(self, before: EngineReading | None, now: EngineReading) -> set[str]:
        held: set[str] = set()
        if before is None or before.at_s > now.at_s:
            return held
        rose = now.values.get(Figure.PREEMPTIONS, 0) - before.values.get(Figure.PREEMPTIONS, 0)
        if rose > 0:
            held.add("preempting")
        if now.values.get(Figure.KV_PERCENT, 0) >= 95 and now.values.get(Figure.WAITING, 0) >= 1:
            held.add("kv_limit")
        return held

    def _gpu_conditions(
        self, now: EngineReading, gpus: Sequence[Gpu] | None, facts: Facts
    ) -> set[str]:
        """Works while its GPUs rest, or has lost the memory it held."""
        if not gpus or any(g.memory_used_mib is None for g in gpus):
            return set()
        used = float(sum(g.memory_used_mib or 0 for g in gpus))
        self._most_mib = max(self._most_mib, used)
        facts |= {"gpu_memory_mib": used, "gpu_memory_most_mib": self._most_mib}
        facts["gpu_count"] = len(gpus)
        held = set()
        if self._most_mib >= 1024 and used <= self._most_mib * 0.1:
            held.add("gpu_memory_gone")
        idle = all(g.utilization_percent == 0 for g in gpus)
        works = now.values.get(Figure.RUNNING, 0) >= 1
        if works and idle and used < 1024:
            held.add("without_gpu")
        return held


def _has_restarted(before: EngineReading, now: EngineReading) -> bool:
    """Tell whether a counter fell, or so long a pause lies between that it may have."""
    fell = any(now.values.get(f, 0) < before.values.get(f, 0) for f in before.counters)
    return fell or now.at_s - before.at_s > LONGEST_STEP_S


class MemoryTrack:
    """GPU memory of single processes over hours."""

    def __init__(self) -> None:
        self._creeps: dict[str, Creep] = {}

    def look(self, at_s: float, key: str, used_mib: float, total_mib: float | None) -> Facts:
        """Return how one process's memory grows."""
        creep = self._creeps.setdefault(key, Creep())
        creep.add(at_s, used_mib)
        return creep_facts(creep.slope, total=total_mib)

    def keep_only(self, keys: Iterable[str]) -> None:
        """Forget processes that are gone."""
        wanted = set(keys)
        for key in tuple(self._creeps):
            if key not in wanted:
                del self._creeps[key]
