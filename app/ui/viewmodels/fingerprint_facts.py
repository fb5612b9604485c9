"""Facts of a fingerprint as label, value and source; what is unknown carries its reason."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.hardware.fingerprint import (
    Fingerprint,
    Gpu,
    GpuAccess,
    Link,
    LinkKind,
    UnknownReason,
)
from app.core.units import GIB, format_bytes
from app.ui.i18n import QT_TRANSLATE_NOOP

CONTEXT: Final = "Facts"

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One line: what, how much, from where."""

    label: str
    value: str | None
    """``None`` when unknown."""
    source: str = ""
    reason: str = ""
    """Why it is unknown."""
    status: str = ""
    """``warn`` where it deserves a look."""


REASONS: Final[Mapping[UnknownReason, str]] = {
    UnknownReason.TOOL_MISSING: QT_TRANSLATE_NOOP("Facts", "the tool is not installed"),
    UnknownReason.TOOL_FAILED: QT_TRANSLATE_NOOP("Facts", "the tool failed"),
    UnknownReason.TOOL_TIMEOUT: QT_TRANSLATE_NOOP("Facts", "the tool did not answer in time"),
    UnknownReason.NOT_REPORTED: QT_TRANSLATE_NOOP("Facts", "not reported"),
    UnknownReason.NOT_SUPPORTED: QT_TRANSLATE_NOOP("Facts", "not supported by the device"),
    UnknownReason.NEEDS_ROOT: QT_TRANSLATE_NOOP("Facts", "needs root"),
    UnknownReason.UNREADABLE: QT_TRANSLATE_NOOP("Facts", "the output could not be understood"),
    UnknownReason.NOT_ASKED: QT_TRANSLATE_NOOP("Facts", "not asked"),
    UnknownReason.REDACTED: QT_TRANSLATE_NOOP("Facts", "the sender hid it"),
}

_ACCESS: Final[Mapping[GpuAccess, str]] = {
    GpuAccess.CDI: QT_TRANSLATE_NOOP("Facts", "CDI"),
    GpuAccess.NVIDIA_RUNTIME: QT_TRANSLATE_NOOP("Facts", "NVIDIA runtime"),
    GpuAccess.DEVICE_REQUEST: QT_TRANSLATE_NOOP("Facts", "device request (--gpus)"),
    GpuAccess.NONE: QT_TRANSLATE_NOOP("Facts", "none: containers cannot use the GPUs"),
}


def _worded(text: str) -> str:
    return translate(CONTEXT, text)


def reason_text(reason: UnknownReason | None) -> str:
    """Return why something is unknown."""
    return _worded(REASONS[reason or UnknownReason.NOT_REPORTED])


class FactBook:
    """Make facts of one fingerprint: each finds its source and reason by its path."""

    def __init__(self, fingerprint: Fingerprint) -> None:
        self._unknown = fingerprint.unknown
        self._sources = fingerprint.sources

    def fact(self, path: str, label: str, value: str | None, *, status: str = "") -> Fact:
        """Return the fact at ``path``; ``None`` is looked up among the unknown ones."""
        if value is None:
            return Fact(label=label, value=None, reason=reason_text(self._reason(path)))
        return Fact(label=label, value=value, source=self._source(path), status=status)

    def _reason(self, path: str) -> UnknownReason | None:
        for key in _prefixes(path):
            if key in self._unknown:
                return self._unknown[key]
        return None

    def _source(self, path: str) -> str:
        for key in _prefixes(path):
            if key in self._sources:
                return self._sources[key]
        return ""


def _prefixes(path: str) -> Iterator[str]:
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        yield ".".join(parts[:count])


def machine_facts(fingerprint: Fingerprint) -> tuple[Fact, ...]:
    """Return operating system and machine."""
    book, machine = FactBook(fingerprint), fingerprint.machine
    return (
        book.fact("machine.hostname", translate("Facts", "Host name"), machine.hostname),
        book.fact("machine.os_name", translate("Facts", "Operating system"), machine.os_name),
        book.fact("machine.kernel", translate("Facts", "Kernel"), machine.kernel),
        book.fact("machine.architecture", translate("Facts", "Architecture"), machine.architecture),
        book.fact(
            "machine.virtualization", translate("Facts", "Virtualization"), machine.virtualization
        ),
        book.fact("machine.user", translate("Facts", "User"), machine.user),
        book.fact("machine.is_root", translate("Facts", "Root"), _yes_no(machine.is_root)),
    )


