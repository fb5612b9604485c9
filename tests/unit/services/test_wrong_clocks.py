"""Clocks that are wrong by years, or set while something goes on: nothing depends on them.

The host's own clock is compared only with itself, and the desk's decides nothing on the host.
"""

import asyncio
import json

import pytest
from fakes.containers import Script, lost
from fakes.deploy_host import HOST, LINES, Desk, info, spec

from app.core.errors import AppError
from app.core.events import DeploymentState as S
from app.io.store.db import Database
from app.io.store.journal import JournalEntry, JournalStore
from app.services.deploying.logs import read_log

YEAR_S = 366 * 86_400.0
OFFSETS = {"right": 0.0, "time zone": 8 * 3600.0, "years ahead": 5 * YEAR_S, "behind": -5 * YEAR_S}


@pytest.fixture(params=OFFSETS.values(), ids=OFFSETS)
async def desk(request):
    desk = Desk(script=Script(lines=LINES, ready_after_s=1))
    desk.engine.ahead_s = request.param
    yield desk
    await desk.service.close()


async def test_a_start_and_its_phases_do_not_depend_on_whose_clock_is_right(desk):
    done = await desk.run(desk.service.deploy(spec()))

    assert done.state is S.SERVING
    times = [(p.started_s, p.duration_s) for p in done.phases if p.started_s is not None]
    assert all(0 <= value <= 30 for pair in times for value in pair if value is not None), times


async def test_what_was_cut_off_a_moment_ago_goes_on_and_later_does_not(desk):
    for later_s, expected in ((60.0, S.SERVING), (700.0, S.STOPPED)):
        desk.engine.boxes.clear()
        desk.engine.fail("start", lost())
        with pytest.raises(AppError):
            await desk.run(desk.service.deploy(spec(name=f"n{later_s:.0f}")))
        desk.clock.set_forward(later_s)
        await desk.run(desk.service.refresh(HOST))
        await desk.until(lambda n=later_s, s=expected: desk.snapshot(f"n{n:.0f}").state is s)


async def test_a_loop_that_ran_while_we_were_away_is_seen_by_the_hosts_clock(desk):
    box = desk.engine.put(info(restart_count=5, started_at=desk.engine._stamp(-20)))
    box.healthy = False
    await desk.run(desk.service.refresh(HOST))
    desk.engine.crash(restarting=True)

    await desk.until(lambda: desk.snapshot().state is S.CRASH_LOOPING)


@pytest.mark.parametrize("jump_s", [-YEAR_S, -3600.0, 3600.0, YEAR_S])
async def test_a_clock_that_is_set_while_a_deployment_starts_spoils_nothing(jump_s):
    desk = Desk(script=Script(lines=LINES, ready_after_s=5))
    desk.engine.ahead_s = 0.0
    work = desk.service.deploy(spec())

    def set_once():
        if desk.engine.boxes and desk.engine.only().info.status == "running":
            desk.engine.ahead_s = jump_s
        return False

    detach = desk.bus.subscribe(lambda _event: set_once())
    done = await desk.run(work)
    detach()

    assert done.state is S.SERVING
    for values in desk.journal.values.values():
        assert all(0 <= seconds <= 30 for seconds in _numbers(values)), values
    await desk.run(desk.service.refresh(HOST))
    assert desk.snapshot().state is S.SERVING
    await desk.service.close()


def _numbers(text):
    return [value for value in json.loads(text).values() if isinstance(value, int | float)]


async def test_a_followed_log_goes_on_when_the_hosts_clock_is_set_back():
    desk = Desk()
    desk.engine.ahead_s = YEAR_S
    box = desk.engine.put(info())
    box.printed.append(desk.engine._chunk("before"))
    seen = []

    async def follow():
        async for line in read_log(
            desk.engine, box.info.id, follow=True, tail=None, clock=desk.clock
        ):
            seen.append(line.raw)
            if len(seen) == 1:
                desk.engine.ahead_s = 0.0
                desk.engine.cut_streams()

    task = asyncio.create_task(follow())
    await desk.clock.advance(1)
    desk.clock.set_forward(0.5)
    box.printed.append(desk.engine._chunk("after"))
    await desk.until(lambda: seen == ["before", "after"])
    task.cancel()


async def test_the_journals_last_word_is_what_was_written_last(tmp_path):
    database = Database(tmp_path / "pitwall.db", now=lambda: "2030-01-01T00:00:00Z")
    await database.open()
    store = JournalStore(database)
    for number, at in enumerate(("2031-01-01T00:00:00Z", "2029-01-01T00:00:00Z")):
        await store.begin(
            JournalEntry(
                id=str(number), host_id=HOST, name="chat", revision=1, operation="deploy",
                started_at=at,
            )
        )  # fmt: skip

    assert [entry.id for entry in await store.entries(HOST, "chat")] == ["1", "0"]
    await database.close()
