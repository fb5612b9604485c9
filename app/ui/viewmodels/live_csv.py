"""Curves of some time as a table."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime

from app.core.metrics.rings import Series
from app.core.metrics.vocabulary import SeriesKey
from app.ui.viewmodels.live_plots import PlotView


def csv_text(
    plots: tuple[PlotView, ...], series: Mapping[SeriesKey, Series], start_s: float, end_s: float
) -> str:
    """Return the curves of some time as CSV: one row per second, one column per curve."""
    columns: list[dict[int, float]] = []
    head = ["time"]
    for plot in plots:
        for curve in plot.curves:
            head.append(f"{plot.title} {curve.name} ({plot.unit})".replace('"', "'"))
            columns.append(_by_second(series.get(curve.key), plot.scale, start_s, end_s))
    seconds = sorted({second for column in columns for second in column})
    rows = [",".join(f'"{name}"' for name in head)]
    for second in seconds:
        moment = datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        values = (column.get(second) for column in columns)
        rows.append(",".join([moment, *("" if v is None else f"{v:.6g}" for v in values)]))
    return "\n".join(rows) + "\n"


def _by_second(
    series: Series | None, scale: float, start_s: float, end_s: float
) -> dict[int, float]:
    if series is None:
        return {}
    return {
        int(at_s): value * scale
        for at_s, value in zip(series.times_s, series.values, strict=True)
        if start_s <= at_s <= end_s and not math.isnan(value)
    }
