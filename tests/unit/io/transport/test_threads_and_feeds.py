"""Calls with a deadline in a host's own threads, and the way from a thread to an iterator."""

import asyncio
import threading

import pytest

from app.core.errors import ErrorCode, HostError
from app.io.transport.feed import Feed
from app.io.transport.host_threads import Call, HostThreads, adopt
from app.io.transport.lines import LINE_LIMIT_BYTES, LineSplitter


class FakeChannel:
    def __init__(self):
        self.closed = threading.Event()

    def close(self):
        self.closed.set()


@pytest.fixture
def threads():
    threads = HostThreads("lab", size=1)
    yield threads
    threads.close()


async def test_late_call_has_its_channels_closed(threads):
    channel = FakeChannel()

    def work():
        adopt(channel)
        channel.closed.wait(10)

    with pytest.raises(HostError) as caught:
        await threads.run(work, timeout_s=0.1, what="probe")
    assert caught.value.code is ErrorCode.COMMAND_TIMEOUT
    assert caught.value.params["command"] == "probe"
    assert await threads.run(channel.closed.is_set, timeout_s=5)


async def test_channel_of_an_ended_call_stays_open(threads):
    channel = FakeChannel()
    await threads.run(lambda: adopt(channel), timeout_s=5)
    threads.close()
    assert not channel.closed.is_set()


async def test_channel_that_comes_after_the_cancelling_is_closed_at_once(threads):
    call, channel = Call(), FakeChannel()
    call.abort()
    call.adopt(channel)
    assert call.is_aborted
    assert channel.closed.is_set()
    del threads


async def test_waiting_for_a_free_thread_counts(threads):
    gate = threading.Event()
    blocker = asyncio.create_task(threads.run(lambda: gate.wait(10), timeout_s=10))
    await asyncio.sleep(0)
    with pytest.raises(HostError) as caught:
        await threads.run(lambda: None, timeout_s=0.1)
    assert caught.value.code is ErrorCode.COMMAND_TIMEOUT
    gate.set()
    await blocker


async def test_closing_closes_the_channels_of_what_runs(threads):
    channel, adopted = FakeChannel(), threading.Event()

    def work():
        adopt(channel)
        adopted.set()
        return channel.closed.wait(10)

    running = asyncio.create_task(threads.run(work, timeout_s=10))
    assert await asyncio.to_thread(adopted.wait, 10)
    threads.close()
    assert await running


async def test_closing_ends_calls_that_wait_for_a_thread(threads):
    gate = threading.Event()
    blocker = asyncio.create_task(threads.run(lambda: gate.wait(10), timeout_s=10))
    await asyncio.sleep(0)
    waiting = asyncio.create_task(threads.run(lambda: None, timeout_s=10))
    await asyncio.sleep(0)
    threads.close()
    with pytest.raises(HostError) as caught:
        await waiting
    assert caught.value.code is ErrorCode.CONNECTION_LOST
    gate.set()
    await blocker
    with pytest.raises(HostError):
        await threads.run(lambda: None, timeout_s=1)


async def test_timeout_of_a_socket_is_a_timeout_of_the_call(threads):
    def work():
        raise TimeoutError

    with pytest.raises(HostError) as caught:
        await threads.run(work, timeout_s=5)
    assert caught.value.code is ErrorCode.COMMAND_TIMEOUT


async def test_feed_gives_everything_in_order_through_a_small_queue():
    feed: Feed[int] = Feed(limit=3)

    def produce():
        for number in range(500):
            feed.put(number)
        feed.finish()

    threading.Thread(target=produce).start()
    assert [number async for number in feed.items()] == list(range(500))


async def test_feed_raises_the_error_after_what_came_before_it():
    feed: Feed[int] = Feed()
    feed.put(1)
    feed.finish(ValueError("broke"))
    got = []

    async def read():
        async for number in feed.items():
            got.append(number)  # noqa: PERF401 - what came before the error counts

    with pytest.raises(ValueError, match="broke"):
        await read()
    assert got == [1]


async def test_closed_feed_frees_a_waiting_thread():
    feed: Feed[int] = Feed(limit=1)
    results = []
    feed.put(1)
    thread = threading.Thread(target=lambda: results.append(feed.put(2)))
    thread.start()
    feed.close()
    thread.join(5)
    assert results == [False]


def test_feed_whose_loop_has_ended_tells_its_thread():
    async def make():
        return Feed()

    feed = asyncio.run(make())
    feed.put(1)
    assert feed.put(2) is False


def test_lines_are_cut_whatever_the_pieces():
    splitter = LineSplitter()
    got = splitter.feed(b"on") + splitter.feed(b"e\r\ntwo\nthr") + splitter.feed(b"ee")
    assert got == ["one", "two"]
    assert splitter.finish() == ["three"]
    assert splitter.finish() == []


def test_endless_line_is_handed_on_in_pieces():
    splitter = LineSplitter()
    assert splitter.feed(b"x" * (LINE_LIMIT_BYTES + 1)) == ["x" * (LINE_LIMIT_BYTES + 1)]
