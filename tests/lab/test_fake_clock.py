"""The fake clock wakes sleepers in order and only when it is moved."""

import asyncio

from fixtures.time import FakeClock


async def test_sleeper_wakes_when_its_time_has_come(fake_clock: FakeClock):
    task = asyncio.create_task(fake_clock.sleep(5))

    await fake_clock.advance(4.9)
    assert not task.done()
    await fake_clock.advance(0.2)

    assert task.done()


async def test_sleepers_wake_in_the_order_of_their_times(fake_clock: FakeClock):
    woken = []

    async def sleeper(duration_s: float) -> None:
        await fake_clock.sleep(duration_s)
        woken.append((duration_s, fake_clock.monotonic_s()))

    tasks = [asyncio.create_task(sleeper(duration_s)) for duration_s in (3, 1, 2)]
    await fake_clock.advance(10)
    await asyncio.gather(*tasks)

    assert woken == [(1, 1.0), (2, 2.0), (3, 3.0)]


async def test_loop_that_sleeps_again_runs_within_one_step(fake_clock: FakeClock):
    ticks = 0

    async def ticking() -> None:
        nonlocal ticks
        while True:
            await fake_clock.sleep(1)
            ticks += 1

    task = asyncio.create_task(ticking())
    await fake_clock.advance(3.5)
    task.cancel()

    assert ticks == 3
    assert fake_clock.monotonic_s() == 3.5


async def test_cancelled_sleeper_is_forgotten(fake_clock: FakeClock):
    task = asyncio.create_task(fake_clock.sleep(5))
    await fake_clock.advance(1)
    assert fake_clock.sleeper_count == 1

    task.cancel()
    await asyncio.sleep(0)

    assert fake_clock.sleeper_count == 0


def test_time_of_day_moves_with_the_clock(fake_clock: FakeClock):
    before_s = fake_clock.now_s()

    fake_clock.set_forward(60)

    assert fake_clock.now_s() == before_s + 60
