"""The loop's thread ends in time, whatever runs on it."""

import asyncio

import pytest

from app.services.runtime import LoopThread


def test_finishing_waits_for_work_that_ends() -> None:
    loop = LoopThread().start()
    done = []

    async def work() -> None:
        done.append(True)

    assert loop.finish(work(), timeout_s=30) is True
    assert done == [True]
    assert loop.stop()


@pytest.mark.expect_logs
def test_finishing_gives_up_after_its_time() -> None:
    loop = LoopThread().start()

    assert loop.finish(asyncio.sleep(30), timeout_s=0.05) is False
    assert loop.stop()
