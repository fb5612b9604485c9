"""Running work is announced, reported and can be cancelled."""

import asyncio

import pytest

from app.core.errors import ErrorCode, HostError
from app.services.activities import Activities
from app.services.bus import EventBus


@pytest.fixture
def heard():
    return []


@pytest.fixture
def bus(heard):
    bus = EventBus()
    bus.subscribe(heard.append)
    return bus


@pytest.fixture
def activities(bus):
    return Activities(bus)


async def test_work_is_announced_reported_and_closed(activities, heard):
    async with activities.run("deploy", "h/chat") as activity:
        activity.report(0.5, "half")
    assert [(e.progress, e.finished) for e in heard] == [(None, False), (0.5, False), (1.0, True)]
    assert {(e.title_code, e.subject) for e in heard} == {("deploy", "h/chat")}


async def test_error_closes_the_activity_with_its_words(activities, heard):
    with pytest.raises(HostError):
        async with activities.run("connect", "h"):
            raise HostError(ErrorCode.HOST_UNREACHABLE, cause="c", remedy="r")
    assert heard[-1].finished
    assert heard[-1].error.code is ErrorCode.HOST_UNREACHABLE


async def test_work_can_be_cancelled_by_its_id(activities, heard):
    async def work():
        async with activities.run("connect", "h"):
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    assert heard[0].can_cancel
    assert activities.cancel(heard[0].id)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert heard[-1].error.code is ErrorCode.CANCELLED
    assert not activities.cancel(heard[0].id)


async def test_cancelled_work_says_that_it_is_being_undone_until_it_is(activities, heard):
    undone = asyncio.Event()

    async def work():
        async with activities.run("deploy", "h/chat"):
            try:
                await asyncio.Event().wait()
            finally:
                await undone.wait()

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    activities.cancel(heard[0].id)
    for _ in range(3):
        await asyncio.sleep(0)
    assert (heard[-1].ending, heard[-1].can_cancel, heard[-1].finished) == (True, False, False)
    undone.set()
    await asyncio.wait({task})
    assert (heard[-1].ending, heard[-1].finished) == (False, True)


async def test_quick_work_is_not_announced_and_slow_work_is(activities, bus, heard):
    announced = asyncio.Event()
    bus.subscribe(lambda _event: announced.set())
    async with activities.run("model", "small", after_s=60):
        pass
    assert heard == []

    async with activities.run("model", "large", after_s=0.001):
        await announced.wait()
    assert [event.finished for event in heard] == [False, True]


async def test_work_that_must_end_cannot_be_cancelled(activities, heard):
    async with activities.run("stop", "h/chat", can_cancel=False):
        assert not heard[0].can_cancel
        assert not activities.cancel(heard[0].id)
