"""Comparisons in rules: sizes, versions, words, and what is not known."""

import pytest

from app.core.diagnosis.comparisons import number_of, parse_comparison
from app.core.diagnosis.versions import in_range, parse_range
from app.core.units import GIB, MIB


def holds(text, **facts):
    comparison = parse_comparison(text)
    assert comparison is not None
    return comparison.holds(facts)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7.5 GiB", 7.5 * GIB),
        ("64MB", 64 * MIB),
        ("262,144", 262144),
        ("1900,00", 1900),
        ("1.900,00", 1900),
        ("1,048,576.5", 1048576.5),
        ("12.", 12),
        ("-3", -3),
        ("words", None),
        ("1.2.3", None),
    ],
)
def test_numbers_are_read_with_unit_and_locale(text, number):
    assert number_of(text) == number


def test_sizes_compare_across_units():
    assert holds("need > free", need="1 GiB", free="900 MiB") is True
    assert holds("need > free", need="1 GiB", free="1025 MiB") is False
    assert holds("shm <= 64 MiB", shm=64 * MIB) is True
    assert holds("free < 0.5 * total", free="1 GiB", total="3 GiB") is True


def test_all_signs_compare():
    assert holds("n == 3", n=3) is True
    assert holds("n != 3", n=3) is False
    assert holds("n >= 3", n=3) is True
    assert holds("n < 3", n=3) is False
    assert holds("n <= 2", n="3") is False


def test_versions_compare_by_part():
    assert holds("driver < 550", driver="535.183.01") is True
    assert holds("driver >= 535.9", driver="535.183.01") is True
    assert holds("compute_cap < 8.0", compute_cap="7.5") is True
    assert holds("need_cuda > host_cuda", need_cuda="12.10", host_cuda="12.4") is True


def test_truth_and_words_compare():
    assert holds("oom_killed == true", oom_killed=True) is True
    assert holds("oom_killed == true", oom_killed="false") is False
    assert holds("device == 'GPU 0'", device="GPU 0") is True


def test_what_is_not_known_gives_no_answer():
    assert holds("need > free", need="1 GiB") is None
    assert holds("free < 0.5 * total", free="1 GiB") is None
    assert holds("driver < 550", driver="none") is None
    assert holds("need > 3", need="words") is None


def test_text_that_compares_nothing_is_refused():
    assert parse_comparison("driver") is None


def test_version_range_has_two_ends():
    limits = parse_range(">=0.8,<0.9")
    assert limits is not None
    assert [in_range(v, limits) for v in ("0.8.1", "0.9.0", "0.7.3")] == [True, False, False]
    assert in_range(None, limits) is None
    assert in_range("nightly", limits) is None


def test_version_range_knows_all_signs():
    assert [
        in_range("1.2", parse_range(f"{sign}1.2") or ()) for sign in ("==", "<=", ">", "<")
    ] == [
        True,
        True,
        False,
        False,
    ]
    assert in_range("b4000", parse_range(">=b3999") or ()) is True
    assert parse_range("about 0.8") is None
