"""No test sees a person's folders."""

import os
from pathlib import Path

from fixtures.isolation import TEST_CACHE

_seen: list[Path] = []


def test_home_is_empty_and_pitwalls_folder_lies_in_it(pitwall_home: Path):
    assert Path.home() == pitwall_home.parent
    assert Path(os.environ["PITWALL_HOME"]) == pitwall_home
    assert list(Path.home().iterdir()) == []


def test_each_test_has_its_own_home_first(pitwall_home: Path):
    _seen.append(pitwall_home)


def test_each_test_has_its_own_home_second(pitwall_home: Path):
    assert pitwall_home not in _seen


def test_prepared_cache_is_not_below_the_tests_home():
    assert not TEST_CACHE.is_relative_to(Path.home())


def test_qt_draws_without_a_screen(qapp):
    assert qapp.platformName() == "offscreen"
