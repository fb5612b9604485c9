"""Readings of an engine's metrics, and what happened between two of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from app.core.readings.translate import Samples
from app.core.slow.spec import Figure, FigureSource


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineReading:
    """One look at an engine's metrics."""

    at_s: float
    """Seconds on a clock that never goes back."""
    values: Mapping[Figure, float]
    """Only what the engine gives."""
    counters: frozenset[Figure]
    names: Mapping[Figure, str]
    """What the engine calls it."""


def read_engine(at_s: float, samples: Samples, sources: Iterable[FigureSource]) -> EngineReading:
    """Return the figures that a scrape holds."""
    values: dict[Figure, float] = {}
    names: dict[Figure, str] = {}
    counters = set()
    for source in sources:
        series = samples.get(source.name)
        if source.figure in values or not series:
            continue
        total = sum(sample.value for sample in series)
        values[source.figure] = total * source.scale / (len(series) if source.average else 1)
        names[source.figure] = source.name
        if source.kind == "counter":
            counters.add(source.figure)
    return EngineReading(
        at_s=at_s,
        values=MappingProxyType(values),
        counters=frozenset(counters),
        names=MappingProxyType(names),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineWindow:
    """What an engine's figures did over a window."""

    seconds: float
    added: Mapping[Figure, float]
    """By how much each counter rose."""
    lowest: Mapping[Figure, float]
    """Of each gauge, over all looks …"""
    highest: Mapping[Figure, float]
    mean: Mapping[Figure, float]
    names: Mapping[Figure, str]

    def per_request(self, figure: Figure) -> float | None:
        """Return seconds of a figure per request that ended; ``None`` without one."""
        requests = self.added.get(Figure.REQUESTS)
        value = self.added.get(figure)
        return value / requests if requests and value is not None else None


def window_of(readings: Sequence[EngineReading]) -> EngineWindow | None:
    """Return what happened between the first and the last look.

    ``None`` with fewer than two looks, or when a counter fell: the engine was restarted meanwhile.
    """
    if len(readings) < 2:
        return None
    first, last = readings[0], readings[-1]
    seconds = last.at_s - first.at_s
    added = {f: last.values[f] - first.values[f] for f in last.counters if f in first.values}
    if seconds <= 0 or any(value < 0 for value in added.values()):
        return None
    gauges = [figure for figure in last.values if figure not in last.counters]
    seen = {figure: [r.values[figure] for r in readings if figure in r.values] for figure in gauges}
    return EngineWindow(
        seconds=seconds,
        added=MappingProxyType(added),
        lowest=MappingProxyType({f: min(values) for f, values in seen.items()}),
        highest=MappingProxyType({f: max(values) for f, values in seen.items()}),
        mean=MappingProxyType({f: sum(values) / len(values) for f, values in seen.items()}),
        names=last.names,
    )
