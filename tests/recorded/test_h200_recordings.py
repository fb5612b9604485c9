"""Our recordings of a host with two H200, made on 2026-11-29 (driver 580.159.04)."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.fingerprint import (
    Fingerprint,
    HostSource,
    LinkKind,
    Machine,
    UnknownReason,
)
from app.core.hardware.kernel_facts import ModuleFlavour
from app.core.hardware.recording import sections_from_recording
from app.core.hardware.summary import summarize
from app.core.hardware.topology import GroupReason, recommend_groups
from app.io.datafiles import data_root, load_gpu_catalogue

RECORDINGS = Path(__file__).parents[2] / "resources/demo/h200-x2"


def read(state: str) -> Fingerprint:
    files = {file.name: file.read_text() for file in (RECORDINGS / state).iterdir()}
    return assemble_fingerprint(
        sections_from_recording(files),
        source=HostSource.RECORDED,
        taken_at="2026-11-29T19:22:33Z",
        host_name="h200-x2",
        catalogue=load_gpu_catalogue(data_root()),
    )


@pytest.fixture(scope="module")
def idle() -> Fingerprint:
    return read("idle")


@pytest.fixture(scope="module")
def busy() -> Fingerprint:
    return read("busy")


def test_both_gpus_are_named_with_their_identity(idle):
    assert [(g.index, g.name, g.bus_id, g.compute_cap) for g in idle.gpus] == [
        (0, "NVIDIA H200", "00000000:00:06.0", "9.0"),
        (1, "NVIDIA H200", "00000000:00:07.0", "9.0"),
    ]
    assert idle.gpus[1].uuid == "GPU-00000000-0000-4000-8000-000000000001"


def test_memory_is_what_nvml_counts_and_the_reserve_is_separate(idle):
    for gpu in idle.gpus:
        assert gpu.memory_total_mib == 143771
        assert gpu.memory_reserved_mib == 616
        assert gpu.memory_used_mib == 0
        assert gpu.memory_free_mib == 143156


def test_only_what_an_h200_in_a_virtual_machine_does_not_have_is_unknown(idle, busy):
    not_reported = {
        "driver_model",  # Windows only
        "temperature_slow_c",  # given as a distance instead, since R595
        "pcie_gen_host_max",  # the slot belongs to the virtual machine's host
        "retired_pages_single_bit",  # rows are remapped instead, since Ampere
        "retired_pages_double_bit",
        "retired_pages_pending",
        "kernel_driver",  # the recording's sysfs lines did not ask
    }
    for fingerprint in (idle, busy):
        unknown = {k: v for k, v in fingerprint.unknown.items() if k.startswith("gpus")}
        assert unknown == {
            f"gpus.{i}.{name}": UnknownReason.NOT_REPORTED for i in (0, 1) for name in not_reported
        }


def test_driver_and_cuda_versions_name_their_source(idle):
    assert idle.driver_version == "580.159.04"
    assert idle.cuda_version == "13.0"
    assert idle.sources["driver_version"] == "smi-csv"
    assert idle.sources["cuda_version"] == "smi-q-x"


def test_modes_clocks_and_pcie_are_read(idle):
    gpu = idle.gpus[0]
    assert (gpu.persistence_mode, gpu.ecc_mode, gpu.mig_mode) == (True, True, False)
    assert (gpu.clock_sm_mhz, gpu.clock_sm_max_mhz, gpu.clock_mem_mhz) == (345, 1980, 3201)
    assert (gpu.pcie_gen_current, gpu.pcie_gen_max, gpu.pcie_width_current) == (5, 5, 16)
    assert (gpu.power_w, gpu.power_limit_w) == (77.0, 700.0)


def test_the_pair_is_one_nvlink_island(idle):
    (link,) = idle.topology.links
    assert (link.a, link.b, link.kind, link.nvlink_count) == ("GPU0", "GPU1", LinkKind.NVLINK, 18)
    assert link.bandwidth_gbps == pytest.approx(2 * 18 * 26.562)
    assert idle.topology.nvlink_islands == ((0, 1),)
    assert idle.topology.complete
    (group,) = recommend_groups(idle)
    assert (group.indices, group.reason_code) == ((0, 1), GroupReason.NVLINK_FULL)


def test_machine_processors_and_memory_are_read(idle):
    assert idle.machine.os_name == "Ubuntu 24.04.3 LTS"
    assert idle.machine.virtualization == "kvm"
    assert idle.machine.is_root is True
    assert (idle.cpu.model, idle.cpu.cores, idle.cpu.threads) == (
        "Intel(R) Xeon(R) Processor",
        32,
        32,
    )
    assert idle.memory.total_bytes == 263998500 * 1024
    assert idle.memory.shm_total_bytes == 274877906944
    assert [(d.mount, d.fs_type) for d in idle.disks] == [("/", "ext4")]


def test_numa_sizes_that_contradict_the_memory_are_unknown(idle):
    (node,) = idle.topology.numa_nodes
    assert (node.id, node.cpus, node.memory_mib) == (0, "0-31", None)
    assert idle.unknown["topology.numa_nodes.0.memory_mib"] is UnknownReason.UNREADABLE
    assert any(w.startswith("numa_memory_contradicts") for w in idle.warnings)
    assert idle.gpus[0].numa_node == 0


def test_a_missing_container_engine_is_unknown_and_not_refused(idle):
    assert idle.containers.name is None
    assert idle.containers.reachable is None
    assert idle.unknown["containers.name"] is UnknownReason.TOOL_MISSING


def test_the_busy_state_shows_load_and_its_processes(busy):
    assert [g.memory_used_mib for g in busy.gpus] == [1651, 1651]
    assert [g.utilization_percent for g in busy.gpus] == [97, 99]
    assert [(p.pid, p.name, p.memory_used_mib) for p in busy.gpu_processes] == [
        (787, "python3", 1642),
        (787, "python3", 1642),
    ]


SAME = {
    "name": "NVIDIA H200",
    "compute_cap": "9.0",
    "memory_total_mib": 143771,
    "memory_reserved_mib": 616,
    "power_limit_w": 700.0,
    "clock_sm_max_mhz": 1980,
    "clock_mem_mhz": 3201,
    "pcie_gen_current": 5,
    "pcie_gen_max": 5,
    "pcie_width_current": 16,
    "pcie_width_max": 16,
    "persistence_mode": True,
    "compute_mode": "Default",
    "ecc_mode": True,
    "ecc_uncorrected_volatile": 0,
    "mig_mode": False,
    "mig_devices": (),
    "numa_node": 0,
    "architecture": "Hopper",
    "pci_device_id": "233510DE",
    "vbios_version": "96.00.A5.00.1A",
    "gsp_firmware": "580.159.04",
    "virtualization_mode": "Pass-Through",
    "addressing_mode": "None",
    "performance_state": "P0",
    "temperature_slow_distance_c": -2,
    "display_active": False,
    "power_default_w": 700.0,
    "power_min_w": 200.0,
    "power_max_w": 700.0,
    "clock_mem_max_mhz": 3201,
    "clock_app_sm_mhz": 1980,
    "clock_app_mem_mhz": 3201,
    "pcie_gen_device_max": 5,
    "bar1_total_mib": 262144,
    "ecc_mode_pending": True,
    "mig_mode_pending": False,
    "ecc_corrected_volatile": 0,
    "ecc_corrected_aggregate": 0,
    "ecc_uncorrected_aggregate": 0,
    "remapped_rows_correctable": 0,
    "remapped_rows_uncorrectable": 0,
    "remapped_rows_pending": False,
    "remapped_rows_failure": False,
    "memory_unrepairable": False,
    "recovery_action": "None",
    "fabric_state": "Completed",
    "fabric_status": "Success",
    "nvlink_links": 18,
    "nvlink_active": 18,
    "nvlink_link_gbps": 26.562,
    "nvlink_errors": 0,
    "catalogue_id": "h200-sxm",
}
"""What both GPUs have in both recordings."""
IDLE = (
    {"index": 0, "bus_id": "00000000:00:06.0", "memory_used_mib": 0, "memory_free_mib": 143156},
    {"index": 1, "bus_id": "00000000:00:07.0", "memory_used_mib": 0, "memory_free_mib": 143156},
)
BUSY = (
    {"index": 0, "bus_id": "00000000:00:06.0", "memory_used_mib": 1651, "memory_free_mib": 141506},
    {"index": 1, "bus_id": "00000000:00:07.0", "memory_used_mib": 1651, "memory_free_mib": 141506},
)
MOVING = {
    "idle": (
        {
            "utilization_percent": 0,
            "temperature_c": 34,
            "power_w": 77.0,
            "clock_sm_mhz": 345,
            "memory_temperature_c": 39,
            "temperature_limit_distance_c": 52,
            "memory_utilization_percent": 0,
            "throttle_reasons": ("gpu_idle",),
            "pcie_replays": 1,
            "bar1_used_mib": 1,
        },
        {
            "utilization_percent": 0,
            "temperature_c": 35,
            "power_w": 78.04,
            "clock_sm_mhz": 345,
            "memory_temperature_c": 39,
            "temperature_limit_distance_c": 51,
            "memory_utilization_percent": 0,
            "throttle_reasons": ("gpu_idle",),
            "pcie_replays": 0,
            "bar1_used_mib": 1,
        },
    ),
    "busy": (
        {
            "utilization_percent": 97,
            "temperature_c": 57,
            "power_w": 689.54,
            "clock_sm_mhz": 1425,
            "memory_temperature_c": 47,
            "temperature_limit_distance_c": 30,
            "memory_utilization_percent": 21,
            "throttle_reasons": ("sw_power_cap",),
            "pcie_replays": 1,
            "bar1_used_mib": 1652,
        },
        {
            "utilization_percent": 99,
            "temperature_c": 61,
            "power_w": 688.35,
            "clock_sm_mhz": 1410,
            "memory_temperature_c": 48,
            "temperature_limit_distance_c": 19,
            "memory_utilization_percent": 21,
            "throttle_reasons": ("sw_power_cap",),
            "pcie_replays": 0,
            "bar1_used_mib": 1652,
        },
    ),
}
"""What differs between the GPUs and between idle and busy, compared with the files by eye."""


@pytest.mark.parametrize("state", ["idle", "busy"])
def test_every_field_of_every_gpu_is_what_the_tools_printed(state):
    fingerprint = read(state)
    own = IDLE if state == "idle" else BUSY
    for gpu, figures, moving in zip(fingerprint.gpus, own, MOVING[state], strict=True):
        expected = {**SAME, **figures, **moving}
        expected["uuid"] = f"GPU-00000000-0000-4000-8000-00000000000{gpu.index}"
        found = {f.name: getattr(gpu, f.name) for f in fields(gpu)}
        unknown = {path.split(".")[2] for path in fingerprint.unknown if path.startswith("gpus.")}
        assert {name: v for name, v in found.items() if name not in unknown} == expected


@pytest.mark.parametrize("state", ["idle", "busy"])
def test_every_fact_of_the_machine_is_what_the_tools_printed(state):
    fp = read(state)
    assert fp.machine == Machine(
        hostname="vm",
        os_id="ubuntu",
        os_name="Ubuntu 24.04.3 LTS",
        kernel="6.18.44-fc-v657-gpu",
        architecture="x86_64",
        virtualization="kvm",
        user="root",
        is_root=True,
    )
    assert fp.cpu.sockets == 1
    assert fp.driver_module.flavour is ModuleFlavour.OPEN
    assert fp.driver_module.version == "580.159.04"
    assert fp.driver_module.parameters["EnableResizableBar"] == "0"
    assert fp.driver_module.parameters["RegistryDwords"] == ""
    assert len(fp.driver_module.parameters) == 42
    assert fp.system.settings["kernel.shmmax"] == "18446744073692774399"
    assert len(fp.system.settings) == 7
    assert fp.system.limits["l"] == "unlimited"
    assert fp.system.limits["n"] == "20000"
    assert fp.system.limits["s"] == "8192"
    assert len(fp.system.limits) == 17
    (disk,) = fp.disks
    assert (disk.device, disk.total_bytes) == ("/dev/vda", 270553174016)
    assert disk.free_bytes == {"idle": 137421545472, "busy": 137420980224}[state]
    assert fp.topology.gpu_cpu_affinity == {"GPU0": "0-31", "GPU1": "0-31"}
    assert fp.topology.nics == ()


def test_the_summary_fits_a_list(idle):
    summary = summarize(idle)
    assert summary.gpu_text == "2 × NVIDIA H200"
    assert summary.gpu_count == 2
    assert summary.memory_total_mib == 287542
    assert summary.container_text == ""


def test_no_recording_holds_a_real_serial_number_or_device_identifier():
    for file in RECORDINGS.glob("*/*.txt"):
        text = file.read_text()
        assert "1650000000" not in text, file
        for uuid in re.findall(
            r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", text
        ):
            assert uuid.startswith("00000000-0000-"), file
