"""Everything that was seen in a window as named figures, which the rules compare.

Names say the unit. What is not known is left out, so no rule can rest on it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.core.diagnosis.comparisons import FactValue
from app.core.hardware.fingerprint import Gpu
from app.core.slow.breakdown import Breakdown, Place
from app.core.slow.readings import EngineWindow
from app.core.slow.spec import Figure

THERMAL: Final = frozenset({"sw_thermal_slowdown", "hw_thermal_slowdown", "hw_slowdown"})
BRAKE: Final = "hw_power_brake_slowdown"
POWER_CAP: Final = "sw_power_cap"
BUSY_PERCENT: Final = 50
"""Utilisation from which a GPU counts as under load: only then clocks and links say something."""

_GAUGES: Final = {
    Figure.RUNNING: "running",
    Figure.WAITING: "waiting",
    Figure.KV_PERCENT: "kv_percent",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HostLoad:
    """How busy the host's processors are, and how its clock stands to this desk's."""

    load: float | None = None
    """Processes that run or wait, mean of the last minute."""
    threads: int | None = None
    """Logical processors."""
    clock_offset_s: float | None = None
    """Host minus desk; ``None`` when it was not asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientTiming:
    """One streamed request of Pitwall's own, as a client saw it and as the server counted it."""

    ttft_s: float | None
    total_s: float
    tokens: int | None
    connect_s: float | None = None
    """A short request on a new connection: the way there and back."""
    server_ttft_s: float | None = None
    """The server's own TTFT of that request; ``None`` when other requests were counted with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """What the deployment was planned for."""

    max_num_seqs: int | None = None
    max_model_len: int | None = None
    gpu_count: int | None = None


Facts = dict[str, FactValue]


def engine_facts(window: EngineWindow, breakdown: Breakdown) -> Facts:
    """Return what the engine says of a window."""
    facts: Facts = {"window_s": window.seconds}
    for figure, name in _GAUGES.items():
        if figure in window.mean:
            facts[name] = window.mean[figure]
            facts[f"{name}_min"] = window.lowest[figure]
            facts[f"{name}_max"] = window.highest[figure]
    _put(facts, "requests", breakdown.requests)
    _put(facts, "e2e_s", breakdown.e2e_s)
    _put(facts, "ttft_s", breakdown.ttft_s)
    _put(facts, "itl_ms", None if breakdown.itl_s is None else breakdown.itl_s * 1e3)
    for part in breakdown.parts:
        _put(facts, f"{part.place}_s", part.seconds)
        _put(facts, f"{part.place}_percent", None if part.share is None else part.share * 100)
    for figure, place in ((Figure.PREFILL_S, Place.PREFILL), (Figure.DECODE_S, Place.DECODE)):
        busy = window.added.get(figure)
        _put(facts, f"{place}_busy_percent", _percent(busy, window.seconds))
    facts |= _counted(window)
    return facts


def _counted(window: EngineWindow) -> Facts:
    facts: Facts = {}
    added = window.added
    _put(facts, "preemptions", added.get(Figure.PREEMPTIONS))
    _put(facts, "output_tokens", added.get(Figure.OUTPUT_TOKENS))
    _put(facts, "prompt_tokens", added.get(Figure.PROMPT_TOKENS))
    _put(facts, "prompt_tokens_mean", window.per_request(Figure.PROMPT_TOKENS))
    _put(facts, "cache_asked", added.get(Figure.CACHE_ASKED))
    hit = added.get(Figure.CACHE_HIT)
    asked = added.get(Figure.CACHE_ASKED)
    _put(facts, "cache_hit_percent", _percent(hit, asked))
    cpu_s = added.get(Figure.SERVER_CPU_S)
    _put(facts, "server_cores", None if cpu_s is None else cpu_s / window.seconds)
    return facts


def gpu_facts(samples: Sequence[Gpu]) -> Facts:
    """Return what samples of the GPUs that a deployment uses say; empty without samples."""
    facts: Facts = {}
    _put(facts, "gpu_util_percent", _mean(g.utilization_percent for g in samples))
    busy = [g for g in samples if (g.utilization_percent or 0) >= BUSY_PERCENT]
    if not busy:
        return facts
    facts["gpu_busy_samples"] = len(busy)
    reasons = [frozenset(g.throttle_reasons) for g in busy if g.throttle_reasons is not None]
    if reasons:
        count = len(reasons)
        facts["thermal_percent"] = 100 * sum(bool(r & THERMAL) for r in reasons) / count
        facts["brake_percent"] = 100 * sum(BRAKE in r for r in reasons) / count
        facts["power_limited_percent"] = 100 * sum(POWER_CAP in r for r in reasons) / count
        named = sorted(frozenset().union(*reasons) - {"gpu_idle"})
        facts["throttle_reasons"] = ", ".join(named)
    _put(facts, "gpu_temperature_c", max((g.temperature_c or 0 for g in busy), default=0) or None)
    clock = _mean(_percent(g.clock_sm_mhz, g.clock_sm_max_mhz) for g in busy)
    _put(facts, "clock_percent", clock)
    _put(facts, "limit_percent", _mean(_percent(g.power_limit_w, g.power_default_w) for g in busy))
    return facts | _link_facts(busy)


def _link_facts(busy: Sequence[Gpu]) -> Facts:
    """PCIe is judged under load only: an idle GPU may rest at a lower speed."""
    facts: Facts = {}
    for gpu in busy:
        now, best = gpu.pcie_gen_current, gpu.pcie_gen_max
        width, widest = gpu.pcie_width_current, gpu.pcie_width_max
        if not (now and best and width and widest):
            continue
        rate = (2.0**now * width) / (2.0**best * widest) * 100
        if rate < float(facts.get("pcie_rate_percent") or 1000):
            facts |= {
                "pcie_rate_percent": rate,
                "pcie_gen": now,
                "pcie_gen_max": best,
                "pcie_width": width,
                "pcie_width_max": widest,
                "pcie_gpu": gpu.index,
            }
    return facts


def client_facts(timing: ClientTiming) -> Facts:
    """Return what the client's own request adds: the time outside the server."""
    facts: Facts = {"client_total_s": timing.total_s}
    _put(facts, "client_ttft_ms", None if timing.ttft_s is None else timing.ttft_s * 1e3)
    _put(facts, "connect_ms", None if timing.connect_s is None else timing.connect_s * 1e3)
    _put(facts, "client_tokens", timing.tokens)
    if timing.ttft_s is None:
        return facts
    _put(facts, "first_text_percent", _percent(timing.ttft_s, timing.total_s))
    if timing.server_ttft_s is not None:
        gap_s = max(timing.ttft_s - timing.server_ttft_s, 0.0)
        facts["server_ttft_ms"] = timing.server_ttft_s * 1e3
        facts["gap_ms"] = gap_s * 1e3
        facts["gap_percent"] = _percent(gap_s, timing.ttft_s)
    return facts


