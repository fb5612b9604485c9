"""Watching a host and looking at a deployment: scripted host and engine, made-up figures, a clock
that tests turn."""

import asyncio
from dataclasses import replace

import pytest
from fixtures.time import FakeClock

from app.bootstrap.engines import connect_url
from app.core.deployment.answers import ChatAnswer
from app.core.errors import ErrorCode, HostError
from app.core.events import (
    AlertChanged,
    DeploymentRemoved,
    DeploymentSnapshot,
    DeploymentState,
    HostChanged,
    HostKind,
    HostRemoved,
    HostSettings,
    HostSnapshot,
    HostState,
)
from app.core.hardware.tools.smi_columns import column_name
from app.core.ids import HostId
from app.core.logs.line import LogLine
from app.core.slow.explain import SlowVerdict
from app.core.slow.host_look import COLUMNS, read_gpus, read_host, without_refused
from app.io.check_data import load_checks
from app.io.datafiles import data_root, load_causes, load_slow
from app.io.transport.base import CommandResult
from app.services.activities import Activities
from app.services.bus import EventBus
from app.services.slow import SlowParts, SlowService
from app.services.watching import WatchParts, WatchService

HOST = HostId("00000000-0000-4000-8000-00000000000a")
UUID = "GPU-00000000-0000-4000-8000-000000000000"
ROW = {
    "index": "0",
    "uuid": UUID,
    "memory.total": "81559",
    "memory.used": "70000",
    "utilization.gpu": "88",
    "temperature.gpu": "64",
    "power.draw": "410.5",
    "power.limit": "700.00",
    "power.default_limit": "700.00",
    "clocks.sm": "1900",
    "clocks.max.sm": "1980",
    "pcie.link.gen.current": "5",
    "pcie.link.gen.max": "5",
    "pcie.link.width.current": "16",
    "pcie.link.width.max": "16",
    "ecc.errors.uncorrected.volatile.total": "0",
    "clocks_event_reasons.active": "0x0000000000000000",
    "remapped_rows.uncorrectable": "0",
    "remapped_rows.pending": "No",
    "remapped_rows.failure": "No",
    "gpu_recovery_action": "None",
    "fabric.state": "Completed",
    "fabric.status": "Success",
}


