"""NVML's section, with a library of ours that behaves as drivers do: no driver is in these tests.

The one test against this very machine's library is the last; it passes with and without GPUs.
"""

import json
from types import SimpleNamespace

from app.core.hardware.tools.nvml_section import read_nvml
from app.io.nvml import read_local_nvml


class NVMLError(Exception):
    """Base of the library's errors."""


class NVMLError_LibraryNotFound(NVMLError):  # noqa: N801, N818 - the library's own name
    """No libnvidia-ml on this machine."""


def refuse(*_args, **_options):
    raise NVMLError("Not Supported")


def memory_of(_handle, *, version):
    assert version == 2
    return SimpleNamespace(total=150754820096, free=150109880320, used=0, reserved=644939776)


def library(**replaced):
    calls = {
        "nvmlMemory_v2": 2,
        "nvmlInit": lambda: None,
        "nvmlShutdown": lambda: None,
        "nvmlSystemGetDriverVersion": lambda: b"580.159.04",
        "nvmlSystemGetCudaDriverVersion_v2": lambda: 13000,
        "nvmlSystemGetNVMLVersion": lambda: "13.580.159.04",
        "nvmlDeviceGetCount": lambda: 1,
        "nvmlDeviceGetHandleByIndex": lambda index: f"handle {index}",
        "nvmlDeviceGetName": lambda _handle: "NVIDIA H200",
        "nvmlDeviceGetUUID": lambda _handle: "GPU-00000000-0000-4000-8000-000000000000",
        "nvmlDeviceGetPciInfo": lambda _handle: SimpleNamespace(busId=b"00000000:00:06.0"),
        "nvmlDeviceGetCudaComputeCapability": lambda _handle: (9, 0),
        "nvmlDeviceGetMemoryInfo": memory_of,
        "nvmlDeviceGetMaxPcieLinkGeneration": lambda _handle: 5,
        "nvmlDeviceGetMaxPcieLinkWidth": lambda _handle: 16,
        "nvmlDeviceGetNumaNodeId": refuse,
    }
    return SimpleNamespace(**{**calls, **replaced})


def test_exact_memory_and_the_cuda_version_are_read():
    section = read_local_nvml(library)
    assert (section.name, section.exit_code) == ("nvml", 0)
    reading = read_nvml(section.stdout)
    assert (reading.driver, reading.cuda) == ("580.159.04", "13.0")
    values = reading.gpus[0].values
    assert values["memory_reserved_mib"] == 616
    assert values["memory_free_mib"] == 143156
    assert values["compute_cap"] == "9.0"
    assert "numa_node" not in values


def test_a_gpu_that_vanishes_between_two_calls_is_listed_without_values():
    section = read_local_nvml(lambda: library(nvmlDeviceGetHandleByIndex=refuse))
    assert json.loads(section.stdout)["gpus"] == [{"index": 0}]


def test_a_machine_without_the_library_is_told_apart_from_a_failing_driver():
    def no_library():
        raise NVMLError_LibraryNotFound("NVML Shared Library Not Found")

    assert read_local_nvml(lambda: library(nvmlInit=no_library)).exit_code == 127
    failed = read_local_nvml(lambda: library(nvmlInit=refuse))
    assert (failed.exit_code, failed.stderr) == (1, "NVMLError: Not Supported")
    assert read_local_nvml(lambda: library(nvmlDeviceGetCount=refuse)).exit_code == 1


def test_a_missing_binding_is_a_missing_tool():
    def no_module():
        raise ImportError("No module named 'pynvml'")

    section = read_local_nvml(no_module)
    assert section.exit_code == 127
    assert "pynvml" in section.stderr


def known(number):
    return lambda *_args: number


