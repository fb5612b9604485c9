"""Single values: right, or unknown with the reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.hardware.fingerprint import UnknownReason
from app.core.hardware.tools import values


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[N/A]", UnknownReason.NOT_REPORTED),
        ("N/A", UnknownReason.NOT_REPORTED),
        ("", UnknownReason.NOT_REPORTED),
        ("[Not Supported]", UnknownReason.NOT_SUPPORTED),
        ("[Requested functionality has been deprecated]", UnknownReason.NOT_SUPPORTED),
        ("[Insufficient Permissions]", UnknownReason.NEEDS_ROOT),
        ("ERR!", UnknownReason.UNREADABLE),
        ("[GPU is lost]", UnknownReason.UNREADABLE),
    ],
)
def test_words_for_unknown_say_why(text, reason):
    assert values.read_mib(text) is reason
    assert values.read_float(text) is reason
    assert values.read_switch(text) is reason
    assert values.read_text(text) is reason


@pytest.mark.parametrize(
    ("text", "mib"),
    [
        ("143771 MiB", 143771),
        ("143771", 143771),
        ("143,771 MiB", 143771),
        ("16280 MB", 16280),
        ("80 GiB", 81920),
        ("1048576 KiB", 1024),
        ("0 MiB", 0),
    ],
)
def test_memory_sizes_come_in_many_units(text, mib):
    assert values.read_mib(text) == mib


@pytest.mark.parametrize("text", ["-1 MiB", "12 %", "many", "1.2.3", "9" * 40, "12 TiB"])
def test_a_size_that_is_none_is_unreadable(text):
    assert values.read_mib(text) is UnknownReason.UNREADABLE


def test_a_decimal_comma_is_a_decimal_point():
    assert values.read_float("77,00 W") == 77.0
    assert values.read_float("689.54 W") == 689.54
    assert values.read_int("16x") == 16
    assert values.read_int("1.5") is UnknownReason.UNREADABLE
    assert values.read_count("-3") is UnknownReason.UNREADABLE


def test_switches_know_words_and_numbers():
    assert values.read_switch("Enabled") is True
    assert values.read_switch("Off") is False
    assert values.read_switch("Maybe") is UnknownReason.UNREADABLE


def test_a_cell_of_another_kind_is_not_known():
    assert values.known_int(True) is None
    assert values.known_int(UnknownReason.NOT_REPORTED) is None
    assert values.known_float(True) is None
    assert values.known_float(3) == 3.0
    assert values.known_text(UnknownReason.NOT_REPORTED) is None
    assert values.known_bool(1) is None


@given(st.text(max_size=40))
def test_no_text_makes_a_value_reader_raise_or_return_zero_for_nothing(text):
    for read in (
        values.read_mib,
        values.read_float,
        values.read_int,
        values.read_count,
        values.read_switch,
        values.read_text,
    ):
        cell = read(text)
        if not any(c.isdigit() for c in text):
            assert cell is not None
            assert cell != 0 or isinstance(cell, bool | UnknownReason)