def host_facts(host: HostLoad) -> Facts:
    """Return what the host's processors and clock say."""
    facts: Facts = {}
    _put(facts, "load", host.load)
    _put(facts, "threads", host.threads)
    if host.load is not None and host.threads:
        facts["load_per_thread"] = host.load / host.threads
    _put(facts, "clock_offset_s", host.clock_offset_s)
    if host.clock_offset_s is not None:
        facts["clock_off_s"] = abs(host.clock_offset_s)
    return facts


def plan_facts(planned: Planned) -> Facts:
    """Return what was planned."""
    facts: Facts = {}
    _put(facts, "max_num_seqs", planned.max_num_seqs)
    _put(facts, "max_model_len", planned.max_model_len)
    _put(facts, "gpu_count", planned.gpu_count)
    return facts


def known(facts: Mapping[str, FactValue], name: str) -> float | None:
    """Return a figure as a number; ``None`` when it is not known."""
    value = facts.get(name)
    return float(value) if isinstance(value, int | float) else None


def _put(facts: Facts, name: str, value: FactValue) -> None:
    if value is not None:
        facts[name] = value


def _percent(part: float | None, whole: float | None) -> float | None:
    return None if part is None or not whole else part / whole * 100


def _mean(values: Iterable[float | None]) -> float | None:
    found = [value for value in values if value is not None]
    return sum(found) / len(found) if found else None
