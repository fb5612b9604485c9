"""Columns of ``nvidia-smi --query-gpu`` and the fields they fill.

Source: ``nvidia-smi --help-query-gpu`` of driver 580.159.04 (recorded 2026-11-29) for names and
aliases.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

from app.core.hardware.fingerprint import UnknownReason
from app.core.hardware.tools.throttle import read_reason_mask
from app.core.hardware.tools.values import (
    Cell,
    read_count,
    read_float,
    read_int,
    read_mib,
    read_switch,
    read_text,
    read_word,
)

Reader = Callable[[str], Cell]

_DOMAIN = r"[0-9A-Fa-f]{8}|[0-9A-Fa-f]{4}"
BUS: Final = rf"(?:{_DOMAIN}):[0-9A-Fa-f]{{2}}:[0-9A-Fa-f]{{2}}\.[0-7]"
"""A PCI address as nvidia-smi prints it, its domain with four or eight digits."""
_WHOLE_BUS = re.compile(BUS)
_BUS = re.compile(rf"(?:({_DOMAIN}):)?([0-9A-Fa-f]{{2}}):([0-9A-Fa-f]{{2}})\.([0-7])")
_PCI_ID = re.compile(r"(?:0x)?([0-9A-Fa-f]{8})")
_CAP = re.compile(r"[0-9]{1,2}\.[0-9]")
_HEX = r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"
_UUID = re.compile(
    rf"(?:GPU|MIG)-(?:GPU-)?(?:{_HEX}(?:/[0-9]{{1,3}}){{0,2}}|"
    r"(?![xX-]+$)(?![0-9A-Fa-f-]+$)[0-9A-Za-z/-]+)"
)
"""No placeholder and no cut identity: either would make two GPUs the same."""


def read_bus_id(text: str) -> str | UnknownReason:
    """Read a PCI address and keep it as printed (``00000000:0A:00.0``)."""
    cell = read_text(text)
    if isinstance(cell, UnknownReason):
        return cell
    return cell if _WHOLE_BUS.fullmatch(cell) else UnknownReason.UNREADABLE


def bus_key(bus_id: str) -> tuple[int, int, int, int] | None:
    """Return domain, bus, device and function, equal for all ways to print one address."""
    match = _BUS.fullmatch(bus_id.strip())
    if match is None:
        return None
    return (int(match[1] or "0", 16), int(match[2], 16), int(match[3], 16), int(match[4]))


def read_compute_cap(text: str) -> str | UnknownReason:
    """Read a compute capability such as ``9.0``."""
    cell = read_text(text)
    if isinstance(cell, UnknownReason):
        return cell
    cell = cell.replace(",", ".")
    return cell if _CAP.fullmatch(cell) else UnknownReason.UNREADABLE


def read_uuid(text: str) -> str | UnknownReason:
    """Read a GPU's or MIG device's UUID."""
    cell = read_text(text)
    if isinstance(cell, UnknownReason):
        return cell
    return cell if _UUID.fullmatch(cell) else UnknownReason.UNREADABLE


def read_pci_id(text: str) -> str | UnknownReason:
    """Read a device and vendor number: ``0x233510DE`` or ``233510DE``."""
    cell = read_text(text)
    if isinstance(cell, UnknownReason):
        return cell
    match = _PCI_ID.fullmatch(cell)
    return match[1].upper() if match is not None else UnknownReason.UNREADABLE


FIELDS: Final[Mapping[str, tuple[str, Reader]]] = {
    "index": ("index", read_count),
    "name": ("name", read_text),
    "uuid": ("uuid", read_uuid),
    "pci.bus_id": ("bus_id", read_bus_id),
    "compute_cap": ("compute_cap", read_compute_cap),
    "memory.total": ("memory_total_mib", read_mib),
    "memory.used": ("memory_used_mib", read_mib),
    "memory.free": ("memory_free_mib", read_mib),
    "memory.reserved": ("memory_reserved_mib", read_mib),
    "utilization.gpu": ("utilization_percent", read_count),
    "temperature.gpu": ("temperature_c", read_int),
    "power.draw": ("power_w", read_float),
    "power.draw.average": ("power_w", read_float),
    "gpu.power.draw.average": ("power_w", read_float),
    "power.draw.instant": ("power_w", read_float),
    "enforced.power.limit": ("power_limit_w", read_float),
    "gpu.power.current_limit": ("power_limit_w", read_float),
    "power.limit": ("power_limit_w", read_float),
    "gpu.power.requested_limit": ("power_limit_w", read_float),
    "clocks.current.sm": ("clock_sm_mhz", read_count),
    "clocks.current.memory": ("clock_mem_mhz", read_count),
    "clocks.max.sm": ("clock_sm_max_mhz", read_count),
    "pcie.link.gen.current": ("pcie_gen_current", read_count),
    "pcie.link.gen.max": ("pcie_gen_max", read_count),
    "pcie.link.width.current": ("pcie_width_current", read_count),
    "pcie.link.width.max": ("pcie_width_max", read_count),
    "persistence_mode": ("persistence_mode", read_switch),
    "compute_mode": ("compute_mode", read_text),
    "ecc.mode.current": ("ecc_mode", read_switch),
    "ecc.errors.uncorrected.volatile.total": ("ecc_uncorrected_volatile", read_count),
    "mig.mode.current": ("mig_mode", read_switch),
    "pci.device_id": ("pci_device_id", read_pci_id),
    "vbios_version": ("vbios_version", read_text),
    "driver_model.current": ("driver_model", read_text),
    "addressing_mode": ("addressing_mode", read_word),
    "pstate": ("performance_state", read_text),
    "temperature.memory": ("memory_temperature_c", read_int),
    "utilization.memory": ("memory_utilization_percent", read_count),
    "clocks_event_reasons.active": ("throttle_reasons", read_reason_mask),
    "power.default_limit": ("power_default_w", read_float),
    "power.min_limit": ("power_min_w", read_float),
    "power.max_limit": ("power_max_w", read_float),
    "clocks.max.memory": ("clock_mem_max_mhz", read_count),
    "clocks.applications.graphics": ("clock_app_sm_mhz", read_count),
    "clocks.applications.memory": ("clock_app_mem_mhz", read_count),
    "pcie.link.gen.gpumax": ("pcie_gen_device_max", read_count),
    "pcie.link.gen.hostmax": ("pcie_gen_host_max", read_count),
    "ecc.mode.pending": ("ecc_mode_pending", read_switch),
    "mig.mode.pending": ("mig_mode_pending", read_switch),
    "ecc.errors.corrected.volatile.total": ("ecc_corrected_volatile", read_count),
    "ecc.errors.corrected.aggregate.total": ("ecc_corrected_aggregate", read_count),
    "ecc.errors.uncorrected.aggregate.total": ("ecc_uncorrected_aggregate", read_count),
    "retired_pages.single_bit_ecc.count": ("retired_pages_single_bit", read_count),
    "retired_pages.double_bit.count": ("retired_pages_double_bit", read_count),
    "retired_pages.pending": ("retired_pages_pending", read_switch),
    "remapped_rows.correctable": ("remapped_rows_correctable", read_count),
    "remapped_rows.uncorrectable": ("remapped_rows_uncorrectable", read_count),
    "remapped_rows.pending": ("remapped_rows_pending", read_switch),
    "remapped_rows.failure": ("remapped_rows_failure", read_switch),
    "gpu_recovery_action": ("recovery_action", read_word),
    "fabric.state": ("fabric_state", read_text),
    "fabric.status": ("fabric_status", read_text),
}
"""Canonical column name → field of `fingerprint.Gpu` and how its text is read.

