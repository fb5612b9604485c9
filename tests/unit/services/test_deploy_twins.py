"""Two Pitwalls that deploy the same at the same moment do not undo each other's work."""

import asyncio

import pytest
from fakes.deploy_host import Desk, info, spec

from app.core.errors import AppError, DockerError, ErrorCode


async def test_refused_creation_leaves_the_container_of_the_other_pitwall():
    desk = Desk()
    try:
        taken = DockerError(ErrorCode.CONTAINER_NAME_TAKEN, cause="x", remedy="x")
        release = desk.engine.hold("create")
        desk.engine.fail("create", taken)
        work = asyncio.ensure_future(desk.service.deploy(spec()))
        await desk.until(lambda: desk.snapshot().state == "creating")
        desk.engine.put(info(status="created", policy="no", host_ports={}))
        release()
        with pytest.raises(AppError) as caught:
            await desk.run(work)
        assert caught.value is taken
        assert [box.info.name for box in desk.engine.boxes.values()] == ["pitwall-chat-r1"]
    finally:
        await desk.service.close()
