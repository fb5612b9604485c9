"""The main job against a real sshd, a real Docker engine and the genuine llama-server."""

import asyncio
import json
import socket
import urllib.request
from dataclasses import replace

import pytest

from app.core.errors import AppError, DockerError, EngineError, ErrorCode
from app.core.events import DeploymentState
from app.core.metrics.vocabulary import Exposure, Metric, SeriesKey

S = DeploymentState

pytestmark = [pytest.mark.docker, pytest.mark.sshd, pytest.mark.engine]


async def test_deploy_chat_stop_start_remove(site, ssh_host):
    host_id = await site.connect(ssh_host)
    service = site.service
    spec = await site.preview(host_id)

    done = await service.deploy(spec, may_pull=False)

    assert (done.state, done.verified) == (S.SERVING, True)
    assert done.verified_text.strip()
    assert all(phase.started_s is not None for phase in done.phases)
    container = site.containers()[0]
    assert container.attrs["HostConfig"]["RestartPolicy"]["Name"] == "unless-stopped"
    bindings = container.attrs["HostConfig"]["PortBindings"]
    assert [b["HostIp"] for ports in bindings.values() for b in ports] == ["127.0.0.1"]
    assert container.attrs["Image"] == container.image.id

    answer = await service.chat(host_id, site.name, "Hello", max_tokens=16)
    assert answer.text
    assert answer.ttft_s is not None
    assert answer.tokens

    lines = [line async for line in service.logs(host_id, site.name)]
    assert any("listening on" in line.text for line in lines)

    port = await service.open_tunnel(host_id, site.name)
    health = await asyncio.to_thread(_get, f"http://127.0.0.1:{port}/health")
    assert health == {"status": "ok"}
    await service.close_tunnel(host_id, site.name)

    stopped = await service.stop(host_id, site.name)
    assert (stopped.state, stopped.exit_code) == (S.STOPPED, 0)
    assert (await service.start(host_id, site.name)).state is S.SERVING
    await _is_compared_and_learned(site, host_id, done)
    await service.remove(host_id, site.name)
    assert site.containers() == []


async def _is_compared_and_learned(site, host_id, done):
    """Its two starts are kept with the prediction, shown, and teach until they are reset."""
    actuals = site.application.actuals
    record = await actuals.of(host_id, site.name, done.deployment_revision)
    assert record.durations
    rows = {row.quantity: row for row in actuals.comparisons(record)}
    assert rows["kv_cache_bytes_per_gpu"].predicted > 0
    assert rows["kv_cache_bytes_per_gpu"].actual == rows["kv_cache_bytes_per_gpu"].predicted
    assert rows["weights_bytes_per_gpu"].actual is not None
    (learned,) = await actuals.learned()
    assert (learned.key.engine, learned.key.gpu, learned.starts) == ("llamacpp", "CPU", 2)
    assert await actuals.forget(learned.key.id) == 2