def processor_facts(fingerprint: Fingerprint) -> tuple[Fact, ...]:
    """Return processors and main memory."""
    book, cpu, memory = FactBook(fingerprint), fingerprint.cpu, fingerprint.memory
    return (
        book.fact("cpu.model", translate("Facts", "Processor"), cpu.model),
        book.fact("cpu.sockets", translate("Facts", "Sockets"), _count(cpu.sockets)),
        book.fact("cpu.cores", translate("Facts", "Cores"), _count(cpu.cores)),
        book.fact("cpu.threads", translate("Facts", "Threads"), _count(cpu.threads)),
        book.fact("memory.total_bytes", translate("Facts", "Memory"), _bytes(memory.total_bytes)),
        book.fact(
            "memory.available_bytes",
            translate("Facts", "Memory available"),
            _bytes(memory.available_bytes),
        ),
        book.fact(
            "memory.shm_total_bytes",
            translate("Facts", "Shared memory (/dev/shm)"),
            _bytes(memory.shm_total_bytes),
        ),
    )


def disk_facts(fingerprint: Fingerprint) -> tuple[Fact, ...]:
    """Return the file systems that could hold models."""
    book = FactBook(fingerprint)
    free = translate("Facts", "{free} free of {total} · {kind}")
    return tuple(
        book.fact(
            f"disks.{number}",
            disk.mount,
            free.format(
                free=format_bytes(disk.free_bytes),
                total=format_bytes(disk.total_bytes),
                kind=disk.fs_type,
            ),
            status="warn" if disk.free_bytes < 20 * GIB else "",
        )
        for number, disk in enumerate(fingerprint.disks)
    )


def driver_facts(fingerprint: Fingerprint) -> tuple[Fact, ...]:
    """Return driver and CUDA."""
    book = FactBook(fingerprint)
    return (
        book.fact(
            "driver_version", translate("Facts", "NVIDIA driver"), fingerprint.driver_version
        ),
        book.fact(
            "cuda_version",
            translate("Facts", "CUDA, newest the driver supports"),
            fingerprint.cuda_version,
        ),
    )


def container_facts(fingerprint: Fingerprint) -> tuple[Fact, ...]:
    """Return the container engine and how it hands out GPUs."""
    book, found = FactBook(fingerprint), fingerprint.containers
    access = _ACCESS.get(found.gpu_access)
    refused = found.gpu_access is GpuAccess.NONE and fingerprint.gpus
    return (
        book.fact("containers.name", translate("Facts", "Engine"), found.name),
        book.fact("containers.version", translate("Facts", "Version"), found.version),
        book.fact("containers.api_version", translate("Facts", "API version"), found.api_version),
        book.fact(
            "containers.reachable",
            translate("Facts", "This user may use it"),
            _yes_no(found.reachable),
            status="warn" if found.reachable is False else "",
        ),
        book.fact("containers.rootless", translate("Facts", "Rootless"), _yes_no(found.rootless)),
        book.fact(
            "containers.gpu_access",
            translate("Facts", "GPU access"),
            _worded(access) if access else None,
            status="warn" if refused else "",
        ),
        book.fact(
            "containers.toolkit_version",
            translate("Facts", "NVIDIA Container Toolkit"),
            found.toolkit_version,
        ),
        book.fact(
            "containers.runtimes", translate("Facts", "Runtimes"), ", ".join(found.runtimes) or None
        ),
        book.fact(
            "containers.cdi_devices",
            translate("Facts", "CDI devices"),
            ", ".join(found.cdi_devices) or None,
        ),
        book.fact("containers.root_dir", translate("Facts", "Image folder"), found.root_dir),
    )


