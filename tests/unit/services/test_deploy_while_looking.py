"""A look at the host that is under way does not take over a deployment that was just begun."""

import asyncio

import pytest
from fakes.deploy_host import HOST, Desk, MemoryJournal, info, spec

from app.core.events import DeploymentState


class SlowJournal(MemoryJournal):
    """Keeps the beginning of an operation waiting, as a busy disk does."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.free = asyncio.Event(), asyncio.Event()

    async def begin(self, entry):
        self.asked.set()
        await self.free.wait()
        await super().begin(entry)


@pytest.fixture
async def desk():
    desk = Desk(journal=SlowJournal())
    desk.engine.put(info(status="exited"))
    yield desk
    await desk.service.close()


async def test_new_revision_serves_although_the_host_is_looked_at_before_its_first_step(desk):
    work = asyncio.ensure_future(desk.service.deploy(spec(revision=2)))
    await desk.journal.asked.wait()
    await desk.run(desk.service.refresh(HOST))
    assert desk.snapshot().deployment_revision == 2
    desk.journal.free.set()
    done = await desk.run(work)
    assert done.state is DeploymentState.SERVING
    assert done.deployment_revision == 2


async def test_what_an_older_look_saw_is_not_shown_in_place_of_the_new_one(desk):
    release = desk.engine.hold("logs")
    looking = asyncio.ensure_future(desk.service.refresh(HOST))
    await desk.until(lambda: "logs" in desk.engine.calls)
    work = asyncio.ensure_future(desk.service.deploy(spec(revision=2)))
    await desk.journal.asked.wait()
    release()
    await desk.run(looking)
    assert desk.snapshot().state is DeploymentState.PLANNED
    desk.journal.free.set()
    assert (await desk.run(work)).state is DeploymentState.SERVING


async def test_cancelled_before_its_first_step_nothing_is_left(desk):
    work = asyncio.ensure_future(desk.service.deploy(spec(revision=2)))
    await desk.journal.asked.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await desk.run(work)
    assert desk.service.snapshot(HOST) == ()
    assert len(desk.engine.boxes) == 1
