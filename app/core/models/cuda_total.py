"""From NVML's total to what CUDA, and so an engine, sees of a GPU."""

from dataclasses import dataclass

from app.core.models.calibration import DeviceCalibration
from app.core.models.memory import Basis, Input
from app.core.models.request import Device
from app.core.units import MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """Memory an engine can see on one GPU; 0 when unknown."""

    total_bytes: int
    basis: Basis


def cuda_total(device: Device, calibration: DeviceCalibration) -> Total | None:
    """Return what CUDA sees of one GPU; ``None`` when not even NVML's total is known.

    Example: an H200 has 143,771 MiB, of which 616 are reserved: 143,155 MiB = 139.80 GiB.
    """
    if device.memory_total_mib is None or device.memory_total_mib <= 0:
        return None
    total = device.memory_total_mib
    reserved, source = _reserved(device, total, calibration)
    measured = device.memory_reserved_mib is not None
    return Total(
        total_bytes=max(0, total - reserved) * MIB,
        basis=Basis(
            quantity="total_bytes_per_gpu",
            source=source,
            method="measured" if measured else "calibrated",
            formula=f"{total} MiB (NVML) − {reserved} MiB reserved",
            id="gpu.total",
            inputs=(
                Input(name="nvml_total", value=total, unit="MiB", source="driver or catalogue"),
                Input(name="reserved", value=reserved, unit="MiB", source=source),
            ),
        ),
    )


def _reserved(device: Device, total: int, calibration: DeviceCalibration) -> tuple[int, str]:
    if device.memory_reserved_mib is not None:
        return device.memory_reserved_mib, "memory.reserved of this GPU"
    name = device.name.lower()
    for entry in calibration.reserved:
        if entry.gpu in name:
            return entry.reserved_mib, f"{entry.source}, {entry.checked}"
    share = calibration.default_reserved_share
    return int(total * share), f"{calibration.default_reserved_source}, {calibration.checked}"
