"""Back to an earlier revision: what served before serves again, and nothing is lost by trying."""

import pytest
from fakes.containers import GOOD_TEXT, Script
from fakes.deploy_host import HOST, LINES, Desk, info, spec

from app.core.errors import AppError, EngineError, ErrorCode, UserInputError
from app.core.events import DeploymentState as S

EARLIER = "2026-01-01T00:00:00.000000000Z"
LATER = "2026-02-01T00:00:00.000000000Z"


@pytest.fixture
async def desk():
    """Revision 2 serves; revision 1 has served and lies beside it."""
    desk = Desk()
    desk.engine.put(info(revision=1, status="exited", finished_at=EARLIER), Script(lines=LINES))
    await desk.run(desk.service.deploy(spec(revision=2)))
    await desk.run(desk.service.refresh(HOST))
    yield desk
    await desk.service.close()


def status(desk, revision):
    boxes = desk.engine.boxes.values()
    (box,) = [b for b in boxes if b.info.labels["io.pitwall.revision"] == str(revision)]
    return box.info.status


async def back(desk, **options):
    return await desk.run(desk.service.rollback(HOST, "chat", **options))


async def test_the_earlier_revision_serves_and_the_later_one_stays(desk):
    assert desk.snapshot().rollback_to == 1

    done = await back(desk)

    assert (done.state, done.deployment_revision) == (S.SERVING, 1)
    assert done.verified_text == GOOD_TEXT
    assert (status(desk, 1), status(desk, 2)) == ("running", "exited")
    assert (done.rollback_to, done.older_revisions) == (None, 1)


async def test_it_is_taken_back_by_naming_the_revision(desk):
    await back(desk)

    assert (await back(desk, to=2)).deployment_revision == 2
    assert (status(desk, 1), status(desk, 2)) == ("exited", "running")


async def test_the_next_revision_takes_no_number_that_is_used(desk):
    done = await back(desk)

    assert desk.service.next_revision(HOST, "chat") == 3
    assert done.newest_revision == 2


async def test_a_revision_that_does_not_serve_again_gives_way_to_what_ran(desk):
    desk.engine.boxes["old-chat-1"].script = Script(exits_after_s=0.5, ready_after_s=None)

    with pytest.raises(EngineError) as failed:
        await back(desk)

    assert "Revision 2 was started again and serves" in failed.value.cause
    found = desk.snapshot()
    assert (found.state, found.deployment_revision) == (S.SERVING, 2)
    assert (status(desk, 1), status(desk, 2)) == ("exited", "running")


@pytest.mark.parametrize("to", [2, 7])
async def test_what_was_never_there_is_said_and_nothing_is_touched(desk, to):
    with pytest.raises(UserInputError) as refused:
        await back(desk, to=to)

    assert refused.value.code is ErrorCode.NOT_FOUND
    assert "--to: 1" in refused.value.remedy
    assert status(desk, 2) == "running"


async def test_a_revision_that_never_served_is_no_way_back():
    desk = Desk()
    desk.engine.put(info(revision=1, status="exited", policy="no"))
    await desk.run(desk.service.deploy(spec(revision=2)))
    await desk.run(desk.service.refresh(HOST))

    assert desk.snapshot().rollback_to is None
    with pytest.raises(AppError, match="restart"):
        await back(desk)
    assert desk.snapshot().state is S.SERVING or await desk.run(desk.service.refresh(HOST))
    await desk.service.close()


async def test_another_desk_sees_which_of_two_stopped_ones_was_in_force():
    desk = Desk()
    desk.engine.put(info(revision=1, status="exited", finished_at=LATER))
    desk.engine.put(info(revision=2, status="exited", finished_at=EARLIER))

    await desk.run(desk.service.refresh(HOST))

    found = desk.snapshot()
    assert (found.deployment_revision, found.newest_revision) == (1, 2)
    await desk.service.close()


async def test_a_host_lost_on_the_way_is_told_and_both_stay(desk):
    desk.engine.fail("start", *[lost_host() for _ in range(1)])

    with pytest.raises(AppError) as lost:
        await back(desk)

    assert lost.value.code is ErrorCode.CONNECTION_LOST
    assert len(desk.engine.boxes) == 2


def lost_host():
    from fakes.containers import lost

    return lost()