def process_facts(fingerprint: Fingerprint) -> tuple[Fact, ...]:
    """Return who holds GPU memory."""
    book = FactBook(fingerprint)
    index_of = {gpu.uuid: gpu.index for gpu in fingerprint.gpus}
    text = translate("Facts", "{name} (PID {pid}) · {memory}")
    return tuple(
        book.fact(
            "gpu_processes",
            f"GPU {index_of.get(process.gpu_uuid, '?')}",
            text.format(
                name=process.name,
                pid=process.pid,
                memory=mib_text(process.memory_used_mib) or reason_text(None),
            ),
        )
        for process in fingerprint.gpu_processes
    )


def topology_facts(fingerprint: Fingerprint) -> tuple[Fact, ...]:
    """Return islands, links and NUMA nodes."""
    book, topology = FactBook(fingerprint), fingerprint.topology
    facts = [
        book.fact("topology.links", pair_name(link.a, link.b), link_text(link))
        for link in topology.links
        if link.a.startswith("GPU") and link.b.startswith("GPU")
    ][:64]
    facts += [
        book.fact(
            "topology.links",
            translate("Facts", "NVLink island"),
            ", ".join(f"GPU {index}" for index in island),
        )
        for island in topology.nvlink_islands
    ]
    for number, node in enumerate(topology.numa_nodes):
        label = translate("Facts", "NUMA node {id}").format(id=node.id)
        path = f"topology.numa_nodes.{number}"
        facts.append(
            book.fact(
                f"{path}.cpus",
                translate("Facts", "{node}: CPUs").format(node=label),
                node.cpus and cpus_text(node.cpus),
            )
        )
        memory = mib_text(node.memory_mib)
        facts.append(
            book.fact(
                f"{path}.memory_mib",
                translate("Facts", "{node}: memory").format(node=label),
                memory,
            )
        )
    facts += [book.fact("topology.links", nic.name, nic.device) for nic in topology.nics]
    if not topology.complete:
        facts.insert(0, book.fact("topology.links", translate("Facts", "Link matrix"), None))
    return tuple(facts)


def gpu_facts(fingerprint: Fingerprint) -> tuple[Fact, ...]:
    """Return the facts of all GPUs, one after the other; the page shows them as a table.

    Without GPUs there is one fact: that there are none, or why that is not known.
    """
    if not fingerprint.gpus:
        label = translate("Facts", "GPUs")
        if "gpus" not in fingerprint.unknown:
            return (Fact(label=label, value=translate("Facts", "none found")),)
        return (FactBook(fingerprint).fact("gpus", label, None),)
    return tuple(
        fact
        for position, gpu in enumerate(fingerprint.gpus)
        for fact in facts_of_gpu(fingerprint, position, gpu)
    )


