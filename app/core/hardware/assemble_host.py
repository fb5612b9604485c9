"""Put together what several tools said of the machine around the GPUs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from app.core.hardware.fingerprint import (
    ContainerRuntime,
    Cpu,
    Disk,
    GpuAccess,
    Machine,
    Memory,
    NumaNode,
    UnknownReason,
)
from app.core.hardware.section_book import SectionBook, section_reason
from app.core.hardware.tools.df import model_disks, read_df
from app.core.hardware.tools.docker_info import (
    DockerInfo,
    DockerVersion,
    read_cdi_list,
    read_cdi_specs,
    read_docker_info,
    read_docker_version,
    read_podman_info,
    read_toolkit_version,
)
from app.core.hardware.tools.lscpu import LscpuReading, read_lscpu
from app.core.hardware.tools.numactl import read_numa_sysfs, read_numactl
from app.core.hardware.tools.proc_files import read_id, read_meminfo, read_os_release, read_uname

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


def read_containers(book: SectionBook, found: Findings) -> ContainerRuntime:
    """Read which container engine is there, whether this user may talk to it, and GPU access."""
    version = _docker_version(book)
    info = read_docker_info(book.text("docker-info"))
    podman = read_podman_info(book.text("podman-info"))
    if version is None and (info is None or info.version is None) and podman is not None:
        return _podman(book, podman, found)
    runtime = _docker(book, version, info)
    for name, sections in (
        ("name", ("docker-version", "docker")),
        ("version", ("docker-version", "docker")),
        ("api_version", ("docker-version", "docker")),
        ("rootless", ("docker-info", "docker")),
        ("reachable", ("docker-version", "docker")),
        ("root_dir", ("docker-info", "docker")),
        ("toolkit_version", ("nvctk",)),
    ):
        if getattr(runtime, name) is None:
            found.unknown[f"containers.{name}"] = _why_no_docker(book, *sections)
    if runtime.name is not None:
        found.sources["containers"] = "docker-version" if book.get("docker-version") else "docker"
    if runtime.gpu_access is GpuAccess.UNKNOWN:
        found.unknown["containers.gpu_access"] = _why_no_docker(book, "docker-info", "docker")
    return runtime


def _why_no_docker(book: SectionBook, *names: str) -> UnknownReason:
    """Return the reason; a client that cannot reach its daemon exits with 1 and says why."""
    asked = [section for name in names if (section := book.get(name)) is not None]
    reasons = [section_reason(section) for section in asked]
    return reasons[0] if reasons else UnknownReason.NOT_ASKED


def _docker_version(book: SectionBook) -> DockerVersion | None:
    for name in ("docker-version", "docker"):
        version = read_docker_version(book.text(name))
        if version is not None:
            return version
    return None


def _docker(
    book: SectionBook, version: DockerVersion | None, info: DockerInfo | None
) -> ContainerRuntime:
    answered = version is not None or (info is not None and info.version is not None)
    asked = [s for n in ("docker-version", "docker", "docker-info") if (s := book.get(n))]
    has_client = any(section.exit_code not in {127, None} for section in asked)
    if not answered and not has_client:
        socket = _socket(book)
        name = "docker" if socket is not None else None
        return ContainerRuntime(name=name, toolkit_version=_toolkit(book))
    devices = (info.cdi_devices if info else ()) or _spec_devices(book, info)
    access = _gpu_access(book, info, devices) if answered else GpuAccess.UNKNOWN
    return ContainerRuntime(
        name=version.name if version is not None else "docker",
        version=(version.version if version else None) or (info.version if info else None),
        api_version=version.api_version if version else None,
        rootless=info.rootless if info else None,
        reachable=answered,
        root_dir=info.root_dir if info else None,
        runtimes=info.runtimes if info else (),
        cdi_devices=devices,
        gpu_access=access,
        toolkit_version=_toolkit(book),
    )


def _socket(book: SectionBook) -> str | None:
    lines = [line.split(" ", 1)[0] for line in book.text("sockets").splitlines()]
    return next((line for line in lines if PurePosixPath(line).name == "docker.sock"), None)


def _toolkit(book: SectionBook) -> str | None:
    return read_toolkit_version(book.text("nvctk"))


def _spec_devices(book: SectionBook, info: DockerInfo | None) -> tuple[str, ...]:
    """Return devices from the spec files, where the engine is known to read them."""
    if info is None or not info.cdi_enabled:
        return ()
    return read_cdi_list(book.text("cdi-list")) or read_cdi_specs(book.text("cdi-spec"))


def _gpu_access(book: SectionBook, info: DockerInfo | None, devices: tuple[str, ...]) -> GpuAccess:
    if any(name.startswith("nvidia.com/gpu=") for name in devices):
        return GpuAccess.CDI
    if info is not None and "nvidia" in info.runtimes:
        return GpuAccess.NVIDIA_RUNTIME
    tools = book.output("which")
    if tools is not None:
        present = {words[0] for line in tools[1].splitlines() if len(words := line.split()) > 1}
        if present & {"nvidia-container-runtime-hook", "nvidia-container-toolkit"}:
            return GpuAccess.DEVICE_REQUEST
        return GpuAccess.NONE if info is not None else GpuAccess.UNKNOWN
    return GpuAccess.UNKNOWN


def _podman(book: SectionBook, podman: DockerInfo, found: Findings) -> ContainerRuntime:
    devices = read_cdi_list(book.text("cdi-list")) or read_cdi_specs(book.text("cdi-spec"))
    has_gpu = any(name.startswith("nvidia.com/gpu=") for name in devices)
    found.sources["containers"] = "podman-info"
    return ContainerRuntime(
        name="podman",
        version=podman.version,
        rootless=podman.rootless,
        reachable=True,
        root_dir=podman.root_dir,
        runtimes=podman.runtimes,
        cdi_devices=devices,
        gpu_access=GpuAccess.CDI if has_gpu else GpuAccess.NONE,
        toolkit_version=_toolkit(book),
    )
