"""NVML's section, with a library that behaves as drivers do."""

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


def test_this_machine_never_makes_it_raise():
    assert read_local_nvml().name == "nvml"
