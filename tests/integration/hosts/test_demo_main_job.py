"""The whole main job on the demo host, through the services alone."""

import asyncio

import pytest

from app.bootstrap import build
from app.core.events import DeploymentState, MetricsSampled
from app.core.metrics.vocabulary import Metric
from app.core.planning.plan import Goal
from app.io.demo.playing import DemoPace

MODEL = "/models/qwen2.5-7b-instruct"


@pytest.fixture
async def application():
    application = build(demo_pace=DemoPace(speed=50))
    await application.start()
    yield application
    await application.close()


async def until_sampled(application, times):
    """Wait until the engine was sampled so many times."""
    enough, loop, heard = asyncio.Event(), asyncio.get_running_loop(), []

    def hear(event):
        if isinstance(event, MetricsSampled) and event.deployment:
            heard.append(event)
            if len(heard) >= times:
                loop.call_soon_threadsafe(enough.set)

    detach = application.bus.subscribe(hear)
    await asyncio.wait_for(enough.wait(), 20)
    detach()


async def test_main_job_from_fingerprint_to_stop(application):
    host_id = (await application.hosts.add_demo()).settings.id
    await application.hosts.connect(host_id)
    fingerprint = await application.hosts.take_fingerprint(host_id)
    (folder,) = [m for m in await application.models.find(host_id, "/models") if m.path == MODEL]
    model = await application.models.read(host_id, folder.path)
    result = await application.planning.plan(fingerprint, model, Goal())
    assert result.ranked[0].engine == "vllm"

    profile = application.planning.profile(result.ranked[0], name="chat", model=model)
    spec = await application.deployments.preview(profile, host_id, name="chat", model_path=MODEL)
    deployed = await application.deployments.deploy(spec)
    assert (deployed.state, deployed.simulated) == (DeploymentState.SERVING, True)
    assert "simulated" in deployed.verified_text

    answer = await application.deployments.chat(host_id, "chat", "Where are you?", max_tokens=8)
    assert answer.text.startswith("This answer is simulated")
    assert answer.tokens == 8

    await application.metrics.watch(host_id)
    await until_sampled(application, 3)
    keys = {key.metric: key for key in application.metrics.keys(host_id, "chat")}
    tokens = application.metrics.series(keys[Metric.OUTPUT_TOKENS_PER_S]).values
    assert max(value for value in tokens if value == value) > 0  # noqa: PLR0124 - gaps are NaN
    await application.metrics.unwatch(host_id)

    stopped = await application.deployments.stop(host_id, "chat")
    assert stopped.state is DeploymentState.STOPPED
