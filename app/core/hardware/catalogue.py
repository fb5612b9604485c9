"""The GPU catalogue: what a product's name says that the driver does not (bandwidth, precisions).

Data is ``resources/gpus.toml``. Memory read on the host always counts more than the catalogue's.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Final

_MIG_SUFFIX = re.compile(r"\s+MIG\s+(?:\d+c\.)?\d+g\.\d+gb.*$", re.IGNORECASE)
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
    unified_memory: bool = False
    """True when GPU and CPU share one memory."""

    @property
    def has_nvlink(self) -> bool | None:
        """Whether the product can have NVLink; ``None`` when not known."""
        return None if self.nvlink_kind == "unknown" else self.nvlink_kind != "none"


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

    def match(self, name: str, memory_mib: int | None = None) -> GpuModel | None:
        """Return the product of a driver's name; ``None`` when unknown or ambiguous.

        A vGPU's name is a profile, not a product, and matches nothing. Where several sizes share
        one name, ``memory_mib`` decides.
        """
        bare = _MIG_SUFFIX.sub("", " ".join(name.split()))
        found = [model for model in self.gpu if _pattern(model.match).fullmatch(bare)]
        if len(found) > 1 and memory_mib is not None:
            found = [model for model in found if _fits(model, memory_mib)]
        return found[0] if len(found) == 1 else None

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
        """Return the products whose id or name holds every word of ``text``."""
        words = text.lower().split()
        if not words:
            return ()
        return tuple(
            model
            for model in self.gpu
            if all(word in f"{model.id} {model.name.lower()}" for word in words)
        )


def _fits(model: GpuModel, memory_mib: int) -> bool:
    sizes = model.memory_mib_variants or ((model.memory_mib,) if model.memory_mib else ())
    return any(abs(size - memory_mib) <= size * _SAME_MEMORY for size in sizes)


@lru_cache(maxsize=512)
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)
