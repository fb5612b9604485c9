"""Judges of who else uses the GPUs and how they may be shared."""

from app.core.checks.host_view import HostView
from app.core.checks.registry import judge
from app.core.checks.spec import CheckData
from app.core.checks.verdict import Verdict, failed, passed, unknown, warned
from app.core.hardware.fingerprint import Gpu, GpuProcess, UnknownReason


@judge("compute-mode")
def compute_mode(view: HostView, _check: CheckData) -> Verdict:
    """Default lets every program in."""
    return view.worst_of_gpus(lambda i, gpu: _mode(view, i, gpu))


def _mode(view: HostView, position: int, gpu: Gpu) -> Verdict:
    mode = gpu.compute_mode
    if mode is None:
        return view.missing(f"gpus.{position}.compute_mode", "smi-csv")
    evidence = f"{view.source(f'gpus.{position}.compute_mode')}: GPU{gpu.index} {mode}"
    if "prohibited" in mode.lower():
        return failed(evidence, mode=mode)
    return warned(evidence, mode=mode) if "exclusive" in mode.lower() else passed(evidence)


@judge("mig-mode")
def mig_mode(view: HostView, _check: CheckData) -> Verdict:
    """Off, or on with instances."""
    return view.worst_of_gpus(lambda i, gpu: _mig(view, i, gpu))


def _mig(view: HostView, position: int, gpu: Gpu) -> Verdict:
    mode, pending = gpu.mig_mode, gpu.mig_mode_pending
    if mode is None:
        model = view.model(gpu)
        reason = view.reason(f"gpus.{position}.mig_mode")
        printed_none = reason in {UnknownReason.NOT_REPORTED, UnknownReason.NOT_SUPPORTED}
        if printed_none and (view.is_geforce(gpu) or (model and model.mig_instances is None)):
            return passed(f"GPU{gpu.index}: MIG N/A", key="none")
        return view.missing(f"gpus.{position}.mig_mode", "smi-csv")
    source = view.source(f"gpus.{position}.mig_mode")
    evidence = f"{source}: GPU{gpu.index} MIG {'Enabled' if mode else 'Disabled'}"
    if pending is not None and pending is not mode:
        return warned(f"{evidence}, pending {'Enabled' if pending else 'Disabled'}")
    if not mode:
        return passed(evidence)
    count = len(gpu.mig_devices)
    if count:
        return passed(f"{evidence}, {count} instances", key="on", count=count)
    listed = view.book.output("smi-L", "smi-q-x") is not None
    return failed(f"{evidence}, no instance") if listed else view.why("smi-L", "smi-q-x")


@judge("gpu-processes")
def gpu_processes(view: HostView, _check: CheckData) -> Verdict:
    """Who holds GPU memory now."""
    found, context = view.fingerprint.gpu_processes, view.context
    if view.reason("gpu_processes") is not None or not view.source("gpu_processes"):
        return view.missing("gpu_processes", "smi-apps", "smi-q-x")
    if not found and (view.is_container or view.is_wsl):  # empty there whoever uses the GPUs
        return unknown(UnknownReason.NOT_REPORTED, "smi-apps: empty")
    lines = [f"smi-apps: {p.name} PID {p.pid} {p.memory_used_mib or '?'} MiB" for p in found]
    foreign = [process for process in found if process.pid not in context.known_processes]
    names = ", ".join(dict.fromkeys(_short(p) for p in foreign))
    needed = context.gpu_memory_needed_mib
    tight = [g for g in _planned(view) if needed is not None and _free(g, needed) < needed]
    if foreign and tight and needed is not None:
        gpus = ", ".join(f"GPU{gpu.index}" for gpu in tight)
        free = min(_free(gpu, needed) for gpu in tight)
        return failed(*lines[:8], gpus=gpus, free=free, needed=needed, names=names)
    if foreign:
        return warned(*lines[:8], names=names)
    return passed(*lines[:8], key="own") if found else passed("smi-apps: empty")


def _short(process: GpuProcess) -> str:
    """Return a program's name without its folder, of either system; else its number."""
    name = process.name.replace("\\", "/").rpartition("/")[2]
    return name or f"PID {process.pid}"


def _planned(view: HostView) -> tuple[Gpu, ...]:
    chosen = view.context.gpu_indices
    return tuple(gpu for gpu in view.gpus if not chosen or gpu.index in chosen)


def _free(gpu: Gpu, otherwise: int) -> int:
    return otherwise if gpu.memory_free_mib is None else gpu.memory_free_mib


@judge("mps")
def mps(view: HostView, _check: CheckData) -> Verdict:
    """No MPS daemon runs."""
    section = view.book.get("mps")
    if section is None or section.exit_code not in {0, 1}:
        return view.why("mps")
    lines = [f"mps: {line.strip()}" for line in section.stdout.splitlines() if line.strip()]
    return warned(*lines[:4]) if lines else passed("pgrep: no nvidia-cuda-mps process")


@judge("display-attached")
def display(view: HostView, _check: CheckData) -> Verdict:
    """No desktop runs on a GPU."""
    return view.worst_of_gpus(lambda i, gpu: _display(view, i, gpu))


def _display(view: HostView, position: int, gpu: Gpu) -> Verdict:
    if gpu.display_active is None:
        return view.missing(f"gpus.{position}.display_active", "smi-q-x")
    word = "Enabled" if gpu.display_active else "Disabled"
    evidence = f"smi-q-x: GPU{gpu.index} display_active {word}"
    return warned(evidence) if gpu.display_active else passed(evidence)
