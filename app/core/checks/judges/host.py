"""Judges of the host around the GPUs: processor, memory, clock, shell."""

from datetime import datetime
from pathlib import PurePosixPath
from typing import Final

from app.core.checks.host_view import HostView
from app.core.checks.registry import judge
from app.core.checks.spec import CheckData
from app.core.checks.verdict import Verdict, failed, not_applicable, passed, unknown, warned
from app.core.hardware.fingerprint import HostSource
from app.core.hardware.tools.host_lines import read_counted, read_login, read_pairs
from app.core.hardware.tools.proc_files import read_meminfo
from app.core.units import GIB, format_bytes
from app.core.versions import driver_key

_X86: Final = frozenset({"x86_64", "amd64"})
_ARM: Final = frozenset({"aarch64", "arm64"})
_FAST_GOVERNORS: Final = frozenset({"performance"})
_ASKED_NOW: Final = frozenset({HostSource.SSH, HostSource.LOCAL})


@judge("arch-cpu")
def architecture(view: HostView, check: CheckData) -> Verdict:
    """x86 runs everything; arm needs its own images."""
    name = view.fingerprint.machine.architecture
    if name is None:
        return view.missing("machine.architecture", "uname")
    evidence = f"{view.source('machine.architecture') or 'uname'}: {name}"
    if name in _ARM:
        return warned(evidence, architecture=name)
    if name not in _X86:
        return failed(evidence, architecture=name)
    libc = view.book.text("libc").strip().rpartition(" ")[2]
    if not libc:
        return view.why("libc")
    oldest = driver_key(next(iter(check.lists.get("libc", ())), "2.31"))
    found = driver_key(libc)
    lines = (evidence, f"libc: {libc}")
    if found is not None and oldest is not None and found < oldest:
        return warned(*lines, key="old", libc=libc)
    return passed(*lines, architecture=name, libc=libc)


@judge("cpu-flags")
def processor(view: HostView, check: CheckData) -> Verdict:
    """Cores for every GPU's process, and AVX2."""
    cpu = view.fingerprint.cpu
    text = view.book.text("lscpu-J") or view.book.text("lscpu")
    is_x86 = view.fingerprint.machine.architecture in _X86
    if is_x86 and "flags" in text.lower() and "avx2" not in text.lower():
        return failed("lscpu: no avx2 among the flags")
    if cpu.cores is None:
        return view.missing("cpu.cores", "lscpu-J", "lscpu")
    count = len(view.gpus)
    limits = check.thresholds
    wanted = round(count * limits.get("cores_per_gpu", 2) + limits.get("cores_beside", 2))
    source = view.source("cpu.cores")
    evidence = f"{source}: {cpu.cores} cores, {cpu.threads} threads"
    quota = _quota(view)
    if quota is not None and quota < wanted:
        return warned(evidence, f"cpu.max: {quota:g}", key="quota", quota=f"{quota:g}")
    if cpu.cores < wanted:
        return warned(evidence, cores=cpu.cores, wanted=wanted, gpus_count=count)
    return passed(evidence, cores=cpu.cores, gpus_count=count)


def _quota(view: HostView) -> float | None:
    """Return how many processors the control group allows."""
    lines = (view.files or {}).get("/sys/fs/cgroup/cpu.max", ())
    words = lines[0].split() if lines else []
    if len(words) != 2 or not all(word.isascii() and word.isdigit() for word in words):
        return None
    period = int(words[1])
    return int(words[0]) / period if period else None


@judge("swappiness")
def swap(view: HostView, check: CheckData) -> Verdict:
    """No swap, or none in use."""
    meminfo = read_meminfo(view.book.text("meminfo"))
    total, free = meminfo.get("SwapTotal"), meminfo.get("SwapFree")
    if total is None or free is None:
        return view.why("meminfo")
    used = max(total - free, 0)
    swappiness = view.settings.get("vm.swappiness")
    lines = [f"meminfo: SwapTotal {format_bytes(total)}, used {format_bytes(used)}"]
    lines += [f"vm.swappiness = {swappiness}"] if swappiness else []
    if total == 0:
        return passed(*lines, key="none")
    said = format_bytes(used)
    if used > check.thresholds.get("warn_gib", 1) * GIB:
        return warned(*lines, used=said)
    return passed(*lines, used=said)


