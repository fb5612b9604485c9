"""What a host is: one frozen, versioned value; what was read, and why the rest was not.

A value that could not be read is ``None``; ``Fingerprint.unknown`` then holds the reason under
the value's path (``gpus.0.memory_reserved_mib``). Memory in MiB is what NVML counts in.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from app.core.hardware.kernel_facts import DriverModule, Kernel
from app.core.hardware.sections import RawSection

SCHEMA: Final = "pitwall.fingerprint/1"
PARSER_VERSION: Final = "3"
"""Rises whenever the same sections are read differently; older records are then read again."""


class UnknownReason(StrEnum):
    """Why a value is unknown."""

    TOOL_MISSING = "tool_missing"
    TOOL_FAILED = "tool_failed"
    TOOL_TIMEOUT = "tool_timeout"
    NOT_REPORTED = "not_reported"
    """The tool ran but left the value out or printed ``[N/A]``."""
    NOT_SUPPORTED = "not_supported"
    """The device says that it does not have this."""
    NEEDS_ROOT = "needs_root"
    UNREADABLE = "unreadable"
    """Something was printed that the parser does not understand."""
    NOT_ASKED = "not_asked"
    REDACTED = "redacted"
    """The sender hid it."""


class HostSource(StrEnum):
    """Where a fingerprint's facts came from."""

    LOCAL = "local"
    SSH = "ssh"
    RECORDED = "recorded"
    CATALOGUE = "catalogue"


class LinkKind(StrEnum):
    """Link classes of ``nvidia-smi topo -m``, nearest first."""

    NVLINK = "NV"
    PIX = "PIX"
    PXB = "PXB"
    PHB = "PHB"
    NODE = "NODE"
    SYS = "SYS"
    UNKNOWN = "unknown"


