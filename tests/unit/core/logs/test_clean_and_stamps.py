"""Cleaning single lines, and time stamps as numbers."""

import pytest

from app.core.logs.clean import clean, last_overwrite
from app.core.logs.stamps import seconds_of, stamp_of


def test_nanoseconds_of_the_container_engine_are_read():
    assert seconds_of("2026-11-29T20:09:12.123456789Z") == pytest.approx(1795982952.123456)
    assert seconds_of("2026-11-29T21:09:12+01:00") == 1795982952
    assert seconds_of("2026-11-29T20:09:12") == 1795982952


@pytest.mark.parametrize("stamp", ["", "0001-01-01T00:00:00Z", "yesterday"])
def test_no_stamp_is_no_time(stamp):
    assert seconds_of(stamp) is None


def test_stamp_is_written_and_read_back():
    assert stamp_of(1795982952.5) == "2026-11-29T20:09:12.500Z"
    assert seconds_of(stamp_of(1795982952.5)) == 1795982952.5


def test_prefix_is_not_doubled_when_the_bar_has_its_own():
    bar = "(A pid=1) 0%\r(A pid=1) 100%\r  \r"

    assert last_overwrite(bar) == "(A pid=1) 100%"


def test_bar_without_a_process_stands_alone():
    assert clean("\rLoading: 1%\rLoading: 99%") == "Loading: 99%"


def test_eight_bit_escapes_are_removed():
    assert clean("\x9b31mred\x9b0m") == "red"
