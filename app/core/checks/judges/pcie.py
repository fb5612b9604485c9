"""Judges of the PCI Express side: link speed and width, errors, address windows."""

from typing import Final

from app.core.checks.host_view import HostView
from app.core.checks.registry import judge
from app.core.checks.spec import CheckData
from app.core.checks.verdict import (
    Verdict,
    failed,
    passed,
    unknown,
    warned,
)
from app.core.hardware.fingerprint import Gpu
from app.core.hardware.tools.kernel_log import lines_with, uncorrected_bus_errors

_BUSY_STATES: Final = frozenset({"P0", "P1", "P2"})


@judge("pcie-gen")
def pcie_gen(view: HostView, _check: CheckData) -> Verdict:
    """The generation under load; an idle GPU lowers it and is not judged."""
    return view.worst_of_gpus(lambda i, gpu: _generation(view, i, gpu))


def _generation(view: HostView, position: int, gpu: Gpu) -> Verdict:
    current, most = gpu.pcie_gen_current, gpu.pcie_gen_max
    if current is None or most is None:
        return view.missing(f"gpus.{position}.pcie_gen_current", "smi-csv")
    loaded = view.is_loaded(gpu)
    use = "?" if gpu.utilization_percent is None else gpu.utilization_percent
    evidence = (
        f"{view.source(f'gpus.{position}.pcie_gen_current')}: GPU{gpu.index} "
        f"gen {current} of {most}, {gpu.performance_state or 'P?'}, {use} % busy"
    )
    if not loaded:
        return unknown("idle" if loaded is False else "load_unknown", evidence)
    if current < most and gpu.performance_state in {*_BUSY_STATES, None}:
        return failed(evidence, current=current, max=most)
    if current < most:
        return unknown("idle", evidence)
    device = gpu.pcie_gen_device_max
    if device is not None and most < device and not view.is_guest:
        return warned(evidence, key="slot", max=most, device=device)
    return passed(evidence, max=most)


@judge("pcie-width")
def pcie_width(view: HostView, check: CheckData) -> Verdict:
    """The width against the most that is possible; it does not change when idle."""
    return view.worst_of_gpus(lambda i, gpu: _width(view, check, i, gpu))


def _width(view: HostView, check: CheckData, position: int, gpu: Gpu) -> Verdict:
    current, most = gpu.pcie_width_current, gpu.pcie_width_max
    if not current or not most:
        return view.missing(f"gpus.{position}.pcie_width_current", "smi-csv")
    model = view.model(gpu)
    if model is not None and model.pcie_lanes is not None:
        most = min(most, model.pcie_lanes)
    source = view.source(f"gpus.{position}.pcie_width_current")
    evidence = f"{source}: GPU{gpu.index} x{current} of x{most}"
    values = {"current": str(current), "max": str(most)}
    if current >= most:
        return passed(evidence, max=most)
    others = [g.pcie_width_current for g in view.gpus if g.name == gpu.name and g is not gpu]
    is_least = any(width is not None and width > current for width in others)
    if current <= check.thresholds.get("fail_lanes", 4) or is_least:
        return failed(evidence, **values)
    return warned(evidence, **values)


@judge("pcie-replay")
def pcie_replay(view: HostView, check: CheckData) -> Verdict:
    """Repeated transfers that grow, or errors that nothing could correct."""
    log = view.kernel_log
    errors = uncorrected_bus_errors(log[1]) if log is not None else ()
    if errors:
        return failed(*(f"kernel log: {line}" for line in errors[:4]), key="uncorrected")
    return view.worst_of_gpus(lambda i, gpu: _replays(view, check, i, gpu))


def _replays(view: HostView, check: CheckData, position: int, gpu: Gpu) -> Verdict:
    count = gpu.pcie_replays
    if count is None:
        return view.missing(f"gpus.{position}.pcie_replays", "smi-q-x")
    evidence = f"smi-q-x: GPU{gpu.index} replay_counter {count}"
    if count == 0:
        return passed(evidence)
    before, minutes = (
        view.context.earlier_replays.get(gpu.index),
        view.context.minutes_since_earlier,
    )
    if before is None or not minutes or before > count:
        return unknown("one_reading", evidence)
    rate = (count - before) / minutes
    if rate == 0:
        return passed(f"{evidence}, before {before}", key="quiet", count=count)
    said = f"{evidence}, before {before}"
    if rate > check.thresholds.get("fail_per_minute", 8):
        return failed(said, rate=f"{rate:.1f}")
    return warned(said, rate=f"{rate:.1f}")


@judge("bar1")
def bar1(view: HostView, _check: CheckData) -> Verdict:
    """The window to device memory is as large as the memory."""
    log = view.kernel_log
    lines = lines_with(log[1], ("bar0 is 0m", "bar1 is 0m")) if log is not None else ()
    if lines:
        return failed(*(f"kernel log: {line}" for line in lines[:2]))
    return view.worst_of_gpus(lambda i, gpu: _window(view, i, gpu))


def _window(view: HostView, position: int, gpu: Gpu) -> Verdict:
    size, memory = gpu.bar1_total_mib, gpu.memory_total_mib
    if size is None:
        return view.missing(f"gpus.{position}.bar1_total_mib", "smi-q-x")
    if memory is None:
        return view.missing(f"gpus.{position}.memory_total_mib", "smi-q-x")
    evidence = f"smi-q-x: GPU{gpu.index} BAR1 {size} MiB, memory {memory} MiB"
    return passed(evidence) if size >= memory else warned(evidence, size=size, memory=memory)