def full_library():
    return library(
        NVML_TEMPERATURE_GPU=0,
        NVML_CLOCK_SM=1,
        NVML_CLOCK_MEM=2,
        NVML_NVLINK_MAX_LINKS=36,
        nvmlDeviceGetPciInfo=lambda _h: SimpleNamespace(
            busId="00000000:00:06.0", pciDeviceId=0x233510DE
        ),
        nvmlDeviceGetBAR1MemoryInfo=lambda _h: SimpleNamespace(
            bar1Total=274877906944, bar1Used=1048576
        ),
        nvmlDeviceGetUtilizationRates=lambda _h: SimpleNamespace(gpu=97, memory=21),
        nvmlDeviceGetTemperature=known(57),
        nvmlDeviceGetPowerUsage=known(689540),
        nvmlDeviceGetEnforcedPowerLimit=known(700000),
        nvmlDeviceGetPowerManagementLimitConstraints=known([200000, 700000]),
        nvmlDeviceGetClockInfo=lambda _h, kind: {1: 1425, 2: 3201}[kind],
        nvmlDeviceGetEccMode=known([1, 0]),
        nvmlDeviceGetMigMode=known([0, 0]),
        nvmlDeviceGetComputeMode=known(3),
        nvmlDeviceGetVirtualizationMode=known(1),
        nvmlDeviceGetRemappedRows=known((0, 2, 0, 1)),
        nvmlDeviceGetCurrentClocksEventReasons=known(4),
        nvmlDeviceGetPerformanceState=known(0),
        nvmlDeviceGetNvLinkState=lambda _h, link: int(link != 3) if link < 18 else refuse(),
        nvmlDeviceGetComputeRunningProcesses=lambda _h: [
            SimpleNamespace(pid=787, usedGpuMemory=1642 * 1024**2),
            SimpleNamespace(pid=788, usedGpuMemory=None),
        ],
        nvmlSystemGetProcessName=lambda pid: b"python3" if pid == 787 else refuse(),
    )


def test_the_library_fills_the_same_fields_as_the_commands():
    reading = read_nvml(read_local_nvml(full_library).stdout)
    (gpu,) = reading.gpus
    expected = {
        "pci_device_id": "233510DE",
        "bar1_total_mib": 262144,
        "bar1_used_mib": 1,
        "utilization_percent": 97,
        "memory_utilization_percent": 21,
        "temperature_c": 57,
        "power_w": 689.54,
        "power_limit_w": 700.0,
        "power_min_w": 200.0,
        "clock_sm_mhz": 1425,
        "clock_mem_mhz": 3201,
        "ecc_mode": True,
        "ecc_mode_pending": False,
        "mig_mode": False,
        "compute_mode": "Exclusive_Process",
        "virtualization_mode": "Pass-Through",
        "remapped_rows_uncorrectable": 2,
        "remapped_rows_failure": True,
        "throttle_reasons": "sw_power_cap",
        "performance_state": "P0",
        "nvlink_links": 18,
        "nvlink_active": 17,
    }
    assert {name: gpu.values.get(name) for name in expected} == expected


def test_processes_are_listed_and_what_the_driver_hides_is_unknown():
    reading = read_nvml(read_local_nvml(full_library).stdout)
    assert reading.process_count == 2
    first, second = reading.processes
    assert (first.pid, first.name, first.memory_used_mib) == (787, "python3", 1642)
    assert (second.pid, second.name, second.memory_used_mib) == (788, "", None)
    assert read_nvml(read_local_nvml(library).stdout).process_count is None


def test_pcie_throughput_is_never_asked():
    def forbidden(*_args):
        raise AssertionError("this call takes 21 ms a GPU")

    section = read_local_nvml(lambda: library(nvmlDeviceGetPcieThroughput=forbidden))
    assert section.exit_code == 0


def test_an_answer_of_another_shape_costs_its_own_fields_only():
    odd = library(nvmlDeviceGetEccMode=known(7), nvmlDeviceGetRemappedRows=known((1,)))
    (gpu,) = read_nvml(read_local_nvml(lambda: odd).stdout).gpus
    assert "ecc_mode" not in gpu.values
    assert gpu.values["remapped_rows_correctable"] == 1
    assert gpu.values["name"] == "NVIDIA H200"


def test_this_machine_never_makes_it_raise():
    assert read_local_nvml().name == "nvml"
