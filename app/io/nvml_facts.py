"""What is asked of NVML for one GPU: keys are fields of `fingerprint.Gpu`, values are plain.

Each call is cheap (microseconds). What a device or an older library does not know is left out.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class _Fact:
    """One call, and what its answer becomes."""

    function: str
    fields: Mapping[str, Callable[[Any], object]]
    """Field → how it is taken out of the answer; one call may fill several."""
    arguments: Callable[[Any], tuple[object, ...]] = lambda _nvml: ()


def _same(value: object) -> object:
    return value


def _watts(milliwatts: int) -> float:
    return milliwatts / 1000


def _switch(value: int) -> bool:
    return bool(value)


def text(value: object) -> str | None:
    """Return NVML's text; older releases of the binding give bytes."""
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    return value if isinstance(value, str) else None


def _word(*words: str | None) -> Callable[[int], str | None]:
    """Return the word of a number, as nvidia-smi prints it."""
    return lambda number: words[number] if 0 <= number < len(words) else None


def _pci_id(info: object) -> str:
    return f"{getattr(info, 'pciDeviceId', 0) & 0xFFFFFFFF:08X}"


def _ecc(kind: str, period: str) -> Callable[[Any], tuple[object, ...]]:
    return lambda nvml: (
        getattr(nvml, f"NVML_MEMORY_ERROR_TYPE_{kind}", None),
        getattr(nvml, f"NVML_{period}_ECC", None),
    )


def _clock(name: str) -> Callable[[Any], tuple[object, ...]]:
    return lambda nvml: (getattr(nvml, f"NVML_CLOCK_{name}", None),)


_ARCHITECTURES: Final = (
    *(None, None),
    "Kepler",
    "Maxwell",
    "Pascal",
    "Volta",
    "Turing",
    "Ampere",
    "Ada Lovelace",
    "Hopper",
    "Blackwell",
)
"""NVML's numbers from 2 on, as nvidia-smi words them."""

FACTS: Final = (
    _Fact("nvmlDeviceGetName", {"name": text}),
    _Fact("nvmlDeviceGetUUID", {"uuid": text}),
    _Fact(
        "nvmlDeviceGetPciInfo",
        {"bus_id": lambda p: text(getattr(p, "busId", None)), "pci_device_id": _pci_id},
    ),
    _Fact("nvmlDeviceGetCudaComputeCapability", {"compute_cap": lambda c: f"{c[0]}.{c[1]}"}),
    _Fact(
        "nvmlDeviceGetMemoryInfo",
        {
            "memory_total_bytes": lambda m: m.total,
            "memory_free_bytes": lambda m: m.free,
            "memory_used_bytes": lambda m: m.used,
            "memory_reserved_bytes": lambda m: getattr(m, "reserved", None),
        },
    ),
    _Fact(
        "nvmlDeviceGetBAR1MemoryInfo",
        {"bar1_total_bytes": lambda m: m.bar1Total, "bar1_used_bytes": lambda m: m.bar1Used},
    ),
    _Fact(
        "nvmlDeviceGetUtilizationRates",
        {"utilization_percent": lambda u: u.gpu, "memory_utilization_percent": lambda u: u.memory},
    ),
    _Fact(
        "nvmlDeviceGetTemperature",
        {"temperature_c": _same},
        lambda nvml: (getattr(nvml, "NVML_TEMPERATURE_GPU", 0),),
    ),
    _Fact("nvmlDeviceGetPowerUsage", {"power_w": _watts}),
    _Fact("nvmlDeviceGetEnforcedPowerLimit", {"power_limit_w": _watts}),
    _Fact("nvmlDeviceGetPowerManagementDefaultLimit", {"power_default_w": _watts}),
    _Fact(
        "nvmlDeviceGetPowerManagementLimitConstraints",
        {"power_min_w": lambda c: _watts(c[0]), "power_max_w": lambda c: _watts(c[1])},
    ),
    _Fact("nvmlDeviceGetClockInfo", {"clock_sm_mhz": _same}, _clock("SM")),
    _Fact("nvmlDeviceGetClockInfo", {"clock_mem_mhz": _same}, _clock("MEM")),
    _Fact("nvmlDeviceGetMaxClockInfo", {"clock_sm_max_mhz": _same}, _clock("SM")),
    _Fact("nvmlDeviceGetMaxClockInfo", {"clock_mem_max_mhz": _same}, _clock("MEM")),
    _Fact("nvmlDeviceGetCurrPcieLinkGeneration", {"pcie_gen_current": _same}),
    _Fact("nvmlDeviceGetMaxPcieLinkGeneration", {"pcie_gen_max": _same}),
    _Fact("nvmlDeviceGetGpuMaxPcieLinkGeneration", {"pcie_gen_device_max": _same}),
    _Fact("nvmlDeviceGetCurrPcieLinkWidth", {"pcie_width_current": _same}),
    _Fact("nvmlDeviceGetMaxPcieLinkWidth", {"pcie_width_max": _same}),
    _Fact("nvmlDeviceGetPcieReplayCounter", {"pcie_replays": _same}),
    _Fact("nvmlDeviceGetNumaNodeId", {"numa_node": _same}),
    _Fact("nvmlDeviceGetPersistenceMode", {"persistence_mode": _switch}),
    _Fact(
        "nvmlDeviceGetComputeMode",
        {"compute_mode": _word("Default", "Exclusive_Thread", "Prohibited", "Exclusive_Process")},
    ),
    _Fact(
        "nvmlDeviceGetEccMode",
        {"ecc_mode": lambda m: bool(m[0]), "ecc_mode_pending": lambda m: bool(m[1])},
    ),
    _Fact(
        "nvmlDeviceGetMigMode",
        {"mig_mode": lambda m: bool(m[0]), "mig_mode_pending": lambda m: bool(m[1])},
    ),
    *(
        _Fact(
            "nvmlDeviceGetTotalEccErrors",
            {f"ecc_{kind.lower()}_{period.lower()}": _same},
            _ecc(kind, period),
        )
        for kind in ("CORRECTED", "UNCORRECTED")
        for period in ("VOLATILE", "AGGREGATE")
    ),
    _Fact(
        "nvmlDeviceGetRemappedRows",
        {
            "remapped_rows_correctable": lambda r: r[0],
            "remapped_rows_uncorrectable": lambda r: r[1],
            "remapped_rows_pending": lambda r: bool(r[2]),
            "remapped_rows_failure": lambda r: bool(r[3]),
        },
    ),
    _Fact("nvmlDeviceGetArchitecture", {"architecture": _word(*_ARCHITECTURES)}),
    _Fact("nvmlDeviceGetVbiosVersion", {"vbios_version": text}),
    _Fact("nvmlDeviceGetGspFirmwareVersion", {"gsp_firmware": text}),
    _Fact(
        "nvmlDeviceGetVirtualizationMode",
        {"virtualization_mode": _word("None", "Pass-Through", "VGPU", "Host VGPU", "Host VSGA")},
    ),
    _Fact("nvmlDeviceGetPerformanceState", {"performance_state": lambda p: f"P{p}"}),
    _Fact("nvmlDeviceGetCurrentClocksEventReasons", {"throttle_mask": _same}),
    _Fact("nvmlDeviceGetCurrentClocksThrottleReasons", {"throttle_mask": _same}),
)