@judge("cpu-governor")
def governor(view: HostView, _check: CheckData) -> Verdict:
    """The frequency governor; virtual machines have none."""
    section = view.book.get("cpufreq")
    names = read_counted(section.stdout) if section is not None else {}
    if not names:
        return view.why("cpufreq")
    said = ", ".join(f"{name} × {count}" for name, count in names.items())
    evidence = f"scaling_governor: {said}"
    return (
        passed(evidence, names=said)
        if set(names) <= _FAST_GOVERNORS
        else warned(evidence, names=said)
    )


@judge("hugepages")
def huge_pages(view: HostView, check: CheckData) -> Verdict:
    """Reserved huge pages and the mode of transparent ones."""
    meminfo = read_meminfo(view.book.text("meminfo"))
    count, size = meminfo.get("HugePages_Total"), meminfo.get("Hugepagesize")
    total = meminfo.get("MemTotal")
    if count is None or size is None or not total:
        return view.why("meminfo")
    reserved = count * size
    evidence = f"meminfo: HugePages_Total {count} × {format_bytes(size)}"
    if reserved > total * check.thresholds.get("fail_share", 0.1):
        return failed(evidence, reserved=format_bytes(reserved))
    if view.files is None:
        return unknown("not_asked", evidence)
    lines = view.files.get("/sys/kernel/mm/transparent_hugepage/enabled", ())
    mode = lines[0].partition("[")[2].partition("]")[0] if lines else ""
    if not mode:
        return unknown("not_reported", evidence)
    said = f"transparent_hugepage: {mode}"
    if mode == "never":
        return warned(evidence, said)
    return passed(evidence, said, mode=mode, reserved=format_bytes(reserved))


@judge("time-sync")
def time_sync(view: HostView, check: CheckData) -> Verdict:
    """The host's clock, against the desktop's where it was asked just now."""
    synced = read_pairs(view.book.text("time")).get("NTPSynchronized", "").lower()
    offset = _offset_s(view)
    lines = [f"timedatectl: NTPSynchronized={synced}"] if synced else []
    lines += [f"clock: {offset:+.0f} s against the desktop"] if offset is not None else []
    if offset is not None and abs(offset) > check.thresholds.get("fail_s", 300):
        return failed(*lines, offset=f"{abs(offset):.0f}")
    if offset is not None and abs(offset) > check.thresholds.get("near_s", 30):
        return warned(*lines, offset=f"{abs(offset):.0f}")
    if synced == "yes":
        return passed(*lines)
    if synced == "no" and not view.is_container:
        return warned(*lines, key="loose")
    if offset is not None:
        return passed(*lines, key="near", offset=f"{abs(offset):.0f}")
    return view.why("time", "clock")


def _offset_s(view: HostView) -> float | None:
    """Return by how much the host's clock is ahead; only where the desktop asked it directly."""
    text = view.book.text("clock").strip()
    if view.fingerprint.source not in _ASKED_NOW or not text:
        return None
    try:
        host = datetime.fromisoformat(text)
        desktop = datetime.fromisoformat(view.fingerprint.taken_at)
        return (host - desktop).total_seconds()
    except (ValueError, TypeError):  # broken text, or only one of them names its zone
        return None


@judge("ssh-path")
def ssh_path(view: HostView, _check: CheckData) -> Verdict:
    """Tools stand on the path that a command over SSH gets."""
    login, tools = read_login(view.book.text("login")), view.tools
    if login is None or tools is None:
        return view.why("login") if login is None else view.why("which")
    wanted = [name for name in ("nvidia-smi", "docker", "podman") if tools.get(name)]
    has_gpus = bool(view.gpus or view.pci_devices) and not view.is_jetson
    if has_gpus and not tools.get("nvidia-smi"):
        return failed("which: nvidia-smi not found", tools="nvidia-smi")
    if not wanted:
        return not_applicable("no_gpu")
    outside = [n for n in wanted if str(PurePosixPath(tools[n]).parent) not in login.path]
    lines = [f"which: {tools[name]}" for name in wanted]
    if outside:
        return warned(*lines, "path: " + ":".join(login.path)[:200], tools=", ".join(outside))
    return passed(*lines, tools=", ".join(wanted))


@judge("locale")
def locale(view: HostView, check: CheckData) -> Verdict:
    """The remote shell's own language."""
    login = read_login(view.book.text("login"))
    if login is None:
        return view.why("login")
    name = login.locale or "POSIX"
    language = name.partition(".")[0].partition("_")[0].lower()
    evidence = f"login: {name}"
    if language in check.lists.get("comma", ()):
        return warned(evidence, locale=name)
    return passed(evidence, locale=name)
