"""Which plots there are and what stands on them: titles, curves, current values, reasons."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.metrics.definitions import MetricDefinition
from app.core.metrics.vocabulary import Exposure, Metric, SeriesKey
from app.core.texts import Text
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.viewmodels.said import said

translate = QCoreApplication.translate

M = Metric

PLOTS: Final[Mapping[str, tuple[str, tuple[Metric, ...]]]] = {
    "memory": (QT_TRANSLATE_NOOP("Live", "GPU memory"), (M.GPU_MEMORY_USED_MIB,)),
    "utilization": (QT_TRANSLATE_NOOP("Live", "GPU utilisation"), (M.GPU_UTILIZATION_PERCENT,)),
    "power": (QT_TRANSLATE_NOOP("Live", "GPU power"), (M.GPU_POWER_W,)),
    "requests": (
        QT_TRANSLATE_NOOP("Live", "Requests"),
        (M.REQUESTS_RUNNING, M.REQUESTS_WAITING),
    ),
    "kv": (QT_TRANSLATE_NOOP("Live", "KV cache used"), (M.KV_CACHE_USAGE_PERCENT,)),
    "tokens": (
        QT_TRANSLATE_NOOP("Live", "Throughput"),
        (M.OUTPUT_TOKENS_PER_S, M.PROMPT_TOKENS_PER_S),
    ),
    "ttft": (QT_TRANSLATE_NOOP("Live", "TTFT"), (M.TTFT_P50_S, M.TTFT_P95_S)),
    "itl": (QT_TRANSLATE_NOOP("Live", "ITL"), (M.ITL_P50_S, M.ITL_P95_S)),
    "temperature": (QT_TRANSLATE_NOOP("Live", "GPU temperature"), (M.GPU_TEMPERATURE_C,)),
}

_CURVES: Final[Mapping[Metric, str]] = {
    M.REQUESTS_RUNNING: QT_TRANSLATE_NOOP("Live", "running"),
    M.REQUESTS_WAITING: QT_TRANSLATE_NOOP("Live", "waiting"),
    M.KV_CACHE_USAGE_PERCENT: QT_TRANSLATE_NOOP("Live", "used"),
    M.OUTPUT_TOKENS_PER_S: QT_TRANSLATE_NOOP("Live", "output"),
    M.PROMPT_TOKENS_PER_S: QT_TRANSLATE_NOOP("Live", "prompt"),
    M.TTFT_P50_S: "p50",
    M.TTFT_P95_S: "p95",
    M.ITL_P50_S: "p50",
    M.ITL_P95_S: "p95",
}

Latest = Callable[[SeriesKey], float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveView:
    """One line of a plot."""

    key: SeriesKey
    name: str
    token: str
    """Colour: the same thing has the same one in every plot."""
    dashed: bool
    value: str
    """Current value in shown units; “–” while there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotView:
    """One plot."""

    id: str
    title: str
    unit: str
    scale: float
    """Stored value × this = shown value."""
    digits: int
    axis_max: float | None
    from_zero: bool
    fill: bool
    curves: tuple[CurveView, ...]
    missing: str = ""
    """What stands in the plot's place when there is nothing to draw."""
    why_missing: str = ""
    is_absent: bool = False
    """True when nothing will ever come: no panel, only a word below the others."""

    @property
    def shown_unit(self) -> str:
        """The unit beside the title; empty where the title says it already."""
        return "" if self.unit.casefold() == self.title.casefold() else self.unit

    @property
    def words(self) -> str:
        """The plot for assistive technology."""
        if self.missing:
            return f"{self.title}: {self.missing}. {self.why_missing}".strip()
        values = ", ".join(f"{curve.name} {curve.value}" for curve in self.curves)
        return f"{self.title}, {self.unit}: {values}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is looked at."""

    host_id: str
    deployment: str | None
    engine: str
    """The engine's own name, for “not exposed by …”."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where plots get what they show."""

    definitions: Mapping[Metric, MetricDefinition]
    keys: Sequence[SeriesKey]
    latest: Latest
    exposure: Callable[[Metric], Exposure]
    reason: Callable[[Metric], Text | None]


