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

from app.core.metrics.vocabulary import Metric
from app.core.texts import Text

SCHEMA_VERSION: Final = 1
_STRICT: Final[Mapping[str, str]] = MappingProxyType({"extra": "forbid"})


class EngineStatus(StrEnum):
    """How the project behind an engine stands."""

    ACTIVE = "active"
    MAINTENANCE = "maintenance"
    """Kept working, never proposed first."""
    INACTIVE = "inactive"


class VersionScheme(StrEnum):
    """How versions of an engine compare."""

    SEMVER = "semver"
    BUILD = "build"
    """llama.cpp's ``bNNNN``."""


class Device(StrEnum):
    """What an image computes on."""

    CPU = "cpu"
    NVIDIA = "nvidia"


class FlagType(StrEnum):
    """What follows a flag."""

    SWITCH = "switch"
    """Nothing: its presence means yes."""
    BOOL = "bool"
    """Nothing; a negative form exists (``negation``)."""
    INT = "int"
    FLOAT = "float"
    TEXT = "text"
    PATH = "path"
    ENUM = "enum"
    LIST = "list"
    """Comma-separated, or repeated words."""
    JSON = "json"
    SIZE = "size"
    """A count that may end in k, m, g (decimal) or K, M, G (binary), or a word in ``choices``."""


class PlanField(StrEnum):
    """Fields of `Parameters`, and of the deployment, that a flag can carry."""

    CONTEXT_TOKENS = "context_tokens"
    CONCURRENCY = "concurrency"
    TENSOR_PARALLEL_SIZE = "tensor_parallel_size"
    PIPELINE_PARALLEL_SIZE = "pipeline_parallel_size"
    MEMORY_FRACTION = "memory_fraction"
    KV_DTYPE = "kv_dtype"
    DTYPE = "dtype"
    GPU_LAYERS = "gpu_layers"
    THREADS = "threads"
    PREFILL_TOKENS = "prefill_tokens"
    PREFIX_CACHING = "prefix_caching"
    ENFORCE_EAGER = "enforce_eager"
    """From here to ``block_size``: only read from a user's flags, for the memory estimate."""
    QUANTIZATION = "quantization"
    BLOCK_SIZE = "block_size"
    MODEL = "model"
    SERVED_NAME = "served_name"
    HOST = "host"
    PORT = "port"
    API_KEY = "api_key"


HOST_FIELDS: Final = frozenset(
    {
        PlanField.MODEL,
        PlanField.SERVED_NAME,
        PlanField.HOST,
        PlanField.PORT,
        PlanField.THREADS,
        PlanField.API_KEY,
    }
)
"""Fields that belong to one host or deployment and therefore are not kept in a profile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A range of versions; both ends belong to it."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    since: str = ""
    until: str = ""


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
    command: tuple[str, ...] = ()
    """Words that the command has to begin with."""
    model_positional: bool = False
    """The model is the first argument instead of a flag's value."""
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
    stop_timeout_s: int = 30
    ready_timeout_s: int = 600
    image_healthcheck_port: int | None = None
    """Port that a health check baked into the image asks; the server must keep it."""
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
    since: str = ""
    until: str = ""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FractionRule:
    """The engine's own default of its memory fraction."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    value: float
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
    formats: tuple[str, ...] = ()
    """Model formats it loads: ``safetensors``, ``gguf``."""
    tensor_parallel: bool = False
    """Whether one layer may be split over GPUs."""
    layer_split: bool = False
    """Whether layers may be spread over GPUs and CPU (llama.cpp)."""
    image: tuple[ImageRule, ...] = ()
    """In order of preference."""
    entrypoint: tuple[Entrypoint, ...] = ()
    server: Server | None = None
    container: ContainerNeeds | None = None
    environment: tuple[EnvironmentRule, ...] = ()
    always: tuple[AlwaysFlag, ...] = ()
    quantization: tuple[QuantizationRule, ...] = ()
    memory_fraction: tuple[FractionRule, ...] = ()
    kv_dtype: tuple[KvDtypeRule, ...] = ()
    caution: tuple[Caution, ...] = ()
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagRule:
    """One command-line flag: what it takes, when it exists, which plan field it carries."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    name: str
    short: tuple[str, ...] = ()
    """Other spellings, short or long."""
    negation: str = ""
    """The form that says no, for ``bool``."""
    env: str = ""
    type: FlagType
    choices: tuple[str, ...] = ()
    """Allowed values; beside a number type, words that are allowed as well."""
    open_choices: bool = False
    """True when the list is not complete, so an unlisted value is only doubted."""
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    default: str = ""
    """The engine's own default in words, for showing."""
    since: str = ""
    until: str = ""
    replaced_by: str = ""
    """What to write after ``until``."""
    deprecated_since: str = ""
    conflicts: tuple[str, ...] = ()
    plan_field: PlanField | None = None
    times: PlanField | None = None
    """The flag's value is ``plan_field`` multiplied by this field (llama.cpp's total context)."""
    values: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Engine-neutral value → this engine's spelling; ``""`` means: leave the flag out."""
    secret: bool = False
    """Its value must not stand on a command line."""
    meaning: Text
    note: Text | None = None
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFlags:
    """Flags that a version accepts and that Pitwall passes on without looking into them."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    switches: tuple[str, ...] = ()
    with_value: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagsFile:
    """``flags.toml``."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    schema_version: int = SCHEMA_VERSION
    flag: tuple[FlagRule, ...] = ()
    also_known: tuple[KnownFlags, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRule:
    """Which of the engine's metrics gives one of ours; several entries are tried in order."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    metric: Metric
    name: str
    kind: str
    """``gauge``, ``counter`` (shown as a rate) or ``histogram`` (shown as a quantile)."""
    scale: float = 1.0
    quantile: float | None = None
    """For histograms: 0.5 or 0.95."""
    divide_by: str = ""
    """Another counter: the rate of ``name`` is divided by its rate."""
    since: str = ""
    until: str = ""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotExposed:
    """A metric that this engine does not give, and why."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    metric: Metric
    reason: Text
    since: str = ""
    until: str = ""
    source: str = ""
    checked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsFile:
    """``metrics.toml``."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    schema_version: int = SCHEMA_VERSION
    metric: tuple[MetricRule, ...] = ()
    not_exposed: tuple[NotExposed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseRule:
    """One step of a start: the line that says that it has begun."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    id: str
    label: Text
    pattern: str
    """Regular expression searched in a cleaned line."""
    typical_s: float | None = None
    progress_group: str = ""
    """Named group of ``pattern`` with a percentage."""
    since: str = ""
    until: str = ""
    source: str = ""
    checked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActualRule:
    """A quantity that the engine prints at start, to compare with its prediction."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    quantity: str
    """Name of a field of `MemoryEstimate`, or another measured quantity."""
    pattern: str
    """With a group ``value``, else its first group."""
    unit: str
    """``GiB``, ``MiB``, ``bytes``, ``tokens``, ``s`` or ``count``."""
    since: str = ""
    until: str = ""
    source: str = ""
    checked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartupFile:
    """``startup.toml``."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    schema_version: int = SCHEMA_VERSION
    phase: tuple[PhaseRule, ...] = ()
    actual: tuple[ActualRule, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineData:
    """All that is known about one engine; files that an engine does not have are empty."""

    engine: EngineFile
    flags: FlagsFile = field(default_factory=FlagsFile)
    metrics: MetricsFile = field(default_factory=MetricsFile)
    startup: StartupFile = field(default_factory=StartupFile)
