"""What NVML says on this very machine: exact bytes and the CUDA version, as one raw section.

Only cheap calls (microseconds each); ``nvmlDeviceGetPcieThroughput`` takes 21 ms a GPU and is
left out. Imported lazily: most desktops have no driver. This module never raises.
"""

import json
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Final

from app.core.hardware.sections import RawSection

SECTION: Final = "nvml"
_COMMAND: Final = "pynvml (local)"


def read_local_nvml(load: Callable[[], ModuleType] | None = None) -> RawSection:
    """Return the section; exit code 127 when there is no library, 1 when the driver refuses.

    Args:
        load: returns the ``pynvml`` module; for tests.
    """
    try:
        nvml = (load or _load)()
        nvml.nvmlInit()
    except ImportError as exc:
        return _failed(127, f"pynvml: {exc}")
    except Exception as exc:  # noqa: BLE001 - NVML's error classes are made at run time
        is_missing = type(exc).__name__ == "NVMLError_LibraryNotFound"
        return _failed(127 if is_missing else 1, f"{type(exc).__name__}: {exc}")
    try:
        document = _document(nvml)
    except Exception as exc:  # noqa: BLE001 - as above; a GPU may vanish between two calls
        return _failed(1, f"{type(exc).__name__}: {exc}")
    finally:
        _ask(nvml.nvmlShutdown)
    return RawSection(
        name=SECTION, command=_COMMAND, exit_code=0, stdout=json.dumps(document, indent=1)
    )


def _load() -> ModuleType:
    import pynvml

    loaded: ModuleType = pynvml
    return loaded


def _failed(exit_code: int, text: str) -> RawSection:
    return RawSection(name=SECTION, command=_COMMAND, exit_code=exit_code, stdout="", stderr=text)


def _ask(call: Callable[..., Any], *args: object, **options: object) -> Any:  # noqa: ANN401
    """Return NVML's answer, ``None`` when this device or driver has none."""
    try:
        return call(*args, **options)
    except Exception:  # noqa: BLE001 - as above
        return None


def _document(nvml: Any) -> Mapping[str, object]:  # noqa: ANN401 - pynvml has no types
    count = int(nvml.nvmlDeviceGetCount())
    return {
        "driver": _text(_ask(nvml.nvmlSystemGetDriverVersion)),
        "cuda": _ask(nvml.nvmlSystemGetCudaDriverVersion_v2),
        "nvml": _text(_ask(nvml.nvmlSystemGetNVMLVersion)),
        "gpus": [_gpu(nvml, index) for index in range(count)],
    }


def _gpu(nvml: Any, index: int) -> Mapping[str, object]:  # noqa: ANN401 - pynvml has no types
    handle = _ask(nvml.nvmlDeviceGetHandleByIndex, index)
    if handle is None:
        return {"index": index}
    memory = _ask(nvml.nvmlDeviceGetMemoryInfo, handle, version=nvml.nvmlMemory_v2)
    capability = _ask(nvml.nvmlDeviceGetCudaComputeCapability, handle)
    pci = _ask(nvml.nvmlDeviceGetPciInfo, handle)
    facts = {
        "index": index,
        "name": _text(_ask(nvml.nvmlDeviceGetName, handle)),
        "uuid": _text(_ask(nvml.nvmlDeviceGetUUID, handle)),
        "bus_id": _text(getattr(pci, "busId", None)),
        "compute_cap": f"{capability[0]}.{capability[1]}" if capability else None,
        "memory_total_bytes": getattr(memory, "total", None),
        "memory_free_bytes": getattr(memory, "free", None),
        "memory_used_bytes": getattr(memory, "used", None),
        "memory_reserved_bytes": getattr(memory, "reserved", None),
        "pcie_gen_max": _ask(nvml.nvmlDeviceGetMaxPcieLinkGeneration, handle),
        "pcie_width_max": _ask(nvml.nvmlDeviceGetMaxPcieLinkWidth, handle),
        "numa_node": _ask(nvml.nvmlDeviceGetNumaNodeId, handle),
    }
    return {key: value for key, value in facts.items() if value is not None}


def _text(value: object) -> str | None:
    """Return NVML's text; older releases of the binding give bytes."""
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    return value if isinstance(value, str) else None