class Host:
    """A host that answers what a test puts in."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.row = dict(ROW)
        self.is_listed = True
        self.unknown_columns: set[str] = set()
        self.remapped = ""
        self.kernel = ""
        self.clock_offset_s = 0.0
        self.load = "0.50 0.40 0.30 1/300 4242"
        self.used_by_process = 69_000
        self.calls: list[str] = []
        self.error: HostError | None = None

    async def run(self, argv, *, stdin=b"", timeout_s, output_limit_bytes=0):
        del stdin, timeout_s, output_limit_bytes
        if self.error is not None:
            raise self.error
        option = argv[1] if argv[0] == "nvidia-smi" else argv[0]
        self.calls.append(option.partition("=")[0])
        if option.startswith("--query-gpu"):
            return self._gpus(option.partition("=")[2].split(","))
        if option.startswith("--query-remapped"):
            return result(self.remapped, 0 if self.remapped else 2)
        if option.startswith("--query-compute-apps"):
            header = "gpu_uuid, pid, process_name, used_gpu_memory [MiB]"
            return result(f"{header}\n{UUID}, 77, python3, {self.used_by_process} MiB\n")
        now_s = self.clock.now_s() + self.clock_offset_s
        return result(f"now {now_s}\nload {self.load}\nthreads 8\nlog\n{self.kernel}")

    def _gpus(self, columns):
        for column in columns:
            if column in self.unknown_columns:
                return result(f'Field "{column}" is not a valid field to query.\n\n', 2)
        row = self.row | {"clocks_throttle_reasons.active": self.row["clocks_event_reasons.active"]}
        return result(", ".join(row[column] for column in columns) + "\n" if self.is_listed else "")


def result(text: str, exit_code: int = 0) -> CommandResult:
    return CommandResult(exit_code=exit_code, stdout=text.encode(), stderr=b"")


class Engine:
    """A deployment that serves, with its metrics, log and answers."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.snapshot_now = DeploymentSnapshot(
            revision=1,
            host_id=HOST,
            host_name="box",
            name="chat",
            state=DeploymentState.SERVING,
            container_id="c1",
            engine="vllm",
        )
        self.figures: dict[str, float] = {}
        self.per_scrape: dict[str, float] = {}
        self.status = 200
        self.lines: list[LogLine] = []
        self.tails: list[int | None] = []
        self.gpu_uuids: tuple[str, ...] = (UUID,)
        self.error: HostError | None = None
        self.answer_s = 0.4
        self.records = self
        self.container = self

    def spec(self, host_id, name):
        del host_id, name
        return self

    def snapshot(self, host_id=None):
        del host_id
        return (self.snapshot_now,)

    def http(self, host_id, name):
        del host_id, name
        return self

    async def get(self, path, *, timeout_s):
        del timeout_s
        if self.error is not None:
            raise self.error
        if path == "/metrics":
            for name, step in self.per_scrape.items():
                self.figures[name] = self.figures.get(name, 0) + step
        text = "".join(f"{name} {value}\n" for name, value in self.figures.items())
        return type("Answer", (), {"status": self.status, "body": text.encode()})()

    async def chat(self, host_id, name, prompt, *, max_tokens=64):
        del host_id, name, prompt
        if self.error is not None:
            raise self.error
        if self.answer_s > 60:
            await asyncio.Event().wait()
        for key, step in (("sum", 0.05), ("count", 1)):
            full = f"vllm:time_to_first_token_seconds_{key}"
            self.figures[full] = self.figures.get(full, 0) + step
        return ChatAnswer(
            text="one", ttft_s=self.answer_s, total_s=1.5, tokens=max_tokens, finish_reason="stop"
        )

    async def logs(self, host_id, name, *, follow=False, tail=None):
        del host_id, name, follow
        self.tails.append(tail)
        for line in self.lines[-(tail or 1) :]:
            yield line


