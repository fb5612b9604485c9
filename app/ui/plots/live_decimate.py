"""Thin a curve out to what its pixels can show: the smallest and largest value per column."""

from array import array

import numpy as np
from numpy.typing import NDArray

Points = tuple[NDArray[np.float64], NDArray[np.float64]]


def decimate(
    times_s: "array[float]",
    values: "array[float]",
    *,
    left_s: float,
    right_s: float,
    columns: int,
    scale: float = 1.0,
) -> Points:
    """Return the points to draw between two times; a gap stays a gap.

    Args:
        times_s: Times in rising order.
        values: Values; not a number is a gap.
        left_s: Left edge; the sample before it is kept, so that the line enters from outside.
        right_s: Right edge.
        columns: Pixels across.
        scale: Stored value × this = drawn value.
    """
    x = np.frombuffer(times_s, dtype=np.float64) if len(times_s) else np.empty(0)
    y = np.frombuffer(values, dtype=np.float64) if len(values) else np.empty(0)
    first = max(int(np.searchsorted(x, left_s)) - 1, 0)
    last = min(int(np.searchsorted(x, right_s, side="right")) + 1, x.size)
    x, y = x[first:last], y[first:last] * scale
    if x.size <= 2 * max(columns, 1):
        return x, y
    return _extremes(x, y, left_s, right_s, columns)


def _extremes(
    x: NDArray[np.float64], y: NDArray[np.float64], left_s: float, right_s: float, columns: int
) -> Points:
    column = np.clip(((x - left_s) / (right_s - left_s) * columns).astype(np.int64), -1, columns)
    starts = np.flatnonzero(np.diff(column, prepend=column[0] - 1))
    low = np.fmin.reduceat(y, starts)
    high = np.fmax.reduceat(y, starts)
    gap = np.logical_or.reduceat(np.isnan(y), starts)
    # Per column: its smallest value, its largest, and a break behind it where it holds a gap.
    drawn_x = np.repeat(x[starts], 3)
    drawn_y = np.column_stack((low, high, np.full(low.size, np.nan))).ravel()
    kept = np.ones(drawn_y.size, dtype=bool)
    kept[2::3] = gap
    return drawn_x[kept], drawn_y[kept]
