"""Kinds of things that are taken out of a bundle, and words that name nobody."""

from enum import StrEnum
from typing import Final


class RedactionKind(StrEnum):
    """What a stand-in stands for; it is part of it: ``<ipv4-2>``."""

    SECRET = "secret"  # noqa: S105 - a kind's name
    HOST = "host"
    USER = "user"
    PATH = "path"
    IPV4 = "ipv4"
    IPV6 = "ipv6"
    MAC = "mac"
    UUID = "uuid"
    SERIAL = "serial"
    EMAIL = "email"


_GENERIC: Final = """
    admin administrator api app auth base build cache client cluster compute container core cpu cuda
    data default demo dev device docker driver engine error false file ghcr gpu gpus group head home
    host hostname huggingface image info inference kernel linux llama llama-cpp llama-server local
    localhost log logs main master memory model models name network nobody node none null nvidia
    ollama path port prod production python rank ray remote root self server service sglang socket
    system test tgi this token true ubuntu unknown user username users vllm warning worker www
"""
GENERIC_NAMES: Final = frozenset(_GENERIC.split())
"""Names that identify nobody and stand in every log: replaced only where they are surely names."""

PUBLIC_DOMAINS: Final = (
    "huggingface.co",
    "hf.co",
    "github.com",
    "githubusercontent.com",
    "ghcr.io",
    "docker.io",
    "docker.com",
    "quay.io",
    "nvcr.io",
    "nvidia.com",
    "pytorch.org",
    "python.org",
    "pypi.org",
    "vllm.ai",
    "modelscope.cn",
    "gcr.io",
    "pkg.dev",
    "intel.com",
    "amd.com",
    "kernel.org",
    "ubuntu.com",
    "launchpad.net",
    "debian.org",
    "redhat.com",
    "readthedocs.io",
    "lmsys.org",
    "ollama.com",
    "openai.com",
)
"""Where everybody gets images, models and answers: these names help and identify nobody."""

KEPT_ROOTS: Final = (
    "/usr/",
    "/bin/",
    "/sbin/",
    "/lib/",
    "/lib64/",
    "/proc/",
    "/sys/",
    "/dev/",
    "/app/",
    "/opt/venv/",
    "/opt/conda/",
    "/opt/nvidia/",
    "/opt/hpcx/",
    "/opt/rocm/",
    "/etc/ld.so",
    "/etc/nvidia",
    "/etc/cdi/",
    "/etc/docker/",
    "/etc/os-release",
    "/var/run/",
    "/run/docker",
    "/run/nvidia",
    "/run/containerd",
    "/var/lib/docker",
    "/var/run/docker.sock",
    "/root/.cache/",
    "/root/.triton/",
    "/workspace/",
    "/vllm-workspace/",
    "/sgl-workspace/",
    "/v1/",
    "/health",
    "/metrics",
    "/version",
    "/tokenize",
    "/ping",
    "/docs",
    "/openapi.json",
    "/redoc",
    "/props",
    "/slots",
    "/completion",
    "/embedding",
    "/chat/completions",
)
"""Where engines, drivers and images keep their own files, and paths of the engines' HTTP APIs."""

_DOMAINS: Final = """
    com net org edu gov mil int info biz cloud tech company systems solutions digital online site
    store app page dev arpa local lan internal intranet corp home localdomain svc cluster test
    example invalid private priv ad domain network zone host
"""
TOP_DOMAINS: Final = frozenset(_DOMAINS.split())
_NO_HOSTS: Final = """
    args clocks config ecc logging math memory model np options os pci power self sglang sys
    temperature torch utilization vllm
"""
NO_HOSTS: Final = frozenset(_NO_HOSTS.split())
"""First parts of dotted names that are columns of tools or names in code."""
_FILE_ENDINGS: Final = frozenset(
    ("cc", "cu", "gz", "js", "md", "pl", "ps", "py", "rc", "rs", "sh", "so", "ts", "xz")
)
"""Endings of file names that are also countries."""


def is_top_domain(label: str) -> bool:
    """Tell whether the last part of a dotted name can be a domain's."""
    if label in TOP_DOMAINS or label in {"io", "ai"}:
        return True
    return len(label) == 2 and label.isalpha() and label not in _FILE_ENDINGS
