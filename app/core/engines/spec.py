"""The shape of an engine's data files: ``resources/engines/<id>/*.toml``.

Each file becomes one frozen value; `EngineData` holds them together. A fact carries ``source``
(document and version) and ``checked`` (date). TOML tables have the names of the fields here;
unknown keys are refused by the loader. ``since`` is the first version known to have the thing,
``until`` the last one; empty means "all known" and "still". Nothing here reads a file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import ClassVar, Final

from app.core.engines.adapters import AdapterRule
from app.core.engines.build_spec import BuildFamily, BuildLimit, BuildRule
from app.core.engines.dtype_spec import UnstableDtype
from app.core.engines.flag_spec import (
    HOST_FIELDS,
    FlagRule,
    FlagsFile,
    FlagType,
    KnownFlags,
    PlanField,
)
from app.core.engines.observed_spec import (
    ActualRule,
    MetricRule,
    MetricsFile,
    NotExposed,
    PhaseRule,
    StartupFile,
)
from app.core.texts import Text
from app.core.versions import VersionScheme

__all__ = [
    "HOST_FIELDS",
    "SCHEMA_VERSION",
    "ActualRule",
    "AlwaysFlag",
    "BuildFamily",
    "BuildLimit",
    "BuildRule",
    "CacheVolume",
    "Caution",
    "ContainerNeeds",
    "Device",
    "EngineData",
    "EngineFile",
    "EngineStatus",
    "Entrypoint",
    "EnvironmentRule",
    "FlagRule",
    "FlagType",
    "FlagsFile",
    "FractionMeaning",
    "FractionRule",
    "ImageRule",
    "KnownFlags",
    "KvDtypeRule",
    "MetricRule",
    "MetricsFile",
    "NotExposed",
    "PhaseRule",
    "PlanField",
    "QuantizationRule",
    "Server",
    "ServerBehaviour",
    "ServerTopic",
    "StartupFile",
    "UnstableDtype",
]

SCHEMA_VERSION: Final = 1
_STRICT: Final[Mapping[str, str]] = MappingProxyType({"extra": "forbid"})


class EngineStatus(StrEnum):
    """How the project behind an engine stands."""

    ACTIVE = "active"
    MAINTENANCE = "maintenance"
    """Kept working, never proposed first."""
    INACTIVE = "inactive"


class FractionMeaning(StrEnum):
    """What an engine's memory fraction is a share of."""

    OF_TOTAL = "of_total"
    OF_FREE_BEFORE_LOAD = "of_free_before_load"
    """Weights and KV cache take this share of what was free."""
    OF_FREE_AFTER_LOAD = "of_free_after_load"
    """The KV cache takes this share of what the weights left free."""


class Device(StrEnum):
    """What an image computes on."""

    CPU = "cpu"
    NVIDIA = "nvidia"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRule:
    """Which image serves which versions, and what it asks of the host."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    id: str
    reference: str
    """With ``{version}``; pinned by digest or id when it is deployed."""
    device: Device
    architectures: tuple[str, ...]
    """As ``uname -m`` says: ``x86_64``, ``aarch64``."""
    since: str = ""
    until: str = ""
    cuda: str = ""
    """CUDA inside the image; empty for CPU images."""
    min_driver: str = ""
    """Driver from which the image runs natively."""
    compat_min_driver: str = ""
    """Older driver from which data-centre GPUs still run it (minor-version compatibility)."""
    compat_environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    compute_capabilities: tuple[str, ...] = ()
    """GPU generations with code in the image."""
    jit_capabilities: tuple[str, ...] = ()
    """Generations that are compiled on the host at first start (PTX)."""
    jit_min_driver: str = ""
    """Driver that this compilation needs."""
    note: Text | None = None
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrypoint:
    """How the image is started from a version on; the last matching entry holds."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    since: str = ""
    program: tuple[str, ...] = ()
    """The image's own entry point, for showing; it is not repeated in the command."""
    instead: tuple[str, ...] = ()
    """Replaces the image's own entry point, where more than one program has to run."""
    command: tuple[str, ...] = ()
    """Words that the command has to begin with; ``{model}`` and ``{name}`` stand for the model's
    path and the name under which clients ask for it."""
    model_positional: bool = False
    """The model is the first argument instead of a flag's value."""
    source: str
    checked: str


