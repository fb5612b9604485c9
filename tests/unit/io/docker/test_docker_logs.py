"""The engine's log stream: frames or plain text, whatever the pieces it arrives in."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.io.docker.logs import LogDecoder, since_parameter

AT = "2026-09-01T10:00:00.123456789Z"
LATER = "2026-09-01T10:00:01.5Z"


def frame(source, text):
    data = text.encode()
    return struct.pack(">BxxxI", source, len(data)) + data


def read(data, *, tty=False, size=None):
    decoder = LogDecoder(tty=tty)
    step = size or len(data) or 1
    lines = []
    for start in range(0, len(data), step):
        lines += decoder.feed(data[start : start + step])
    lines += decoder.finish()
    return [(line.at, line.stream, line.text) for line in lines]


@pytest.mark.parametrize("size", [None, 1, 3, 7, 8, 9])
def test_frames_give_lines_with_time_and_source(size):
    data = frame(1, f"{AT} hello\n") + frame(2, f"{LATER} oh no\n") + frame(1, f"{LATER} \n")
    expected = [(AT, "stdout", "hello"), (LATER, "stderr", "oh no"), (LATER, "stdout", "")]
    assert read(data, size=size) == expected


@pytest.mark.parametrize("size", [None, 1, 5])
def test_terminal_text_gives_lines(size):
    data = f"{AT} one\r\n{LATER} two\r\n".encode()
    assert read(data, tty=True, size=size) == [(AT, "stdout", "one"), (LATER, "stdout", "two")]


def test_long_line_that_the_engine_cut_is_one_again():
    data = frame(1, f"{AT} {'a' * 10}") + frame(1, f"{LATER} {'b' * 10}\n")
    assert read(data) == [(AT, "stdout", "a" * 10 + "b" * 10)]


def test_cut_lines_of_two_sources_do_not_mix():
    data = frame(1, f"{AT} out") + frame(2, f"{AT} err\n") + frame(1, f"{AT} put\n")
    assert read(data) == [(AT, "stderr", "err"), (AT, "stdout", "output")]


def test_last_line_without_end_is_not_lost():
    assert read(frame(1, f"{AT} bye")) == [(AT, "stdout", "bye")]
    assert read(f"{AT} bye".encode(), tty=True) == [(AT, "stdout", "bye")]


def test_progress_bar_stays_in_its_line():
    assert read(frame(2, f"{AT} 10%\r20%\r30%\n")) == [(AT, "stderr", "10%\r20%\r30%")]


def test_line_without_a_time_keeps_its_text():
    assert read(frame(1, "plain\n")) == [("", "stdout", "plain")]


def test_endless_line_is_handed_on_in_pieces():
    big = "x" * (1024 * 1024 + 1)
    assert [text for _, _, text in read(frame(1, f"{AT} {big}") + frame(1, "rest\n"))] == [
        big,
        "rest",
    ]


@given(st.binary(), st.booleans(), st.integers(1, 20))
def test_any_bytes_are_read_without_an_error(data, tty, size):
    read(data, tty=tty, size=size)


def test_since_is_seconds_with_nanoseconds():
    assert since_parameter("1970-01-01T00:00:01.5Z") == "1.500000000"
    assert since_parameter("1970-01-01T01:00:01.000000007+01:00") == "1.000000007"
    assert since_parameter("1970-01-01T00:00:00Z") == "0.000000000"
    with pytest.raises(ValueError, match="not a time"):
        since_parameter("yesterday")
