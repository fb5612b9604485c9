"""What nvidia-smi's failure texts mean: a cause, and what to do now.

Cause ids are shared with the log diagnosis. Texts are matched loosely: quotes, blanks and line
breaks change on their way through terminals and web forms.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from app.core.hardware.tools.paste import clean_paste


@dataclass(frozen=True, slots=True, kw_only=True)
class SmiError:
    """A failure of ``nvidia-smi``."""

    cause: str
    remedy: str
    evidence: str
    """The line that says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    pattern: re.Pattern[str]
    cause: str
    remedy: str
    when: Callable[[str], bool] | None = None


def _pattern(text: str) -> re.Pattern[str]:
    """Compile with every blank standing for any run of blanks and line breaks."""
    return re.compile(text.replace(" ", r"\s+"), re.IGNORECASE)


_IN_CONTAINER = re.compile(
    r"root@[0-9a-f]{12}\b|docker (?:run|exec)|podman (?:run|exec)|/\.dockerenv|\bkubectl\b",
    re.IGNORECASE,
)
_NOUVEAU = re.compile(
    r"^nouveau\s+\d+\s+\d+|kernel driver in use:\s*nouveau|conflicting .*nouveau",
    re.IGNORECASE | re.MULTILINE,
)


def _in_container(text: str) -> bool:
    return _IN_CONTAINER.search(text) is not None