class Scene:
    """Host, engine and both services over them."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.bus = EventBus()
        self.host, self.engine = Host(self.clock), Engine(self.clock)
        self.news: list[AlertChanged] = []
        self.bus.subscribe(lambda e: self.news.append(e) if isinstance(e, AlertChanged) else None)
        self.kind = HostKind.SSH
        root = data_root()
        common = {
            "hosts": self,
            "engines": {},
            "rules": lambda: RULES,
            "causes": lambda: CAUSES,
            "clock": self.clock,
        }
        self.watching = WatchService(
            WatchParts(
                **common,
                deployments=self.engine,
                checklist=lambda: load_checks(root),
                bus=self.bus,
            )
        )
        self.slow = SlowService(
            SlowParts(
                **common,
                deployments=lambda: self.engine,
                url=connect_url,
                activities=Activities(self.bus),
            )
        )

    def settings(self) -> HostSettings:
        return HostSettings(id=HOST, name="box", kind=self.kind)

    def find(self, name_or_id):
        del name_or_id
        return HostSnapshot(revision=1, settings=self.settings(), state=HostState.CONNECTED)

    def transport(self, host_id):
        del host_id
        return self.host

    async def looks(self, count: int, every_s: float = 15.0) -> list[str]:
        for _ in range(count):
            self.clock.set_forward(every_s)
            await self.watching.look(HOST)
        return self.rules()

    def rules(self) -> list[str]:
        return [a.key.rule for a in self.watching.alerts(HOST) if a.is_active]

    async def explain(self, **options):
        task = asyncio.ensure_future(self.slow.explain(self.engine.snapshot_now, **options))
        while not task.done():
            await self.clock.advance(0.5)
            await asyncio.sleep(0)
        return task.result()


RULES = load_slow(data_root())
CAUSES = load_causes(data_root())


@pytest.fixture
async def scene():
    scene = Scene()
    yield scene
    await scene.watching.close()


# Watching


async def test_healthy_host_with_a_serving_engine_is_quiet_for_hours(scene):
    scene.engine.figures = {"vllm:num_requests_running": 3, "vllm:kv_cache_usage_perc": 0.6}
    scene.engine.lines = [LogLine(text="Avg generation throughput: 310.2 tokens/s")]

    assert await scene.looks(4 * 60 * 4) == []
    assert scene.news == []


async def test_host_is_asked_rarely(scene):
    await scene.looks(240)  # one hour

    assert scene.host.calls.count("--query-gpu") == 120
    assert scene.host.calls.count("sh") == 12
    assert scene.host.calls.count("--query-compute-apps") == 12
    assert len(scene.engine.tails) == 60


async def test_heat_becomes_one_alert_that_ends(scene):
    scene.host.row["clocks_event_reasons.active"] = "0x0000000000000040"
    assert await scene.looks(12) == ["watch-hot"]
    assert len(scene.news) == 1
    alert = scene.watching.alerts()[0]
    assert alert.subject == "box · GPU 0"
    assert not alert.simulated

    scene.host.row["clocks_event_reasons.active"] = "0x0000000000000000"
    assert await scene.looks(140) == []

    assert [event.alert.is_active for event in scene.news] == [True, False]


async def test_old_driver_is_asked_for_what_it_knows(scene):
    scene.host.unknown_columns = {
        "clocks_event_reasons.active",
        "remapped_rows.uncorrectable",
        "remapped_rows.pending",
        "remapped_rows.failure",
        "gpu_recovery_action",
    }
    scene.host.remapped = f"{UUID}, 1, Yes, No\n"
    scene.host.row["clocks_event_reasons.active"] = "0x0000000000000080"

    assert sorted(await scene.looks(10)) == ["watch-power-brake", "watch-remap"]
    before = scene.host.calls.count("--query-gpu")
    await scene.looks(2)
    assert scene.host.calls.count("--query-gpu") == before + 1


async def test_host_without_nvidia_smi_is_left_in_peace(scene):
    scene.host.error = HostError(ErrorCode.TOOL_MISSING, cause="No such tool.", remedy="x")

    assert await scene.looks(40) == []


async def test_gpu_that_vanishes_is_said_after_two_looks(scene):
    await scene.looks(1)
    scene.host.row["index"], scene.host.row["uuid"] = "1", UUID.replace("0000-4", "1111-4")

    assert await scene.looks(4) == ["watch-off-bus"]


async def test_gpu_whose_identity_cannot_be_read_is_not_said_to_be_gone(scene):
    await scene.looks(1)
    scene.host.row["uuid"] = "[Unknown Error]"

    assert await scene.looks(8) == []


async def test_xid_of_before_is_no_news_a_new_one_is(scene):
    old = "[ 10.0] NVRM: Xid (PCI:0000:06:00): 31, pid=9, name=python3"
    scene.host.kernel = f"{old}\n"
    assert await scene.looks(21) == []

    fresh = "[ 99.0] NVRM: Xid (PCI:0000:06:00): 79, pid=9, GPU has fallen off the bus."
    note = "[ 99.1] NVRM: Xid (PCI:0000:06:00): 45, pid=9, Ch 00000008"
    scene.host.kernel = f"{old}\n{fresh}\n{note}\n"

    assert await scene.looks(20) == ["watch-xid-off-bus"]
    assert scene.watching.alerts()[0].finding.evidence[0].text == fresh


async def test_clock_of_the_host_that_is_off_is_said(scene):
    scene.host.clock_offset_s = -120

    assert await scene.looks(1) == ["watch-clock"]


async def test_memory_of_a_process_that_creeps_over_hours_is_said(scene):
    for hour in range(7):
        for _ in range(12):
            scene.host.used_by_process += 60
            await scene.looks(20)
        if hour < 2:
            assert scene.rules() == []

    assert scene.rules() == ["watch-gpu-memory-creep"]
    assert scene.watching.alerts()[0].key.part == "pid 77"


async def test_preempting_engine_is_said_on_its_deployment(scene):
    scene.engine.figures = {
        "vllm:num_requests_running": 4,
        "vllm:num_requests_waiting": 3,
        "vllm:kv_cache_usage_perc": 0.99,
    }
    scene.engine.per_scrape = {"vllm:num_preemptions_total": 2}

    assert "watch-preempting" in await scene.looks(8)

    assert [a.key.rule for a in scene.watching.alerts_of(HOST, "chat")] == ["watch-preempting"]
    assert scene.watching.alerts_of(HOST, "other") == ()


async def test_engine_that_works_without_its_gpu_is_said(scene):
    scene.engine.snapshot_now = replace(scene.engine.snapshot_now, engine="llamacpp")
    scene.engine.figures = {"llamacpp:requests_processing": 1}
    scene.host.row |= {"memory.used": "12", "utilization.gpu": "0"}

    assert await scene.looks(6) == ["watch-without-gpu"]


async def test_engine_that_another_desk_deployed_is_not_judged_by_its_gpus(scene):
    scene.engine.spec = lambda *_: None
    scene.engine.figures = {"vllm:num_requests_running": 1}
    scene.host.row |= {"memory.used": "12", "utilization.gpu": "0"}

    assert await scene.looks(8) == []


async def test_line_of_the_log_counts_once_however_often_it_is_read(scene):
    scene.engine.lines = [
        LogLine(text="Failed to initialize NVML: Unknown Error", at="2026-11-30T00:00:00Z")
    ]

    assert await scene.looks(20) == ["sign-nvml-lost"]
    assert scene.watching.alerts()[0].count == 1
    assert scene.engine.tails[0] > scene.engine.tails[1]


async def test_engine_that_does_not_answer_keeps_nobody_from_the_rest(scene):
    scene.engine.error = HostError(ErrorCode.CHANNEL_REFUSED, cause="Refused.", remedy="x")
    scene.host.clock_offset_s = 600

    assert await scene.looks(3) == ["watch-clock"]


async def test_stopped_deployment_is_not_asked(scene):
    stopped = DeploymentState.STOPPED
    scene.engine.snapshot_now = replace(scene.engine.snapshot_now, state=stopped)

    await scene.looks(4)

    assert scene.engine.tails == []


async def test_watch_follows_the_connection_and_forgets_a_removed_host(scene):
    scene.host.clock_offset_s = 600
    snapshot = scene.find(HOST)
    scene.bus.publish(HostChanged(snapshot=snapshot))
    for _ in range(80):
        await scene.clock.advance(0.5)
        await asyncio.sleep(0.001)
    assert scene.rules() == ["watch-clock"]

    lost = replace(snapshot, state=HostState.LOST)
    scene.bus.publish(HostChanged(snapshot=lost))
    await asyncio.sleep(0.01)
    calls = len(scene.host.calls)
    for _ in range(80):
        await scene.clock.advance(0.5)
    assert len(scene.host.calls) == calls
    assert scene.rules() == ["watch-clock"]

    scene.bus.publish(HostRemoved(host_id=HOST))
    await asyncio.sleep(0.01)
    assert scene.watching.alerts() == ()


async def test_removed_deployment_takes_its_alerts_along(scene):
    scene.engine.lines = [LogLine(text="Failed to initialize NVML: Unknown Error")]
    await scene.looks(1)

    scene.bus.publish(DeploymentRemoved(host_id=HOST, name="chat"))

    assert scene.watching.alerts() == ()


async def test_demo_hosts_trouble_is_marked_as_simulated(scene):
    scene.kind = HostKind.DEMO
    scene.host.clock_offset_s = 600

    await scene.looks(1)

    assert scene.watching.alerts()[0].simulated


# Looking once


async def test_look_shows_where_the_time_goes_and_what_a_client_sees(scene):
    scene.engine.per_scrape = {
        "vllm:e2e_request_latency_seconds_sum": 4,
        "vllm:e2e_request_latency_seconds_count": 2,
        "vllm:request_queue_time_seconds_sum": 3,
        "vllm:request_prefill_time_seconds_sum": 0.2,
        "vllm:request_decode_time_seconds_sum": 0.7,
        "vllm:num_requests_waiting": 0,
    }
    scene.engine.figures = {
        "vllm:num_requests_waiting": 2,
        "vllm:num_requests_running": 2,
        "vllm:time_to_first_token_seconds_sum": 0,
        "vllm:time_to_first_token_seconds_count": 0,
    }

    report = await scene.explain(window_s=6)

    assert report.verdict is SlowVerdict.SLOW
    assert report.findings[0].rule == "queue-share"
    assert report.facts["queue_percent"] == pytest.approx(75)
    assert report.facts["server_ttft_ms"] == pytest.approx(50)
    assert report.facts["gap_ms"] == pytest.approx(350)
    assert report.facts["gpu_util_percent"] == 88
    assert report.facts["load_per_thread"] == pytest.approx(0.0625)


async def test_look_without_asking_sends_nothing(scene):
    scene.engine.figures = {"vllm:num_requests_running": 0}

    report = await scene.explain(window_s=4, ask=False)

    assert report.verdict is SlowVerdict.IDLE
    assert "client_total_s" not in report.facts


async def test_look_at_an_engine_that_does_not_answer_says_not_known(scene):
    scene.engine.error = HostError(ErrorCode.CHANNEL_REFUSED, cause="Refused.", remedy="x")

    report = await scene.explain(window_s=2)

    assert report.verdict is SlowVerdict.NOT_KNOWN


async def test_look_at_what_does_not_serve_asks_nothing(scene):
    failed = replace(scene.engine.snapshot_now, state=DeploymentState.FAILED)
    scene.engine.snapshot_now = failed

    report = await scene.explain(window_s=2)

    assert report.verdict is SlowVerdict.NOT_KNOWN
    assert scene.host.calls == []


async def test_metrics_that_are_switched_off_are_not_known(scene):
    scene.engine.status = 404

    report = await scene.explain(window_s=2, ask=False)

    assert report.verdict is SlowVerdict.NOT_KNOWN


async def test_ollama_without_metrics_is_judged_by_the_client_alone(scene):
    scene.engine.snapshot_now = replace(scene.engine.snapshot_now, engine="ollama")

    report = await scene.explain(window_s=2)

    assert report.verdict is SlowVerdict.NOT_KNOWN
    assert report.facts["client_ttft_ms"] == pytest.approx(400)


# Answers of the host


def test_row_of_a_watch_is_read_into_a_gpu():
    (gpu,) = read_gpus(", ".join(ROW[column] for column in COLUMNS), COLUMNS)

    assert (gpu.index, gpu.uuid, gpu.memory_used_mib) == (0, UUID, 70_000)
    assert gpu.throttle_reasons == ()
    assert gpu.remapped_rows_pending is False
    assert gpu.fabric_state == "Completed"
    assert read_gpus("Unable to determine the device handle\n", COLUMNS) == ()


def test_refused_column_is_taken_out_or_named_as_older_drivers_do():
    columns = ("index", "clocks_event_reasons.active", "fabric.state")
    refused = 'Field "{}" is not a valid field to query.'

    older = without_refused(columns, refused.format("clocks_event_reasons.active"))
    assert older == ("index", "clocks_throttle_reasons.active", "fabric.state")
    assert older is not None
    assert without_refused(older, refused.format("clocks_throttle_reasons.active")) == (
        "index",
        "fabric.state",
    )
    assert without_refused(columns, refused.format("no.such.column")) is None
    assert without_refused(columns, "NVIDIA-SMI has failed") is None
    assert all(column_name(column) for column in COLUMNS)


def test_host_that_tells_little_leaves_the_rest_unknown():
    bare = read_host("now 1795981302.N\nload \nthreads \nlog\n")
    nothing = read_host("")

    assert (bare.now_s, bare.load, bare.threads, bare.xids) == (1795981302.0, None, None, ())
    assert nothing.load_at(5.0).clock_offset_s is None
