"""The kernel's side of a host: the NVIDIA module, limits and settings that engines feel.

Values stay as the system prints them, so that two hosts can be compared word by word.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class ModuleFlavour(StrEnum):
    """Which of NVIDIA's two kernel modules is loaded."""

    OPEN = "open"
    PROPRIETARY = "proprietary"


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverModule:
    """The loaded NVIDIA kernel module; all ``None`` or empty when there is none."""

    version: str | None = None
    flavour: ModuleFlavour | None = None
    parameters: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """``/proc/driver/nvidia/params``."""
    loaded_modules: tuple[str, ...] | None = None
    """GPU modules among the loaded ones: ``nvidia``, ``nvidia_uvm``, ``nouveau`` …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """Settings of the running system."""

    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """``sysctl`` names to their values."""
    limits: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Soft limits of the probe's own shell, by ``ulimit`` letter: ``n``, ``l``, ``s``, ``u``."""
    cgroup_version: int | None = None
    options: tuple[str, ...] | None = None
    """The kernel's command line, word by word."""
