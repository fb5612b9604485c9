"""The heartbeat sees a GUI thread that works or waits too long, and nothing else."""

import time

import pytest
from fixtures.heartbeat import MOST_SLOWNESS, WORK_S, Heartbeat, slowness


class Clocks:
    def __init__(self):
        self.cpu_s = self.now_s = 0.0

    def heartbeat(self) -> Heartbeat:
        return Heartbeat(cpu_time=lambda: self.cpu_s, clock=lambda: self.now_s)


pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


def test_timer_beats_while_the_event_loop_runs(qtbot, heartbeat: Heartbeat):
    qtbot.waitUntil(lambda: heartbeat.beats > 3)


def test_own_cpu_time_over_the_limit_is_a_complaint(clocks: Clocks):
    watch = clocks.heartbeat()
    clocks.cpu_s = clocks.now_s = 0.15

    watch.beat()

    assert watch.complaints() == ["150 ms of CPU time (limit 100 ms)"]


def test_waiting_over_the_limit_is_a_complaint(clocks: Clocks):
    watch = clocks.heartbeat()
    clocks.now_s = 0.6

    watch.beat()

    assert watch.complaints() == ["600 ms on the clock (limit 500 ms)"]


def test_slow_machine_without_own_cpu_time_is_no_complaint(clocks: Clocks):
    watch = clocks.heartbeat()
    clocks.cpu_s, clocks.now_s = 0.09, 0.45

    watch.beat()

    assert watch.complaints() == []


def test_slower_machine_gets_more_time_but_not_any_time():
    assert slowness(WORK_S / 2) == 1
    assert slowness(WORK_S, WORK_S * 2) == pytest.approx(2)
    assert slowness(WORK_S * 100) == MOST_SLOWNESS


def test_paused_time_does_not_count(clocks: Clocks):
    watch = clocks.heartbeat()

    with watch.paused():
        clocks.cpu_s = clocks.now_s = 5.0
    watch.stop()

    assert watch.complaints() == []


def test_work_after_the_last_beat_counts(clocks: Clocks):
    watch = clocks.heartbeat()
    watch.start()
    clocks.cpu_s = 0.2

    watch.stop()

    assert watch.longest_cpu_s == pytest.approx(0.2)


@pytest.mark.parametrize("fault", ["work", "wait"])
def test_fixture_fails_a_test_that_blocks_the_thread(pytester_here, fault: str):
    block = {
        "work": "while time.thread_time() < end: pass",
        "wait": "time.sleep(1.4)",
    }[fault]
    result = pytester_here(f"""
        import time

        def test_blocks(qtbot, heartbeat):
            end = time.thread_time() + 0.4
            {block}
            qtbot.wait(30)
    """)

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*did not return in time*"])


def test_thread_time_ignores_sleep():
    before = time.thread_time()
    time.sleep(0.05)

    assert time.thread_time() - before < 0.04