def facts_of_gpu(fingerprint: Fingerprint, position: int, gpu: Gpu) -> tuple[Fact, ...]:
    """Return everything known of one GPU."""
    book, path = FactBook(fingerprint), f"gpus.{position}"
    rows = (
        ("name", translate("Facts", "Model"), gpu.name),
        ("uuid", translate("Facts", "UUID"), gpu.uuid),
        ("bus_id", translate("Facts", "PCI address"), gpu.bus_id),
        ("compute_cap", translate("Facts", "Compute capability"), gpu.compute_cap),
        ("memory_total_mib", translate("Facts", "Memory total"), mib_text(gpu.memory_total_mib)),
        (
            "memory_reserved_mib",
            translate("Facts", "Memory reserved"),
            mib_text(gpu.memory_reserved_mib),
        ),
        ("memory_used_mib", translate("Facts", "Memory used"), mib_text(gpu.memory_used_mib)),
        ("memory_free_mib", translate("Facts", "Memory free"), mib_text(gpu.memory_free_mib)),
        (
            "utilization_percent",
            translate("Facts", "Utilization"),
            _unit(gpu.utilization_percent, "%"),
        ),
        ("temperature_c", translate("Facts", "Temperature"), _unit(gpu.temperature_c, "°C")),
        ("power_w", translate("Facts", "Power"), _unit(gpu.power_w, "W")),
        ("power_limit_w", translate("Facts", "Power limit"), _unit(gpu.power_limit_w, "W")),
        ("clock_sm_mhz", translate("Facts", "SM clock"), _unit(gpu.clock_sm_mhz, "MHz")),
        (
            "clock_sm_max_mhz",
            translate("Facts", "SM clock, highest"),
            _unit(gpu.clock_sm_max_mhz, "MHz"),
        ),
        ("clock_mem_mhz", translate("Facts", "Memory clock"), _unit(gpu.clock_mem_mhz, "MHz")),
        (
            "pcie_gen_current",
            translate("Facts", "PCIe now"),
            pcie_text(gpu.pcie_gen_current, gpu.pcie_width_current),
        ),
        (
            "pcie_gen_max",
            translate("Facts", "PCIe, highest"),
            pcie_text(gpu.pcie_gen_max, gpu.pcie_width_max),
        ),
        ("numa_node", translate("Facts", "NUMA node"), _count(gpu.numa_node)),
        ("persistence_mode", translate("Facts", "Persistence mode"), _on_off(gpu.persistence_mode)),
        ("compute_mode", translate("Facts", "Compute mode"), gpu.compute_mode),
        ("ecc_mode", translate("Facts", "ECC"), _on_off(gpu.ecc_mode)),
        (
            "ecc_uncorrected_volatile",
            translate("Facts", "ECC errors, uncorrected"),
            _count(gpu.ecc_uncorrected_volatile),
        ),
        ("mig_mode", translate("Facts", "MIG"), _on_off(gpu.mig_mode)),
    )
    bad_ecc = bool(gpu.ecc_uncorrected_volatile)
    return tuple(
        book.fact(
            f"{path}.{name}",
            label,
            value,
            status="warn" if name == "ecc_uncorrected_volatile" and bad_ecc else "",
        )
        for name, label, value in rows
    )


def pair_name(a: str, b: str) -> str:
    """Return two devices of nvidia-smi's matrix (``GPU0``), GPUs as they are written elsewhere."""
    names = (f"GPU {name[3:]}" if name.startswith("GPU") else name for name in (a, b))
    return " – ".join(names)


def link_text(link: Link) -> str:
    """Return a link in the words of nvidia-smi: ``NV18 · 956 GB/s``, ``PIX``."""
    if link.kind is LinkKind.NVLINK:
        count = link.nvlink_count if link.nvlink_count is not None else ""
        speed = f" · {link.bandwidth_gbps:,.0f} GB/s" if link.bandwidth_gbps else ""
        return f"NV{count}{speed}"
    return link.kind.value


def mib_text(size_mib: int | None) -> str | None:
    """Return MiB, as NVML counts, with GiB for reading."""
    if size_mib is None:
        return None
    if size_mib < 1024:
        return f"{size_mib:,}\u00a0MiB"
    return f"{size_mib:,}\u00a0MiB ({size_mib / 1024:,.1f}\u00a0GiB)"


def _bytes(size: int | None) -> str | None:
    return None if size is None else format_bytes(size)


def _count(number: int | None) -> str | None:
    return None if number is None else f"{number:,}"


def _unit(number: float | None, unit: str) -> str | None:
    return None if number is None else f"{number:,g} {unit}"


def pcie_text(generation: int | None, width: int | None) -> str | None:
    """Return ``PCIe 5.0 ×16`` for a link of generation 5 with 16 lanes."""
    if generation is None or width is None:
        return None
    return f"PCIe {generation}.0 ×{width}"


def cpus_text(cpus: str) -> str:
    """Return a list of CPUs as ranges are written everywhere here: ``0–31``."""
    return cpus.replace("-", "–")


def _yes_no(fact: bool | None) -> str | None:
    return (
        None if fact is None else (translate("Facts", "yes") if fact else translate("Facts", "no"))
    )


def _on_off(fact: bool | None) -> str | None:
    return (
        None if fact is None else (translate("Facts", "on") if fact else translate("Facts", "off"))
    )
