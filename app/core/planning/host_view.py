"""A host as planning sees it: the GPUs that may be used, how they hang together, main memory.

GPUs in MIG mode and GPUs of another kind than the chosen ones are left out; what is unknown
stays ``None``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.core.engines.images import HostTraits
from app.core.engines.spec import Device
from app.core.errors import ErrorCode, PlanError
from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.cdi import cdi_names
from app.core.hardware.fingerprint import Fingerprint, Gpu, GpuAccess
from app.core.models.request import Device as MemoryDevice

_WORKSTATION: Final = ("GeForce", "TITAN", "Quadro", "RTX")
"""Names of cards that may not use CUDA's forward compatibility (error 804).

Source: CUDA compatibility guide, as gathered on 2026-11-29.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuChoice:
    """GPUs for one deployment."""

    gpus: tuple[Gpu, ...]
    is_one_island: bool
    """All reach each other by NVLink (a single GPU counts as one)."""

    @property
    def count(self) -> int:
        """How many GPUs."""
        return len(self.gpus)

    @property
    def indices(self) -> tuple[int, ...]:
        """Their indices, sorted."""
        return tuple(sorted(gpu.index for gpu in self.gpus))

    @property
    def uuids(self) -> tuple[str, ...]:
        """How a container asks for them: by UUID, or by index where no UUID was reported."""
        ordered = sorted(self.gpus, key=lambda gpu: gpu.index)
        return tuple(gpu.uuid or str(gpu.index) for gpu in ordered)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostView:
    """What planning needs to know about one host."""

    gpus: tuple[Gpu, ...]
    """Usable GPUs, all of one kind."""
    islands: tuple[tuple[int, ...], ...]
    chosen: bool
    """The user named the GPUs."""
    mig_count: int
    architecture: str | None
    driver: str | None
    gpu_access: GpuAccess
    cdi_devices: tuple[str, ...]
    container_name: str | None
    container_reachable: bool | None
    ram_total_bytes: int | None
    ram_available_bytes: int | None
    cores: int | None
    simulated: bool = False

    @property
    def device(self) -> Device:
        """GPUs when there are any to use, else the CPU."""
        return Device.NVIDIA if self.gpus else Device.CPU

    def traits(self, device: Device | None = None) -> HostTraits:
        """Return what an image asks about this host."""
        wanted = device or self.device
        gpus = self.gpus if wanted is Device.NVIDIA else ()
        return HostTraits(
            device=wanted,
            architecture=self.architecture,
            driver=self.driver,
            capabilities=tuple(sorted({gpu.compute_cap for gpu in gpus}, key=str)),
            is_data_centre=all(_is_data_centre(gpu) for gpu in gpus),
        )

    def cdi_names(self, choice: GpuChoice | None) -> tuple[str, ...]:
        """Return what the container engine calls the chosen GPUs; empty unless it uses CDI."""
        if choice is None or self.gpu_access is not GpuAccess.CDI:
            return ()
        ordered = sorted(choice.gpus, key=lambda gpu: gpu.index)
        return cdi_names(ordered, self.cdi_devices)

    def choose(self, count: int) -> GpuChoice | None:
        """Choose ``count`` GPUs, inside one island when possible, the freest first."""
        if count > len(self.gpus):
            return None
        free = sorted(self.gpus, key=lambda gpu: (gpu.memory_used_mib or 0, gpu.index))
        if count == 1:
            return GpuChoice(gpus=(free[0],), is_one_island=True)
        for island in sorted(self.islands, key=len):
            members = [gpu for gpu in free if gpu.index in island]
            if len(members) >= count:
                return GpuChoice(gpus=tuple(members[:count]), is_one_island=True)
        return GpuChoice(gpus=tuple(free[:count]), is_one_island=False)

    def memory_device(self, choice: GpuChoice | None) -> MemoryDevice:
        """Return the device for a memory estimate; ``None`` means the CPU."""
        ram = self.ram_available_bytes or self.ram_total_bytes
        if choice is None:
            return MemoryDevice(name="CPU", is_cpu=True, count=1, ram_bytes=ram)
        first = choice.gpus[0]
        return MemoryDevice(
            name=first.name or "GPU",
            compute_cap=first.compute_cap,
            memory_total_mib=first.memory_total_mib,
            memory_reserved_mib=first.memory_reserved_mib,
            memory_used_mib=max(gpu.memory_used_mib or 0 for gpu in choice.gpus),
            count=choice.count,
            ram_bytes=ram,
        )


