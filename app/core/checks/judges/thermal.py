"""Judges of heat, power and clocks."""

import re
from typing import Final

from app.core.checks.host_view import HostView
from app.core.checks.registry import judge
from app.core.checks.spec import CheckData
from app.core.checks.verdict import (
    Verdict,
    failed,
    not_applicable,
    of_gpu,
    passed,
    unknown,
    warned,
    worst_of,
)
from app.core.hardware.fingerprint import Gpu


@judge("throttle")
def throttle(view: HostView, check: CheckData) -> Verdict:
    """What holds the clocks down now."""
    return view.worst_of_gpus(lambda i, gpu: _throttled(view, check, i, gpu))


def _throttled(view: HostView, check: CheckData, position: int, gpu: Gpu) -> Verdict:
    reasons = gpu.throttle_reasons
    if reasons is None:
        return view.missing(f"gpus.{position}.throttle_reasons", "smi-q-x")
    use = "?" if gpu.utilization_percent is None else gpu.utilization_percent
    evidence = f"smi-q-x: GPU{gpu.index} {', '.join(reasons) or 'no reason'}, {use} % busy"
    bad = [reason for reason in reasons if reason in check.lists.get("fail", ())]
    loaded = view.is_loaded(gpu)
    if bad:
        said = ", ".join(bad)
        return failed(evidence, reasons=said) if loaded else warned(evidence, reasons=said)
    rest = [r for r in reasons if r not in check.lists.get("harmless", ())]
    if rest == ["sw_power_cap"]:
        return passed(evidence, key="cap")
    if rest:
        return warned(evidence, reasons=", ".join(rest))
    return passed(evidence) if loaded else passed(evidence, key="idle")


@judge("temp")
def temperature(view: HostView, check: CheckData) -> Verdict:
    """How far each GPU is from slowing down; the nearest one speaks."""
    verdicts = [of_gpu(gpu.index, _warm(view, check, i, gpu)) for i, gpu in enumerate(view.gpus)]
    return worst_of(sorted(verdicts, key=lambda v: int(str(v.values.get("margin", 999)))))


def _warm(view: HostView, check: CheckData, position: int, gpu: Gpu) -> Verdict:
    margin = _margin(gpu)
    if margin is None:
        return view.missing(f"gpus.{position}.temperature_slow_c", "smi-q-x")
    evidence = f"smi-q-x: GPU{gpu.index} {gpu.temperature_c} °C, slows down {margin} °C above"
    if margin <= 0:
        return failed(evidence, margin=margin)
    if margin < check.thresholds.get("warn_margin_c", 10):
        return warned(evidence, margin=margin)
    return passed(evidence, margin=margin)


def _margin(gpu: Gpu) -> int | None:
    """Return degrees until it slows down, from either form in which drivers tell it."""
    if gpu.temperature_limit_distance_c is not None:
        return gpu.temperature_limit_distance_c - (gpu.temperature_slow_distance_c or 0)
    if gpu.temperature_slow_c is None or gpu.temperature_c is None:
        return None
    return gpu.temperature_slow_c - gpu.temperature_c


@judge("power-limit")
def power_limit(view: HostView, check: CheckData) -> Verdict:
    """The limit against the default."""
    return view.worst_of_gpus(lambda i, gpu: _limited(view, check, i, gpu))


def _limited(view: HostView, check: CheckData, position: int, gpu: Gpu) -> Verdict:
    limit, default = gpu.power_limit_w, gpu.power_default_w
    if limit is None or not default:
        name = "power_limit_w" if limit is None else "power_default_w"
        return view.missing(f"gpus.{position}.{name}", "smi-q-x")
    evidence = f"smi-q-x: GPU{gpu.index} limit {limit:g} W, default {default:g} W"
    values = {"limit": f"{limit:g}", "default": f"{default:g}"}
    if limit < default * check.thresholds.get("fail_share", 0.6):
        return failed(evidence, **values)
    return warned(evidence, **values) if round(limit) < round(default) else passed(evidence)


_DEFAULT_CLOCK: Final = re.compile(
    r"<default_applications_clocks>\s*<graphics_clock>\s*(\d+)\s*MHz"
)


@judge("clocks")
def clocks(view: HostView, check: CheckData) -> Verdict:
    """Clocks that somebody fixed below the maximum."""
    return view.worst_of_gpus(lambda i, gpu: _clock(view, check, i, gpu))


def _clock(view: HostView, check: CheckData, position: int, gpu: Gpu) -> Verdict:
    current, most, app = gpu.clock_sm_mhz, gpu.clock_sm_max_mhz, gpu.clock_app_sm_mhz
    if most is None:
        return view.missing(f"gpus.{position}.clock_sm_max_mhz", "smi-csv")
    usual = most if app is None else _default_clock(view, position) or most
    evidence = f"smi-q-x: GPU{gpu.index} application clock {app} of {most} MHz"
    if app is not None and app < usual:
        return warned(evidence, set=app, max=usual)
    loaded = view.is_loaded(gpu)
    if loaded and current is not None:
        return _under_load(check, gpu, current, most)
    if app is not None:
        is_most = app >= most
        return passed(evidence, key="pass" if is_most else "default", set=app, max=most)
    return unknown("idle" if loaded is False else "load_unknown")


def _default_clock(view: HostView, position: int) -> int | None:
    """Return the application clock as delivered: below the maximum on A100, V100 and T4."""
    blocks = view.book.text("smi-q-x").split("<gpu id=")[1:]
    if len(blocks) != len(view.gpus):
        return None
    found = _DEFAULT_CLOCK.search(blocks[position])
    return int(found[1]) if found else None


def _under_load(check: CheckData, gpu: Gpu, current: int, most: int) -> Verdict:
    reasons = gpu.throttle_reasons
    evidence = f"smi-csv: GPU{gpu.index} {current} of {most} MHz under load"
    if current >= most * check.thresholds.get("fail_share", 0.6):
        return passed(evidence, key="reached", current=current, max=most)
    if reasons is None:
        return unknown("not_reported", evidence)
    if any(reason != "gpu_idle" for reason in reasons):  # the throttle check tells of them
        return not_applicable("throttled", evidence)
    return failed(evidence, current=current, max=most)
