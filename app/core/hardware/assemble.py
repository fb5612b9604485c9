"""Merge raw sections into one fingerprint: values, where each came from, why the rest is unknown.

No tool output makes this raise: what cannot be read becomes ``None`` with a reason.
"""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from app.core.hardware.assemble_containers import read_containers
from app.core.hardware.assemble_gpus import (
    MergedGpu,
    build_gpu,
    gpu_sources,
    gpu_unknowns,
    identity_warnings,
    merge_readings,
)
from app.core.hardware.assemble_host import (
    Findings,
    read_driver_module,
    read_kernel,
    read_machine,
    read_memory,
    read_numa_nodes,
    read_processors,
)
from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.fingerprint import (
    PARSER_VERSION,
    Fingerprint,
    Gpu,
    GpuProcess,
    HostSource,
    NumaNode,
    Topology,
    UnknownReason,
)
from app.core.hardware.redaction import mark_redacted
from app.core.hardware.section_book import SectionBook
from app.core.hardware.sections import RawSection
from app.core.hardware.tools.nvml_section import read_nvml
from app.core.hardware.tools.pci_sysfs import NVIDIA, PciDevice, read_pci_sysfs
from app.core.hardware.tools.proc_files import read_kernel_driver
from app.core.hardware.tools.readings import SmiReading
from app.core.hardware.tools.smi_apps import read_apps
from app.core.hardware.tools.smi_columns import bus_key
from app.core.hardware.tools.smi_csv import read_gpu_csv
from app.core.hardware.tools.smi_errors import find_smi_error
from app.core.hardware.tools.smi_list import read_gpu_list
from app.core.hardware.tools.smi_nvlink import nvlink_reading, read_nvlink_errors, read_nvlinks
from app.core.hardware.tools.smi_query import read_smi_query
from app.core.hardware.tools.smi_table import read_smi_table
from app.core.hardware.tools.smi_version import read_smi_version
from app.core.hardware.tools.smi_xml import read_smi_xml
from app.core.hardware.tools.topo_matrix import read_topo_matrix
from app.core.hardware.topology import build_topology

_READERS: Final = (
    ("smi-q-x", read_smi_xml),
    ("nvml", read_nvml),
    ("smi-q", read_smi_query),
    ("smi", read_smi_table),
)
_SMI_SECTIONS: Final = ("smi-csv", "smi-csv-basic", "smi-q-x", "smi-L", "smi-q", "smi")


def assemble_fingerprint(
    sections: Sequence[RawSection],
    *,
    source: HostSource,
    taken_at: str,
    host_id: str | None = None,
    host_name: str | None = None,
    simulated: bool = False,
    catalogue: GpuCatalogue | None = None,
) -> Fingerprint:
    """Read all sections and put the facts together."""
    book = SectionBook(sections)
    found = Findings()
    lscpu = read_processors(book, found)
    machine = read_machine(book, lscpu, found)
    memory, disks = read_memory(book, found)
    nodes = read_numa_nodes(book, lscpu, memory, found)
    containers = read_containers(book, found)
    module, system = read_driver_module(book, found), read_kernel(book, found)
    readings = _smi_readings(book)
    topology = _topology(book, nodes, found)
    gpus = _gpus(book, readings, topology, catalogue, found)
    driver = _driver(book, readings, found)
    cuda = _cuda(book, readings, found)
    processes = _processes(book, readings, found)
    _explain_failure(book, found)
    fingerprint = Fingerprint(
        host_id=host_id,
        host_name=host_name,
        source=source,
        simulated=simulated,
        taken_at=taken_at,
        parser_version=PARSER_VERSION,
        machine=machine,
        cpu=lscpu.cpu,
        memory=memory,
        disks=disks,
        driver_version=driver,
        cuda_version=cuda,
        gpus=gpus,
        gpu_processes=processes,
        topology=topology,
        containers=containers,
        driver_module=module,
        system=system,
        unknown=MappingProxyType(dict(sorted(found.unknown.items()))),
        sources=MappingProxyType(dict(sorted(found.sources.items()))),
        warnings=tuple(found.warnings),
        sections=tuple(sections),
    )
    return mark_redacted(fingerprint)


def _smi_readings(book: SectionBook) -> list[tuple[str, SmiReading]]:
    """Return what each tool said, the one that counts most first."""
    readings: list[tuple[str, SmiReading]] = []
    for name in ("smi-csv", "smi-csv-basic"):
        answer = book.output(name)
        if answer is not None:
            readings.append((name, read_gpu_csv(answer[1])))
    for name, read in _READERS:
        answer = book.output(name)
        reading = read(answer[1]) if answer is not None else None
        if reading is not None:
            readings.append((name, reading))
    answer = book.output("smi-L")
    if answer is not None:
        readings.append(("smi-L", read_gpu_list(answer[1])))
    readings.extend(_nvlink_readings(book))
    return readings


def _nvlink_readings(book: SectionBook) -> list[tuple[str, SmiReading]]:
    found = []
    states, errors = book.output("smi-nvlink-s"), book.output("smi-nvlink-e")
    if states is not None:
        found.append(("smi-nvlink-s", nvlink_reading(read_nvlinks(states[1]))))
    if errors is not None:
        found.append(("smi-nvlink-e", read_nvlink_errors(errors[1])))
    return found


