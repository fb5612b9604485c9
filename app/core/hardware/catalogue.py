"""The GPU catalogue: what a product's name says that the driver does not (bandwidth, precisions).

Data is ``resources/gpus.toml``. Memory read on the host always counts more than the catalogue's.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from app.core.texts import Text

_MIG_SUFFIX = re.compile(r"\s+MIG\s+(?:\d+c\.)?\d+g\.\d+gb.*$", re.IGNORECASE)
_VIRTUAL = re.compile(r"(?:NVIDIA|GRID)\s\S.*-[0-9]{1,3}[ABCQV]$|GRID\s", re.IGNORECASE)
"""vGPU guests print a profile: ``NVIDIA A40-48Q``, ``GRID T4-16Q``, ``NVIDIA H100L-2-24C``."""
_SAME_MEMORY: Final = 0.1
"""Totals of one product differ by driver and ECC by up to 1/16 and a reserve; sizes by more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuModel:
    """One product. ``None`` is not known; figures are without sparsity."""

    id: str
    name: str
    """As the driver prints it today."""
    match: str
    """Regular expression for all its names, case-insensitive."""
    architecture: str
    compute_cap: str
    segment: str
    form_factor: str
    source: str
    """Codes of the file's ``sources`` table."""
    checked: str
    names: tuple[str, ...] = ()
    pci_device_ids: tuple[str, ...] = ()
    memory_mib: int | None = None
    """Usual NVML total; a check only, never used instead of the host's own value."""
    memory_mib_variants: tuple[int, ...] = ()
    memory_type: str | None = None
    memory_nominal_gb: int | None = None
    """Marketing size, for showing."""
    bandwidth_gbps: float | None = None
    """GB/s of device memory."""
    fp16_tflops: float | None = None
    """Dense FP16/BF16 tensor TFLOPS."""
    fp8_tflops: float | None = None
    fp4_tflops: float | None = None
    fp16: bool
    """FP16 tensor cores."""
    bf16: bool
    int8: bool
    fp8: bool
    fp4: bool
    nvlink_kind: str
    """``none``, ``bridge (pair)``, ``NVSwitch`` …"""
    nvlink_generation: int | None = None
    nvlink_links: int | None = None
    nvlink_gbps: float | None = None
    """GB/s of all links, both directions summed."""
    nvlink_link_gbps: float | None = None
    """GB/s of one link in one direction, as ``nvidia-smi nvlink -s`` prints it."""
    pcie_gen: int | None = None
    pcie_lanes: int | None = None
    tdp_w: int | None = None
    mig_instances: int | None = None
    """Most MIG instances; ``None`` when it has no MIG or it is not known."""
    mig_min_driver: str | None = None
    unified_memory: bool = False
    """True when GPU and CPU share one memory."""
    last_cuda: str | None = None
    """Newest CUDA toolkit that still has code for it; ``None`` when it is not at its end."""
    last_driver_branch: str | None = None
    export_of: str | None = None
    """The product it was cut from for some markets."""
    export_limit: Text | None = None
    export_compute_cut: bool | None = None
    """Whether compute was cut as well; else NVLink only."""

    @property
    def has_nvlink(self) -> bool | None:
        """Whether the product can have NVLink; ``None`` when not known."""
        return None if self.nvlink_kind == "unknown" else self.nvlink_kind != "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuIdentity:
    """Which product a GPU is."""

    model: GpuModel | None = None
    candidates: tuple[GpuModel, ...] = ()
    """The products it may be; one when it is certain, none when the name is not known."""
    conflicts: tuple[str, ...] = ()
    """Fields of the GPU that do not suit the name: another card, a modified one, or a mock."""
    is_virtual: bool = False
    """The name is a vGPU profile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuCatalogue:
    """All products, as the data file holds them."""

    schema_version: int
    checked: str
    sources: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    gpu: tuple[GpuModel, ...] = ()

    def by_id(self, gpu_id: str) -> GpuModel | None:
        """Return one product."""
        return next((model for model in self.gpu if model.id == gpu_id), None)

    def match(
        self, name: str, memory_mib: int | None = None, pci_device_id: str | None = None
    ) -> GpuModel | None:
        """Return the product of a driver's name; ``None`` when unknown or ambiguous.

        A vGPU's name is a profile, not a product, and matches nothing. Where several sizes share
        one name, ``memory_mib`` decides.
        """
        return self.identify(name, memory_mib=memory_mib, pci_device_id=pci_device_id).model

    def identify(
        self, name: str, *, memory_mib: int | None = None, pci_device_id: str | None = None
    ) -> GpuIdentity:
        """Say which product a GPU is, or which it may be, and what speaks against its name.

        Args:
            name: as a driver prints it, perhaps truncated, or as a label of it.
            memory_mib: NVML's total, where known.
            pci_device_id: ``233510DE``, where known.
        """
        bare = _MIG_SUFFIX.sub("", " ".join(name.split()))
        if _VIRTUAL.match(bare):
            return GpuIdentity(is_virtual=True)
        device = (pci_device_id or "")[:4].upper()
        found = [model for model in self.gpu if _pattern(model.match).fullmatch(bare)]
        if not found and "..." not in bare:
            found = [model for model in self.gpu if _key(bare) in map(_key, model.names)]
        if found:
            return self._named(found, memory_mib, device)
        return self._likely(bare, memory_mib, device)

    def _named(self, found: list[GpuModel], memory_mib: int | None, device: str) -> GpuIdentity:
        """Decide between the products of one whole name."""
        by_device = self._of_device(device)
        if by_device and not any(model in found for model in by_device):
            candidates = tuple(dict.fromkeys([*found, *by_device]))
            return GpuIdentity(candidates=candidates, conflicts=("pci_device_id",))
        if len(found) > 1:
            by_memory = [m for m in found if memory_mib is not None and _fits(m, memory_mib)]
            found = by_memory or found
            found = [m for m in found if m in by_device] or found
            if len(found) != 1 or not (by_memory or by_device):
                return GpuIdentity(candidates=tuple(found))
        (model,) = found
        is_other_size = (
            memory_mib is not None and bool(_sizes(model)) and not _fits(model, memory_mib)
        )
        conflicts = ("memory_total_mib",) if is_other_size else ()
        return GpuIdentity(model=model, candidates=(model,), conflicts=conflicts)

    def _likely(self, name: str, memory_mib: int | None, device: str) -> GpuIdentity:
        """Name the products of which ``name`` is the beginning; decide only where that is safe.

        Laptops' products begin like desktops' and are not in the catalogue, so a beginning alone
        decides for none of them.
        """
        start = _key(name.rstrip(" ."))
        found = [m for m in self.gpu if len(start) > 5 and any(_begins(n, start) for n in m.names)]
        if memory_mib is not None:
            found = [m for m in found if not _sizes(m) or _fits(m, memory_mib)]
        by_device = [m for m in self._of_device(device) if m in found]
        found = by_device or found
        is_safe = len(found) == 1 and (
            bool(by_device)
            or (
                found[0].segment == "datacenter"
                and memory_mib is not None
                and bool(_sizes(found[0]))
            )
        )
        return GpuIdentity(model=found[0] if is_safe else None, candidates=tuple(found))

    def _of_device(self, device: str) -> list[GpuModel]:
        return [m for m in self.gpu if device and device in m.pci_device_ids]

    def find(self, text: str, memory_mib: int | None = None) -> GpuModel | None:
        """Return the product a person means: id, name, or words that only one name holds.

        ``RTX 4090`` is the plain one: its name ends there, that of the 4090 D does not.
        """
        exact = self.by_id(text.strip().lower()) or self.match(text, memory_mib)
        if exact is not None:
            return exact
        found, wanted = self.named_like(text), " ".join(text.lower().split())
        whole = tuple(m for m in found if f" {m.name.lower()}".endswith(f" {wanted}"))
        found = whole or found
        return found[0] if len(found) == 1 else None

    def named_like(self, text: str) -> tuple[GpuModel, ...]:
        """Return the products in whose id or name every word of ``text`` begins a word."""
        words = [word for word in text.lower().split() if any(map(str.isalnum, word))]
        begins = [re.compile(rf"(?<![a-z0-9]){re.escape(word)}") for word in words]
        if not begins:
            return ()
        return tuple(
            model
            for model in self.gpu
            if all(begin.search(f"{model.id} {model.name.lower()}") for begin in begins)
        )


def _sizes(model: GpuModel) -> tuple[int, ...]:
    return model.memory_mib_variants or ((model.memory_mib,) if model.memory_mib else ())


def _fits(model: GpuModel, memory_mib: int) -> bool:
    return any(abs(size - memory_mib) <= size * _SAME_MEMORY for size in _sizes(model))


def _key(name: str) -> str:
    """Return letters and digits only: labels write ``NVIDIA-H100-80GB-HBM3``."""
    return re.sub(r"[^a-z0-9]", "", name.lower()).removeprefix("nvidia")


def _begins(name: str, start: str) -> bool:
    return _key(name).startswith(start) and _key(name) != start


@lru_cache(maxsize=512)
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)
