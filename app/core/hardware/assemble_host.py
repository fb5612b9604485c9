"""Put together what several tools said of the machine around the GPUs."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.core.hardware.fingerprint import (
    Cpu,
    Disk,
    Machine,
    Memory,
    NumaNode,
    UnknownReason,
)
from app.core.hardware.kernel_facts import DriverModule, Kernel
from app.core.hardware.section_book import SectionBook
from app.core.hardware.tools.df import model_disks, read_df
from app.core.hardware.tools.docker_info import read_docker_info
from app.core.hardware.tools.kernel_settings import (
    read_gpu_modules,
    read_limits,
    read_module_flavour,
    read_module_parameters,
    read_sysctl,
)
from app.core.hardware.tools.lscpu import LscpuReading, read_lscpu
from app.core.hardware.tools.numactl import read_numa_sysfs, read_numactl
from app.core.hardware.tools.proc_files import (
    read_id,
    read_kernel_driver,
    read_meminfo,
    read_os_release,
    read_uname,
)

_SAME_SIZE = 0.2
"""NUMA nodes together hold MemTotal and what the kernel keeps; a larger gap contradicts."""


@dataclass(slots=True)
class Findings:
    """Where values came from and why others are unknown, while a fingerprint is built."""

    sources: dict[str, str] = field(default_factory=dict)
    unknown: dict[str, UnknownReason] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def note(self, group: str, values: Mapping[str, object], reason: UnknownReason) -> None:
        """Record ``reason`` for every value of ``group`` that is ``None``."""
        for name, value in values.items():
            if value is None:
                self.unknown[f"{group}.{name}"] = reason


def read_processors(book: SectionBook, found: Findings) -> LscpuReading:
    """Read lscpu in either form."""
    for name in ("lscpu-J", "lscpu"):
        answer = book.output(name)
        reading = read_lscpu(answer[1]) if answer is not None else None
        if reading is not None:
            found.sources["cpu"] = name
            cpu = reading.cpu
            values = {"model": cpu.model, "sockets": cpu.sockets, "cores": cpu.cores}
            found.note("cpu", {**values, "threads": cpu.threads}, UnknownReason.NOT_REPORTED)
            return reading
    reason = _unreadable_or(book, "lscpu-J", "lscpu")
    found.note("cpu", dict.fromkeys(("model", "sockets", "cores", "threads")), reason)
    return LscpuReading(cpu=Cpu())


def _unreadable_or(book: SectionBook, *names: str) -> UnknownReason:
    """Return why there is no answer, or that the answer could not be read."""
    return UnknownReason.UNREADABLE if book.output(*names) else book.why_not(*names)


def read_machine(book: SectionBook, lscpu: LscpuReading, found: Findings) -> Machine:
    """Read names, kernel, virtualisation and user."""
    release = read_os_release(book.text("os-release"))
    uname = read_uname(book.text("uname"))
    user = read_id(book.text("id"))
    machine = Machine(
        hostname=uname.hostname if uname else None,
        os_id=release.get("ID"),
        os_name=release.get("PRETTY_NAME") or release.get("NAME"),
        kernel=uname.kernel if uname else None,
        architecture=(uname.architecture if uname else None) or lscpu.architecture,
        virtualization=_virtualization(book, lscpu),
        user=user.name if user else None,
        is_root=user.uid == 0 if user else None,
    )
    for name, section in (
        ("hostname", "uname"),
        ("os_id", "os-release"),
        ("os_name", "os-release"),
        ("kernel", "uname"),
        ("architecture", "uname"),
        ("virtualization", "virt"),
        ("user", "id"),
        ("is_root", "id"),
    ):
        if getattr(machine, name) is None:
            found.unknown[f"machine.{name}"] = _unreadable_or(book, section)
        else:
            found.sources[f"machine.{name}"] = section
    if machine.virtualization is not None and not book.text("virt").strip():
        found.sources["machine.virtualization"] = found.sources.get("cpu", "lscpu-J")
    return machine


def _virtualization(book: SectionBook, lscpu: LscpuReading) -> str | None:
    said = book.text("virt").strip().lower()
    if said and said.replace("-", "").isalnum():
        return said  # systemd-detect-virt says "none" and exits with 1 on bare metal
    return lscpu.hypervisor.lower() if lscpu.hypervisor else None


def read_memory(book: SectionBook, found: Findings) -> tuple[Memory, tuple[Disk, ...]]:
    """Read main memory, shared memory and file systems."""
    meminfo = read_meminfo(book.text("meminfo"))
    df = book.output("df", "df-local", "df-plain")
    disks = read_df(df[1]) if df is not None else ()
    if not disks:
        # df exits with 1 when one of many file systems cannot be read; the others count.
        disks = read_df(book.text("df"))
    shm = next((d for d in [*disks, *read_df(book.text("shm"))] if d.mount == "/dev/shm"), None)  # noqa: S108
    memory = Memory(
        total_bytes=meminfo.get("MemTotal"),
        available_bytes=meminfo.get("MemAvailable"),
        shm_total_bytes=shm.total_bytes if shm is not None else None,
    )
    reason = _unreadable_or(book, "meminfo")
    values = {"total_bytes": memory.total_bytes, "available_bytes": memory.available_bytes}
    found.note("memory", values, reason)
    if memory.total_bytes is not None:
        found.sources["memory"] = "meminfo"
    if shm is None:
        found.unknown["memory.shm_total_bytes"] = _unreadable_or(book, "df", "df-local", "shm")
    usable = model_disks(disks)
    if usable:
        found.sources["disks"] = df[0] if df is not None else "df"
    else:
        found.unknown["disks"] = _unreadable_or(book, "df", "df-local", "df-plain")
    return memory, usable


def read_numa_nodes(
    book: SectionBook, lscpu: LscpuReading, memory: Memory, found: Findings
) -> tuple[NumaNode, ...]:
    """Read NUMA nodes; sizes that contradict the machine's memory are unknown."""
    nodes: Mapping[int, NumaNode] = {}
    for name, read in (("numa-sysfs", read_numa_sysfs), ("numactl", read_numactl)):
        nodes = read(book.text(name))
        if nodes:
            found.sources["topology.numa_nodes"] = name
            break
    if not nodes and lscpu.numa_cpus:
        nodes = {i: NumaNode(id=i, cpus=cpus) for i, cpus in lscpu.numa_cpus.items()}
        found.sources["topology.numa_nodes"] = found.sources.get("cpu", "lscpu-J")
    if not nodes:
        found.unknown["topology.numa_nodes"] = _unreadable_or(book, "numa-sysfs", "numactl")
    nodes = {
        i: NumaNode(id=i, cpus=n.cpus or lscpu.numa_cpus.get(i), memory_mib=n.memory_mib)
        for i, n in nodes.items()
    }
    if _contradicts(nodes, memory):
        found.warnings.append(
            "numa_memory_contradicts: NUMA node sizes do not add up to the machine's memory"
        )
        nodes = {i: NumaNode(id=i, cpus=node.cpus) for i, node in nodes.items()}
    for node in nodes.values():
        if node.memory_mib is None:
            found.unknown[f"topology.numa_nodes.{node.id}.memory_mib"] = UnknownReason.UNREADABLE
    return tuple(nodes[i] for i in sorted(nodes))


