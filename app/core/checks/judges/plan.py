"""Judges that need a plan: image, model, port. Without one they say so."""

from typing import Final

from app.core.checks.host_view import HostView
from app.core.checks.registry import judge
from app.core.checks.spec import CheckData
from app.core.checks.verdict import (
    Verdict,
    failed,
    not_applicable,
    passed,
    unknown,
    warned,
)
from app.core.hardware.fingerprint import UnknownReason
from app.core.hardware.tools.host_lines import read_listening
from app.core.units import GIB, format_bytes
from app.core.versions import driver_at_least, driver_key

_DROPPED_BY_CUDA_13: Final = (7, 5)
_UNLIMITED: Final = 2**60
_LOOPBACK: Final = ("127.", "::1", "localhost")


@judge("driver-vs-image")
def driver_vs_image(view: HostView, _check: CheckData) -> Verdict:
    """The driver implements the image's CUDA, and the image has code for the GPUs."""
    image = view.context.image_cuda
    if image is None:
        return not_applicable("needs_plan")
    have, need = view.fingerprint.cuda_version, driver_key(image)
    if need is None:
        return unknown("unreadable", f"image: {image}")
    old = [g for g in view.gpus if (view.capability(g) or (99, 0)) < _DROPPED_BY_CUDA_13]
    if need[0] >= 13 and old:
        gpus = ", ".join(f"GPU{gpu.index}" for gpu in old)
        return failed(f"image: CUDA {image}", key="capability", image=image, gpus=gpus)
    found = driver_key(have)
    if have is None or found is None:
        return view.missing("cuda_version", "smi-q-x", "smi")
    lines = (f"{view.source('cuda_version')}: CUDA {have}", f"image: CUDA {image}")
    if found[:2] >= need[:2]:
        return passed(*lines, driver=have, image=image)
    floor = next((f.driver for f in view.stack.floor if f.major == need[0]), None)
    runs = floor is not None and driver_at_least(view.fingerprint.driver_version, floor)
    return (warned if runs else failed)(*lines, driver=have, image=image)


@judge("shm")
def shared_memory(view: HostView, check: CheckData) -> Verdict:
    """What the planned container gets."""
    context = view.context
    size, parallel = context.shm_bytes, context.tensor_parallel_size
    if parallel is None or (size is None and not context.shares_host_ipc):
        return not_applicable("needs_plan")
    if context.shares_host_ipc:
        host = view.fingerprint.memory.shm_total_bytes
        return passed(key="shared", size="?" if host is None else format_bytes(host))
    said = format_bytes(size or 0)
    if parallel == 1:
        return passed(f"plan: {said}", key="one")
    values = {"size": said, "tp": str(parallel)}
    if (size or 0) >= check.thresholds.get("pass_gib", 8) * GIB:
        return passed(f"plan: {said}", **values)
    enough = (size or 0) >= check.thresholds.get("warn_gib", 1) * GIB
    return (warned if enough else failed)(f"plan: {said}", **values)


@judge("ram-vs-model")
def memory_vs_model(view: HostView, check: CheckData) -> Verdict:
    """Main memory, or the control group's limit, against the model's files."""
    context, available = view.context, view.fingerprint.memory.available_bytes
    if context.model_bytes is None:
        return not_applicable("needs_plan")
    if available is None:
        return view.missing("memory.available_bytes", "meminfo")
    limit = _memory_limit(view)
    room = available if limit is None else min(available, limit)
    lines = [f"meminfo: MemAvailable {format_bytes(available)}"]
    lines += [f"cgroup: {format_bytes(limit)}"] if limit is not None else []
    said, model = format_bytes(room), format_bytes(context.model_bytes)
    if room >= context.model_bytes * check.thresholds.get("model_share", 1.1):
        return passed(*lines, available=said, model=model)
    shard = context.largest_shard_bytes
    if shard is None:
        return warned(*lines, available=said, model=model)
    beside = round(check.thresholds.get("beside_gib", 8) * GIB)
    wanted = shard * (context.tensor_parallel_size or 1) + beside
    if room >= wanted:
        return warned(*lines, available=said, model=model)
    return failed(*lines, available=said, wanted=format_bytes(wanted))


def _memory_limit(view: HostView) -> int | None:
    """Return the control group's limit; version 1 writes a huge number for "none"."""
    files = view.files or {}
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        text = (files.get(path) or ("",))[0].strip()
        if text.isascii() and text.isdigit() and len(text) <= 20 and int(text) < _UNLIMITED:
            return int(text)
    return None


@judge("port-free")
def port_free(view: HostView, _check: CheckData) -> Verdict:
    """Nobody listens on the planned port."""
    port = view.context.port
    if port is None:
        return not_applicable("needs_plan")
    section = view.book.get("listening")
    if section is None or section.exit_code != 0:
        return view.why("listening")
    addresses = read_listening(section.stdout).get(port, ())
    if not addresses:
        return passed("ss -ltn: not among the listening ports", port=port)
    said = ", ".join(addresses)
    return failed(*(f"ss -ltn: {a}:{port}" for a in addresses[:4]), port=port, addresses=said)


@judge("firewall")
def firewall(view: HostView, _check: CheckData) -> Verdict:
    """Whether the desktop reached the port; the host's rules need root."""
    reached = view.context.port_reached
    if reached is None:
        is_root = view.fingerprint.machine.is_root  # the probe does not read rules even then
        return unknown("not_asked" if is_root else UnknownReason.NEEDS_ROOT)
    return passed("desktop: connected") if reached else warned("desktop: not connected")


@judge("gpu-in-container")
def gpu_in_container(view: HostView, _check: CheckData) -> Verdict:
    """Only a run can tell."""
    works, words = view.context.cuda_works, view.context.cuda_words
    if works is None:
        return unknown("needs_smoke_run")
    evidence = f"container: {words or 'CUDA started'}"
    return passed(evidence) if works else failed(evidence, words=words or "?")


@judge("registry")
def registry(view: HostView, _check: CheckData) -> Verdict:
    """The probe makes no connections; a host without any route is cut off."""
    if view.context.image_is_local:
        return passed("engine: the image is on the host")
    if _has_route(view) is False:
        return failed("routes: no default route")
    return unknown("outside_not_asked")


@judge("airgap")
def airgap(view: HostView, _check: CheckData) -> Verdict:
    """A host that is cut off has what it needs."""
    route = _has_route(view)
    if route is None:
        return view.why("routes")
    if route:
        return passed("routes: default", key="open")
    have = {"image": view.context.image_is_local, "model": view.context.model_is_local}
    if None in have.values():
        return not_applicable("needs_plan", "routes: no default route")
    missing = [name for name, is_local in have.items() if not is_local]
    if missing:
        return failed("routes: no default route", names=", ".join(missing))
    return passed("routes: no default route")


def _has_route(view: HostView) -> bool | None:
    section = view.book.get("routes")
    if section is None or section.exit_code != 0:
        return None
    return "default" in section.stdout
