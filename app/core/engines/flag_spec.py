"""The shape of ``flags.toml``: what a flag takes, when it exists, which plan field it carries."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import ClassVar, Final

from app.core.texts import Text

_STRICT: Final[Mapping[str, str]] = MappingProxyType({"extra": "forbid"})


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
    EXPERT_PARALLEL_SIZE = "expert_parallel_size"
    DATA_PARALLEL_SIZE = "data_parallel_size"
    """Copies of the model, each on GPUs of its own; only read from a user's flags."""
    MEMORY_FRACTION = "memory_fraction"
    KV_DTYPE = "kv_dtype"
    DTYPE = "dtype"
    GPU_LAYERS = "gpu_layers"
    CPU_MOE_LAYERS = "cpu_moe_layers"
    TENSOR_SPLIT = "tensor_split"
    GPU_OVERHEAD_BYTES = "gpu_overhead_bytes"
    THREADS = "threads"
    PREFILL_TOKENS = "prefill_tokens"
    PREFIX_CACHING = "prefix_caching"
    SPECULATIVE = "speculative"
    ENFORCE_EAGER = "enforce_eager"
    KV_CACHE_BYTES = "kv_cache_bytes"
    QUANTIZATION = "quantization"
    """This and the next: only read from a user's flags, for the memory estimate."""
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
class FlagRule:
    """One command-line flag: what it takes, when it exists, which plan field it carries."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    name: str
    """With its dashes; without any it is an environment variable (Ollama takes nothing else)."""
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
    offset: int = 0
    """Added to the value of ``plan_field`` (TGI's longest prompt leaves room for one token)."""
    values: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Engine-neutral value → this engine's spelling; ``""`` means: leave the flag out."""
    part: int | None = None
    """Which half of a value written in two this flag carries (0 or 1 of ``K/V``)."""
    follows: bool = False
    """Derived from the plan field for the engine's sake; its value says nothing about the field."""
    together: tuple[str, ...] = ()
    """Switches without which these versions refuse what the plan puts into this flag."""
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
    with_values: tuple[str, ...] = ()
    """One value or several words follow."""
    names: tuple[str, ...] = ()
    """Whether a value follows was not examined."""
    since: str = ""
    until: str = ""
    source: str
    checked: str

    @property
    def every(self) -> tuple[str, ...]:
        """All names of the group."""
        return (*self.switches, *self.with_value, *self.with_values, *self.names)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagsFile:
    """``flags.toml``."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    schema_version: int = 1
    flag: tuple[FlagRule, ...] = ()
    also_known: tuple[KnownFlags, ...] = ()
