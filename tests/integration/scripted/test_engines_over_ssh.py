"""Engines that need GPUs, played by a scripted container: the whole main job of each.

Plan, resolve, deploy over a real sshd to a real container engine, phases, a verified answer,
metrics under the engine's own names, stop. The scripted engine (packaging/images/scripted-engine)
takes the commands, environments and settings that the real images would be given, refuses flags
that they lack, and says in its log and its answers that it is none of them.
"""

import asyncio
import contextlib
from dataclasses import replace

import pytest

from app.core.errors import EngineError, ErrorCode
from app.core.events import DeploymentState
from app.core.hardware.fingerprint import GpuAccess
from app.core.labels import read_labels
from app.core.metrics.vocabulary import Exposure, Metric, SeriesKey
from app.core.planning.plan import Goal

S = DeploymentState

pytestmark = [
    pytest.mark.docker,
    pytest.mark.sshd,
    pytest.mark.engine,
    pytest.mark.usefixtures("scripted_image"),
]

GAUGES = (Metric.REQUESTS_WAITING, Metric.KV_CACHE_USAGE_PERCENT)
TTFT = (Metric.TTFT_P50_S, Metric.TTFT_P95_S)


@pytest.fixture
def model_path(model_folder):
    return str(model_folder)


async def planned(site, host_id, engine, image, **goal):
    """Plan an engine for the host and resolve it there, then leave out what the test cannot have.

    The recorded GPUs cannot be handed to containers here: the plan is made as if they could, and
    the container is created without them, with the scripted image in place of the engine's.
    """
    application = site.application
    seen = await application.hosts.take_fingerprint(host_id)
    fingerprint = replace(seen, containers=replace(seen.containers, gpu_access=GpuAccess.CDI))
    model = await application.models.read(host_id, site.model_path)
    wanted = Goal(engine=engine, context_tokens=2048, concurrency=8, **goal)
    result = await application.planning.plan(fingerprint, model, wanted)
    assert result.ranked, result.rejected
    profile = application.planning.profile(
        result.ranked[0], name=site.name, model=model, goal=wanted
    )
    spec = application.planning.resolve_with(
        profile, fingerprint=fingerprint, model=model, host_id=host_id, name=site.name, revision=1
    )
    container = replace(
        spec.container,
        image=image,
        gpu_uuids=(),
        cdi_names=(),
        gpu_access=GpuAccess.NONE.value,
        mounts=tuple(mount for mount in spec.container.mounts if mount.kind != "volume"),
    )
    return replace(spec, image=image, container=container, estimate_bytes_per_gpu=None)


async def deployed(site, spec):
    """Deploy and return what the deployment became."""
    done = await site.service.deploy(spec, may_pull=False)
    assert (done.state, done.verified) == (S.SERVING, True)
    assert "scripted for the tests" in done.verified_text
    return done


def reached(done):
    return {phase.phase for phase in done.phases if phase.started_s is not None}


async def sampled(site, host_id, *, times=3):
    """Watch the host's metrics through a chat until the engine was scraped so often."""
    metrics, loop = site.application.metrics, asyncio.get_running_loop()
    enough, seen = asyncio.Event(), []

    def hear(event):
        if getattr(event, "code", "") == "metrics_sampled" and event.deployment == site.name:
            seen.append(event)
            if len(seen) >= times:
                loop.call_soon_threadsafe(enough.set)

    detach = site.application.bus.subscribe(hear)
    await metrics.watch(host_id)
    while not enough.is_set():
        answer = await site.service.chat(host_id, site.name, "Hello", max_tokens=8)
        assert answer.tokens == 8
        assert answer.ttft_s is not None
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(enough.wait(), 0.3)
    detach()

    def last(metric):
        key = SeriesKey(metric=metric, host_id=host_id, deployment=site.name)
        return metrics.series(key).values[-1]

    return last


async def stopped(site, host_id):
    await site.application.metrics.unwatch(host_id)
    done = await site.service.stop(host_id, site.name)
    assert (done.state, done.exit_code) == (S.STOPPED, 0)
    await site.service.remove(host_id, site.name)
    assert site.containers() == []


async def log_of(site, host_id):
    return [line.text async for line in site.service.logs(host_id, site.name)]


