"""A warning in the log fails the test unless the test declares it."""

import logging

import pytest


def test_undeclared_warning_fails(pytester_here):
    result = pytester_here("""
        import logging

        def test_it():
            logging.getLogger("app.x").warning("disk %s", "full")
    """)

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*WARNING app.x: disk full*"])


def test_information_does_not_fail():
    logging.getLogger("app.x").info("fine")


@pytest.mark.expect_logs("disk full")
def test_declared_warning_is_allowed():
    logging.getLogger("app.x").warning("disk full")


@pytest.mark.expect_logs
def test_bare_mark_allows_everything():
    logging.getLogger("app.x").error("anything")


def test_other_warning_than_the_declared_one_fails(pytester_here):
    result = pytester_here("""
        import logging, pytest

        @pytest.mark.expect_logs("disk full")
        def test_it():
            logging.getLogger("app.x").warning("disk full")
            logging.getLogger("app.x").error("disk gone")
    """)

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.no_fnmatch_line("*WARNING app.x: disk full*")


def test_warning_during_set_up_fails(pytester_here):
    result = pytester_here("""
        import logging, pytest

        @pytest.fixture
        def noisy():
            logging.getLogger("app.x").warning("early")

        def test_it(noisy):
            pass
    """)

    result.assert_outcomes(passed=1, errors=1)


def test_what_paramiko_repeats_does_not_count():
    logging.getLogger("paramiko.transport").error("it was raised, too")
