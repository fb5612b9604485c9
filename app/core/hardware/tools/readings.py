"""What one tool said, before several tools are put together: cells with their reasons."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from app.core.hardware.fingerprint import GpuProcess, MigDevice
from app.core.hardware.tools.values import Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuReading:
    """What one tool said of one GPU; keys are fields of `fingerprint.Gpu`."""

    values: Mapping[str, Cell] = field(default_factory=lambda: MappingProxyType({}))
    mig_devices: tuple[MigDevice, ...] = ()
    rows: int = 1
    """How often the tool listed it (a sampling loop lists it once a tick)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SmiReading:
    """What one call of ``nvidia-smi`` said."""

    driver: str | None = None
    cuda: str | None = None
    gpus: tuple[GpuReading, ...] = ()
    processes: tuple[GpuProcess, ...] = ()
    process_count: int | None = None
    """``None`` when processes were not asked or not shown."""
    complete: bool = True
    """False when the output was cut."""
    warnings: tuple[str, ...] = ()