class GpuAccess(StrEnum):
    """How a container can be given GPUs on this host."""

    CDI = "cdi"
    NVIDIA_RUNTIME = "nvidia_runtime"
    DEVICE_REQUEST = "device_request"
    """``--gpus``: the NVIDIA hook is there, but neither CDI devices nor a runtime is listed."""
    NONE = "none"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class MigDevice:
    """One MIG instance of a GPU."""

    index: int
    gpu_instance: int | None = None
    compute_instance: int | None = None
    profile: str | None = None
    uuid: str | None = None
    memory_total_mib: int | None = None
    memory_used_mib: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """One GPU as the driver names it. The index can change, the UUID does not."""

    index: int
    name: str | None = None
    uuid: str | None = None
    bus_id: str | None = None
    compute_cap: str | None = None
    """For example ``9.0``."""
    memory_total_mib: int | None = None
    memory_used_mib: int | None = None
    memory_free_mib: int | None = None
    memory_reserved_mib: int | None = None
    utilization_percent: int | None = None
    temperature_c: int | None = None
    power_w: float | None = None
    power_limit_w: float | None = None
    clock_sm_mhz: int | None = None
    clock_sm_max_mhz: int | None = None
    clock_mem_mhz: int | None = None
    pcie_gen_current: int | None = None
    pcie_gen_max: int | None = None
    pcie_width_current: int | None = None
    pcie_width_max: int | None = None
    persistence_mode: bool | None = None
    compute_mode: str | None = None
    ecc_mode: bool | None = None
    ecc_uncorrected_volatile: int | None = None
    mig_mode: bool | None = None
    mig_devices: tuple[MigDevice, ...] = ()
    numa_node: int | None = None
    architecture: str | None = None
    """The driver's word: ``Hopper``."""
    pci_device_id: str | None = None
    """Device and vendor as nvidia-smi prints them: ``233510DE``."""
    vbios_version: str | None = None
    gsp_firmware: str | None = None
    """Version of the firmware on the GPU's own processor; the open kernel module needs it."""
    kernel_driver: str | None = None
    """Kernel driver bound to the device: ``nvidia``, ``vfio-pci``, ``nouveau``."""
    driver_model: str | None = None
    """``WDDM``, ``TCC`` or ``MCDM``; Windows only."""
    virtualization_mode: str | None = None
    """``None``, ``Pass-Through``, ``VGPU``, ``Host VGPU`` …, as the driver prints it."""
    addressing_mode: str | None = None
    """``None``, ``HMM``, ``ATS``."""
    performance_state: str | None = None
    """``P0`` … ``P15``."""
    memory_temperature_c: int | None = None
    temperature_slow_c: int | None = None
    """Where it lowers its clocks; drivers since R595 give the two distances below instead."""
    temperature_limit_distance_c: int | None = None
    """Degrees to the limit, falling as it heats."""
    temperature_slow_distance_c: int | None = None
    """The distance at which it lowers its clocks, mostly below 0."""
    display_active: bool | None = None
    memory_utilization_percent: int | None = None
    throttle_reasons: tuple[str, ...] | None = None
    """What holds the clocks down now (``sw_power_cap``, ``gpu_idle`` …); empty: nothing does."""
    power_default_w: float | None = None
    power_min_w: float | None = None
    power_max_w: float | None = None
    clock_mem_max_mhz: int | None = None
    clock_app_sm_mhz: int | None = None
    clock_app_mem_mhz: int | None = None
    pcie_gen_device_max: int | None = None
    """What the GPU itself can do; ``pcie_gen_max`` is what GPU and slot can do together."""
    pcie_gen_host_max: int | None = None
    pcie_replays: int | None = None
    bar1_total_mib: int | None = None
    bar1_used_mib: int | None = None
    ecc_mode_pending: bool | None = None
    mig_mode_pending: bool | None = None
    ecc_corrected_volatile: int | None = None
    ecc_corrected_aggregate: int | None = None
    ecc_uncorrected_aggregate: int | None = None
    retired_pages_single_bit: int | None = None
    retired_pages_double_bit: int | None = None
    retired_pages_pending: bool | None = None
    remapped_rows_correctable: int | None = None
    remapped_rows_uncorrectable: int | None = None
    remapped_rows_pending: bool | None = None
    remapped_rows_failure: bool | None = None
    memory_unrepairable: bool | None = None
    recovery_action: str | None = None
    """What the driver asks for: ``None``, ``Reset``, ``Reboot``, ``Drain and Reset`` …"""
    fabric_state: str | None = None
    """NVSwitch registration: ``Completed``, ``In Progress``, ``Not Started``."""
    fabric_status: str | None = None
    nvlink_links: int | None = None
    """NVLinks that the driver lists."""
    nvlink_active: int | None = None
    nvlink_link_gbps: float | None = None
    """GB/s of one active link in one direction; ``None`` also when they differ."""
    nvlink_errors: int | None = None
    """Replay, recovery and CRC errors of all links together, since the driver was loaded."""
    catalogue_id: str | None = None
    """Entry of ``resources/gpus.toml``; ``None`` when unknown or ambiguous."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The link between two devices (``GPU0``, ``NIC1``); a pair appears once, ``a`` first."""

    a: str
    b: str
    kind: LinkKind
    nvlink_count: int | None = None
    """Bonded NVLinks, for kind NVLINK only."""
    bandwidth_gbps: float | None = None
    """GB/s, both directions summed, from per-link speeds the driver reported; else ``None``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nic:
    """A network adapter as the topology matrix names it."""

    name: str
    device: str | None = None
    numa_node: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NumaNode:
    """One NUMA node."""

    id: int
    cpus: str | None = None
    """CPU list text such as ``0-31,64-95``."""
    memory_mib: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """Devices and links of the host."""

    links: tuple[Link, ...] = ()
    nics: tuple[Nic, ...] = ()
    numa_nodes: tuple[NumaNode, ...] = ()
    gpu_cpu_affinity: Mapping[str, str | None] = field(default_factory=lambda: MappingProxyType({}))
    """``{"GPU0": "0-31"}``, ``None`` when not reported."""
    gpu_numa_affinity: Mapping[str, str | None] = field(
        default_factory=lambda: MappingProxyType({})
    )
    nvlink_islands: tuple[tuple[int, ...], ...] = ()
    """GPU indices that reach each other by NVLink, each island sorted; single GPUs are left out."""
    complete: bool = False
    """False when the matrix was missing or cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Operating system and machine."""

    hostname: str | None = None
    os_id: str | None = None
    os_name: str | None = None
    kernel: str | None = None
    architecture: str | None = None
    """``x86_64``, ``aarch64``."""
    virtualization: str | None = None
    """``none``, ``kvm``, …, as the host reports."""
    user: str | None = None
    is_root: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cpu:
    """Processors."""

    model: str | None = None
    sockets: int | None = None
    cores: int | None = None
    """Physical cores of all sockets."""
    threads: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Main memory in bytes."""

    total_bytes: int | None = None
    available_bytes: int | None = None
    shm_total_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """One mounted file system that could hold models or images."""

    mount: str
    device: str
    fs_type: str
    total_bytes: int
    free_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerRuntime:
    """The container engine found on the host."""

    name: str | None = None
    """``docker``, ``podman`` or ``None`` when none was found."""
    version: str | None = None
    api_version: str | None = None
    rootless: bool | None = None
    reachable: bool | None = None
    """May this user talk to it? ``None`` when not tried."""
    root_dir: str | None = None
    runtimes: tuple[str, ...] = ()
    cdi_devices: tuple[str, ...] = ()
    gpu_access: GpuAccess = GpuAccess.UNKNOWN
    toolkit_version: str | None = None
    storage_driver: str | None = None
    cgroup_driver: str | None = None
    """``systemd`` or ``cgroupfs``."""
    cgroup_version: int | None = None
    default_runtime: str | None = None
    security_options: tuple[str, ...] = ()
    cdi_spec_dirs: tuple[str, ...] = ()
    proxies: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """``http``, ``https``, ``no_proxy`` as the daemon uses them; passwords are left out."""
    registry_mirrors: tuple[str, ...] = ()
    engine_warnings: tuple[str, ...] = ()
    """What the engine itself warns of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuProcess:
    """A process that holds GPU memory."""

    gpu_uuid: str | None
    pid: int
    name: str
    memory_used_mib: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """Everything known about one host at one time."""

    schema: str = SCHEMA
    host_id: str | None = None
    host_name: str | None = None
    source: HostSource
    simulated: bool = False
    """True when the hardware is not the machine that was asked (demo host, what-if)."""
    taken_at: str
    """UTC, ISO 8601 with ``Z``."""
    parser_version: str
    machine: Machine = field(default_factory=Machine)
    cpu: Cpu = field(default_factory=Cpu)
    memory: Memory = field(default_factory=Memory)
    disks: tuple[Disk, ...] = ()
    driver_version: str | None = None
    cuda_version: str | None = None
    """CUDA version the driver supports, as nvidia-smi states it."""
    gpus: tuple[Gpu, ...] = ()
    gpu_processes: tuple[GpuProcess, ...] = ()
    topology: Topology = field(default_factory=Topology)
    containers: ContainerRuntime = field(default_factory=ContainerRuntime)
    driver_module: DriverModule = field(default_factory=DriverModule)
    system: Kernel = field(default_factory=Kernel)
    unknown: Mapping[str, UnknownReason] = field(default_factory=lambda: MappingProxyType({}))
    sources: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Path of a value or group → name of the raw section (or ``nvml``) it was read from."""
    warnings: tuple[str, ...] = ()
    sections: tuple[RawSection, ...] = ()
    """What was read, unchanged; a newer parser reads it again."""
    packed_sections: str | None = None
    """The same, compressed (zlib, base64), as files and the store keep it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FingerprintSummary:
    """The few words that a list shows of a host."""

    gpu_text: str
    """For example ``2 × NVIDIA H200``; empty without GPUs."""
    gpu_count: int
    driver_version: str | None
    container_text: str
    """For example ``Docker 26.1.5``; empty when none was found."""
    memory_total_mib: int | None
    memory_used_mib: int | None
    taken_at: str
    gpus_known: bool = True
    """False when the host could not say which GPUs it has: no GPUs then means nothing."""
    simulated: bool = False
    """Recorded or made-up hardware, not a machine of the user's."""
    is_thought_of: bool = False
    """True for a host made from the GPU catalogue: nobody was ever asked."""
