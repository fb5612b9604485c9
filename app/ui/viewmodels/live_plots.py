"""Which plots there are and what stands on them: titles, curves, current values, reasons."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    owner: str = ""
    """What is switched off with it in every plot: a GPU, a deployment, or a name."""
    is_hidden: bool = False


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
    shares: str = ""
    """Plots of the same word have one value axis, so that they can be compared."""
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
    beside: tuple[str, ...] = ()
    """Other deployments that are compared with it."""
    colors: Mapping[str, int] = field(default_factory=dict)
    """Number of each deployment's colour, from 0."""
    is_split: bool = False
    """Each deployment in plots of its own instead of one over the other."""
    gpu: int | None = None
    """The only GPU that is looked at; ``None`` for all."""
    hidden: frozenset[str] = frozenset()
    """Owners that are switched off."""

    @property
    def chosen(self) -> tuple[str, ...]:
        """Every deployment that is looked at."""
        return () if self.deployment is None else (self.deployment, *self.beside)


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
    found: list[PlotView] = []
    for plot, (title, metrics) in PLOTS.items():
        words = translate("Live", title)
        if not subject.is_split or len(subject.chosen) < 2 or metrics[0].value.startswith("gpu."):
            found.append(_plot(plot, words, metrics, subject, source))
            continue
        for name in subject.chosen:
            one = replace(subject, deployment=name, beside=())
            view = _plot(plot, words, metrics, one, source)
            found.append(replace(view, id=f"{plot}@{name}", title=f"{words} · {name}", shares=plot))
    return tuple(found)


def value_text(value: float | None, scale: float, digits: int) -> str:
    """Return a stored value in shown units; “–” when there is none."""
    return "–" if value is None else f"{value * scale:,.{digits}f}"


def _plot(
    plot: str, title: str, metrics: tuple[Metric, ...], subject: Subject, source: Source
) -> PlotView:
    definition = source.definitions[metrics[0]]
    keys = [key for metric in metrics for key in source.keys if _belongs(key, metric, subject)]
    keys.sort(key=lambda key: (metrics.index(key.metric), key.gpu_index or 0))
    curves = tuple(_curve(key, metrics, source, subject) for key in keys)
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
        return key.gpu_index is not None and subject.gpu in {None, key.gpu_index}
    return key.deployment in subject.chosen


def _curve(
    key: SeriesKey, metrics: tuple[Metric, ...], source: Source, subject: Subject
) -> CurveView:
    definition = source.definitions[key.metric]
    number = metrics.index(key.metric)
    if key.gpu_index is not None:
        name = owner = f"GPU {key.gpu_index}"
        token, dashed = _color(key.gpu_index), key.gpu_index >= 4
    elif key.deployment in subject.colors:
        # Compared: the colour is the deployment's in every plot, the dash tells its curves apart.
        owner = key.deployment or ""
        name = owner if len(metrics) == 1 else f"{owner} {_word(key.metric)}"
        if subject.is_split:
            # The plot's title says whose it is.
            name = _word(key.metric)
        token, dashed = _color(subject.colors[owner]), number > 0
    else:
        name = owner = _word(key.metric)
        is_kv = key.metric is M.KV_CACHE_USAGE_PERCENT
        token, dashed = "memory.kv" if is_kv else _color(number), False
    return CurveView(
        key=key,
        name=name,
        token=token,
        dashed=dashed,
        value=value_text(source.latest(key), definition.shown_scale, definition.digits),
        owner=owner,
        is_hidden=owner in subject.hidden,
    )


def _color(number: int) -> str:
    return f"series.{number % 8 + 1}"


def _word(metric: Metric) -> str:
    words = _CURVES[metric]
    return words if words.startswith("p") and words[1:].isdigit() else translate("Live", words)


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
