"""A test whose end hangs is ended, even after a time-out had its turn."""


def test_hanging_end_after_a_timeout_is_ended_with_a_trace(pytester_here):
    result = pytester_here(
        """
        import pytest, time

        @pytest.fixture
        def stuck():
            yield
            time.sleep(600)

        def test_it(stuck):
            time.sleep(600)
        """,
        "--timeout=0.3",
        "-o",
        "teardown_limit_s=0.5",
    )

    assert result.ret == 1
    result.stderr.fnmatch_lines(["*Timeout*", "*in stuck*"])


def test_quick_end_is_left_alone(pytester_here):
    result = pytester_here("def test_it(): pass", "-o", "teardown_limit_s=5")

    result.assert_outcomes(passed=1)
