"""Where each fact stands in ``nvidia-smi -q -x``, for all schema versions.

Sources: our own recording (v13, driver 580.159.04) and the schema notes of the fact collection.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from app.core.hardware.tools.smi_columns import Reader, read_bus_id, read_pci_id, read_uuid
from app.core.hardware.tools.values import (
    read_count,
    read_float,
    read_int,
    read_mib,
    read_switch,
    read_text,
    read_word,
)

PATHS: Final[Mapping[str, tuple[tuple[str, ...], Reader]]] = {
    "name": (("product_name",), read_text),
    "uuid": (("uuid",), read_uuid),
    "bus_id": (("pci/pci_bus_id",), read_bus_id),
    "memory_total_mib": (("fb_memory_usage/total", "memory_usage/total"), read_mib),
    "memory_used_mib": (("fb_memory_usage/used", "memory_usage/used"), read_mib),
    "memory_free_mib": (("fb_memory_usage/free", "memory_usage/free"), read_mib),
    "memory_reserved_mib": (("fb_memory_usage/reserved",), read_mib),
    "utilization_percent": (("utilization/gpu_util",), read_count),
    "temperature_c": (("temperature/gpu_temp",), read_int),
    "power_w": (
        (
            "power_readings/power_draw",
            "gpu_power_readings/power_draw",
            "gpu_power_readings/average_power_draw",
            "gpu_power_readings/instant_power_draw",
        ),
        read_float,
    ),
    "power_limit_w": (
        (
            "power_readings/enforced_power_limit",
            "power_readings/power_limit",
            "gpu_power_readings/current_power_limit",
            "gpu_power_readings/power_limit",
        ),
        read_float,
    ),
    "clock_sm_mhz": (("clocks/sm_clock",), read_count),
    "clock_mem_mhz": (("clocks/mem_clock",), read_count),
    "clock_sm_max_mhz": (("max_clocks/sm_clock",), read_count),
    "pcie_gen_current": (("pci/pci_gpu_link_info/pcie_gen/current_link_gen",), read_count),
    "pcie_gen_max": (("pci/pci_gpu_link_info/pcie_gen/max_link_gen",), read_count),
    "persistence_mode": (("persistence_mode",), read_switch),
    "compute_mode": (("compute_mode",), read_text),
    "ecc_mode": (("ecc_mode/current_ecc",), read_switch),
    "mig_mode": (("mig_mode/current_mig",), read_switch),
    "pcie_width_current": (("pci/pci_gpu_link_info/link_widths/current_link_width",), read_count),
    "pcie_width_max": (("pci/pci_gpu_link_info/link_widths/max_link_width",), read_count),
    "pcie_gen_device_max": (("pci/pci_gpu_link_info/pcie_gen/max_device_link_gen",), read_count),
    "pcie_gen_host_max": (("pci/pci_gpu_link_info/pcie_gen/max_host_link_gen",), read_count),
    "pcie_replays": (("pci/replay_counter",), read_count),
    "pci_device_id": (("pci/pci_device_id",), read_pci_id),
    "architecture": (("product_architecture",), read_text),
    "vbios_version": (("vbios_version",), read_text),
    "gsp_firmware": (("gsp_firmware_version",), read_text),
    "driver_model": (("driver_model/current_dm",), read_text),
    "virtualization_mode": (("gpu_virtualization_mode/virtualization_mode",), read_word),
    "addressing_mode": (("addressing_mode",), read_word),
    "performance_state": (
        ("performance_state", "gpu_power_readings/power_state", "power_readings/power_state"),
        read_text,
    ),
    "memory_temperature_c": (("temperature/memory_temp",), read_int),
    "temperature_slow_c": (("temperature/gpu_temp_slow_threshold",), read_int),
    "temperature_limit_distance_c": (("temperature/gpu_temp_tlimit",), read_int),
    "temperature_slow_distance_c": (("temperature/gpu_temp_slow_tlimit_threshold",), read_int),
    "display_active": (("display_active",), read_switch),
    "memory_utilization_percent": (("utilization/memory_util",), read_count),
    "power_default_w": (
        ("power_readings/default_power_limit", "gpu_power_readings/default_power_limit"),
        read_float,
    ),
    "power_min_w": (
        ("power_readings/min_power_limit", "gpu_power_readings/min_power_limit"),
        read_float,
    ),
    "power_max_w": (
        ("power_readings/max_power_limit", "gpu_power_readings/max_power_limit"),
        read_float,
    ),
    "clock_mem_max_mhz": (("max_clocks/mem_clock",), read_count),
    "clock_app_sm_mhz": (("applications_clocks/graphics_clock",), read_count),
    "clock_app_mem_mhz": (("applications_clocks/mem_clock",), read_count),
    "bar1_total_mib": (("bar1_memory_usage/total",), read_mib),
    "bar1_used_mib": (("bar1_memory_usage/used",), read_mib),
    "ecc_mode_pending": (("ecc_mode/pending_ecc",), read_switch),
    "mig_mode_pending": (("mig_mode/pending_mig",), read_switch),
    "retired_pages_single_bit": (
        ("retired_pages/multiple_single_bit_retirement/retired_count",),
        read_count,
    ),
    "retired_pages_double_bit": (
        ("retired_pages/double_bit_retirement/retired_count",),
        read_count,
    ),
    "retired_pages_pending": (
        ("retired_pages/pending_retirement", "retired_pages/pending_blacklist"),
        read_switch,
    ),
    "remapped_rows_correctable": (("remapped_rows/remapped_row_corr",), read_count),
    "remapped_rows_uncorrectable": (("remapped_rows/remapped_row_unc",), read_count),
    "remapped_rows_pending": (("remapped_rows/remapped_row_pending",), read_switch),
    "remapped_rows_failure": (("remapped_rows/remapped_row_failure",), read_switch),
    "memory_unrepairable": (("ecc_errors/unrepairable_memory",), read_switch),
    "recovery_action": (("gpu_recovery_action",), read_word),
    "fabric_state": (("fabric/state",), read_text),
    "fabric_status": (("fabric/status",), read_text),
}
"""Field of `fingerprint.Gpu` → where schemas v4 to v13 keep it (first that holds a value)."""


def _errors(period: str, kind: str, bits: str) -> tuple[tuple[str, ...], ...]:
    """Return the ways to count ECC errors: since R570, since Ampere's schema, before."""
    at = f"ecc_errors/{period}"
    modern = (f"{at}/sram_{kind}", f"{at}/dram_{kind}")
    split = (
        f"{at}/sram_{kind}_parity",
        f"{at}/sram_{kind}_secded",
        f"{at}/dram_{kind}",
    )
    return (split, modern, (f"{at}/{bits}/total",))


SUMS: Final[Mapping[str, Sequence[tuple[str, ...]]]] = {
    "ecc_corrected_volatile": _errors("volatile", "correctable", "single_bit"),
    "ecc_uncorrected_volatile": _errors("volatile", "uncorrectable", "double_bit"),
    "ecc_corrected_aggregate": _errors("aggregate", "correctable", "single_bit"),
    "ecc_uncorrected_aggregate": _errors("aggregate", "uncorrectable", "double_bit"),
}
"""Counters that have to be added up: each way is a set of parts that belong together."""
