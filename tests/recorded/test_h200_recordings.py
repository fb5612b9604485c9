"""Our recordings of a host with two H200, made on 2026-11-29 (driver 580.159.04)."""

import re
from pathlib import Path

import pytest

from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.fingerprint import Fingerprint, HostSource, LinkKind, UnknownReason
from app.core.hardware.recording import sections_from_recording
from app.core.hardware.summary import summarize
from app.core.hardware.topology import GroupReason, recommend_groups

RECORDINGS = Path(__file__).parents[2] / "resources/demo/h200-x2"


def read(state: str) -> Fingerprint:
    files = {file.name: file.read_text() for file in (RECORDINGS / state).iterdir()}
    return assemble_fingerprint(
        sections_from_recording(files),
        source=HostSource.RECORDED,
        taken_at="2026-11-29T19:22:33Z",
        host_name="h200-x2",
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
