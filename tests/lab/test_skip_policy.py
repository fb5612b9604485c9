"""In CI a skip must be on the list."""

import json

import pytest
from fixtures.skip_policy import read_patterns

UNEXPECTED = """
    import pytest

    def test_it():
        pytest.skip("no such tool here")
"""


def test_unexpected_skip_fails_in_ci(pytester_here, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CI", "true")
    result = pytester_here(UNEXPECTED)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*CI does not expect this skip: no such tool here*"])


def test_unexpected_skip_in_a_fixture_fails_in_ci(pytester_here, monkeypatch):
    monkeypatch.setenv("CI", "true")
    result = pytester_here("""
        import pytest

        @pytest.fixture
        def tool():
            pytest.skip("no such tool here")

        def test_it(tool):
            pass
    """)

    result.assert_outcomes(errors=1)


def test_unexpected_skip_of_a_module_fails_in_ci(pytester_here, monkeypatch):
    monkeypatch.setenv("CI", "true")
    result = pytester_here("""
        import pytest

        pytest.skip("not this module", allow_module_level=True)
    """)

    result.assert_outcomes(errors=1)


def test_skip_is_no_failure_on_a_desk(pytester_here):
    pytester_here(UNEXPECTED).assert_outcomes(skipped=1)


def test_expected_failure_is_no_skip(pytester_here, monkeypatch):
    monkeypatch.setenv("CI", "true")
    result = pytester_here("""
        import pytest

        @pytest.mark.xfail(reason="known")
        def test_it():
            assert False
    """)

    result.assert_outcomes(xfailed=1)


def test_list_leaves_out_comments_and_empty_lines():
    patterns = read_patterns("# why\n\n^needs a GPU\n")

    assert [pattern.pattern for pattern in patterns] == ["^needs a GPU"]


def test_counts_are_written_where_asked(pytester_here, monkeypatch, tmp_path):
    counts = tmp_path / "counts.json"
    monkeypatch.setenv("PITWALL_TEST_COUNTS", str(counts))

    pytester_here("""
        import pytest

        def test_good():
            pass

        def test_bad():
            assert False

        def test_skipped():
            pytest.skip("why")
    """)

    assert json.loads(counts.read_text()) == {"passed": 1, "failed": 1, "skipped": 1}
