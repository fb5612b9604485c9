"""Turn a folder of recordings (NAME.txt, NAME.rc, NAME.err) into sections and back into facts."""

from collections.abc import Mapping
from typing import Final

from app.core.hardware.sections import RawSection

COMMANDS: Final[Mapping[str, str]] = {
    "smi": "nvidia-smi",
    "smi-L": "nvidia-smi -L",
    "smi-q": "nvidia-smi -q",
    "smi-q-x": "nvidia-smi -q -x",
    "smi-topo-m": "nvidia-smi topo -m",
    "smi-topo-p2p-r": "nvidia-smi topo -p2p r",
    "smi-topo-p2p-n": "nvidia-smi topo -p2p n",
    "smi-nvlink-s": "nvidia-smi nvlink -s",
    "smi-csv": "nvidia-smi --query-gpu=… --format=csv",
    "smi-apps": "nvidia-smi --query-compute-apps=… --format=csv",
    "smi-version": "nvidia-smi --version",
    "smi-mig": "nvidia-smi mig -lgip",
    "lscpu": "lscpu",
    "lscpu-J": "lscpu -J",
    "numactl": "numactl -H",
    "meminfo": "cat /proc/meminfo",
    "os-release": "cat /etc/os-release",
    "uname": "uname -a",
    "id": "id",
    "df": "df -PT -B1",
    "docker": "docker version",
    "docker-version": "docker version --format '{{json .}}'",
    "docker-info": "docker info --format '{{json .}}'",
    "nvctk": "nvidia-ctk --version",
    "driver-version": "cat /proc/driver/nvidia/version",
    "virt": "systemd-detect-virt",
    "smi-time": "seconds of nvidia-smi --query-gpu",
    "smi-cc": "nvidia-smi conf-compute -f",
    "smi-nvlink-e": "nvidia-smi nvlink -e",
    "podman-info": "podman info --format json",
    "cdi-list": "nvidia-ctk cdi list",
    "cdi-spec": "cat /etc/cdi/* /var/run/cdi/*",
    "sockets": "ls /var/run/docker.sock",
    "services": "systemctl show docker nvidia-fabricmanager …",
    "fabric-manager": "nv-fabricmanager --version",
    "time": "timedatectl show",
    "listening": "ss -ltn",
    "modinfo": "modinfo nvidia",
    "dkms": "dkms status",
    "secure-boot": "mokutil --sb-state",
    "libc": "getconf GNU_LIBC_VERSION",
    "ldconfig": "ldconfig -p",
    "block-devices": "lsblk -dPno NAME,ROTA,TRAN,TYPE",
    "cgroup": "stat -fc %T /sys/fs/cgroup",
    "mps": "pgrep -l nvidia-cuda-mps",
    "lspci-vv": "lspci -vv",
    "dmesg": "dmesg",
    "journal": "journalctl -kb",
    "login": "echo $PATH $LANG",
    "numa-sysfs": "cat /sys/devices/system/node/*",
    "pci-sysfs": "cat /sys/bus/pci/devices/*",
    "driver-params": "cat /proc/driver/nvidia/params",
    "modules": "cat /proc/modules",
    "kernels": "ls /lib/modules",
    "dev": "ls -l /dev/nvidia*",
    "cmdline": "cat /proc/cmdline",
    "sysctl": "sysctl -a",
    "files": "grep '' /proc/… /sys/…",
    "model": "cat /proc/device-tree/model",
    "cpufreq": "cat /sys/devices/system/cpu/*/cpufreq/scaling_governor",
    "iommu": "cat /sys/kernel/iommu_groups/*/type",
    "routes": "default routes of /proc/net/route",
    "proxy": "env | grep -i proxy",
    "which": "command -v nvidia-smi …",
    "ulimit": "ulimit -a",
    "clock": "date -u",
}
"""Commands behind the names of recordings, for showing."""


def sections_from_recording(files: Mapping[str, str]) -> tuple[RawSection, ...]:
    """Build sections from a folder's files (file name → text), sorted by name.

    A missing ``.rc`` means that the exit code is not known; it is taken as 0 when there is
    output, since recordings by hand rarely note it.
    """
    sections = []
    for file in sorted(files):
        if not file.endswith(".txt") or file.lower() == "readme.txt":
            continue
        name = file.removesuffix(".txt")
        stdout = files[file]
        code = files.get(f"{name}.rc", "").strip()
        sections.append(
            RawSection(
                name=name,
                command=COMMANDS.get(name, name),
                exit_code=_exit_code(code, stdout),
                stdout=stdout,
                stderr=files.get(f"{name}.err", ""),
            )
        )
    return tuple(sections)


def _exit_code(code: str, stdout: str) -> int | None:
    if code.isascii() and code.isdigit() and len(code) <= 3:
        return int(code)
    return 0 if not code and stdout.strip() else None
