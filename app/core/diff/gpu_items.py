"""The values of one GPU that are worth comparing, and what its product's data sheet adds."""

from collections.abc import Iterator, Mapping
from typing import Final

from app.core.diff.difference import Item, Raw
from app.core.diff.host_items import show
from app.core.hardware.catalogue import GpuCatalogue, GpuModel
from app.core.hardware.fingerprint import Fingerprint, Gpu, UnknownReason

_UNITS: Final[Mapping[str, str]] = {
    "compute_cap": "",
    "memory_total_mib": "MiB",
    "memory_reserved_mib": "MiB",
    "power_limit_w": "W",
    "power_max_w": "W",
    "clock_sm_max_mhz": "MHz",
    "clock_mem_max_mhz": "MHz",
    "clock_app_sm_mhz": "MHz",
    "pcie_gen_max": "",
    "pcie_width_max": "",
    "pcie_width_current": "",
    "bar1_total_mib": "MiB",
    "compute_mode": "",
    "persistence_mode": "",
    "ecc_mode": "",
    "mig_mode": "",
    "numa_node": "",
    "virtualization_mode": "",
    "addressing_mode": "",
    "gsp_firmware": "",
    "vbios_version": "",
    "recovery_action": "",
    "fabric_state": "",
    "fabric_status": "",
    "nvlink_active": "",
    "nvlink_link_gbps": "GB/s",
    "remapped_rows_failure": "",
    "memory_unrepairable": "",
}
"""Fields compared one to one, with their unit."""

MOMENTARY: Final[Mapping[str, str]] = {
    "memory_used_mib": "MiB",
    "utilization_percent": "%",
    "temperature_c": "°C",
    "power_w": "W",
    "clock_sm_mhz": "MHz",
    "clock_mem_mhz": "MHz",
    "pcie_gen_current": "",
    "performance_state": "",
}
"""Fields that change with the load: compared over all GPUs at once, and never judged."""

_SHEET: Final[Mapping[str, str]] = {
    "bandwidth_gbps": "GB/s",
    "fp16_tflops": "TFLOPS",
    "fp8_tflops": "TFLOPS",
}

_HARMFUL: Final = frozenset(
    {"hw_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown", "sw_thermal_slowdown"}
)
"""Reasons for low clocks that point at cooling or power supply."""

_OFF: Final = frozenset({"ecc_mode", "mig_mode", "persistence_mode"})
"""Switches that a device without them has off."""


def gpu_items(fp: Fingerprint, place: int, gpu: Gpu) -> Iterator[Item]:
    """Return a GPU's own values; paths are ``gpu.<field>``."""
    for name, unit in _UNITS.items():
        yield _item(fp, place, gpu, name, unit)
    yield _errors(fp, place, gpu)
    yield _held_down(fp, place, gpu)
    instances = tuple(device.profile or "?" for device in gpu.mig_devices)
    yield Item(
        path="gpu.mig_devices", rule="gpu.mig_devices", value=instances, shown=show(instances)
    )


def _item(fp: Fingerprint, place: int, gpu: Gpu, name: str, unit: str) -> Item:
    value: Raw = getattr(gpu, name)
    reason = fp.unknown.get(f"gpus.{place}.{name}") if value is None else None
    path = f"gpu.{name}"
    if value is None and reason is UnknownReason.NOT_SUPPORTED:
        # "The device has none" is known; beside a switch that is off it makes no difference.
        absent: Raw = False if name in _OFF else "not supported"
        return Item(path=path, rule=path, value=absent, shown="not supported")
    shown = _switch(value) if name in _OFF else _shown(value, unit)
    return Item(path=path, rule=path, value=value, shown=shown, reason=reason)


def _switch(value: Raw) -> str:
    return "" if value is None else ("on" if value else "off")


def _errors(fp: Fingerprint, place: int, gpu: Gpu) -> Item:
    """Count uncorrected memory errors only as some or none: the number is momentary."""
    count = gpu.ecc_uncorrected_volatile
    reason = fp.unknown.get(f"gpus.{place}.ecc_uncorrected_volatile")
    absent = count is None and reason is UnknownReason.NOT_SUPPORTED
    return Item(
        path="gpu.ecc_errors",
        rule="gpu.ecc_errors",
        value=False if absent else (None if count is None else count > 0),
        shown="not supported" if absent else show(count),
        reason=None if absent else reason,
    )


def _held_down(fp: Fingerprint, place: int, gpu: Gpu) -> Item:
    """Return what slows a GPU down that nobody asked for; idling and power caps are momentary."""
    reasons = gpu.throttle_reasons
    harmful = None if reasons is None else tuple(r for r in reasons if r in _HARMFUL)
    return Item(
        path="gpu.throttle",
        rule="gpu.throttle",
        value=harmful,
        shown=show(harmful) or "none",
        reason=fp.unknown.get(f"gpus.{place}.throttle_reasons"),
    )


def sheet_items(gpu: Gpu, catalogue: GpuCatalogue | None) -> Iterator[Item]:
    """Return what the data sheet of a GPU's product says; ``None`` for unknown products."""
    model = catalogue.by_id(gpu.catalogue_id) if catalogue and gpu.catalogue_id else None
    for name, unit in _SHEET.items():
        value: Raw = getattr(model, name) if model is not None else None
        path = f"sheet.{name}"
        yield Item(
            path=path,
            rule=path,
            value=value,
            shown=_shown(value, unit),
            reason=UnknownReason.NOT_REPORTED if value is None else None,
        )


def product_name(gpu: Gpu, catalogue: GpuCatalogue | None) -> str | None:
    """Return what the product is called today: old drivers leave the maker's name out."""
    model: GpuModel | None = None
    if catalogue is not None and gpu.catalogue_id is not None:
        model = catalogue.by_id(gpu.catalogue_id)
    if model is not None:
        return model.name
    return None if gpu.name is None else gpu.name.removeprefix("NVIDIA ")


def momentary_item(fp: Fingerprint, name: str) -> Item:
    """Return one momentary field over all GPUs: its range."""
    values = [getattr(gpu, name) for gpu in fp.gpus]
    known = sorted({value for value in values if value is not None})
    unit = MOMENTARY[name]
    texts = [_shown(value, unit) for value in known]
    words = texts if len(texts) < 2 or isinstance(known[0], str) else [texts[0], texts[-1]]
    path = f"gpu.{name}"
    return Item(
        path=path,
        rule=path,
        value=tuple(texts) or None,
        shown=" – ".join(words),
        reason=fp.unknown.get(f"gpus.0.{name}"),
    )


def _shown(value: Raw, unit: str) -> str:
    text = show(value)
    if not unit or not text:
        return text
    if isinstance(value, float):
        text = f"{value:,g}"
    elif isinstance(value, int):
        text = f"{value:,}"
    return f"{text} {unit}"
