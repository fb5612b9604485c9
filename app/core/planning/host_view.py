"""A host as planning sees it: the GPUs that may be used, how they hang together, main memory.

GPUs in MIG mode, GPUs off their NVSwitch fabric and GPUs of another kind than the chosen ones are
left out; where every GPU is in MIG mode, one instance can be used. What is unknown stays ``None``.
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

_UNREGISTERED: Final = frozenset({"In Progress", "Not Started", "Not Initialized"})
"""States of NVSwitch registration that are not ``Completed`` (nvidia-smi -q, Fabric)."""


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
    def is_unlike(self) -> bool:
        """Whether they are of several kinds or sizes."""
        return len({(gpu.name, gpu.memory_total_mib) for gpu in self.gpus}) > 1

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
    """Usable GPUs, all of one kind unless the user named others."""
    unlike: tuple[Gpu, ...] = ()
    """All usable GPUs where they are of several kinds; empty when they are alike."""
    islands: tuple[tuple[int, ...], ...]
    chosen: bool
    """The user named the GPUs."""
    mig_count: int
    uses_mig: bool = False
    """``gpus`` are MIG instances: they cannot reach each other, so one is all that is used."""
    off_fabric: tuple[int, ...] = ()
    """Indices of GPUs that NVSwitch's fabric has not taken in: CUDA refuses them."""
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

    def with_unlike(self) -> "HostView":
        """Return the host with GPUs of all kinds in use."""
        return replace(self, gpus=self.unlike)

    def holds_stages(self, choice: GpuChoice, size: int) -> bool:
        """Tell whether GPUs in their order, ``size`` at a time, each lie in one island."""
        order = choice.indices
        runs = (set(order[start : start + size]) for start in range(0, len(order), size))
        return all(any(run <= set(island) for island in self.islands) for run in runs)

    def choose(self, count: int) -> GpuChoice | None:
        """Choose ``count`` GPUs, inside one island when possible, the freest first."""
        if count > len(self.gpus) or (self.uses_mig and count > 1):
            return None
        free = sorted(self.gpus, key=lambda gpu: (-_free_mib(gpu), gpu.index))
        if count == 1:
            return GpuChoice(gpus=(free[0],), is_one_island=True)
        for island in sorted(self.islands, key=len):
            members = [gpu for gpu in free if gpu.index in island]
            if len(members) >= count:
                return GpuChoice(gpus=tuple(members[:count]), is_one_island=True)
        # Whole islands first, so that stages can stay inside them.
        grouped = [gpu for island in self.islands for gpu in free if gpu.index in island]
        grouped += [gpu for gpu in free if gpu not in grouped]
        return GpuChoice(gpus=tuple(grouped[:count]), is_one_island=False)

    def memory_device(self, choice: GpuChoice | None) -> MemoryDevice:
        """Return the device for a memory estimate; ``None`` means the CPU."""
        ram = self.ram_available_bytes or self.ram_total_bytes
        if choice is None:
            return MemoryDevice(name="CPU", is_cpu=True, count=1, ram_bytes=ram)
        # Every GPU gets the same share, so the one with the least room sets it.
        least = min(choice.gpus, key=_free_mib)
        return MemoryDevice(
            name=least.name or "GPU",
            compute_cap=least.compute_cap,
            memory_total_mib=least.memory_total_mib,
            memory_reserved_mib=least.memory_reserved_mib,
            memory_used_mib=least.memory_used_mib or 0,
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
    known = [_with_capability(gpu, catalogue) for gpu in fingerprint.gpus]
    off_fabric = tuple(gpu.index for gpu in known if _is_off_fabric(gpu))
    usable = [gpu for gpu in known if gpu.mig_mode is not True and gpu.index not in off_fabric]
    instances = [part for gpu in known if gpu.mig_mode is True for part in _instances(gpu)]
    pool: tuple[Gpu, ...] = ()
    if not cpu_only:
        pool = _named([*usable, *instances], gpu_uuids) if gpu_uuids else _largest_kind(usable)
        pool = pool or tuple(instances)
    indices = {gpu.index for gpu in pool}
    islands = tuple(
        tuple(index for index in island if index in indices)
        for island in fingerprint.topology.nvlink_islands
    )
    return HostView(
        gpus=pool,
        unlike=tuple(usable) if pool and len(usable) > len(pool) and not gpu_uuids else (),
        islands=tuple(island for island in islands if len(island) > 1),
        chosen=bool(gpu_uuids),
        mig_count=sum(gpu.mig_mode is True for gpu in fingerprint.gpus),
        uses_mig=any(gpu in instances for gpu in pool),
        off_fabric=off_fabric,
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


def _free_mib(gpu: Gpu) -> int:
    return (gpu.memory_total_mib or 0) - (gpu.memory_used_mib or 0)


def _is_off_fabric(gpu: Gpu) -> bool:
    """Tell whether CUDA would fail with “system not yet initialized” (802) on this GPU."""
    return gpu.fabric_state in _UNREGISTERED


def _instances(gpu: Gpu) -> tuple[Gpu, ...]:
    """Return a GPU's MIG instances as GPUs of their own size."""
    return tuple(
        replace(
            gpu,
            name=f"{gpu.name or 'GPU'} MIG {part.profile or ''}".strip(),
            uuid=part.uuid,
            memory_total_mib=part.memory_total_mib,
            memory_used_mib=part.memory_used_mib,
            memory_reserved_mib=0,
            mig_devices=(),
        )
        for part in gpu.mig_devices
        if part.uuid is not None
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
