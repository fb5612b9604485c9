"""Where each fact stands in ``nvidia-smi -q``, by the headings above it.

Sources: our own recording (driver 580.159.04); older names as the XML's schema notes have them.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from app.core.hardware.tools.smi_columns import Reader, read_pci_id, read_uuid
from app.core.hardware.tools.values import (
    read_count,
    read_float,
    read_int,
    read_mib,
    read_switch,
    read_text,
    read_word,
)

_LINK: Final = "PCI/GPU Link Info"

PATHS: Final[Mapping[str, tuple[tuple[str, ...], Reader]]] = {
    "name": (("Product Name",), read_text),
    "uuid": (("GPU UUID",), read_uuid),
    "architecture": (("Product Architecture",), read_text),
    "persistence_mode": (("Persistence Mode",), read_switch),
    "addressing_mode": (("Addressing Mode",), read_word),
    "compute_mode": (("Compute Mode",), read_text),
    "driver_model": (("Driver Model/Current",), read_text),
    "vbios_version": (("VBIOS Version",), read_text),
    "gsp_firmware": (("GSP Firmware Version",), read_text),
    "virtualization_mode": (
        (
            "GPU Virtualization Mode/Virtualization Mode",
            "GPU Virtualization Mode/Virtualization mode",
        ),
        read_word,
    ),
    "recovery_action": (("GPU Recovery Action",), read_word),
    "performance_state": (("Performance State",), read_text),
    "mig_mode": (("MIG Mode/Current",), read_switch),
    "mig_mode_pending": (("MIG Mode/Pending",), read_switch),
    "ecc_mode": (("ECC Mode/Current", "Ecc Mode/Current"), read_switch),
    "ecc_mode_pending": (("ECC Mode/Pending", "Ecc Mode/Pending"), read_switch),
    "pci_device_id": (("PCI/Device Id",), read_pci_id),
    "pcie_gen_current": ((f"{_LINK}/PCIe Generation/Current",), read_count),
    "pcie_gen_max": ((f"{_LINK}/PCIe Generation/Max",), read_count),
    "pcie_gen_device_max": ((f"{_LINK}/PCIe Generation/Device Max",), read_count),
    "pcie_gen_host_max": ((f"{_LINK}/PCIe Generation/Host Max",), read_count),
    "pcie_width_current": ((f"{_LINK}/Link Width/Current",), read_count),
    "pcie_width_max": ((f"{_LINK}/Link Width/Max",), read_count),
    "pcie_replays": (("PCI/Replays Since Reset", "PCI/Replays since reset"), read_count),
    "memory_total_mib": (("FB Memory Usage/Total",), read_mib),
    "memory_reserved_mib": (("FB Memory Usage/Reserved",), read_mib),
    "memory_used_mib": (("FB Memory Usage/Used",), read_mib),
    "memory_free_mib": (("FB Memory Usage/Free",), read_mib),
    "bar1_total_mib": (("BAR1 Memory Usage/Total",), read_mib),
    "bar1_used_mib": (("BAR1 Memory Usage/Used",), read_mib),
    "utilization_percent": (("Utilization/GPU", "Utilization/Gpu"), read_count),
    "memory_utilization_percent": (("Utilization/Memory",), read_count),
    "temperature_c": (("Temperature/GPU Current Temp",), read_int),
    "memory_temperature_c": (("Temperature/Memory Current Temp",), read_int),
    "power_w": (
        (
            "GPU Power Readings/Average Power Draw",
            "GPU Power Readings/Power Draw",
            "Power Readings/Power Draw",
            "GPU Power Readings/Instantaneous Power Draw",
        ),
        read_float,
    ),
    "power_limit_w": (
        (
            "GPU Power Readings/Current Power Limit",
            "Power Readings/Enforced Power Limit",
            "Power Readings/Power Limit",
        ),
        read_float,
    ),
    "power_default_w": (
        ("GPU Power Readings/Default Power Limit", "Power Readings/Default Power Limit"),
        read_float,
    ),
    "power_min_w": (
        ("GPU Power Readings/Min Power Limit", "Power Readings/Min Power Limit"),
        read_float,
    ),
    "power_max_w": (
        ("GPU Power Readings/Max Power Limit", "Power Readings/Max Power Limit"),
        read_float,
    ),
    "clock_sm_mhz": (("Clocks/SM",), read_count),
    "clock_mem_mhz": (("Clocks/Memory",), read_count),
    "clock_sm_max_mhz": (("Max Clocks/SM",), read_count),
    "clock_mem_max_mhz": (("Max Clocks/Memory",), read_count),
    "clock_app_sm_mhz": (("Applications Clocks/Graphics",), read_count),
    "clock_app_mem_mhz": (("Applications Clocks/Memory",), read_count),
    "retired_pages_single_bit": (("Retired Pages/Single Bit ECC",), read_count),
    "retired_pages_double_bit": (("Retired Pages/Double Bit ECC",), read_count),
    "retired_pages_pending": (
        ("Retired Pages/Pending Page Blacklist", "Retired Pages/Pending"),
        read_switch,
    ),
    "remapped_rows_correctable": (("Remapped Rows/Correctable Error",), read_count),
    "remapped_rows_uncorrectable": (("Remapped Rows/Uncorrectable Error",), read_count),
    "remapped_rows_pending": (("Remapped Rows/Pending",), read_switch),
    "remapped_rows_failure": (("Remapped Rows/Remapping Failure Occurred",), read_switch),
    "memory_unrepairable": (("ECC Errors/Unrepairable Memory",), read_switch),
    "fabric_state": (("Fabric/State",), read_text),
    "fabric_status": (("Fabric/Status",), read_text),
}
"""Field of `fingerprint.Gpu` → paths, the first that holds a value counts."""


def _errors(period: str, kind: str, bits: str) -> tuple[tuple[str, ...], ...]:
    at = f"ECC Errors/{period}"
    return (
        (
            f"{at}/SRAM {kind} Parity",
            f"{at}/SRAM {kind} SEC-DED",
            f"{at}/DRAM {kind}",
        ),
        (f"{at}/SRAM {kind}", f"{at}/DRAM {kind}"),
        (f"{at}/{bits}/Total",),
    )


SUMS: Final[Mapping[str, Sequence[tuple[str, ...]]]] = {
    "ecc_corrected_volatile": _errors("Volatile", "Correctable", "Single Bit"),
    "ecc_uncorrected_volatile": _errors("Volatile", "Uncorrectable", "Double Bit"),
    "ecc_corrected_aggregate": _errors("Aggregate", "Correctable", "Single Bit"),
    "ecc_uncorrected_aggregate": _errors("Aggregate", "Uncorrectable", "Double Bit"),
}
"""Counters that have to be added up: each way is a set of parts that belong together."""

THROTTLE_HEADS: Final = frozenset({"Clocks Event Reasons", "Clocks Throttle Reasons"})

_POWER: Final = (
    "Average Power Draw",
    "Power Draw",
    "Current Power Limit",
    "Power Limit",
    "Default Power Limit",
    "Min Power Limit",
    "Max Power Limit",
)
FLAT_HEADS: Final[Mapping[str, Sequence[str]]] = {
    "MIG Mode": ("Current", "Pending"),
    "ECC Mode": ("Current", "Pending"),
    "Driver Model": ("Current", "Pending"),
    "FB Memory Usage": ("Total", "Reserved", "Used", "Free"),
    "BAR1 Memory Usage": ("Total", "Used"),
    "Utilization": ("GPU", "Gpu", "Memory"),
    "Temperature": ("GPU Current Temp", "Memory Current Temp"),
    "GPU Power Readings": _POWER,
    "Power Readings": _POWER,
    "Max Clocks": ("SM", "Memory"),
}
"""Without indentation: the names that surely stand below a heading."""
