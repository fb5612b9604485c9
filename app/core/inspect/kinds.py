"""What a paste can be, and what is known of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from app.core.clinic.report import Clinic


class InspectKind(StrEnum):
    """Kinds of paste, as ``pitwall inspect --kind`` takes them."""

    TOPO = "topo"
    P2P = "p2p"
    SMI_TABLE = "smi-table"
    SMI_CSV = "smi-csv"
    SMI_XML = "smi-xml"
    SMI_LIST = "smi-list"
    SMI_NVLINK = "smi-nvlink"
    SMI_APPS = "smi-apps"
    SMI_MIG = "smi-mig"
    SMI_ERROR = "smi-error"
    ROCM = "rocm"
    OTHER_ACCELERATOR = "other-accelerator"
    ENGINE_LOG = "engine-log"
    METRICS = "metrics"
    DOCKER_INSPECT = "docker-inspect"
    DOCKER_RUN = "docker-run"
    COMPOSE = "compose"
    KUBERNETES = "kubernetes"
    SYSTEMD_UNIT = "systemd-unit"
    LAUNCH_SCRIPT = "launch-script"
    NGINX = "nginx"
    MODEL_CONFIG = "model-config"
    FINGERPRINT = "fingerprint"
    LSCPU = "lscpu"
    DOCKER_INFO = "docker-info"
    DOCKER_VERSION = "docker-version"
    PODMAN_INFO = "podman-info"
    MEMINFO = "meminfo"
    OS_RELEASE = "os-release"
    DF = "df"
    NUMACTL = "numactl"
    LSPCI = "lspci"
    LSMOD = "lsmod"
    DRIVER_VERSION = "driver-version"
    SMI_VERSION = "smi-version"
    CONTAINER_TOOLKIT = "container-toolkit"
    CDI_LIST = "cdi-list"
    SYSCTL = "sysctl"
    ULIMIT = "ulimit"
    UNAME = "uname"
    USER = "id"
    DEVICES = "devices"
    KERNEL_LOG = "kernel-log"
    UNKNOWN = "unknown"


LAUNCHES: Final = frozenset(
    {
        InspectKind.DOCKER_RUN,
        InspectKind.COMPOSE,
        InspectKind.KUBERNETES,
        InspectKind.SYSTEMD_UNIT,
        InspectKind.LAUNCH_SCRIPT,
        InspectKind.NGINX,
    }
)
"""Texts that start an engine, or stand in front of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """A paste, recognised. Keys of ``result`` depend on the kind; ``None`` is unknown."""

    kind: InspectKind
    result: Mapping[str, object] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    clinic: Clinic | None = None
    """What is said of a launch, line by line; where the data to judge by were given."""