async def test_sglang(site, ssh_host, scripted_image):
    host_id = await site.connect(ssh_host)
    spec = await planned(site, host_id, "sglang", scripted_image)
    assert "--enable-metrics" in spec.container.command

    done = await deployed(site, spec)

    assert {"process", "weights", "kv_cache", "graphs", "server"} <= reached(done)
    actuals = {a.quantity: a.value for a in site.service.actuals(host_id, site.name)}
    assert actuals["kv_tokens"] == 65536
    assert any("NOT a real engine" in line for line in await log_of(site, host_id))
    last = await sampled(site, host_id)
    assert last(Metric.REQUESTS_RUNNING) in (0, 1)  # scraped during a chat or after it
    assert [last(metric) for metric in GAUGES] == [0, 25]
    assert all(last(metric) > 0 for metric in (*TTFT, Metric.ITL_P50_S))
    await stopped(site, host_id)


async def test_flag_that_the_engine_lacks_ends_the_start_with_its_own_words(
    site, ssh_host, scripted_image
):
    host_id = await site.connect(ssh_host)
    spec = await planned(site, host_id, "sglang", scripted_image)
    command = (*spec.container.command, "--max-model-len", "2048")
    spec = replace(spec, container=replace(spec.container, command=command))

    with pytest.raises(EngineError) as caught:
        await site.service.deploy(spec, may_pull=False)

    assert caught.value.code is ErrorCode.ENGINE_EXITED
    assert "--max-model-len" in caught.value.cause
    await site.service.remove(host_id, site.name)


async def test_tensorrt_llm(site, ssh_host, scripted_image):
    host_id = await site.connect(ssh_host)
    done = await deployed(site, await planned(site, host_id, "tensorrt-llm", scripted_image))

    assert {"process", "weights", "profile", "kv_cache"} <= reached(done)
    last = await sampled(site, host_id)
    assert all(last(metric) > 0 for metric in TTFT)
    metrics = site.application.metrics
    assert metrics.exposure(host_id, site.name, Metric.REQUESTS_RUNNING) is Exposure.NOT_EXPOSED
    assert "1.3" in metrics.reason(host_id, site.name, Metric.REQUESTS_RUNNING).en
    await stopped(site, host_id)


async def test_lmdeploy(site, ssh_host, scripted_image):
    host_id = await site.connect(ssh_host)
    done = await deployed(site, await planned(site, host_id, "lmdeploy", scripted_image))

    assert {"process", "weights", "kv_cache", "server"} <= reached(done)
    last = await sampled(site, host_id)
    assert last(Metric.REQUESTS_RUNNING) in (0, 1)  # scraped during a chat or after it
    assert [last(metric) for metric in GAUGES] == [0, 25]
    assert all(last(metric) > 0 for metric in (*TTFT, Metric.ITL_P50_S))
    await stopped(site, host_id)


async def test_tgi(site, ssh_host, scripted_image):
    host_id = await site.connect(ssh_host)
    spec = await planned(site, host_id, "tgi", scripted_image)
    assert spec.container.secret_environment == ("API_KEY",)

    done = await deployed(site, spec)

    assert {"process", "weights", "kv_cache", "server"} <= reached(done)
    assert await site.service.api_key(host_id, site.name)
    last = await sampled(site, host_id)
    assert last(Metric.REQUESTS_RUNNING) in (0, 1)  # scraped during a chat or after it
    assert [last(metric) for metric in GAUGES] == [0, 25]
    await stopped(site, host_id)


async def test_ollama(site, ssh_host, scripted_image, tiny_model, models_folder):
    path = models_folder / "tiny.gguf"
    path.write_bytes(tiny_model.gguf.read_bytes())
    path.chmod(0o644)
    site.model_path = str(path)
    host_id = await site.connect(ssh_host)
    spec = await planned(site, host_id, "ollama", scripted_image, cpu_only=True)
    assert spec.container.environment["OLLAMA_CONTEXT_LENGTH"] == "2048"

    done = await deployed(site, spec)

    assert {"process", "weights", "server"} <= reached(done)
    labels = read_labels(site.containers()[0].labels)
    assert (labels.engine, labels.auth) == ("ollama", "none")
    await site.application.metrics.watch(host_id)
    metrics = site.application.metrics
    assert metrics.exposure(host_id, site.name, Metric.TTFT_P50_S) is not Exposure.EXPOSED
    await stopped(site, host_id)