def _contradicts(nodes: Mapping[int, NumaNode], memory: Memory) -> bool:
    sizes = [node.memory_mib for node in nodes.values() if node.memory_mib is not None]
    if not sizes or not memory.total_bytes or len(sizes) != len(nodes):
        return False
    total_mib = memory.total_bytes / 1024**2
    return abs(sum(sizes) - total_mib) > _SAME_SIZE * total_mib


def read_driver_module(book: SectionBook, found: Findings) -> DriverModule:
    """Read which NVIDIA module is loaded and with which parameters."""
    version = book.text("driver-version")
    listed = book.output("modules", "lsmod")
    module = DriverModule(
        version=read_kernel_driver(version),
        flavour=read_module_flavour(version),
        parameters=read_module_parameters(book.text("driver-params")),
        loaded_modules=read_gpu_modules(listed[1]) if listed is not None else None,
    )
    for name, section in (
        ("version", "driver-version"),
        ("flavour", "driver-version"),
        ("parameters", "driver-params"),
        ("loaded_modules", "modules"),
    ):
        if getattr(module, name):
            found.sources[f"driver_module.{name}"] = section
        elif getattr(module, name) is None or name == "parameters":
            found.unknown[f"driver_module.{name}"] = _unreadable_or(book, section)
    return module


def read_kernel(book: SectionBook, found: Findings) -> Kernel:
    """Read the settings and limits of the running system."""
    words = book.text("cmdline").split()
    docker = read_docker_info(book.text("docker-info"))
    kernel = Kernel(
        settings=read_sysctl(book.text("sysctl")),
        limits=read_limits(book.text("ulimit")),
        cgroup_version=docker.cgroup_version if docker is not None else None,
        options=tuple(words) or None,
    )
    for name, section in (
        ("settings", "sysctl"),
        ("limits", "ulimit"),
        ("cgroup_version", "docker-info"),
        ("options", "cmdline"),
    ):
        if getattr(kernel, name):
            found.sources[f"system.{name}"] = section
        else:
            found.unknown[f"system.{name}"] = _unreadable_or(book, section)
    return kernel
