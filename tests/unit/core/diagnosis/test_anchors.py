"""The plain text that a pattern cannot match without."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.diagnosis.anchors import anchors_of


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("CUDA out of memory", {"CUDA out of memory"}),
        (r"Error 80[34]: forward", {"Error 80"}),
        (r"colou?r is nice", {"r is nice"}),
        (r"(?:HIP|CUDA) error: out", {"error: out"}),
        (r"(?:unloaded model|missing weight)\d", {"unloaded model", "missing weight"}),
        (r"unloaded model|missing weight", {"unloaded model", "missing weight"}),
        (r"(?P<rank>worker_\d+) \d+", {"worker_"}),
        (r"a\.b\.worker\.py:\d+", {"a.b.worker.py:"}),
        (r"(?=lookahead)unit test+ing", {"unit test"}),
        (r"x{0,3}yonder", {"yonder"}),
        (r"hello+? world*", {"o worl"}),
        (r"[]x]known", {"known"}),
        (r"[^]x]known (a(b[)]c)?d)", {"known"}),
        (r"(?:with \) bracket)", {"with ) bracket"}),
        (r"^plain text$", {"plain text"}),
        (r"\Aword\b word", {"word"}),
    ],
)
def test_longest_certain_text_is_found(pattern, expected):
    assert anchors_of(pattern) == expected


@pytest.mark.parametrize(
    "pattern", [r"\d+", "x|known words", "(?:known words)?", r"[a-z]+", "0123"]
)
def test_pattern_without_certain_text_has_none(pattern):
    assert anchors_of(pattern) == frozenset()


@given(st.from_regex(r"(alpha|worker\d+) (failed|[a-f]+ died) (after \d{1,3} s)?", fullmatch=True))
def test_every_match_holds_an_anchor(text):
    pattern = r"(alpha|worker\d+) (failed|[a-f]+ died) (after \d{1,3} s)?"
    anchors = anchors_of(pattern)
    assert re.fullmatch(pattern, text)
    assert not anchors or any(anchor in text for anchor in anchors)