_RULES: Final = (
    _Rule(
        pattern=_pattern(r"driver/library version mismatch|NVRM: API mismatch"),
        cause="driver_library_mismatch",
        remedy="Reboot, or unload and load the NVIDIA kernel modules: the driver was updated "
        "while the old module was loaded.",
    ),
    _Rule(
        pattern=_pattern(
            r"RmInitAdapter failed|rm_init_adapter failed|no devices (?:were )?found|"
            r"insufficient external power"
        ),
        cause="adapter_init_failed",
        remedy="Look for NVRM lines in the kernel log (dmesg); check power cables, “Above 4G "
        "Decoding” and Resizable BAR in the firmware, and that the open kernel module is used "
        "where the GPU needs it.",
    ),
    _Rule(
        pattern=_pattern(
            r"unable to determine the device handle for gpu|gpu is lost|has fallen off the bus|"
            r"reboot the system to recover this gpu"
        ),
        cause="gpu_fallen_off_bus",
        remedy="Reboot; if it returns, check power, cooling, seating of the card and the Xid "
        "lines in the kernel log.",
    ),
    _Rule(
        pattern=_pattern(r"couldn.{0,3}t communicate with the nvidia driver"),
        cause="nouveau_conflict",
        remedy="Blacklist nouveau, rebuild the initial RAM disk and reboot.",
        when=lambda text: _NOUVEAU.search(text) is not None,
    ),
    _Rule(
        pattern=_pattern(
            r"couldn.{0,3}t communicate with the nvidia driver|"
            r"nvml: driver not loaded|nvml error: driver not loaded|"
            r"modprobe: fatal: module nvidia\S* not found|"
            r"could not insert .nvidia.{0,20}: (?:key was rejected|required key not available)"
        ),
        cause="kernel_module_not_loaded",
        remedy="Install the headers of the running kernel and rebuild the module (dkms); with "
        "Secure Boot enrol its signing key; then load it: modprobe nvidia.",
    ),
    _Rule(
        pattern=_pattern(
            r"couldn.{0,3}t find libnvidia-ml|nvml: not found|libnvidia-ml\.so[.0-9]*: cannot open"
        ),
        cause="driver_libs_not_injected",
        remedy="Give the container its GPUs (--gpus or CDI), so that the driver's libraries are "
        "mounted into it.",
        when=_in_container,
    ),
    _Rule(
        pattern=_pattern(
            r"couldn.{0,3}t find libnvidia-ml|libnvidia-ml\.so[.0-9]*: cannot open|"
            r"couldn.{0,3}t find nvml|nvml: (?:shared library )?not found"
        ),
        cause="driver_not_installed",
        remedy="Install the NVIDIA driver with its user-space libraries.",
    ),
    _Rule(
        pattern=_pattern(r"failed to initialize nvml: unknown error"),
        cause="cgroup_device_access_lost",
        remedy="In a container: start it anew; systemd took its device access away. Use CDI or "
        "the cgroupfs driver against a repeat.",
    ),
    _Rule(
        pattern=_pattern(
            r"gpu access blocked by the operating system|failed to initialize nvml: n/a"
        ),
        cause="gpu_access_blocked",
        remedy="Under WSL: update Windows, the NVIDIA driver for Windows and WSL; in Docker "
        "Desktop enable GPU support.",
    ),
    _Rule(
        pattern=_pattern(r"insufficient permissions|do not have suff?icient permissions"),
        cause="device_permission",
        remedy="Check the rights of /dev/nvidia* and the groups of this user.",
    ),
    _Rule(
        pattern=_pattern(r"nvidia-smi.{0,3}: executable file not found in \$path"),
        cause="driver_libs_not_injected",
        remedy="Give the container its GPUs (--gpus or CDI): nvidia-smi comes with the driver.",
    ),
    _Rule(
        pattern=_pattern(r"in use by another client"),
        cause="gpu_busy_other_process",
        remedy="End what uses the GPU (nvidia-smi lists it), then try again.",
    ),
    _Rule(
        pattern=_pattern(r"could not select device driver"),
        cause="nvidia_toolkit_missing",
        remedy="Install the NVIDIA container toolkit and restart the container engine.",
    ),
    _Rule(
        pattern=_pattern(r"fabric manager.{0,40}not running|system not yet initialized"),
        cause="fabric_manager_not_running",
        remedy="Start nvidia-fabricmanager of the driver's own version.",
    ),
    _Rule(
        pattern=_pattern(
            r"nvidia-smi(?:\.exe)?.{0,3}:? (?:command )?not found|"
            r"command .nvidia-smi. not found|nvidia-smi.{0,3} is not recognized|"
            r"nvidia-smi.{0,3}: no such file or directory|"
            r"command not found:? .?nvidia-smi|unknown command:? .?nvidia-smi"
        ),
        cause="driver_libs_not_injected",
        remedy="Give the container its GPUs (--gpus or CDI): nvidia-smi comes with the driver.",
        when=_in_container,
    ),
    _Rule(
        pattern=_pattern(
            r"nvidia-smi(?:\.exe)?.{0,3}:? (?:command )?not found|"
            r"command .nvidia-smi. not found|nvidia-smi.{0,3} is not recognized|"
            r"nvidia-smi.{0,3}: no such file or directory|"
            r"command not found:? .?nvidia-smi|unknown command:? .?nvidia-smi"
        ),
        cause="driver_not_installed",
        remedy="Install the NVIDIA driver, or add nvidia-smi's folder to PATH.",
    ),
    _Rule(
        pattern=_pattern(
            r"is not a valid field to query|command line argument must be used in conjunction"
        ),
        cause="usage_error",
        remedy="Call nvidia-smi with options that this driver's version knows (nvidia-smi -h).",
    ),
    _Rule(
        pattern=_pattern(
            r"invalid combination of input arguments|option .{1,40} is not recognized|"
            r"unrecognized (?:option|argument)|invalid (?:argument|option)|"
            r"switch .{0,20} is (?:missing|required)|"
            r"please run .?nvidia-smi -h|not a valid (?:argument|option|switch)"
        ),
        cause="usage_error",
        remedy="Call nvidia-smi with options that this driver's version knows (nvidia-smi -h).",
        when=lambda text: "nvidia-smi" in text.lower(),
    ),
)


def find_smi_error(text: str) -> SmiError | None:
    """Return the first known failure in ``text``, ``None`` when there is none."""
    clean = clean_paste(text)
    for rule in _RULES:
        match = rule.pattern.search(clean)
        if match is not None and (rule.when is None or rule.when(clean)):
            return SmiError(cause=rule.cause, remedy=rule.remedy, evidence=_line(clean, match))
    return None


def _line(text: str, match: re.Match[str]) -> str:
    start = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.start())
    return text[start : end if end >= 0 else len(text)].strip()[:300]
