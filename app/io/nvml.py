"""What NVML says on this very machine, as one raw section with a command's shape.

It fills the same fields as nvidia-smi's outputs. ``nvmlDeviceGetPcieThroughput`` takes 21 ms a
GPU (measured) and is left out; processes are asked once for each fingerprint. Imported lazily:
most desktops have no driver. This module never raises.
"""

import json
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Final

from app.core.hardware.sections import RawSection
from app.io.nvml_facts import ask, gpu_facts, processes, text

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
        ask(nvml, "nvmlShutdown")
    return RawSection(
        name=SECTION, command=_COMMAND, exit_code=0, stdout=json.dumps(document, indent=1)
    )


def _load() -> ModuleType:
    import pynvml

    loaded: ModuleType = pynvml
    return loaded


def _failed(exit_code: int, text: str) -> RawSection:
    return RawSection(name=SECTION, command=_COMMAND, exit_code=exit_code, stdout="", stderr=text)


def _document(nvml: Any) -> Mapping[str, object]:  # noqa: ANN401 - pynvml has no types
    count = int(nvml.nvmlDeviceGetCount())
    return {
        "driver": text(ask(nvml, "nvmlSystemGetDriverVersion")),
        "cuda": ask(nvml, "nvmlSystemGetCudaDriverVersion_v2"),
        "nvml": text(ask(nvml, "nvmlSystemGetNVMLVersion")),
        "gpus": [_gpu(nvml, index) for index in range(count)],
    }


def _gpu(nvml: Any, index: int) -> Mapping[str, object]:  # noqa: ANN401 - pynvml has no types
    handle = ask(nvml, "nvmlDeviceGetHandleByIndex", index)
    if handle is None:
        return {"index": index}
    facts = {"index": index, **gpu_facts(nvml, handle)}
    running = processes(nvml, handle)
    return facts if running is None else {**facts, "processes": running}
