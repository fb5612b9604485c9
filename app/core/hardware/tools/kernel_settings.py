"""Read the kernel's settings: ``sysctl``, ``ulimit -a`` of any shell, modules, parameters."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.core.hardware.kernel_facts import ModuleFlavour

_SETTING = re.compile(r"^\s*([a-z][a-z0-9_]*(?:[./][\w-]+)+)\s*=\s*(\S.*?)\s*$")
_PARAMETER = re.compile(r"^\s*([A-Za-z]\w*):\s*(.*?)\s*$")
_MODULE = re.compile(r"^(nvidia\w*|nouveau|amdgpu|xe|i915|nova_core)\s+[0-9]+\s", re.MULTILINE)
_LIMIT_VALUE = r"(unlimited|[0-9]{1,20})"
_BASH = re.compile(rf"\((?:[^()]*,\s*)?-([a-zA-Z])\)\s+{_LIMIT_VALUE}\s*$")
_BUSYBOX = re.compile(rf"^\s*-([a-zA-Z]):\s.*?\s{_LIMIT_VALUE}\s*$")
_DASH = re.compile(rf"^\s*([a-z][a-z ]*?)(?:\([a-z]+\))?\s+{_LIMIT_VALUE}\s*$")
_PROC = re.compile(rf"^Max ([a-z -]+?)\s+{_LIMIT_VALUE}\s+(?:unlimited|[0-9]+)\s*([a-z]*)\s*$")

_LETTERS: Final = {
    "nofiles": "n",
    "open files": "n",
    "locked memory": "l",
    "stack": "s",
    "stack size": "s",
    "process": "u",
    "processes": "u",
    "memory": "m",
    "resident set": "m",
    "vmemory": "v",
    "address space": "v",
    "coredump": "c",
    "core file size": "c",
    "locks": "x",
    "file locks": "x",
}
"""What dash and ``/proc/self/limits`` call a limit, and bash's letter for it."""
_IN_KIB: Final = frozenset("lsmv")
"""bash counts these in KiB, ``/proc/self/limits`` in bytes."""


def read_sysctl(text: str) -> Mapping[str, str]:
    """Read ``name = value`` lines; values stay text, since some hold several numbers."""
    matches = (_SETTING.match(line) for line in text.splitlines())
    return MappingProxyType({m[1].replace("/", "."): m[2] for m in matches if m is not None})


def read_limits(text: str) -> Mapping[str, str]:
    """Return soft limits by bash's letter, sizes in KiB; ``unlimited`` stays that word."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        entry = _limit(line)
        if entry is not None:
            found.setdefault(*entry)
    return MappingProxyType(dict(sorted(found.items())))


def _limit(line: str) -> tuple[str, str] | None:
    lettered = _BASH.search(line) or _BUSYBOX.match(line)
    if lettered is not None:
        return lettered[1], lettered[2]
    proc = _PROC.match(line)
    if proc is not None:
        letter = _LETTERS.get(proc[1])
        is_bytes = letter in _IN_KIB and proc[3] == "bytes" and proc[2] != "unlimited"
        value = str(int(proc[2]) // 1024) if is_bytes else proc[2]
        return None if letter is None else (letter, value)
    dash = _DASH.match(line)
    letter = _LETTERS.get(dash[1]) if dash is not None else None
    return (letter, dash[2]) if dash is not None and letter is not None else None


def read_module_parameters(text: str) -> Mapping[str, str]:
    """Read ``/proc/driver/nvidia/params``."""
    matches = (_PARAMETER.match(line) for line in text.splitlines())
    return MappingProxyType({m[1]: m[2].strip('"') for m in matches if m is not None})


def read_gpu_modules(text: str) -> tuple[str, ...]:
    """Return the GPU drivers among ``lsmod`` or ``/proc/modules``."""
    return tuple(sorted(set(_MODULE.findall(text))))


def read_module_flavour(text: str) -> ModuleFlavour | None:
    """Tell NVIDIA's open module from the proprietary one by ``/proc/driver/nvidia/version``."""
    line = next((line for line in text.splitlines() if line.startswith("NVRM version:")), "")
    if "Open Kernel Module" in line:
        return ModuleFlavour.OPEN
    return ModuleFlavour.PROPRIETARY if "Kernel Module" in line else None
