"""Quantities as people write them."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import units
from app.core.errors import UserInputError


@pytest.mark.parametrize(
    ("text", "size"),
    [("80GiB", 80 * 2**30), ("1.5 MB", 1_500_000), ("512", 512), ("2 tib", 2 * 2**40)],
)
def test_sizes_keep_binary_and_decimal_apart(text, size):
    assert units.parse_bytes(text) == size


@pytest.mark.parametrize(
    ("text", "seconds"), [("0.5s", 0.5), ("200ms", 0.2), ("10m", 600), ("2", 2), ("1h", 3600)]
)
def test_times_are_seconds(text, seconds):
    assert units.parse_seconds(text) == pytest.approx(seconds)


@pytest.mark.parametrize(("text", "count"), [("32k", 32_000), ("32Ki", 32_768), ("7", 7)])
def test_counts_tell_k_from_ki(text, count):
    assert units.parse_count(text) == count


@pytest.mark.parametrize("text", ["", "x", "-1", "1e9", "10 parsecs", "1.2.3", "9" * 400])
def test_what_is_no_quantity_is_refused_by_each_parser(text):
    for parse in (units.parse_bytes, units.parse_seconds, units.parse_count):
        with pytest.raises(UserInputError):
            parse(text)


@pytest.mark.parametrize("text", ["x" * 20_000, "9" * 20_000])
def test_a_refusal_repeats_no_more_than_a_line_of_what_was_typed(text):
    with pytest.raises(UserInputError) as refused:
        units.parse_bytes(text)
    assert len(refused.value.cause) < 120


def test_a_broken_count_is_refused():
    with pytest.raises(UserInputError, match="whole number"):
        units.parse_count("1.5")


@given(st.text(max_size=20))
def test_no_text_raises_anything_else(text):
    for parse in (units.parse_bytes, units.parse_seconds, units.parse_count):
        with suppress(UserInputError):
            assert parse(text) >= 0


@pytest.mark.parametrize(
    ("size", "text"),
    [(512, "512 B"), (1536, "1.5 KiB"), (5 * 2**20, "5.0 MiB"), (2**30, "1.0 GiB"),
     (2048 * 2**40, "2,048.0 TiB")],
)  # fmt: skip
def test_bytes_choose_their_unit(size, text):
    assert units.format_bytes(size) == text


def test_gib_keeps_its_unit():
    assert units.format_gib(143_155 * units.MIB, digits=2) == "139.80 GiB"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.003, "3 ms"), (1.2, "1.20 s"), (42, "42 s"), (245, "4 min 05 s"), (7380, "2 h 03 min")],
)
def test_durations_read_well(seconds, text):
    assert units.format_seconds(seconds) == text


def test_sizes_that_gib_would_round_away_keep_their_own_unit():
    assert units.format_size(143_155 * units.MIB) == "139.8 GiB"
    assert units.format_size(870_000) == "849.6 KiB"
    assert units.format_size(0) == "0.0 GiB"


def test_a_difference_that_reads_as_zero_has_no_sign():
    assert units.format_signed(-0.0004, "0.00 GiB") == "0.00 GiB"
    assert units.format_signed(-1.0, "1.00 GiB") == "−1.00 GiB"
    assert units.format_signed(2.0, "2 B") == "+2 B"
