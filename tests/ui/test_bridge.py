"""The crossing between the threads: coalescing, delivery, the end."""

import threading
from concurrent.futures import Future

import pytest
import shiboken6
from PySide6.QtCore import QObject, QThread

from app.core.errors import ErrorCode, HostError
from app.core.events import (
    ActivityChanged,
    HostChanged,
    HostKind,
    HostRemoved,
    HostSettings,
    HostSnapshot,
    HostState,
    LogArrived,
)
from app.core.ids import HostId
from app.services.bus import EventBus
from app.services.runtime import LoopThread
from app.ui.bridge import LOG_LINES_LIMIT, CoreBridge, EventQueue
from app.ui.viewmodels.base import ViewModel


def host(name: str, revision: int = 1) -> HostChanged:
    settings = HostSettings(id=HostId(name), name=name, kind=HostKind.SSH)
    return HostChanged(
        snapshot=HostSnapshot(revision=revision, settings=settings, state=HostState.CONNECTED)
    )


pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def loop():
    thread = LoopThread().start()
    yield thread
    assert thread.stop()


@pytest.fixture
def bus():
    return EventBus()


@pytest.fixture
def bridge(loop, bus):
    made = CoreBridge(loop, bus)
    yield made
    made.detach()


def test_queue_keeps_only_the_newest_event_of_a_host() -> None:
    queue = EventQueue()

    assert queue.put(host("a", 1)) is True
    assert queue.put(host("b", 1)) is False
    queue.put(host("a", 2))

    assert [event.snapshot.revision for event in queue.take()] == [1, 2]
    assert queue.take() == ()


def test_queue_keeps_a_removal_between_two_changes_in_its_place() -> None:
    queue = EventQueue()
    queue.put(host("a", 1))
    queue.put(HostRemoved(host_id=HostId("a")))
    queue.put(host("a", 2))

    kinds = [type(event) for event in queue.take()]

    assert kinds == [HostRemoved, HostChanged]


def test_queue_joins_log_lines_and_counts_what_it_drops() -> None:
    queue = EventQueue()
    lines = tuple(str(number) for number in range(LOG_LINES_LIMIT))
    queue.put(LogArrived(host_id=HostId("a"), deployment="d", lines=lines))
    queue.put(LogArrived(host_id=HostId("a"), deployment="d", lines=("x", "y"), dropped=3))

    (joined,) = queue.take()

    assert len(joined.lines) == LOG_LINES_LIMIT
    assert joined.lines[-2:] == ("x", "y")
    assert joined.dropped == 5


def test_a_burst_of_events_arrives_at_most_ten_times_a_second(qtbot, bus, bridge) -> None:
    arrived = []
    bridge.event_arrived.connect(arrived.append)

    for revision in range(200):
        bus.publish(host("a", revision))
    qtbot.waitUntil(lambda: bool(arrived) and arrived[-1].snapshot.revision == 199)

    assert len(arrived) <= 3


def test_events_published_on_another_thread_arrive_on_the_gui_thread(
    qtbot, loop, bus, bridge
) -> None:
    threads = []
    bridge.event_arrived.connect(lambda _event: threads.append(QThread.currentThread()))

    async def publish() -> None:
        bus.publish(ActivityChanged(id="1", title_code="connect", subject="a"))

    loop.submit(publish())
    qtbot.waitUntil(lambda: bool(threads))

    assert threads == [bridge.thread()]


def test_a_call_answers_on_the_gui_thread(qtbot, bridge) -> None:
    answers = []

    async def work() -> str:
        return threading.current_thread().name

    bridge.call(work(), lambda future: answers.append((future.result(), threading.get_ident())))
    qtbot.waitUntil(lambda: bool(answers))

    assert answers == [("pitwall-core", threading.get_ident())]


def test_a_detached_bridge_drops_answers_and_events(qtbot, bus, bridge) -> None:
    answers: list[object] = []
    gate = threading.Event()

    async def work() -> None:
        gate.wait(2)

    bridge.event_arrived.connect(answers.append)
    future = bridge.call(work(), answers.append)
    bridge.detach()
    gate.set()
    bus.publish(host("a"))
    qtbot.waitUntil(future.done)
    qtbot.wait(30)

    assert answers == []
    assert bridge.is_detached


def test_a_call_after_detaching_is_cancelled_at_once(bridge) -> None:
    async def work() -> None:
        raise AssertionError

    bridge.detach()

    assert bridge.call(work(), lambda _future: None).cancelled()


def test_an_answer_for_a_deleted_object_is_left_out(qtbot, bridge) -> None:
    class Receiver(QObject):
        def take(self, _future: Future[None]) -> None:
            raise AssertionError

    async def work() -> None:
        return None

    receiver = Receiver()
    future = bridge.call(work(), receiver.take)
    shiboken6.delete(receiver)
    qtbot.waitUntil(future.done)
    qtbot.wait(30)


def test_view_model_hands_an_expected_error_on_as_a_value(qtbot, bridge) -> None:
    model = ViewModel(bridge)

    async def work() -> None:
        raise HostError(ErrorCode.HOST_UNREACHABLE, cause="It is off.", remedy="Switch it on.")

    with qtbot.waitSignal(model.failed) as caught:
        model.run(work())

    assert caught.args[0].code is ErrorCode.HOST_UNREACHABLE
    assert not model.is_busy


@pytest.mark.expect_logs
def test_view_model_turns_the_unexpected_into_an_internal_error(qtbot, bridge) -> None:
    model = ViewModel(bridge)

    async def work() -> None:
        raise ZeroDivisionError

    with qtbot.waitSignal(model.failed) as caught:
        model.run(work())

    assert caught.args[0].code is ErrorCode.INTERNAL
    assert "ZeroDivisionError" in caught.args[0].details


def test_view_model_says_that_a_call_was_cancelled(qtbot, bridge) -> None:
    import asyncio

    model = ViewModel(bridge)
    cancelled: list[bool] = []
    future = model.run(asyncio.sleep(30), on_cancel=lambda: cancelled.append(True))

    future.cancel()
    qtbot.waitUntil(lambda: bool(cancelled))

    assert not model.is_busy


def test_a_disposed_view_model_hears_nothing_any_more(qtbot, bridge) -> None:
    import asyncio

    model = ViewModel(bridge)
    heard: list[object] = []
    model.failed.connect(heard.append)
    future = model.run(asyncio.sleep(30), on_result=heard.append, on_cancel=lambda: heard.append(1))

    model.dispose()
    qtbot.waitUntil(future.done)
    qtbot.wait(30)

    assert heard == []
