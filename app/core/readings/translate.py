"""Translate one engine's metrics into the vocabulary, by its ``metrics.toml``.

Which entry holds is decided by what the engine really answers: several entries of one metric are
tried in order. Throughput comes from counters, because gauges of rates depend on who looked last.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from app.core.engines.spec import MetricRule, MetricsFile, NotExposed
from app.core.metrics.quantiles import HistogramWindow
from app.core.metrics.rates import CounterRate
from app.core.metrics.vocabulary import ENGINE_METRICS, Exposure, Metric
from app.core.texts import Text

SHARES: Final = frozenset({Metric.KV_CACHE_USAGE_PERCENT})
"""Averaged over several engines of one server instead of added up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One line of a scrape."""

    value: float
    labels: Mapping[str, str] = field(default_factory=dict)


Samples = Mapping[str, tuple[Sample, ...]]
"""Sample name → its series; a histogram's name ends in ``_bucket``."""


class EngineTranslator:
    """Reads the scrapes of one deployment; remembers what rates and quantiles need."""

    def __init__(self, rules: MetricsFile) -> None:
        self._rules: dict[Metric, list[MetricRule]] = {}
        for rule in rules.metric:
            self._rules.setdefault(rule.metric, []).append(rule)
        self._not_exposed = {entry.metric: entry for entry in rules.not_exposed}
        self._rates: dict[str, CounterRate] = {}
        self._windows: dict[str, HistogramWindow] = {}
        self._exposures: dict[Metric, Exposure] = {}

    @property
    def names(self) -> frozenset[str]:
        """The engine's metric names that are read."""
        rules = [rule for found in self._rules.values() for rule in found]
        return frozenset(n for rule in rules for n in (rule.name, rule.divide_by) if n)

    def read(self, at_s: float, samples: Samples) -> dict[Metric, float | None]:
        """Return our metrics of one scrape; ``None`` where nothing is known yet.

        Metrics that the engine does not give are left out.
        """
        self._update_histograms(at_s, samples)
        rates: dict[str, float | None] = {}
        found: dict[Metric, float | None] = {}
        for metric in ENGINE_METRICS:
            rule = self._rule_for(metric, samples)
            if rule is None:
                self._exposures[metric] = Exposure.NOT_EXPOSED
                continue
            value = self._value(rule, at_s, samples, rates)
            found[metric] = value
            self._exposures[metric] = self._exposure_of(rule, value)
        return found

    def missed(self) -> None:
        """Tell that a scrape failed: rates must not be taken across the gap."""
        for rate in self._rates.values():
            rate.forget()
        for window in self._windows.values():
            window.forget()
        for metric, exposure in self._exposures.items():
            if exposure is not Exposure.NOT_EXPOSED:
                self._exposures[metric] = Exposure.UNREACHABLE

    def exposure(self, metric: Metric) -> Exposure:
        """Tell whether the engine gives a metric."""
        known = self._exposures.get(metric)
        if known is not None:
            return known
        if metric not in self._rules:
            return Exposure.NOT_EXPOSED
        return Exposure.NOT_YET

    def reason(self, metric: Metric) -> Text | None:
        """Return why the engine does not give a metric, where the data file says it."""
        entry: NotExposed | None = self._not_exposed.get(metric)
        if entry is None or self.exposure(metric) is not Exposure.NOT_EXPOSED:
            return None
        return entry.reason

    def _rule_for(self, metric: Metric, samples: Samples) -> MetricRule | None:
        for rule in self._rules.get(metric, ()):
            if _sample_name(rule) in samples:
                return rule
        return None

    def _value(
        self, rule: MetricRule, at_s: float, samples: Samples, rates: dict[str, float | None]
    ) -> float | None:
        match rule.kind:
            case "gauge":
                return _level(rule, samples)
            case "counter":
                return self._rate(rule, at_s, samples, rates)
            case _:
                quantiles = self._windows[rule.name].quantiles((rule.quantile or 0.5,))
                return None if quantiles[0] is None else quantiles[0] * rule.scale

    def _rate(
        self, rule: MetricRule, at_s: float, samples: Samples, rates: dict[str, float | None]
    ) -> float | None:
        rate = self._rate_of(rule.name, at_s, samples, rates)
        if rule.divide_by:
            below = self._rate_of(rule.divide_by, at_s, samples, rates)
            rate = rate / below if rate is not None and below else None
        return None if rate is None else rate * rule.scale

    def _rate_of(
        self, name: str, at_s: float, samples: Samples, rates: dict[str, float | None]
    ) -> float | None:
        """Several metrics may use one counter; it is read once per scrape."""
        if name not in rates:
            total = sum(sample.value for sample in samples.get(name, ()))
            rate = self._rates.setdefault(name, CounterRate())
            rates[name] = rate.update(at_s, total)
        return rates[name]

    def _update_histograms(self, at_s: float, samples: Samples) -> None:
        names = {
            rule.name
            for rules in self._rules.values()
            for rule in rules
            if rule.kind == "histogram" and _sample_name(rule) in samples
        }
        for name in names:
            window = self._windows.setdefault(name, HistogramWindow())
            window.update(at_s, _buckets(samples[f"{name}_bucket"]))

    def _exposure_of(self, rule: MetricRule, value: float | None) -> Exposure:
        if value is not None:
            return Exposure.EXPOSED
        window = self._windows.get(rule.name)
        seen = window is not None and window.ever_observed
        return Exposure.EXPOSED if seen else Exposure.NOT_YET


def _level(rule: MetricRule, samples: Samples) -> float | None:
    value = _joined(rule, samples[rule.name])
    if rule.divide_by:
        whole = _joined(rule, samples.get(rule.divide_by, ()))
        if not whole:
            return None
        value /= whole
    return value * rule.scale


def _sample_name(rule: MetricRule) -> str:
    return f"{rule.name}_bucket" if rule.kind == "histogram" else rule.name


def _joined(rule: MetricRule, series: Iterable[Sample]) -> float:
    values = [sample.value for sample in series]
    total = sum(values)
    return total / len(values) if rule.metric in SHARES and values else total


def _buckets(series: Iterable[Sample]) -> dict[float, float]:
    """Add the buckets of all series of one histogram up, bound by bound."""
    buckets: dict[float, float] = {}
    for sample in series:
        try:
            bound = float(sample.labels.get("le", ""))
        except ValueError:
            continue
        buckets[bound] = buckets.get(bound, 0.0) + sample.value
    return buckets
