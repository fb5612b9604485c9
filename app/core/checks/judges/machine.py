"""Judges of what kind of machine it is, where that changes what can be expected."""

import re

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

_PROFILE = re.compile(r"(?:GRID|NVIDIA|Quadro)\b.*-(\d+)([ABCQ])(?:-[0-9]ME)?$", re.IGNORECASE)


@judge("wsl2")
def wsl2(view: HostView, _check: CheckData) -> Verdict:
    """Windows' Linux, perhaps with a driver that must not be there."""
    kernel = view.fingerprint.machine.kernel
    if kernel is None and not view.is_wsl:
        return view.missing("machine.kernel", "uname")
    if not view.is_wsl:
        return passed(f"uname: {kernel}")
    if view.book.output("driver-version") is not None:
        return failed(f"uname: {kernel}", "driver-version: a Linux module is loaded")
    return warned(f"uname: {kernel}")


@judge("vm-passthrough")
def virtual_machine(view: HostView, _check: CheckData) -> Verdict:
    """A machine of its own, a virtual machine, or a container in which nobody can tell."""
    said = view.fingerprint.machine.virtualization
    modes = sorted({gpu.virtualization_mode for gpu in view.gpus if gpu.virtualization_mode})
    lines = [f"{view.source('machine.virtualization') or 'virt'}: {said}"] if said else []
    lines += [f"smi-q-x: virtualization_mode {mode}" for mode in modes]
    if view.is_wsl:
        return not_applicable("wsl", *lines)
    is_guest = view.is_guest
    if is_guest:
        return warned(*lines, kind=said or "–", mode=", ".join(modes) or "–")
    if view.is_container:
        return warned(*lines, key="container", kind=said)
    return passed(*lines) if is_guest is False else view.missing("machine.virtualization", "virt")


@judge("vgpu")
def vgpu(view: HostView, _check: CheckData) -> Verdict:
    """Whole GPUs, or profiles that may not compute."""
    return worst_of(of_gpu(gpu.index, _vgpu(view, gpu)) for gpu in view.gpus)


def _vgpu(view: HostView, gpu: Gpu) -> Verdict:
    mode, name = (gpu.virtualization_mode or "").lower(), gpu.name or ""
    profile = _PROFILE.search(name)
    evidence = f"GPU{gpu.index}: {name}, virtualization_mode {gpu.virtualization_mode or '?'}"
    if mode != "vgpu" and (profile is None or mode in {"none", "pass-through"}):
        is_known = bool(mode) or view.model(gpu) is not None
        return passed(evidence) if is_known else unknown("not_reported", evidence)
    if profile is not None and profile[2].upper() in {"A", "B"}:
        return failed(evidence, name=name)
    if "unlicensed" in view.book.text("smi-q-x").lower():
        return failed(evidence, "smi-q-x: license_status Unlicensed", key="unlicensed")
    return warned(evidence, name=name)


@judge("confidential")
def confidential(view: HostView, _check: CheckData) -> Verdict:
    """Confidential computing: off, or on."""
    section = view.book.get("smi-cc")
    said = "" if section is None else section.stdout.strip()
    line = next((text for text in said.splitlines() if "cc status" in text.lower()), "")
    state = line.rpartition(":")[2].strip().lower()
    if state not in {"on", "off"}:
        return view.why("smi-cc")
    evidence = f"smi-cc: {line.strip()}"
    return warned(evidence) if state == "on" else passed(evidence)


@judge("jetson")
def jetson(view: HostView, _check: CheckData) -> Verdict:
    """A Tegra module."""
    machine = view.fingerprint.machine
    if view.is_jetson:
        name = view.book.text("model").replace("\0", "").strip() or machine.kernel or "Tegra"
        return warned(f"model: {name}", name=name)
    if machine.architecture is None and machine.kernel is None:
        return view.missing("machine.kernel", "uname")
    return passed(f"uname: {machine.architecture}, {machine.kernel}")
