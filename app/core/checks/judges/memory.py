"""Judges of device memory: what is free, and whose memory it is."""

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
from app.core.units import format_bytes


@judge("memory-free")
def memory_free(view: HostView, check: CheckData) -> Verdict:
    """Free memory against the plan, or memory that is used by nobody."""
    chosen = view.context.gpu_indices
    planned = [(i, g) for i, g in enumerate(view.gpus) if not chosen or g.index in chosen]
    verdicts = [of_gpu(gpu.index, _free(view, check, i, gpu)) for i, gpu in planned]
    return worst_of(sorted(verdicts, key=lambda v: int(str(v.values.get("free", 0)))))


def _free(view: HostView, check: CheckData, position: int, gpu: Gpu) -> Verdict:
    total, used, free = gpu.memory_total_mib, gpu.memory_used_mib, gpu.memory_free_mib
    if total is None or used is None or free is None:
        return view.missing(f"gpus.{position}.memory_used_mib", "smi-csv")
    source = view.source(f"gpus.{position}.memory_used_mib")
    evidence = f"{source}: GPU{gpu.index} used {used} of {total} MiB, free {free} MiB"
    needed = view.context.gpu_memory_needed_mib
    if needed is not None:
        ends = failed(evidence, free=free, needed=needed)
        return ends if free < needed else passed(evidence, key="fits", free=free, needed=needed)
    if used <= check.thresholds.get("unexplained_mib", 500):
        return passed(evidence, free=free)
    is_listed = _is_listed(view, gpu)
    if is_listed is None:
        return unknown("not_reported", evidence)
    if is_listed:
        return passed(evidence, key="used", used=used, free=free)
    return warned(evidence, used=used, free=free)


def _is_listed(view: HostView, gpu: Gpu) -> bool | None:
    """Tell whether a process accounts for a GPU's memory; with MIG the parent shows the sum."""
    if view.reason("gpu_processes") is not None or not view.source("gpu_processes"):
        return None
    processes = view.fingerprint.gpu_processes
    return bool(gpu.mig_mode) or any(p.gpu_uuid in {gpu.uuid, None} for p in processes)


@judge("unified-memory")
def unified_memory(view: HostView, _check: CheckData) -> Verdict:
    """GPU and processor have their own memory, or share one."""
    available = view.fingerprint.memory.available_bytes
    room = None if available is None else format_bytes(available)
    return worst_of(of_gpu(gpu.index, _unified(view, gpu, room)) for gpu in view.gpus)


def _unified(view: HostView, gpu: Gpu, room: str | None) -> Verdict:
    model = view.model(gpu)
    if view.is_jetson or (model is not None and model.unified_memory):
        name = f"GPU{gpu.index}: {gpu.name}"
        if room is None:
            return warned(name, key="unread")
        return warned(name, f"MemAvailable: {room}", available=room)
    if gpu.memory_total_mib is not None:
        return passed(f"GPU{gpu.index}: {gpu.memory_total_mib} MiB of its own")
    return unknown("not_reported", f"GPU{gpu.index}: memory.total N/A")


@judge("coherent-numa")
def coherent_numa(view: HostView, _check: CheckData) -> Verdict:
    """GPU memory as NUMA nodes (Grace)."""
    nodes = view.fingerprint.topology.numa_nodes
    if not view.is_grace:
        if view.fingerprint.machine.architecture is None:
            return view.missing("machine.architecture", "uname")
        return not_applicable("not_unified")
    if not nodes:
        return view.why("numa-sysfs", "numactl")
    bare = [node for node in nodes if not (node.cpus or "").strip() and node.memory_mib]
    if not bare:
        return passed(*(f"node {node.id}: cpus {node.cpus}" for node in nodes[:4]))
    lines = [f"node {node.id}: {node.memory_mib} MiB, no CPU" for node in bare]
    balancing = view.settings.get("kernel.numa_balancing")
    if balancing is None:
        return unknown("not_asked", *lines)
    lines.append(f"kernel.numa_balancing = {balancing}")
    return failed(*lines) if balancing.strip() != "0" else warned(*lines)
