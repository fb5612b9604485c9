"""Sampling: GPU streams that end, engines that cannot be scraped, gaps, bounded memory."""

import asyncio
import math
from contextlib import asynccontextmanager

import pytest
from fakes.deploy_host import HOST, Desk, load_engine_data, spec
from fixtures.time import FakeClock

from app.core.engines.spec import MetricsFile
from app.core.errors import ErrorCode, HostError
from app.core.events import DeploymentRemoved, HostRemoved, MetricsSampled
from app.core.metrics.vocabulary import Exposure, Metric, SeriesKey
from app.io.datafiles import data_root, read_data
from app.services.metrics import MetricParts, MetricsService
from app.services.rings import Rings
from app.services.sampling_gpu import GpuSampler

PROM = """\
# TYPE llamacpp:tokens_predicted_total counter
llamacpp:tokens_predicted_total {tokens}
# TYPE llamacpp:requests_processing gauge
llamacpp:requests_processing 1
"""


class SmiTransport:
    """A host whose nvidia-smi prints what the test gives it."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.has_tool = True
        self.alive = True
        self.opened = 0
        self.ticks_per_stream = 1000
        self.rows = ("0, 100, 50, 300.5, 40", "1, 200, [N/A], [N/A], 41")
        self.noise = ("garbage", "")

    async def run(self, argv, *, stdin=b"", timeout_s, output_limit_bytes=0):
        del argv, stdin, timeout_s, output_limit_bytes
        if not self.has_tool:
            raise HostError(ErrorCode.TOOL_MISSING, cause="No nvidia-smi.", remedy="x")
        if not self.alive:
            raise HostError(ErrorCode.CONNECTION_LOST, cause="Lost.", remedy="x")

    @asynccontextmanager
    async def stream_lines(self, argv):
        assert "-lms" in argv
        self.opened += 1
        yield self._lines()

    async def _lines(self):
        for _ in range(self.ticks_per_stream):
            for row in (*self.noise, *self.rows):
                yield row
            await self.clock.sleep(1)
            if not self.alive:
                return


class Watched:
    """The metrics service over a deployed, serving llama.cpp."""

    def __init__(self) -> None:
        self.desk = Desk(engines=_engines())
        self.link = SmiTransport(self.desk.clock)
        self.tokens = 0
        self.status = 200
        self.rings = Rings()
        self.service = MetricsService(
            MetricParts(
                hosts=self,
                deployments=self,
                engines=_engines(),
                bus=self.desk.bus,
                clock=self.desk.clock,
                rings=self.rings,
            )
        )

    def transport(self, host_id):
        del host_id
        return self.link

    def snapshot(self, host_id=None):
        return self.desk.service.snapshot(host_id)

    def http(self, host_id, name):
        http = self.desk.service.http(host_id, name)

        async def get(path, *, timeout_s):
            answer = await type(http).get(http, path, timeout_s=timeout_s)
            self.tokens += 10
            body = PROM.format(tokens=self.tokens).encode()
            return type(answer)(status=self.status, body=body)

        http.get = get
        return http

    def values(self, metric, *, deployment=None, gpu=None):
        key = SeriesKey(metric=metric, host_id=HOST, deployment=deployment, gpu_index=gpu)
        return list(self.service.series(key).values)

    async def pass_s(self, duration_s):
        for _ in range(int(duration_s * 4)):
            await self.desk.clock.advance(0.25)


def _engines():
    from dataclasses import replace

    data = load_engine_data()["llamacpp"]
    metrics = read_data(MetricsFile, data_root(), "engines/llamacpp/metrics.toml")
    return {"llamacpp": replace(data, metrics=metrics)}


@pytest.fixture
async def watched():
    watched = Watched()
    await watched.desk.run(watched.desk.service.deploy(spec()))
    yield watched
    await watched.service.close()
    await watched.desk.service.close()


async def test_gpus_are_sampled_once_a_second(watched):
    await watched.service.watch(HOST)
    await watched.pass_s(5)

    assert watched.values(Metric.GPU_MEMORY_USED_MIB, gpu=0)[:5] == [100.0] * 5
    assert watched.values(Metric.GPU_POWER_W, gpu=0)[0] == 300.5
    assert watched.link.opened == 1
    ticks = [e for e in watched.desk.events if isinstance(e, MetricsSampled) and not e.deployment]
    assert 4 <= len(ticks) <= 8
    assert watched.service.exposure(HOST, None, Metric.GPU_POWER_W) is Exposure.EXPOSED
    assert watched.service.reason(HOST, None, Metric.GPU_POWER_W) is None


async def test_unknown_value_is_a_gap_not_zero(watched):
    await watched.service.watch(HOST)
    await watched.pass_s(2)

    assert all(math.isnan(v) for v in watched.values(Metric.GPU_UTILIZATION_PERCENT, gpu=1))


async def test_host_without_the_tool_says_so_and_shows_no_zeros(watched):
    watched.link.has_tool = False
    await watched.service.watch(HOST)
    await watched.pass_s(5)

    assert watched.service.exposure(HOST, None, Metric.GPU_POWER_W) is Exposure.NOT_EXPOSED
    reason = watched.service.reason(HOST, None, Metric.GPU_POWER_W)
    assert reason is not None
    assert "no NVIDIA GPU tool on this host" in reason.en
    assert watched.values(Metric.GPU_POWER_W, gpu=0) == []
    assert watched.link.opened == 0

    watched.link.has_tool = True
    await watched.pass_s(70)
    assert watched.service.exposure(HOST, None, Metric.GPU_POWER_W) is Exposure.EXPOSED


async def test_stream_that_ends_is_started_again_with_growing_pauses(watched):
    watched.link.ticks_per_stream = 1
    await watched.service.watch(HOST)
    await watched.pass_s(30)

    assert 3 <= watched.link.opened <= 6
    values = watched.values(Metric.GPU_MEMORY_USED_MIB, gpu=0)
    assert any(math.isnan(v) for v in values)
    assert values[0] == 100


async def test_stream_that_lasted_is_started_again_at_once(watched):
    watched.link.ticks_per_stream = 20
    await watched.service.watch(HOST)
    await watched.pass_s(62)

    assert watched.link.opened >= 3


async def test_lost_host_is_unreachable_with_a_gap(watched):
    await watched.service.watch(HOST)
    await watched.pass_s(3)
    watched.link.alive = False
    await watched.pass_s(5)

    assert watched.service.exposure(HOST, None, Metric.GPU_POWER_W) is Exposure.UNREACHABLE
    assert math.isnan(watched.values(Metric.GPU_POWER_W, gpu=0)[-1])

    watched.link.alive = True
    await watched.pass_s(10)
    assert watched.service.exposure(HOST, None, Metric.GPU_POWER_W) is Exposure.EXPOSED


async def test_tool_that_hangs_is_unreachable_with_a_gap():
    paused = asyncio.Event()

    class Silent(SmiTransport):
        async def _lines(self):
            for row in self.rows:
                yield row
            await asyncio.Event().wait()

    class Waiting(FakeClock):
        async def sleep(self, duration_s):
            del duration_s
            paused.set()
            await asyncio.Event().wait()

    clock, rings = Waiting(), Rings()
    sampler = GpuSampler(
        HOST,
        transport=lambda: Silent(clock),
        rings=rings,
        clock=clock,
        sampled=lambda _at_s: None,
        silence_s=0.05,
    )
    task = asyncio.create_task(sampler.run())
    await paused.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    assert sampler.exposure is Exposure.UNREACHABLE
    key = SeriesKey(metric=Metric.GPU_MEMORY_USED_MIB, host_id=HOST, gpu_index=0)
    first, gap = rings.copy(key).values
    assert first == 100
    assert math.isnan(gap)


async def test_engine_is_scraped_and_translated(watched):
    await watched.service.watch(HOST)
    await watched.pass_s(6)

    rates = watched.values(Metric.OUTPUT_TOKENS_PER_S, deployment="chat")
    assert math.isnan(rates[0])
    assert rates[1:4] == pytest.approx([10, 10, 10])
    assert watched.values(Metric.REQUESTS_RUNNING, deployment="chat")[0] == 1
    assert watched.service.exposure(HOST, "chat", Metric.TTFT_P50_S) is Exposure.NOT_EXPOSED
    assert "llama.cpp" in watched.service.reason(HOST, "chat", Metric.TTFT_P50_S).en
    assert watched.service.reason(HOST, "chat", Metric.REQUESTS_WAITING).en


async def test_stopped_engine_leaves_a_gap_and_is_not_scraped(watched):
    await watched.service.watch(HOST)
    await watched.pass_s(3)
    await watched.desk.run(watched.desk.service.stop(HOST, "chat"))
    before = watched.tokens
    await watched.pass_s(5)

    assert watched.tokens == before
    values = watched.values(Metric.REQUESTS_RUNNING, deployment="chat")
    assert math.isnan(values[-1])
    assert sum(math.isnan(v) for v in values) == 1
    assert watched.service.exposure(HOST, "chat", Metric.REQUESTS_RUNNING) is Exposure.UNREACHABLE


@pytest.mark.parametrize("broken", ["status", "health"])
async def test_scrape_that_fails_is_a_gap(watched, broken):
    await watched.service.watch(HOST)
    await watched.pass_s(2)
    if broken == "status":
        watched.status = 501
    else:
        watched.desk.engine.only().healthy = False
    await watched.pass_s(2)

    assert math.isnan(watched.values(Metric.REQUESTS_RUNNING, deployment="chat")[-1])


async def test_slow_scrape_does_not_pile_up(watched):
    asked = []
    release = asyncio.Event()

    def http(host_id, name):
        http = Watched.http(watched, host_id, name)

        async def get(path, *, timeout_s):
            del path, timeout_s
            asked.append(1)
            await release.wait()

        http.get = get
        return http

    watched.http = http
    watched.service._parts = MetricParts(
        hosts=watched, deployments=watched, engines=_engines(), bus=watched.desk.bus,
        clock=watched.desk.clock,
    )  # fmt: skip
    await watched.service.watch(HOST)
    await watched.pass_s(5)

    assert len(asked) == 1


async def test_two_watchers_need_two_ends(watched):
    await watched.service.watch(HOST)
    await watched.service.watch(HOST)
    await watched.pass_s(2)
    await watched.service.unwatch(HOST)
    before = len(watched.values(Metric.GPU_POWER_W, gpu=0))
    await watched.pass_s(3)
    assert len(watched.values(Metric.GPU_POWER_W, gpu=0)) > before

    await watched.service.unwatch(HOST)
    await watched.service.unwatch(HOST)
    ended = len(watched.values(Metric.GPU_POWER_W, gpu=0))
    await watched.pass_s(5)
    assert len(watched.values(Metric.GPU_POWER_W, gpu=0)) == ended
    assert watched.service.exposure(HOST, None, Metric.GPU_POWER_W) is Exposure.NOT_YET


async def test_return_after_a_pause_shows_the_pause_as_a_gap(watched):
    await watched.service.watch(HOST)
    await watched.pass_s(2)
    await watched.service.unwatch(HOST)
    await watched.pass_s(30)
    await watched.service.watch(HOST)
    await watched.pass_s(2)

    assert any(math.isnan(v) for v in watched.values(Metric.GPU_POWER_W, gpu=0))


async def test_keys_of_one_deployment_come_with_the_gpus(watched):
    await watched.service.watch(HOST)
    await watched.pass_s(3)

    keys = watched.service.keys(HOST, "chat")
    assert {key.deployment for key in keys} == {None, "chat"}
    assert {key.deployment for key in watched.service.keys(HOST, "other")} == {None}
    assert len(watched.service.keys(HOST)) == len(keys)


async def test_what_is_gone_is_forgotten(watched):
    await watched.service.watch(HOST)
    await watched.pass_s(3)
    watched.desk.bus.publish(DeploymentRemoved(host_id=HOST, name="chat"))
    assert {key.deployment for key in watched.service.keys(HOST)} == {None}
    assert watched.service.exposure(HOST, "chat", Metric.TTFT_P50_S) is Exposure.NOT_YET

    watched.desk.bus.publish(HostRemoved(host_id=HOST))
    await watched.pass_s(3)
    assert watched.service.keys(HOST) == ()


def test_number_of_series_is_bounded():
    rings = Rings(limit=3)
    for number in range(10):
        key = SeriesKey(metric=Metric.GPU_POWER_W, host_id="h", gpu_index=number)
        rings.append(key, float(number), 1.0)

    assert [key.gpu_index for key in rings.keys("h")] == [7, 8, 9]


def test_gap_of_a_series_that_is_not_there_is_nothing():
    rings = Rings()
    key = SeriesKey(metric=Metric.GPU_POWER_W, host_id="h")
    rings.gap(key, 1.0)

    assert len(rings.copy(key).values) == 0