def _get(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.load(answer)


async def test_engine_that_exits_at_once_shows_its_own_words(site, ssh_host):
    host_id = await site.connect(ssh_host)
    spec = await site.preview(host_id)
    command = (*spec.container.command, "--bogus-flag")
    spec = await site.preview(host_id, command=command)

    with pytest.raises(EngineError) as caught:
        await site.service.deploy(spec, may_pull=False)

    assert caught.value.code is ErrorCode.ENGINE_EXITED
    assert caught.value.params["exit_code"] == "1"
    assert "--bogus-flag" in caught.value.cause
    assert site.containers()[0].status == "exited"
    await site.service.remove(host_id, site.name)
    assert site.containers() == []


async def test_port_that_is_taken_is_told_before_anything_is_made(site, ssh_host):
    host_id = await site.connect(ssh_host)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        spec = await site.preview(host_id, host_port=taken.getsockname()[1])
        with pytest.raises(DockerError) as caught:
            await site.service.deploy(spec, may_pull=False)

    assert caught.value.code is ErrorCode.PORT_IN_USE
    assert site.containers() == []


async def test_missing_image_says_how_to_bring_it(site, ssh_host):
    host_id = await site.connect(ssh_host)
    image = "registry.invalid/none:1"
    spec = replace(await site.preview(host_id, image=image), image=image)

    with pytest.raises(AppError) as caught:
        await site.service.deploy(spec)

    assert caught.value.code is ErrorCode.IMAGE_MISSING
    assert "docker load" in caught.value.remedy


async def test_connection_killed_while_starting_is_taken_up_again(site, ssh_host_factory):
    host = ssh_host_factory()
    host_id = await site.connect(host)
    service = site.service
    spec = await site.preview(host_id)
    work = asyncio.ensure_future(service.deploy(spec, may_pull=False))
    await site.until(S.STARTING, holds=lambda snapshot: snapshot.started_at)
    host.kill_connections()

    with pytest.raises(AppError) as caught:
        await asyncio.wait_for(work, 30)
    assert caught.value.code is ErrorCode.CONNECTION_LOST
    await site.until(S.UNKNOWN, S.STARTING, S.SERVING)
    entries = await site.application.journal.entries(host_id, site.name)
    assert entries[-1].error.code is ErrorCode.CONNECTION_LOST

    await site.until(S.SERVING)
    assert len(site.containers()) == 1
    await service.remove(host_id, site.name)


async def test_another_desk_sees_the_same_after_the_first_was_closed(site, ssh_host):
    host_id = await site.connect(ssh_host)
    spec = await site.preview(host_id)
    await site.service.deploy(spec, may_pull=False)
    await site.service.close()
    assert site.containers()[0].status == "running"

    other = await site.connect(ssh_host, name="same-host")
    from app.services.deployments import DeploymentService

    desk = DeploymentService(site.service._parts)
    found = [s for s in await desk.refresh(other) if s.name == site.name]
    assert [(s.state, s.verified) for s in found] == [(S.SERVING, True)]
    answer = await desk.chat(other, site.name, "Hello", max_tokens=8)
    assert answer.text
    await desk.remove(other, site.name)
    await desk.close()


async def test_crash_loop_is_stopped_with_its_cause(site, ssh_host):
    host_id = await site.connect(ssh_host)
    spec = await site.preview(host_id)
    await site.service.deploy(spec, may_pull=False)
    container = site.containers()[0]

    for _ in range(3):
        await site.until(S.SERVING)
        await asyncio.to_thread(
            container.exec_run, ["sh", "-c", "kill -9 $(pidof llama-server)"], user="root"
        )
        await site.until(S.STARTING, S.CRASH_LOOPING)

    await site.until(S.CRASH_LOOPING)
    await asyncio.to_thread(container.wait, timeout=20)
    container.reload()
    assert container.status == "exited"
    await site.service.remove(host_id, site.name)


async def test_live_figures_of_gpus_and_engine(site, ssh_host):
    host_id = await site.connect(ssh_host)
    spec = await site.preview(host_id)
    await site.service.deploy(spec, may_pull=False)

    await site.application.metrics.watch(host_id)
    sampled = asyncio.Event()
    counts = {}
    loop = asyncio.get_running_loop()

    def hear(event):
        if getattr(event, "code", "") == "metrics_sampled":
            counts[event.deployment] = counts.get(event.deployment, 0) + 1
            if counts.get(None, 0) >= 2 and counts.get(site.name, 0) >= 3:
                loop.call_soon_threadsafe(sampled.set)

    detach = site.application.bus.subscribe(hear)
    await site.service.chat(host_id, site.name, "Hello", max_tokens=32)
    await asyncio.wait_for(sampled.wait(), 20)
    detach()

    metrics = site.application.metrics
    gpu = SeriesKey(metric=Metric.GPU_MEMORY_USED_MIB, host_id=host_id, gpu_index=1)
    assert len(metrics.series(gpu).values) >= 2
    running = SeriesKey(metric=Metric.REQUESTS_RUNNING, host_id=host_id, deployment=site.name)
    assert metrics.series(running).values[0] >= 0
    assert metrics.exposure(host_id, site.name, Metric.TTFT_P50_S) is Exposure.NOT_EXPOSED
    assert metrics.reason(host_id, site.name, Metric.TTFT_P50_S).zh_CN
    await metrics.unwatch(host_id)
    await site.service.remove(host_id, site.name)