def present_plots(subject: Subject, source: Source) -> tuple[PlotView, ...]:
    """Return all plots in their order."""
    return tuple(
        _plot(plot, translate("Live", title), metrics, subject, source)
        for plot, (title, metrics) in PLOTS.items()
    )


def value_text(value: float | None, scale: float, digits: int) -> str:
    """Return a stored value in shown units; “–” when there is none."""
    return "–" if value is None else f"{value * scale:,.{digits}f}"


def _plot(
    plot: str, title: str, metrics: tuple[Metric, ...], subject: Subject, source: Source
) -> PlotView:
    definition = source.definitions[metrics[0]]
    keys = [key for metric in metrics for key in source.keys if _belongs(key, metric, subject)]
    keys.sort(key=lambda key: (metrics.index(key.metric), key.gpu_index or 0))
    curves = tuple(_curve(key, metrics, source) for key in keys)
    missing, tip = ("", "") if curves else _missing(metrics[0], subject, source)
    is_absent = not curves and _is_absent(metrics[0], subject, source)
    return PlotView(
        id=plot,
        title=title,
        unit=_unit(definition),
        scale=definition.shown_scale,
        digits=definition.digits,
        axis_max=definition.axis_max,
        from_zero=definition.axis_from_zero,
        fill=definition.fill,
        curves=curves,
        missing=missing,
        why_missing=tip,
        is_absent=is_absent,
    )


def _unit(definition: MetricDefinition) -> str:
    if definition.shown_unit == "requests":
        return translate("Live", "requests")
    return definition.shown_unit


def _belongs(key: SeriesKey, metric: Metric, subject: Subject) -> bool:
    if key.metric is not metric or key.host_id != subject.host_id:
        return False
    if metric.value.startswith("gpu."):
        return key.gpu_index is not None
    return subject.deployment is not None and key.deployment == subject.deployment


def _curve(key: SeriesKey, metrics: tuple[Metric, ...], source: Source) -> CurveView:
    definition = source.definitions[key.metric]
    if key.gpu_index is not None:
        name, number = f"GPU {key.gpu_index}", key.gpu_index
        token = f"series.{number % 8 + 1}"
    else:
        number = metrics.index(key.metric)
        words = _CURVES[key.metric]
        name = words if words.startswith("p9") or words == "p50" else translate("Live", words)
        is_kv = key.metric is M.KV_CACHE_USAGE_PERCENT
        token = "memory.kv" if is_kv else f"series.{number + 1}"
    return CurveView(
        key=key,
        name=name,
        token=token,
        dashed=number >= 4,
        value=value_text(source.latest(key), definition.shown_scale, definition.digits),
    )


def present_absent(plots: Sequence[PlotView]) -> tuple[str, ...]:
    """Return what there is no panel for: one sentence per reason."""
    titles: dict[str, list[str]] = {}
    for plot in plots:
        if plot.is_absent:
            titles.setdefault(plot.missing, []).append(plot.title)
    text = translate("Live", "{reason}: {plots}")
    return tuple(
        text.format(reason=reason, plots=", ".join(names)) for reason, names in titles.items()
    )


def _is_absent(metric: Metric, subject: Subject, source: Source) -> bool:
    is_engine = metric.value.startswith("engine.")
    if is_engine and subject.deployment is None:
        return False
    return source.exposure(metric) is Exposure.NOT_EXPOSED


def _missing(metric: Metric, subject: Subject, source: Source) -> tuple[str, str]:
    if metric.value.startswith("engine.") and subject.deployment is None:
        return translate("Live", "no deployment"), translate(
            "Live", "Nothing that could be measured is deployed on this host."
        )
    reason = source.reason(metric)
    tip = "" if reason is None else said(reason)
    match source.exposure(metric):
        case Exposure.NOT_EXPOSED if subject.deployment and metric.value.startswith("engine."):
            text = translate("Live", "not exposed by {engine}")
            return text.format(engine=subject.engine), tip
        case Exposure.NOT_EXPOSED:
            return translate("Live", "not available on this host"), tip
        case Exposure.UNREACHABLE:
            return translate("Live", "no answer"), tip
        case _:
            return translate("Live", "no value yet"), translate(
                "Live", "It appears with the first value, for example after a request."
            )