def view_host(
    fingerprint: Fingerprint,
    gpu_uuids: Sequence[str] = (),
    catalogue: GpuCatalogue | None = None,
    *,
    cpu_only: bool = False,
) -> HostView:
    """Read a fingerprint for planning; ``gpu_uuids`` limits it to the user's choice.

    ``cpu_only`` leaves out all GPUs.

    The catalogue gives the compute capability that an old driver does not report.

    Raises:
        PlanError: NOT_FOUND when a chosen GPU is not on the host.
    """
    usable = [
        _with_capability(gpu, catalogue) for gpu in fingerprint.gpus if gpu.mig_mode is not True
    ]
    pool: tuple[Gpu, ...] = ()
    if not cpu_only:
        pool = _named(usable, gpu_uuids) if gpu_uuids else _largest_kind(usable)
    indices = {gpu.index for gpu in pool}
    islands = tuple(
        tuple(index for index in island if index in indices)
        for island in fingerprint.topology.nvlink_islands
    )
    return HostView(
        gpus=pool,
        islands=tuple(island for island in islands if len(island) > 1),
        chosen=bool(gpu_uuids),
        mig_count=sum(gpu.mig_mode is True for gpu in fingerprint.gpus),
        architecture=fingerprint.machine.architecture,
        driver=fingerprint.driver_version,
        gpu_access=fingerprint.containers.gpu_access,
        cdi_devices=fingerprint.containers.cdi_devices,
        container_name=fingerprint.containers.name,
        container_reachable=fingerprint.containers.reachable,
        ram_total_bytes=fingerprint.memory.total_bytes,
        ram_available_bytes=fingerprint.memory.available_bytes,
        cores=fingerprint.cpu.cores,
        simulated=fingerprint.simulated,
    )


def _named(gpus: Sequence[Gpu], wanted: Sequence[str]) -> tuple[Gpu, ...]:
    by_name = {name: gpu for gpu in gpus for name in (gpu.uuid, str(gpu.index)) if name}
    missing = [name for name in wanted if name not in by_name]
    if missing:
        raise PlanError(
            ErrorCode.NOT_FOUND,
            {"gpu": ", ".join(missing)},
            cause=f"The chosen GPU is not usable on this host: {', '.join(missing)}.",
            remedy="Take a new fingerprint and choose GPUs that it lists (not in MIG mode).",
        )
    return tuple(dict.fromkeys(by_name[name] for name in wanted))


def _largest_kind(gpus: Sequence[Gpu]) -> tuple[Gpu, ...]:
    kinds: dict[tuple[str | None, int | None], list[Gpu]] = {}
    for gpu in gpus:
        kinds.setdefault((gpu.name, gpu.memory_total_mib), []).append(gpu)
    return tuple(
        max(
            kinds.values(),
            key=lambda members: sum(gpu.memory_total_mib or 0 for gpu in members),
            default=[],
        )
    )


def _with_capability(gpu: Gpu, catalogue: GpuCatalogue | None) -> Gpu:
    if gpu.compute_cap is not None or catalogue is None or gpu.name is None:
        return gpu
    found = catalogue.match(gpu.name, memory_mib=gpu.memory_total_mib)
    return replace(gpu, compute_cap=found.compute_cap) if found is not None else gpu


def _is_data_centre(gpu: Gpu) -> bool:
    return gpu.name is not None and not any(word in gpu.name for word in _WORKSTATION)
