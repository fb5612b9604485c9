"""Reference cycles that hold Qt objects are destroyed on the GUI thread, whoever allocates."""

import gc
import threading
import weakref

import pytest

from app.ui.collect import GuiCollector


class Loop:
    """A reference cycle that says on which thread it was destroyed."""

    def __init__(self, ends: list[str]) -> None:
        self.me = self
        weakref.finalize(self, lambda: ends.append(threading.current_thread().name))


def allocate() -> list[list[int]]:
    """Return far more objects than set off a collection."""
    return [[index] for index in range(50_000)]


@pytest.fixture
def collector(qapp):
    made = GuiCollector(qapp)
    yield made
    made.stop()
    made.deleteLater()


def test_no_other_thread_destroys_a_cycle(collector):
    ends: list[str] = []
    Loop(ends)

    worker = threading.Thread(target=allocate, name="core loop")
    worker.start()
    worker.join()
    assert ends == []
    kept = allocate()
    collector.collect_due()

    assert kept
    assert ends == [threading.current_thread().name]


def test_nothing_is_collected_before_its_turn(collector):
    gc.collect()

    assert collector.collect_due() is None


@pytest.mark.parametrize("was_automatic", [True, False])
def test_stopping_hands_back_to_what_was_at_work(qapp, was_automatic):
    (gc.enable if was_automatic else gc.disable)()
    made = GuiCollector(qapp)
    assert not gc.isenabled()

    made.stop()

    assert gc.isenabled() is was_automatic
    gc.disable()  # as all tests with a window have it
    made.deleteLater()
