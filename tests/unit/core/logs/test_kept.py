"""Many lines in little memory, and the moments people type."""

import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.logs.kept import PAGE, KeptLines, place_at, place_of_text
from app.core.logs.line import LogLevel, LogLine
from app.core.logs.moments import moment_of

NEWEST_S = datetime(2026, 11, 30, 15, 30, tzinfo=UTC).timestamp()


def line(text: str, level: LogLevel = LogLevel.INFO, at: str = "") -> LogLine:
    return LogLine(text=text, level=level, at=at)


def stamp(number: int) -> str:
    return (datetime(2026, 11, 30, 12, tzinfo=UTC) + timedelta(seconds=number)).isoformat()


def filled(count: int, limit: int = 1_000_000) -> KeptLines:
    kept = KeptLines(limit)
    kept.append(line(f"line {number}", at=stamp(number)) for number in range(count))
    kept.drop_old()
    return kept


@given(st.lists(st.text(st.characters(blacklist_categories=("Cs",))), max_size=30))
def test_every_line_comes_back_as_it_was_but_for_line_ends(texts):
    kept = KeptLines()
    kept.append([line(text) for text in texts])

    assert [kept.text(place) for place in range(len(texts))] == [
        t.replace("\n", " ") for t in texts
    ]


def test_lines_level_and_time_come_back_from_packed_pages():
    kept = filled(2 * PAGE)
    kept.append([line("trouble", LogLevel.ERROR), line("\udcff odd bytes", LogLevel.WARNING)])

    assert kept.text(5) == "line 5"
    assert kept.level(PAGE + 7) is LogLevel.INFO
    assert kept.at_s(PAGE) == datetime.fromisoformat(stamp(PAGE)).timestamp()
    assert kept.text(kept.end - 2) == "trouble"
    assert kept.level(kept.end - 2) is LogLevel.ERROR
    assert math.isnan(kept.at_s(kept.end - 1))
    assert kept.pages()[-1].lines()[-1] == "\udcff odd bytes"


def test_old_pages_go_and_places_stay():
    kept = filled(5 * PAGE, limit=2 * PAGE)

    assert kept.first == 3 * PAGE
    assert len(kept) == 2 * PAGE == kept.counts[LogLevel.INFO]
    assert kept.text(3 * PAGE) == f"line {3 * PAGE}"
    assert [page.first for page in kept.pages(4 * PAGE)] == [4 * PAGE]


def test_an_evidence_line_is_the_equal_one_nearest_to_its_number():
    kept = KeptLines()
    kept.append(line("again" if n in {10, PAGE - 1, PAGE + 1} else f"{n}") for n in range(2 * PAGE))

    assert place_of_text(kept.pages(), 0, " again ") == 10
    assert place_of_text(kept.pages(), PAGE, "again") in {PAGE - 1, PAGE + 1}
    assert place_of_text(kept.pages(), 9 * PAGE, "again") == PAGE + 1
    assert place_of_text(kept.pages(), 3, "absent") is None
    assert place_of_text(kept.pages(), 3, "  ") is None


def test_a_time_is_found_across_pages_past_lines_without_stamps():
    kept = KeptLines()
    kept.append(line("x", at=stamp(n) if n % 2 else "") for n in range(PAGE + 50))
    wanted = datetime.fromisoformat(stamp(PAGE + 10)).timestamp()

    assert place_at(kept.pages(), wanted) == PAGE + 11
    assert place_at(kept.pages(), wanted + 9_999) is None


@pytest.mark.parametrize(
    ("typed", "back_s"),
    [
        ("-10m", 600), ("-90", 5_400), ("-2 h", 7_200), ("-30s", 30), ("-1d", 86_400),
        ("14:03", 5_220), ("15:30", 0), ("15:31", 86_340), ("14:03:30", 5_190),
        ("2026-11-30T15:00", 1_800), ("2026-11-30 15:00:00", 1_800), ("2026-11-30", 55_800),
        ("2026-11-30T16:00+01:00", 1_800), ("2026-11-30T15:00:00.123456789Z", 1_799.876544),
    ],
)  # fmt: skip
def test_moments_are_read_as_people_type_them(typed, back_s):
    found = moment_of(typed, newest_s=NEWEST_S, zone=UTC)

    assert found == pytest.approx(NEWEST_S - back_s, abs=1e-3)


@pytest.mark.parametrize("typed", ["", "soon", "25:00", "12:75", "12:30:99", "2026-13-01", "10m"])
def test_what_is_no_moment_is_none(typed):
    assert moment_of(typed, newest_s=NEWEST_S, zone=UTC) is None


def test_a_time_of_day_is_meant_in_its_zone():
    zone = timezone(timedelta(hours=8))

    assert moment_of("23:00", newest_s=NEWEST_S, zone=zone) == NEWEST_S - 1_800