class ServerTopic(StrEnum):
    """What a server does that a user has to know."""

    READY = "ready"
    """When its health path says yes, and what that means."""
    STOP = "stop"
    """What becomes of running requests when it is stopped."""
    AUTH = "auth"
    """What an API key guards, and what stays open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerBehaviour:
    """How the server behaves in a range of versions."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    topic: ServerTopic
    since: str = ""
    until: str = ""
    open_paths: tuple[str, ...] = ()
    """Paths that answer without the key even where one is set."""
    text: Text
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """How to reach the engine's HTTP server, and how to tell that it is ready."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    container_port: int
    bind_address: str = "0.0.0.0"  # noqa: S104 - inside the container; published on loopback only
    health_path: str
    models_path: str = "/v1/models"
    metrics_path: str = ""
    """Empty when the engine has none."""
    api_key_env: str = ""
    """Variable that carries the API key, so that it never stands on a command line."""
    api_key_since: str = ""
    """First version that reads it; older ones ask for no key."""
    stop_timeout_s: int = 30
    ready_timeout_s: int = 600
    first_answer_s: int = 120
    """How long the first completion may take: kernels are compiled, or the model is loaded."""
    image_healthcheck_port: int | None = None
    """Port that a health check baked into the image asks; the server must keep it."""
    behaviour: tuple[ServerBehaviour, ...] = ()
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheVolume:
    """A named volume that makes later starts faster."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    name: str
    target: str
    why: Text
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerNeeds:
    """What the container has to offer beyond GPUs."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    shm_one_gpu_mib: int | None = None
    """``None`` keeps Docker's 64 MiB."""
    shm_many_gpus_mib: int | None = None
    shm_cpu_mib: int | None = None
    capabilities_add: tuple[str, ...] = ()
    cache_volume: tuple[CacheVolume, ...] = ()
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentRule:
    """A variable that every container of this engine gets."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    name: str
    value: str
    since: str = ""
    until: str = ""
    device: Device | None = None
    why: Text
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AlwaysFlag:
    """A flag that every plan carries because Pitwall itself needs it."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    flag: str
    value: str | None = None
    """``None`` for a switch."""
    since: str = ""
    until: str = ""
    why: Text
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantizationRule:
    """From which GPU generation on a quantization method runs."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    method: str
    """As in `Quantization.method`."""
    min_capability: str = ""
    native_capability: str = ""
    """From here on the hardware computes in it; below only the weights are stored in it."""
    unconfirmed_on: tuple[str, ...] = ()
    """Capabilities for which there is code, but no report that it works."""
    on_cpu: bool = False
    """Whether the engine's CPU image runs it."""
    since: str = ""
    until: str = ""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FractionRule:
    """The engine's own default of its memory fraction; without one the engine works it out."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    value: float
    meaning: FractionMeaning = FractionMeaning.OF_TOTAL
    since: str = ""
    until: str = ""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KvDtypeRule:
    """A dtype of the KV cache and where it works."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    dtype: str
    """Engine-neutral name: ``auto``, ``fp8``, ``q8_0``."""
    min_capability: str = ""
    on_cpu: bool = False
    since: str = ""
    until: str = ""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Caution:
    """Something true of some versions that a user should read before deploying."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    id: str
    since: str = ""
    until: str = ""
    gpu_access: tuple[str, ...] = ()
    """Only with these ways of handing GPUs over; empty means any."""
    text: Text
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFile:
    """``engine.toml``: identity, versions, images, server, container, hard constraints."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    schema_version: int
    id: str
    name: str
    summary: Text
    status: EngineStatus = EngineStatus.ACTIVE
    plannable: bool = True
    why_not: Text | None = None
    """Why Pitwall makes no plans for it; required when not ``plannable``."""
    version_scheme: VersionScheme = VersionScheme.SEMVER
    versions: tuple[str, ...] = ()
    """Examined versions, oldest first."""
    default_version: str = ""
    """What is planned when nothing forbids it; empty means the newest examined one."""
    flags_since: str = ""
    """First version whose flags are known, where it has no image and so is not planned."""
    formats: tuple[str, ...] = ()
    """Model formats it loads: ``safetensors``, ``gguf``."""
    tensor_parallel: bool = False
    """Whether one layer may be split over GPUs."""
    tensor_parallel_powers_of_two: bool = False
    """Whether only 2, 4, 8 … GPUs may share a layer."""
    layer_split: bool = False
    """Whether layers may be spread over GPUs and CPU (llama.cpp)."""
    image: tuple[ImageRule, ...] = ()
    """In order of preference."""
    entrypoint: tuple[Entrypoint, ...] = ()
    build: tuple[BuildRule, ...] = ()
    """How an engine can be built before it is served, in versions that do so."""
    server: Server | None = None
    container: ContainerNeeds | None = None
    environment: tuple[EnvironmentRule, ...] = ()
    always: tuple[AlwaysFlag, ...] = ()
    quantization: tuple[QuantizationRule, ...] = ()
    memory_fraction: tuple[FractionRule, ...] = ()
    kv_dtype: tuple[KvDtypeRule, ...] = ()
    unstable_dtype: tuple[UnstableDtype, ...] = ()
    caution: tuple[Caution, ...] = ()
    adapter: tuple[AdapterRule, ...] = ()
    """How LoRA adapters are given to it; no rule for a version means not at all."""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineData:
    """All that is known about one engine; files that an engine does not have are empty."""

    engine: EngineFile
    flags: FlagsFile = field(default_factory=FlagsFile)
    metrics: MetricsFile = field(default_factory=MetricsFile)
    startup: StartupFile = field(default_factory=StartupFile)
