"""What is deployed: profile (without a host), container, deployment spec (for one host)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from app.core.deployment.profile_flag import ProfileFlag
from app.core.models.prediction import Prediction

__all__ = [
    "DEPLOYMENT_SCHEMA",
    "PROFILE_SCHEMA",
    "ContainerSpec",
    "DeploymentSpec",
    "Mount",
    "Profile",
    "ProfileFlag",
]

PROFILE_SCHEMA: Final = "pitwall.profile/1"
DEPLOYMENT_SCHEMA: Final = "pitwall.deployment/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A host folder or file, or a named volume, inside the container."""

    source: str
    """A host path, or a volume's name when ``kind`` is ``volume``."""
    target: str
    read_only: bool = True
    kind: str = "bind"
    """``bind`` (host path) or ``volume`` (named volume, made on first use)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerSpec:
    """Everything the container engine is asked for: API call, docker run and preview alike."""

    name: str
    image: str
    """Reference shown to people; what is started is the resolved id in `DeploymentSpec`."""
    command: tuple[str, ...]
    entrypoint: tuple[str, ...] = ()
    """Empty keeps the image's own."""
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    secret_environment: tuple[str, ...] = ()
    """Names whose values come from the keyring or memory at creation; never shown or stored."""
    mounts: tuple[Mount, ...] = ()
    container_port: int
    """0 publishes nothing and gives the container no network but its own loopback."""
    host_port: int
    """0 until resolved: the host's engine then picks a free one."""
    host_address: str = "127.0.0.1"
    gpu_uuids: tuple[str, ...] = ()
    gpu_access: str = "none"
    """A `GpuAccess` value: how the GPUs are handed over."""
    cdi_names: tuple[str, ...] = ()
    """What the host's CDI specification calls these GPUs; empty: by UUID."""
    user: str | None = None
    """``None`` keeps the image's own user."""
    shm_size_bytes: int | None = None
    memory_limit_bytes: int | None = None
    pids_limit: int | None = 4096
    capabilities_drop: tuple[str, ...] = ("ALL",)
    capabilities_add: tuple[str, ...] = ()
    security_options: tuple[str, ...] = ("no-new-privileges",)
    init: bool = True
    restart_policy: str = "no"
    log_max_size: str = "20m"
    log_max_files: int = 5
    labels: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A saved plan without a host: TOML on disk."""

    schema: str = PROFILE_SCHEMA
    name: str
    title: str = ""
    title_zh_CN: str = ""  # noqa: N815 - the language's own code
    description: str = ""
    description_zh_CN: str = ""  # noqa: N815 - the language's own code
    engine: str
    engine_version: str
    """A version, or ``newest``: the newest one whose image runs on the host."""
    image: str = ""
    """Empty: the engine's own image for the host and version."""
    model: str
    """Model name or path the plan was made for; ``ask`` leaves it to the deployment."""
    model_revision: str | None = None
    goal: str = "throughput"
    context_tokens: int | None = None
    concurrency: int | None = None
    tensor_parallel_size: int = 1
    gpu_count: int = 0
    """0 means CPU."""
    gpu_memory_min_mib: int | None = None
    gpu_same_island: bool = True
    port: int = 0
    flags: tuple[ProfileFlag, ...] = ()
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    adapters: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """LoRA adapters: where each lies on the host, by name."""
    shm_size_bytes: int | None = None
    memory_limit_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentSpec:
    """A profile resolved against one host: exactly what will be, or was, created."""

    schema: str = DEPLOYMENT_SCHEMA
    host_id: str
    name: str
    revision: int
    engine: str
    engine_version: str
    model_name: str
    """Served model name: what clients put into ``model``."""
    model_path: str
    """Where the engine finds the model inside the container; the mounts say where it really is."""
    image: str
    image_id: str
    """Content id (``sha256:…``) of the image on the host; empty until the container is made."""
    image_pinned_by: str = ""
    """``digest`` or ``image-id``."""
    container: ContainerSpec
    plan_digest: str
    estimate_bytes_per_gpu: int | None = None
    prediction: Prediction | None = None
    """What was expected of its memory; ``None`` in specs of older Pitwalls."""
    health_path: str = "/health"
    simulated: bool = False
    profile_name: str = ""
