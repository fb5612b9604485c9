"""Counters of an earlier fingerprint: by GPU, not by index, and only with a time between."""

from dataclasses import replace

import pytest

from app.core.checks.earlier import with_earlier
from app.core.checks.spec import CheckContext


@pytest.fixture
def now(make_host):
    return make_host(replace=[["smi-q-x", "<replay_counter>0", "<replay_counter>7"]])


def test_counters_follow_the_gpu_when_its_index_changed(now, make_host):
    earlier = replace(make_host(), taken_at="2026-11-29T07:00:02Z")
    swapped = tuple(replace(gpu, index=1 - gpu.index) for gpu in earlier.gpus)
    counted = tuple(replace(gpu, pcie_replays=gpu.index) for gpu in swapped)

    context = with_earlier(CheckContext(port=1), now, replace(earlier, gpus=counted))

    assert context.minutes_since_earlier == 60
    assert context.earlier_replays == {0: 1, 1: 0}
    assert context.port == 1


@pytest.mark.parametrize("taken_at", ["", "yesterday", "2026-11-29T08:00:02Z", "2027-01-01"])
def test_without_a_time_between_nothing_is_added(taken_at, now, make_host):
    earlier = replace(make_host(), taken_at=taken_at)

    assert with_earlier(CheckContext(), now, earlier) == CheckContext()