Where several columns fill one field, the first that holds a value in the row counts.
"""

ALIASES: Final[Mapping[str, str]] = {
    "gpu_name": "name",
    "gpu_uuid": "uuid",
    "gpu_bus_id": "pci.bus_id",
    "clocks.sm": "clocks.current.sm",
    "clocks.mem": "clocks.current.memory",
    "clocks.current.mem": "clocks.current.memory",
    "clocks.max.mem": "clocks.max.memory",
    "clocks.applications.gr": "clocks.applications.graphics",
    "clocks.applications.mem": "clocks.applications.memory",
    "clocks_throttle_reasons.active": "clocks_event_reasons.active",
    "retired_pages.sbe": "retired_pages.single_bit_ecc.count",
    "retired_pages.dbe": "retired_pages.double_bit.count",
    "remapped_rows.sbe": "remapped_rows.correctable",
    "remapped_rows.dbe": "remapped_rows.uncorrectable",
    "gpu.power.default_limit": "power.default_limit",
    "gpu.power.min_limit": "power.min_limit",
    "gpu.power.max_limit": "power.max_limit",
}

FINGERPRINT_COLUMNS: Final = (
    "index",
    "name",
    "uuid",
    "pci.bus_id",
    "driver_version",
    "compute_cap",
    "memory.total",
    "memory.used",
    "memory.free",
    "memory.reserved",
    "utilization.gpu",
    "temperature.gpu",
    "power.draw",
    "power.limit",
    "clocks.sm",
    "clocks.mem",
    "clocks.max.sm",
    "pcie.link.gen.current",
    "pcie.link.gen.max",
    "pcie.link.width.current",
    "pcie.link.width.max",
    "persistence_mode",
    "compute_mode",
    "mig.mode.current",
    "ecc.mode.current",
    "ecc.errors.uncorrected.volatile.total",
)
"""What the probe asks; all recorded, so a replay can answer."""

_HEADER_CELL = re.compile(r"[a-z][A-Za-z0-9_.]*(?:\s*\[[^\]]*\]?)?")
_OTHERS: Final = frozenset(
    {
        "timestamp",
        "driver_version",
        "count",
        "serial",
        "gpu_serial",
        "pstate",
        "pid",
        "process_name",
        "fan.speed",
        "utilization.memory",
        "vbios_version",
        "display_active",
        "display_mode",
        "encoder.stats.sessionCount",
        "used_gpu_memory",
        "used_memory",
    }
)


_FAMILIES: Final = frozenset(name.split(".")[0] for name in FIELDS if "." in name) | {
    "clocks_event_reasons",
    "clocks_throttle_reasons",
    "encoder",
    "enforced",
    "fan",
    "inforom",
    "retired_pages",
}
"""First parts of dotted column names; any column of such a family is nvidia-smi's."""


def column_name(header_cell: str) -> str:
    """Return the canonical name of a header cell: unit and alias removed."""
    bare = header_cell.split("[", 1)[0].strip()
    return ALIASES.get(bare, bare)


def looks_like_header(cells: tuple[str, ...]) -> bool:
    """Tell whether a CSV line is nvidia-smi's header and not a row of values."""
    if not all(_HEADER_CELL.fullmatch(cell.strip()) for cell in cells if cell.strip()):
        return False
    names = [column_name(cell) for cell in cells]
    return any(
        name in FIELDS or name in _OTHERS or name.split(".")[0] in _FAMILIES for name in names
    )
