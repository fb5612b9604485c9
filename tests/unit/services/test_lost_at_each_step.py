"""The host is lost at each single call of a deployment: nothing is doubled or stays silent."""

import pytest
from fakes.containers import Script, lost
from fakes.deploy_host import HOST, LINES, Desk, info, spec

from app.core.errors import AppError, ErrorCode
from app.core.events import DeploymentState as S

CALLS = 16
"""More than a deployment makes until it serves (14)."""


class Frail:
    """Lets the nth call of the container engine be the last before the host is lost."""

    def __init__(self, engine, number: int, *, after: bool) -> None:
        self._engine, self._left, self._after = engine, number, after
        self.cut: str | None = None
        self.is_over = False
        for name in ("version", "containers", "inspect", "image", "create", "start", "stop"):
            setattr(engine, name, self._counted(name, getattr(engine, name)))
        engine.set_restart_policy = self._counted("policy", engine.set_restart_policy)

    def _counted(self, name, call):
        async def counted(*arguments, **options):
            self._left -= 1
            if self._left != 0 or self.is_over:
                return await call(*arguments, **options)
            self.cut = name
            if self._after:
                await call(*arguments, **options)
            self._engine.is_lost = True
            raise lost()

        return counted


@pytest.mark.parametrize("after", [False, True], ids=["before it is done", "before its answer"])
@pytest.mark.parametrize("number", range(1, CALLS + 1))
async def test_lost_at_a_call(number, after):
    desk = Desk(script=Script(lines=LINES, ready_after_s=1))
    desk.engine.system_time = "2030-01-01T00:00:00.000000000Z"
    frail = Frail(desk.engine, number, after=after)
    try:
        outcome = await _outcome(desk.run(desk.service.deploy(spec())))
        assert outcome is (ErrorCode.CONNECTION_LOST if frail.cut else None)
        frail.is_over = True
        desk.engine.is_lost = False
        await desk.run(desk.service.refresh(HOST))
        await desk.until(lambda: _is_settled(desk))
        _expect_the_truth(desk)

        if desk.snapshot().state is S.FAILED:
            await desk.run(desk.service.deploy(spec()))
        elif desk.snapshot().state is S.STOPPED:
            await desk.run(desk.service.start(HOST, "chat"))
        assert desk.snapshot().state is S.SERVING
        assert len(desk.engine.boxes) == 1
        assert desk.engine.only().info.restart_policy == "unless-stopped"
    finally:
        await desk.service.close()


@pytest.mark.parametrize("after", [False, True], ids=["before it is done", "before its answer"])
@pytest.mark.parametrize("number", range(1, CALLS + 1))
async def test_lost_at_a_call_of_a_rollback(number, after):
    desk = Desk(script=Script(lines=LINES, ready_after_s=1))
    desk.engine.put(info(revision=1, status="exited"), Script(lines=LINES))
    try:
        await desk.run(desk.service.deploy(spec(revision=2)))
        await desk.run(desk.service.refresh(HOST))
        frail = Frail(desk.engine, number, after=after)
        outcome = await _outcome(desk.run(desk.service.rollback(HOST, "chat")))
        assert outcome is (ErrorCode.CONNECTION_LOST if frail.cut else None)
        frail.is_over = True
        desk.engine.is_lost = False
        await desk.run(desk.service.refresh(HOST))
        await desk.until(lambda: _is_settled(desk))

        running = [box for box in desk.engine.boxes.values() if box.info.status == "running"]
        assert len(desk.engine.boxes) == 2
        assert len(running) == (desk.snapshot().state is S.SERVING)
        if desk.snapshot().deployment_revision == 2:
            await desk.run(desk.service.rollback(HOST, "chat"))
        elif desk.snapshot().state is S.STOPPED:
            await desk.run(desk.service.start(HOST, "chat"))
        assert (desk.snapshot().state, desk.snapshot().deployment_revision) == (S.SERVING, 1)
    finally:
        await desk.service.close()


async def _outcome(work) -> ErrorCode | None:
    try:
        await work
    except AppError as refused:
        return refused.code
    return None


def _is_settled(desk) -> bool:
    return desk.snapshot().state in {S.SERVING, S.FAILED, S.STOPPED}


def _expect_the_truth(desk) -> None:
    """What failed says that the host was lost, and what is there is shown as it is."""
    found = desk.snapshot()
    if found.state is S.FAILED:
        assert found.error.code is ErrorCode.CONNECTION_LOST
        assert desk.engine.boxes == {}
    else:
        assert len(desk.engine.boxes) == 1
