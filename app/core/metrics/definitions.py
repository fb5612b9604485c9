"""How each metric of the vocabulary is called, counted and drawn (``resources/metrics.toml``)."""

from dataclasses import dataclass

from app.core.metrics.vocabulary import Metric
from app.core.texts import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricDefinition:
    """One metric: its unit inside, and how it is shown."""

    id: Metric
    label: Text
    unit: str
    """Unit of the stored values."""
    shown_unit: str
    """Unit people read; the same as ``unit`` unless ``shown_scale`` says otherwise."""
    shown_scale: float = 1.0
    """Stored value × this = shown value."""
    digits: int = 0
    """Decimal places when shown."""
    axis_from_zero: bool = True
    axis_max: float | None = None
    """Fixed upper end in shown units, for shares."""
    log_axis_optional: bool = False
    fill: bool = False
    """Only memory is drawn filled."""
    per_gpu: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFile:
    """Shape of ``resources/metrics.toml``."""

    schema_version: int
    metric: tuple[MetricDefinition, ...]