def _gpus(
    book: SectionBook,
    readings: Sequence[tuple[str, SmiReading]],
    topology: Topology,
    catalogue: GpuCatalogue | None,
    found: Findings,
) -> tuple[Gpu, ...]:
    merged = merge_readings(readings)
    devices = read_pci_sysfs(book.text("pci-sysfs"))
    for cells in merged:
        _add_numa_node(cells, topology)
        _add_pci_facts(cells, devices)
    gpus = tuple(build_gpu(cells, catalogue) for cells in merged)
    otherwise = book.why_not("smi-csv", "smi-q-x")
    for position, (cells, gpu) in enumerate(zip(merged, gpus, strict=True)):
        found.unknown.update(gpu_unknowns(cells, gpu, position, otherwise))
        found.sources.update(gpu_sources(cells, position))
        found.warnings.extend(identity_warnings(cells, catalogue))
    if not gpus:
        _note_no_gpus(book, devices, found)
    found.warnings.extend(w for _, reading in readings for w in reading.warnings)
    return gpus


def _note_no_gpus(book: SectionBook, devices: Sequence[PciDevice], found: Findings) -> None:
    """Tell "has none" from "not known": without NVIDIA devices on PCI there are none."""
    has_device = any(d.is_display and d.vendor in {NVIDIA, None} for d in devices)
    pci = book.get("pci-sysfs")
    if pci is not None and pci.exit_code == 0 and not has_device and _no_smi(book):
        found.sources["gpus"] = "pci-sysfs"
    else:
        found.unknown["gpus"] = book.why_not(*_SMI_SECTIONS)


def _no_smi(book: SectionBook) -> bool:
    asked = [s for name in _SMI_SECTIONS if (s := book.get(name)) is not None]
    return bool(asked) and all(section.exit_code == 127 for section in asked)


def _add_numa_node(gpu: MergedGpu, topology: Topology) -> None:
    """Take the node from the matrix when it names exactly one; sysfs is asked after it."""
    text = topology.gpu_numa_affinity.get(f"GPU{gpu.index}")
    if text is not None and text.isascii() and text.isdigit():
        gpu.add("smi-topo-m", {"numa_node": int(text)})


def _add_pci_facts(gpu: MergedGpu, devices: Sequence[PciDevice]) -> None:
    """Fill what nvidia-smi left out with what the kernel says of the same device."""
    bus_id = gpu.cells.get("bus_id")
    key = bus_key(bus_id) if isinstance(bus_id, str) else None
    device = next((d for d in devices if key is not None and bus_key(d.bus_id) == key), None)
    if device is not None:
        gpu.add(
            "pci-sysfs",
            {
                "numa_node": device.numa_node,
                "kernel_driver": device.driver,
                "pcie_gen_current": device.gen_current,
                "pcie_width_current": device.width_current,
                "pcie_width_max": device.width_max,
                "pcie_gen_device_max": device.gen_max,
            },
        )


def _topology(book: SectionBook, nodes: tuple[NumaNode, ...], found: Findings) -> Topology:
    answer = book.output("smi-topo-m")
    matrix = read_topo_matrix(answer[1]) if answer is not None else None
    speeds: dict[int, float] = {}
    links = book.output("smi-nvlink-s")
    for gpu in read_nvlinks(links[1]) if links is not None else ():
        if gpu.speed_gbps is not None:
            speeds[gpu.index] = gpu.speed_gbps
        if gpu.inactive and len(gpu.inactive) < len(gpu.links or ()):
            found.warnings.append(
                f"nvlink_partly_down: GPU {gpu.index} links {list(gpu.inactive)} are inactive"
            )
    if matrix is None:
        reason = UnknownReason.UNREADABLE if answer is not None else book.why_not("smi-topo-m")
        found.unknown["topology.links"] = reason
    else:
        found.sources["topology.links"] = "smi-topo-m"
        if not matrix.complete:
            found.unknown["topology.complete"] = UnknownReason.UNREADABLE
    return build_topology(matrix, numa_nodes=nodes, link_speed_gbps=speeds)


def _driver(
    book: SectionBook, readings: Sequence[tuple[str, SmiReading]], found: Findings
) -> str | None:
    for name, reading in readings:
        if reading.driver is not None:
            found.sources["driver_version"] = name
            return reading.driver
    kernel = read_kernel_driver(book.text("driver-version"))
    if kernel is not None:
        found.sources["driver_version"] = "driver-version"
        return kernel
    found.unknown["driver_version"] = book.why_not(*_SMI_SECTIONS)
    return None


def _cuda(
    book: SectionBook, readings: Sequence[tuple[str, SmiReading]], found: Findings
) -> str | None:
    for name, reading in readings:
        if reading.cuda is not None:
            found.sources["cuda_version"] = name
            return reading.cuda
    version = read_smi_version(book.text("smi-version"))
    if version.cuda is not None:
        found.sources["cuda_version"] = "smi-version"
        return version.cuda
    found.unknown["cuda_version"] = book.why_not("smi-q-x", "smi", "smi-version")
    return None


def _processes(
    book: SectionBook, readings: Sequence[tuple[str, SmiReading]], found: Findings
) -> tuple[GpuProcess, ...]:
    answer = book.output("smi-apps")
    listed = read_apps(answer[1]).processes if answer is not None else None
    if listed is not None:
        found.sources["gpu_processes"] = "smi-apps"
        return listed
    for name, reading in readings:
        if reading.process_count is not None:
            found.sources["gpu_processes"] = name
            return reading.processes
    found.unknown["gpu_processes"] = book.why_not("smi-apps", "smi-q-x")
    return ()


def _explain_failure(book: SectionBook, found: Findings) -> None:
    """Say what nvidia-smi's own failure text means."""
    for name in _SMI_SECTIONS:
        section = book.get(name)
        if section is None or section.exit_code == 0:
            continue
        if section.exit_code == 127:
            continue
        error = find_smi_error(f"{section.stdout}\n{section.stderr}")
        if error is not None:
            found.warnings.append(f"{error.cause}: {error.evidence}")
            return
