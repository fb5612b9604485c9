import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.versions import (
    VersionScheme,
    capability_at_least,
    driver_at_least,
    driver_key,
    in_loose_span,
    in_span,
    match_version,
    newest_first,
    version_key,
)

SEMVER, BUILD = VersionScheme.SEMVER, VersionScheme.BUILD


def test_ten_is_newer_than_nine_in_both_schemes():
    assert version_key("0.10.0", SEMVER) > version_key("0.9.2", SEMVER)
    assert version_key("b10434", BUILD) > version_key("b9409", BUILD)


def test_candidate_lies_before_and_post_release_after_its_release():
    ordered = ["1.3.0rc22", "1.3.0", "1.3.0.post1", "1.3.1"]
    assert list(newest_first(ordered, SEMVER)) == ordered[::-1]


def test_leading_v_trailing_zero_and_local_part_do_not_matter():
    assert version_key("v0.12", SEMVER) == version_key("0.12.0+cpu", SEMVER)


@pytest.mark.parametrize("text", ["latest", "", "1.x", "b12x"])
def test_what_is_no_version_has_no_key(text):
    assert version_key(text, SEMVER) is None
    assert version_key(text, BUILD) is None


@pytest.mark.parametrize(
    ("version", "since", "until", "inside"),
    [
        ("0.9.0", "", "0.9.0", True),
        ("0.9.0.post2", "", "0.9.0", True),
        ("0.9.1", "", "0.9.0", False),
        ("0.9.0rc1", "0.9.0", "", False),
        ("0.12.0", "0.11.1", "", True),
        ("1.3.0", "", "1.3.0rc22", False),
        ("nightly", "", "", True),
        ("nightly", "0.1.0", "", False),
        ("0.1.0", "odd", "", False),
        ("0.1.0", "", "odd", False),
    ],
)
def test_span_includes_both_ends(version, since, until, inside):
    assert in_span(version, since, until, SEMVER) is inside


def test_unknown_newer_version_uses_newest_known_range_and_says_so():
    match = match_version("0.40.0", ["0.8.5", "0.33.0"], SEMVER)
    assert (match.nearest, match.is_newer, match.known) == ("0.33.0", True, False)


def test_unknown_version_between_uses_the_older_neighbour():
    match = match_version("b10450", ["b10434", "b10488"], BUILD)
    assert (match.nearest, match.is_newer) == ("b10434", False)


def test_version_before_everything_uses_the_oldest():
    assert match_version("0.1.0", ["0.5.0", "0.6.0"], SEMVER).nearest == "0.5.0"


def test_unreadable_version_says_that_it_is():
    assert match_version("nightly", ["0.5.0"], SEMVER).is_readable is False
    assert match_version("nightly", [], SEMVER).nearest == "nightly"


def test_drivers_compare_as_numbers_not_as_text():
    assert driver_at_least("580.65.06", "580.9") is True
    assert driver_at_least("99.1", "525.60.13") is False
    assert driver_key("595.80") == (595, 80)


def test_unknown_driver_or_capability_is_unknown():
    assert driver_at_least(None, "525") is None
    assert driver_at_least("N/A", "525") is None
    assert capability_at_least(None, "8.0") is None
    assert capability_at_least("8", "8.0") is None
    assert capability_at_least("10.0", "9.0") is True


@given(st.lists(st.integers(0, 99), min_size=3, max_size=3), st.integers(0, 99))
def test_raising_the_last_part_makes_a_version_newer(parts, more):
    older = ".".join(map(str, parts))
    newer = ".".join(map(str, [*parts[:2], parts[2] + more + 1]))
    assert version_key(older, SEMVER) < version_key(newer, SEMVER)
    assert in_span(older, "", newer, SEMVER)
    assert not in_span(newer, "", older, SEMVER)


@pytest.mark.parametrize(
    ("version", "since", "until", "inside"),
    [
        ("0.26.0", "0.26.0", "0.26.0", True),
        ("0.26.1", "0.26.0", "0.26.0", False),
        ("0.8.x", "0.8", "0.10.0", True),
        ("0.28.1rc1.dev452", "0.28.1", "", True),
        ("nightly", "0.29.0", "", True),
        ("nightly", "", "0.5.5", False),
    ],
)
def test_an_estimate_takes_versions_as_people_write_them(version, since, until, inside):
    assert in_loose_span(version, since, until) is inside


def test_a_build_between_two_candidates_is_a_version():
    assert version_key("0.28.1rc1.dev452+g1a2b3c", SEMVER) == version_key("0.28.1rc1", SEMVER)
