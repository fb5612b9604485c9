"""Rates, quantiles and rings."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.metrics.quantiles import HistogramWindow, difference, quantile
from app.core.metrics.rates import CounterRate
from app.core.metrics.rings import Ring

INF = math.inf


def test_rate_is_what_was_added_per_second():
    rate = CounterRate()

    assert rate.update(0, 100) is None
    assert rate.update(2, 150) == 25


def test_counter_that_fell_was_reset_and_counts_from_nothing():
    rate = CounterRate()
    rate.update(0, 1000)

    assert rate.update(1, 30) == 30


def test_no_rate_over_a_gap_or_without_time():
    rate = CounterRate()
    rate.update(0, 10)

    assert rate.update(0, 20) is None
    assert rate.update(11, 30) is None
    assert rate.update(12, 40) == 10


def test_forgotten_reading_gives_no_rate():
    rate = CounterRate()
    rate.update(0, 10)
    rate.forget()

    assert rate.update(1, 20) is None


@given(st.lists(st.floats(0, 1e9), min_size=2, max_size=20))
def test_rates_are_never_negative(values):
    rate = CounterRate()

    rates = [rate.update(at_s, value) for at_s, value in enumerate(values)]
    assert all(r is None or r >= 0 for r in rates)


def test_quantile_lies_within_its_bucket():
    buckets = {1.0: 5, 2.0: 10, INF: 10}

    assert quantile(0.5, buckets) == pytest.approx(1.0)
    assert quantile(0.95, buckets) == pytest.approx(1.9)


def test_quantile_above_the_last_bound_is_told_as_that_bound():
    assert quantile(0.95, {1.0: 1, 2.0: 1, INF: 100}) == 2.0
    assert quantile(0.5, {INF: 4}) == 0.0


def test_nothing_observed_has_no_quantile():
    assert quantile(0.5, {}) is None
    assert quantile(0.5, {1.0: 0, INF: 0}) is None
    assert quantile(0.5, {1.0: math.nan, INF: math.nan}) is None


def test_all_in_one_bucket():
    assert quantile(0.5, {1.0: 0, 2.0: 8, 4.0: 8, INF: 8}) == pytest.approx(1.5)
    assert quantile(1.0, {1.0: 0, 2.0: 8, INF: 8}) == 2.0


@given(
    st.lists(st.integers(0, 50), min_size=1, max_size=8).map(
        lambda counts: {
            (float(i + 1) if i < len(counts) - 1 else INF): sum(counts[: i + 1])
            for i in range(len(counts))
        }
    ),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_quantiles_rise_with_q(buckets, first, second):
    low, high = sorted((first, second))
    a, b = quantile(low, buckets), quantile(high, buckets)

    assert (a is None) == (b is None)
    if a is not None and b is not None:
        assert a <= b + 1e-9


def test_difference_knows_a_reset():
    assert difference({1.0: 3, INF: 4}, {1.0: 1, INF: 1}) == {1.0: 2, INF: 3}
    assert difference({1.0: 0, INF: 0}, {1.0: 1, INF: 1}) is None


def test_window_tells_what_was_observed_lately():
    window = HistogramWindow(window_s=10)
    window.update(0, {1.0: 100, 2.0: 100, INF: 100})
    assert window.quantiles((0.5,)) == (None,)

    window.update(1, {1.0: 100, 2.0: 110, INF: 110})
    assert window.quantiles((0.5,)) == pytest.approx((1.5,))
    assert window.ever_observed


def test_window_forgets_what_is_old():
    window = HistogramWindow(window_s=10)
    for at_s in range(40):
        window.update(at_s, {1.0: min(at_s, 5), INF: min(at_s, 5)})

    assert window.quantiles((0.5, 0.95)) == (None, None)
    assert len(window._readings) <= 12


def test_window_begins_anew_after_a_reset():
    window = HistogramWindow()
    window.update(0, {1.0: 50, INF: 50})
    window.update(1, {1.0: 0, INF: 0})
    assert window.quantiles((0.5,)) == (None,)

    window.update(2, {1.0: 4, INF: 4})
    assert window.quantiles((0.5,)) == (0.5,)
    window.forget()
    assert window.quantiles((0.5,)) == (None,)


def test_ring_keeps_the_newest_in_order():
    ring = Ring(capacity=3)
    assert (len(ring), ring.last_at_s, ring.last_value) == (0, None, None)

    for at_s in range(5):
        ring.append(at_s, at_s * 10)

    series = ring.copy()
    assert list(series.times_s) == [2, 3, 4]
    assert list(series.values) == [20, 30, 40]
    assert (len(ring), ring.last_at_s, ring.last_value) == (3, 4, 40)


def test_unknown_value_is_not_a_number():
    ring = Ring()
    ring.append(1, None)

    assert math.isnan(ring.copy().values[0])


@given(st.integers(1, 7), st.integers(0, 30))
def test_ring_holds_what_a_list_would(capacity, count):
    ring = Ring(capacity=capacity)
    for at_s in range(count):
        ring.append(at_s, at_s)

    assert list(ring.copy().times_s) == list(range(count))[-capacity:]
    assert ring.last_at_s == (count - 1 if count else None)


def test_a_spike_is_still_there_hours_after_its_sample_went():
    ring = Ring(capacity=60)
    for second in range(20_000):
        ring.append(second, 99.0 if second == 4_321 else 1.0)

    series = ring.copy(since_s=0.0)

    assert max(series.values) == 99.0
    at_s = series.times_s[list(series.values).index(99.0)]
    assert abs(at_s - 4_321) <= 30
    assert list(series.times_s) == sorted(series.times_s)
    assert list(ring.copy().times_s) == list(range(19_940, 20_000))


def test_gaps_of_old_samples_stay_gaps_and_the_day_is_bounded():
    ring = Ring(capacity=10, spans=100)
    for second in range(1_000):
        ring.append(second, None if 300 <= second < 400 else 1.0)
    for second in range(2_000, 2_500):
        ring.append(second, 1.0)

    series = ring.copy(since_s=0.0)
    gaps = [at_s for at_s, value in zip(*_columns(series), strict=True) if math.isnan(value)]
    assert any(300 <= at_s <= 400 for at_s in gaps)
    assert any(1_000 <= at_s <= 2_000 for at_s in gaps)

    for second in range(2_500, 20_000):
        ring.append(second, 1.0)
    assert len(ring.copy(since_s=0.0).times_s) <= 2 * 107 + 10
    assert ring.copy(since_s=19_000.0).times_s[0] >= 18_940


def _columns(series):
    return series.times_s, series.values
