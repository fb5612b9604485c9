"""The shape of ``metrics.toml`` and ``startup.toml``: what an engine tells of itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Final

from app.core.metrics.vocabulary import Metric
from app.core.texts import Text

_STRICT: Final[Mapping[str, str]] = MappingProxyType({"extra": "forbid"})


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
    """Another gauge or counter: the value or rate of ``name`` is divided by that of this one."""
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
class KnownMetrics:
    """Metrics that an engine tells besides, in which versions; none of ours is made of them."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    names: tuple[str, ...]
    """A name that ends in ``*`` stands for all that begin so."""
    kind: str
    """``gauge``, ``counter``, ``histogram``, ``info`` or ``mixed``."""
    since: str = ""
    until: str = ""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsFile:
    """``metrics.toml``."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    schema_version: int = 1
    metric: tuple[MetricRule, ...] = ()
    also_known: tuple[KnownMetrics, ...] = ()
    not_exposed: tuple[NotExposed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseRule:
    """One step of a start: the line that says that it has begun."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    id: str
    label: Text
    pattern: str
    """Regular expression searched in a cleaned line."""
    progress_group: str = ""
    """Named group of ``pattern`` with a percentage."""
    typical_gpu_s: float | None = None
    """How long it took in a start that we measured; used until this installation has learned."""
    typical_cpu_s: float | None = None
    typical_simulated_s: float | None = None
    """How long the demo host plays it."""
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
    """With groups whose names begin with ``value`` (they are added), else its first group.

    A group ``unit`` overrides ``unit``, a group ``rank`` the rank that the line's prefix names.
    """
    unit: str
    """``GiB``, ``MiB``, ``KiB``, ``bytes``, ``tokens``, ``s`` or ``count``."""
    add: bool = False
    """Several lines of one start are added; else the last one counts."""
    smallest: bool = False
    """Of several ranks the smallest decides; else the largest."""
    since: str = ""
    until: str = ""
    source: str = ""
    checked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedRule:
    """A quantity that the engine does not print itself, from others that it prints."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    quantity: str
    """Used only when no line gave it."""
    of: str
    """The quantity it begins with, whose unit and line it has unless ``unit`` says otherwise."""
    times: str = ""
    minus: str = ""
    """The other quantity; exactly one of both is given."""
    default: float | None = None
    """Stands for the other quantity where it was not printed; ``None``: not derived then."""
    unit: str = ""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenRule:
    """What an engine says at its start that it chose by itself."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    id: str
    """``attention_backend``, ``dtype``, ``kv_dtype``, ``quantization_kernel``, …"""
    pattern: str
    """With a group ``value``."""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseRule:
    """A line that the engine prints for each of Pitwall's own requests for metrics."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    pattern: str
    """Regular expression searched in a cleaned line."""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StartupFile:
    """``startup.toml``."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    schema_version: int = 1
    phase: tuple[PhaseRule, ...] = ()
    actual: tuple[ActualRule, ...] = ()
    derived: tuple[DerivedRule, ...] = ()
    chosen: tuple[ChosenRule, ...] = ()
    noise: tuple[NoiseRule, ...] = ()
    """Not shown in a followed log; a log that is printed or saved is always whole."""
