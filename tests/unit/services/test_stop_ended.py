"""Stopping what does not run any more."""

import pytest
from fakes.deploy_host import HOST, Desk, info

from app.core.events import DeploymentState


@pytest.mark.parametrize(
    ("policy", "state"),
    [("no", DeploymentState.FAILED), ("unless-stopped", DeploymentState.STOPPED)],
)
async def test_deployment_that_has_ended_is_stopped_already_and_can_be_removed(policy, state):
    desk = Desk()
    try:
        desk.engine.put(info(status="exited", policy=policy, exit_code=127))
        await desk.run(desk.service.refresh(HOST))
        stopped = await desk.run(desk.service.stop(HOST, "chat"))
        assert stopped.state is state
        assert "stop" not in desk.engine.calls
        await desk.run(desk.service.remove(HOST, "chat"))
        assert desk.engine.boxes == {}
    finally:
        await desk.service.close()