def gpu_facts(nvml: Any, handle: object) -> dict[str, object]:  # noqa: ANN401 - it has no types
    """Ask all facts of one GPU; the first answer to a field counts."""
    found: dict[str, object] = {}
    for fact in FACTS:
        options = _memory_version(nvml) if fact.function == "nvmlDeviceGetMemoryInfo" else {}
        answer = ask(nvml, fact.function, handle, *fact.arguments(nvml), **options)
        if answer is None:
            continue
        for name, take in fact.fields.items():
            value = _taken(take, answer)
            if value is not None:
                found.setdefault(name, value)
    found.update(_links(nvml, handle))
    return found


def _memory_version(nvml: Any) -> dict[str, object]:  # noqa: ANN401 - it has no types
    """Ask for the version that tells the reserve apart, where the binding knows it."""
    version = getattr(nvml, "nvmlMemory_v2", None)
    return {} if version is None else {"version": version}


def _taken(take: Callable[[Any], object], answer: object) -> object:
    try:
        return take(answer)
    except (AttributeError, IndexError, TypeError, ValueError):
        return None  # the binding's answer has another shape than the one we know


def _links(nvml: Any, handle: object) -> dict[str, object]:  # noqa: ANN401 - it has no types
    """Count NVLinks; a GPU without any refuses the first."""
    states = []
    for link in range(int(getattr(nvml, "NVML_NVLINK_MAX_LINKS", 18))):
        state = ask(nvml, "nvmlDeviceGetNvLinkState", handle, link)
        if state is None:
            break
        states.append(bool(state))
    return {"nvlink_links": len(states), "nvlink_active": sum(states)} if states else {}


def processes(nvml: Any, handle: object) -> list[dict[str, object]] | None:  # noqa: ANN401
    """Return the processes that compute on a GPU, ``None`` when NVML does not say.

    This reads ``/proc`` for every process: asked for a fingerprint, never in a sampling loop.
    """
    listed = ask(nvml, "nvmlDeviceGetComputeRunningProcesses", handle)
    if listed is None:
        return None
    return [
        {
            "pid": process.pid,
            "memory_used_bytes": getattr(process, "usedGpuMemory", None),
            "name": text(ask(nvml, "nvmlSystemGetProcessName", process.pid)) or "",
        }
        for process in listed
    ]


def ask(nvml: Any, function: str, *args: object, **options: object) -> Any:  # noqa: ANN401
    """Return NVML's answer, ``None`` when this library, driver or device has none."""
    try:
        return getattr(nvml, function)(*args, **options)
    except Exception:  # noqa: BLE001 - NVML's error classes are made at run time
        return None
