"""The values of a host that are worth comparing, as the fingerprint and its raw sections have them.

Momentary values (load, temperature, free memory) are compared too, so that nobody has to wonder;
their rules say that they do not matter.
"""

from collections.abc import Iterator
from typing import Final

from app.core.diff.difference import Item, Raw
from app.core.hardware.fingerprint import Fingerprint, UnknownReason
from app.core.hardware.section_book import SectionBook
from app.core.hardware.tools.lscpu import lscpu_flags
from app.core.units import format_bytes

_SYSCTL_RULES: Final = (
    "kernel.numa_balancing",
    "vm.overcommit_memory",
    "vm.swappiness",
    "vm.nr_hugepages",
    "net.core.somaxconn",
)
_CPU_FLAGS: Final = ("avx2", "avx512f", "amx_tile")
NOT_ASKED: Final = UnknownReason.NOT_ASKED
"""Why a value that the other side has is missing altogether."""
_WORDS: Final = {True: "yes", False: "no"}


def host_items(fp: Fingerprint) -> tuple[Item, ...]:
    """Return every value of a host apart from its GPUs and links."""
    book = SectionBook(fp.sections)
    return (
        *_driver(fp),
        *_machine(fp),
        *_containers(fp),
        *_processors(book),
        *_settings(fp),
    )


def item(
    fp: Fingerprint, path: str, value: Raw, shown: str | None = None, *, rule: str = ""
) -> Item:
    """Return a value with the reason for its absence; ``0`` and ``False`` are values."""
    return Item(
        path=path,
        rule=rule or path,
        value=value,
        shown=shown if shown is not None else show(value),
        reason=fp.unknown.get(path) if value is None else None,
    )


def show(value: Raw) -> str:
    """Write a value for people; the caller adds units."""
    if isinstance(value, bool):
        return _WORDS[value]
    if isinstance(value, tuple):
        return ", ".join(value)
    if isinstance(value, float):
        return f"{value:g}"
    return "" if value is None else str(value)


def _driver(fp: Fingerprint) -> Iterator[Item]:
    yield item(fp, "driver_version", fp.driver_version)
    yield item(fp, "cuda_version", fp.cuda_version)
    flavour = fp.driver_module.flavour
    yield item(fp, "driver_module.flavour", None if flavour is None else flavour.value)


def _machine(fp: Fingerprint) -> Iterator[Item]:
    machine, cpu, memory = fp.machine, fp.cpu, fp.memory
    yield item(fp, "machine.architecture", machine.architecture)
    yield item(fp, "machine.virtualization", machine.virtualization)
    yield item(fp, "machine.os_name", machine.os_name)
    yield item(fp, "machine.kernel", machine.kernel)
    yield item(fp, "machine.hostname", machine.hostname)
    yield item(fp, "machine.user", machine.user)
    yield item(fp, "cpu.model", cpu.model)
    yield item(fp, "cpu.sockets", cpu.sockets)
    yield item(fp, "cpu.cores", cpu.cores)
    yield item(fp, "cpu.threads", cpu.threads)
    yield _bytes(fp, "memory.total_bytes", memory.total_bytes)
    yield _bytes(fp, "memory.available_bytes", memory.available_bytes)
    yield _bytes(fp, "memory.shm_total_bytes", memory.shm_total_bytes)
    yield item(fp, "numa_nodes", len(fp.topology.numa_nodes) or None)
    yield from _disks(fp)


def _bytes(fp: Fingerprint, path: str, value: int | None) -> Item:
    return item(fp, path, value, "" if value is None else format_bytes(value))


def _disks(fp: Fingerprint) -> Iterator[Item]:
    unknown = "disks" in fp.unknown or ("disks" not in fp.sources and not fp.disks)
    kinds = tuple(sorted({f"{disk.mount} ({disk.fs_type})" for disk in fp.disks}))
    yield item(fp, "disks", None if unknown else kinds)
    free = sum(disk.free_bytes for disk in fp.disks)
    yield _bytes(fp, "disks_free", None if unknown else free)


def _containers(fp: Fingerprint) -> Iterator[Item]:
    runtime = fp.containers
    # "none found" is an answer; only a reason makes it unknown.
    none = None if "containers.name" in fp.unknown else "none"
    yield item(fp, "containers.name", runtime.name or none)
    yield item(fp, "containers.version", runtime.version)
    yield item(fp, "containers.rootless", runtime.rootless)
    yield item(fp, "containers.reachable", runtime.reachable)
    yield item(fp, "containers.root_dir", runtime.root_dir)
    yield item(fp, "containers.toolkit_version", runtime.toolkit_version)
    access = runtime.gpu_access.value
    yield item(fp, "containers.gpu_access", None if access == "unknown" else access)


def _processors(book: SectionBook) -> Iterator[Item]:
    flags = lscpu_flags(book.text("lscpu-J") or book.text("lscpu"))
    for flag in _CPU_FLAGS:
        value = None if flags is None else flag in flags
        reason = None if flags is not None else book.why_not("lscpu-J", "lscpu")
        yield Item(
            path=f"cpu.flag.{flag}",
            rule=f"cpu.flag.{flag}",
            value=value,
            shown=show(value),
            reason=reason,
        )


def _settings(fp: Fingerprint) -> Iterator[Item]:
    words = fp.system.options
    iommu = None if words is None else tuple(sorted(word for word in words if "iommu" in word))
    yield Item(
        path="kernel.iommu",
        rule="kernel.iommu",
        value=iommu,
        shown=show(iommu) or "none",
        reason=fp.unknown.get("system.options", NOT_ASKED),
    )
    for key in _SYSCTL_RULES:
        value = fp.system.settings.get(key)
        yield Item(
            path=f"sysctl.{key}",
            rule=f"sysctl.{key}",
            value=value,
            shown=value or "",
            reason=None if value else fp.unknown.get("system.settings", NOT_ASKED),
        )
