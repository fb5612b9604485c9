"""vLLM itself, on a CPU: planned, deployed over SSH, talked to, measured, and killed.

A start takes 40 to 80 seconds of CPU time, so one container serves the whole story.
"""

import asyncio
import contextlib
import urllib.request

import pytest
from fixtures.containers import VLLM_VERSION, kill_inside
from fixtures.failing import is_explained
from fixtures.failures import failure_of

from app.core.errors import AppError, EngineError, ErrorCode
from app.core.events import DeploymentChanged, DeploymentState
from app.core.metrics.vocabulary import Metric, SeriesKey

S = DeploymentState

pytestmark = [
    pytest.mark.docker,
    pytest.mark.sshd,
    pytest.mark.engine,
    pytest.mark.timeout(600),
    pytest.mark.usefixtures("vllm_image"),
]


@pytest.fixture
def model_path(model_folder):
    return str(model_folder)


class Remaining:
    """What was said of the rest of a start, with the phase that ran."""

    def __init__(self, site) -> None:
        self._site = site
        self.said: list[float | None] = []
        self.detach = site.application.bus.subscribe(self._hear)

    def _hear(self, event) -> None:
        if isinstance(event, DeploymentChanged) and event.snapshot.state is S.STARTING:
            snapshot = event.snapshot
            self.said.append(self._site.service.remaining_s(snapshot.host_id, snapshot.name))


async def test_planned_deployed_talked_to_measured_and_killed(site, ssh_host):
    host_id = await site.connect(ssh_host)
    service = site.service
    spec = await site.planned(host_id, version=VLLM_VERSION, context_tokens=65536, concurrency=2)
    remaining = Remaining(site)

    done = await service.deploy(spec, may_pull=False)

    remaining.detach()
    assert (done.state, done.verified) == (S.SERVING, True)
    assert done.verified_text.strip()
    reached = [phase.phase for phase in done.phases if phase.started_s is not None]
    assert {"process", "configure", "engine", "weights", "kv_cache", "ready"} <= set(reached)
    told = [seconds for seconds in remaining.said if seconds is not None]
    assert told[0] > 15  # before anything was learned
    assert told[-1] < told[0]
    actuals = {actual.quantity: actual.value for actual in service.actuals(host_id, site.name)}
    assert actuals["kv_tokens"] >= 2 * 65536
    await _is_compared(site, host_id, done)

    await _is_talked_to(site, host_id)
    await _is_measured(site, host_id)
    await _is_crowded(site, host_id)
    await _is_killed(site, host_id)


async def _is_compared(site, host_id, done):
    service = site.application.actuals
    record = await service.of(host_id, site.name, done.deployment_revision)
    rows = {row.quantity: row for row in service.comparisons(record)}
    assert record.chosen["dtype"] == "bfloat16"
    assert record.durations["weights"] >= 0
    assert rows["kv_cache_bytes_per_gpu"].actual == rows["kv_cache_bytes_per_gpu"].predicted
    assert rows["kv_tokens"].actual >= 2 * 65536


async def _is_talked_to(site, host_id):
    service = site.service
    answer = await service.chat(host_id, site.name, "Hello", max_tokens=16)
    assert answer.text
    assert answer.ttft_s is not None
    assert answer.tokens == 16
    port = await service.open_tunnel(host_id, site.name)
    metrics = await asyncio.to_thread(_get, f"http://127.0.0.1:{port}/metrics")
    assert "vllm:num_requests_running" in metrics
    await service.close_tunnel(host_id, site.name)


def _get(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


async def _is_measured(site, host_id):
    metrics = site.application.metrics
    await metrics.watch(host_id)
    sampled, loop = asyncio.Event(), asyncio.get_running_loop()
    seen = []

    def hear(event):
        if getattr(event, "code", "") == "metrics_sampled" and event.deployment == site.name:
            seen.append(event)
            if len(seen) >= 3:
                loop.call_soon_threadsafe(sampled.set)

    detach = site.application.bus.subscribe(hear)
    await site.service.chat(host_id, site.name, "Hello", max_tokens=64)
    await asyncio.wait_for(sampled.wait(), 30)
    detach()
    for metric in (Metric.REQUESTS_RUNNING, Metric.KV_CACHE_USAGE_PERCENT):
        key = SeriesKey(metric=metric, host_id=host_id, deployment=site.name)
        assert metrics.series(key).values[-1] >= 0
    await metrics.unwatch(host_id)


async def _is_crowded(site, host_id):
    """Eight requests on two places: the queue has its share of the time, and is named."""
    # On a busy machine a window may end before the first of them: then there is nothing to name.
    for window_s in (8, 16, 32):
        report = await _crowd(site, host_id, window_s)
        if report.findings:
            break
    assert "slow_queue" in {finding.cause for finding in report.findings}, report.facts
    assert report.breakdown is not None
    assert report.facts["queue_percent"] >= 25


async def _crowd(site, host_id, window_s):
    service = site.service
    crowd = [
        asyncio.ensure_future(service.chat(host_id, site.name, f"Tell {n}", max_tokens=150))
        for n in range(8)
    ]
    window = site.application.slow.explain(
        service.find(f"gpu-a/{site.name}"), window_s=window_s, ask=False
    )
    report, *_answers = await asyncio.gather(window, *crowd)
    return report


async def _is_killed(site, host_id):
    """The worker dies in mid-answer: an error for the client, a failure for the deployment.

    The container ends with exit code 0, which must not be taken for a stop.
    """
    service = site.service
    container = site.containers()[0]
    # Left alone the container engine would start it again.
    await asyncio.to_thread(container.update, restart_policy={"Name": "no"})
    talk = asyncio.ensure_future(
        service.chat(host_id, site.name, "Tell me everything", max_tokens=60000)
    )
    await asyncio.sleep(2)
    assert not talk.done()
    await asyncio.to_thread(kill_inside, container, "VLLM::Worker")

    with pytest.raises(EngineError) as caught:
        await asyncio.wait_for(talk, 60)
    assert caught.value.code is ErrorCode.ENGINE_REFUSED_REQUEST
    await site.until(S.FAILED, limit_s=60)
    failed = service.find(f"gpu-a/{site.name}")
    assert failed.exit_code == 0
    assert failed.error.code is ErrorCode.ENGINE_EXITED

    failure = failure_of(
        container,
        name="worker-killed",
        engine="vllm",
        version=VLLM_VERSION,
        cause=None,
        how="kill -9 of the worker in the middle of an answer",
    )
    is_explained(failure, failed.diagnosis)
    is_explained(failure)

    work = asyncio.ensure_future(service.start(host_id, site.name))
    await site.until(S.STARTING, holds=lambda _: service.remaining_s(host_id, site.name))
    learned = await site.application.deployments._parts.journal.durations(
        [f"vllm/{VLLM_VERSION}@{host_id}"]
    )
    assert service.remaining_s(host_id, site.name) <= sum(learned.values())
    await service.stop(host_id, site.name)
    with contextlib.suppress(AppError, asyncio.CancelledError):
        await work
    await service.remove(host_id, site.name)
    assert site.containers() == []
