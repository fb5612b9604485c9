"""Ending a task loses neither its error nor the caller's own cancellation."""

import asyncio

import pytest

from app.io.tasks import end_task


async def test_ended_task_is_over():
    task = asyncio.create_task(asyncio.Event().wait())
    await end_task(task)
    assert task.cancelled()


async def test_error_of_the_task_is_raised():
    async def fail():
        raise ValueError("broken")

    task = asyncio.create_task(fail())
    await asyncio.sleep(0)
    with pytest.raises(ValueError, match="broken"):
        await end_task(task)


async def test_caller_stays_cancelled_while_it_waits():
    may_end = asyncio.Event()

    async def reluctant():
        try:
            await asyncio.Event().wait()
        finally:
            await may_end.wait()

    task = asyncio.create_task(reluctant())
    await asyncio.sleep(0)
    caller = asyncio.create_task(end_task(task))
    await asyncio.sleep(0)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    may_end.set()
    await asyncio.wait({task})
    assert task.cancelled()
