"""Failures name their cause: while starting, while serving, after a reconnect, refused steps."""

from dataclasses import replace

import pytest
from fakes.containers import Script
from fakes.deploy_host import HOST, LINES, Desk, info, spec
from fakes.diagnosis import small_diagnoser

from app.core.diagnosis.finding import PlanChange, Verdict
from app.core.errors import (
    AppError,
    DataFileError,
    DockerError,
    ErrorCode,
    ErrorInfo,
    PlanError,
)
from app.core.events import DeploymentState
from app.core.planning.changes import ChangedPlan
from app.services.deploying.inquest import kernel_lines
from app.services.diagnosis import DiagnosisService

S = DeploymentState

BAD_FLAG = (
    (0.1, "0.00.004.964 I cmn  common_param: common_params_print_info: verbosity = 3"),
    (0.2, "error: invalid argument: --no-such-flag"),
)
BROKEN_FILE = (
    *LINES[:2],
    (0.3, "gguf_init_from_file_impl: failed to read tensor data"),
    (0.4, "llama_model_load: error loading model: data is not within the file bounds"),
    (0.5, "llama_model_load_from_file_impl: failed to load model"),
)  # fmt: skip


@pytest.fixture
async def desk():
    desk = Desk()
    yield desk
    await desk.service.close()


async def failed(desk, **options) -> AppError:
    with pytest.raises(AppError) as caught:
        await desk.run(desk.service.deploy(options.pop("plan", spec()), **options))
    return caught.value


async def test_start_that_fails_names_its_cause_in_snapshot_and_error(desk):
    desk.engine.script = Script(lines=BROKEN_FILE, ready_after_s=None, exits_after_s=0.6)

    error = await failed(desk)

    found = desk.snapshot()
    assert found.state is S.FAILED
    assert found.diagnosis.primary.cause == "corrupt_or_partial_weights"
    assert found.findings[0].evidence[0].line in {3, 4}
    assert error.params["cause"] == "corrupt_or_partial_weights"
    assert found.findings[0].title.en.rstrip(".") in error.cause
    assert error.remedy == found.findings[0].remedy[0].en
    assert error.params["todo_zh_CN"]


async def test_bad_flag_is_a_usage_error(desk):
    desk.engine.script = Script(lines=BAD_FLAG, ready_after_s=None, exits_after_s=0.3)

    await failed(desk)

    assert desk.snapshot().diagnosis.primary.cause == "usage_error"


async def test_refused_step_names_its_cause_without_a_log(desk):
    refusal = DockerError(
        ErrorCode.PORT_IN_USE,
        {"port": 18080},
        cause="Port 18080 on box is in use.",
        remedy="Choose another.",
        details="Bind for 127.0.0.1:18080 failed: port is already allocated",
    )
    desk.engine.fail("start", refusal)

    await failed(desk)

    found = desk.snapshot().diagnosis
    assert found.primary.cause == "port_in_use"
    assert all(evidence.line == 0 for evidence in found.primary.evidence)


async def test_a_new_start_forgets_the_cause_of_the_last_one(desk):
    desk.engine.script = Script(lines=BAD_FLAG, ready_after_s=None, exits_after_s=0.3)
    await failed(desk)
    desk.engine.only().script = Script(lines=LINES)

    await desk.run(desk.service.start(HOST, "chat"))

    assert desk.snapshot().state is S.SERVING
    assert desk.snapshot().diagnosis is None


async def test_crash_while_serving_names_its_cause(desk):
    await desk.run(desk.service.deploy(spec()))

    desk.engine.crash(restarting=False, line=BROKEN_FILE[3][1])
    await desk.until(lambda: desk.snapshot().state is S.FAILED)

    assert desk.snapshot().findings[0].cause == "corrupt_or_partial_weights"


async def test_loop_that_crashed_often_between_two_looks_is_stopped(desk):
    await desk.run(desk.service.deploy(spec()))
    box = desk.engine.only()

    box.info = replace(box.info, status="restarting", restart_count=4, exit_code=0)
    await desk.until(lambda: desk.snapshot().state is S.CRASH_LOOPING)

    assert desk.engine.only().info.status == "exited"
    assert "crashed 3 times within ten minutes" in desk.snapshot().error.cause


async def test_loop_that_our_breaker_stopped_is_told_so_after_a_restart_of_pitwall(desk):
    left = info(
        status="exited",
        restart_policy="unless-stopped",
        restart_count=3,
        exit_code=0,
        started_at="2026-11-29T10:00:00.000000000Z",
        finished_at="2026-11-29T10:00:20.000000000Z",
    )
    box = desk.engine.put(left)
    box.printed.append(desk.engine._chunk(BROKEN_FILE[3][1]))

    await desk.run(desk.service.refresh(HOST))

    found = desk.service.snapshot(HOST)[0]
    assert found.state is S.CRASH_LOOPING
    assert found.findings[0].cause == "corrupt_or_partial_weights"


async def test_engine_that_was_stopped_by_somebody_is_no_failure(desk):
    desk.engine.put(
        info(
            status="exited",
            restart_policy="unless-stopped",
            restart_count=3,
            started_at="2026-11-29T10:00:00.000000000Z",
            finished_at="2026-11-29T19:00:00.000000000Z",
        )
    )

    await desk.run(desk.service.refresh(HOST))

    assert desk.service.snapshot(HOST)[0].state is S.STOPPED


async def test_whole_log_is_read_when_somebody_asks(desk):
    desk.engine.script = Script(lines=BROKEN_FILE, ready_after_s=None, exits_after_s=0.6)
    await failed(desk)

    diagnosis = await desk.run(desk.service.records.diagnose(HOST, "chat"))

    assert diagnosis.primary.cause == "corrupt_or_partial_weights"
    assert diagnosis.lines_read == len(BROKEN_FILE)


async def test_what_failed_without_a_container_is_answered_from_then(desk):
    desk.engine.fail("start", DockerError(
        ErrorCode.PORT_IN_USE, cause="port is already allocated", remedy="Choose another."
    ))  # fmt: skip
    await failed(desk)

    diagnosis = await desk.run(desk.service.records.diagnose(HOST, "chat"))

    assert diagnosis.primary.cause == "port_in_use"


async def test_serving_engine_is_healthy(desk):
    await desk.run(desk.service.deploy(spec()))

    diagnosis = await desk.run(desk.service.records.diagnose(HOST, "chat"))

    assert diagnosis.primary is None
    assert diagnosis.verdict in {Verdict.HEALTHY, Verdict.NOTHING_FOUND}


def test_kernel_lines_are_those_of_the_run():
    text = """\
2026-11-29T09:00:00,100000+00:00 NVRM: Xid (PCI:0000:17:00): 79, fell off the bus
2026-11-29T10:00:10,500000+00:00 oom-kill:constraint=CONSTRAINT_MEMCG,task=llama-server
2026-11-29T10:00:11,500000+00:00 eth0: link up
2026-11-29T12:00:00,000000+00:00 NVRM: Xid (PCI:0000:17:00): 31
"""

    found = kernel_lines(text, "2026-11-29T10:00:00.123456789Z", "2026-11-29T10:00:20.1Z")

    assert [line.split()[1] for line in found] == [
        "oom-kill:constraint=CONSTRAINT_MEMCG,task=llama-server"
    ]


async def test_kernel_log_is_asked_only_for_what_was_killed(desk):
    desk.hosts.link.outputs["dmesg"] = (
        "2099-01-01T00:00:00,000000+00:00 Out of memory: Killed process 12 (llama-server)"
    )
    desk.engine.script = Script(
        lines=LINES[:2], ready_after_s=None, exits_after_s=0.6, exit_code=137, oom_killed=True
    )

    error = await failed(desk)

    assert error.code is ErrorCode.ENGINE_OUT_OF_MEMORY
    assert desk.snapshot().diagnosis is not None


@pytest.mark.expect_logs("Logs cannot be diagnosed", "A refusal cannot be diagnosed")
async def test_broken_rules_stop_no_deployment():
    desk = Desk(script=Script(lines=BAD_FLAG, ready_after_s=None, exits_after_s=0.3))

    def broken():
        raise DataFileError(ErrorCode.DATA_FILE_BROKEN, cause="Broken.", remedy="Mend it.")

    desk.service._parts.diagnoser._load_rules = broken
    desk.service._parts.diagnoser._is_loaded = True

    error = await failed(desk)

    assert error.code is ErrorCode.ENGINE_EXITED
    assert "--no-such-flag" in error.cause
    assert desk.snapshot().diagnosis is None
    desk.engine.fail("start", DockerError(ErrorCode.PORT_IN_USE, cause="x", remedy="y"))
    with pytest.raises(AppError):
        await desk.run(desk.service.start(HOST, "chat"))
    await desk.service.close()


async def test_refusal_that_names_no_cause_has_no_finding(desk):
    desk.engine.fail(
        "start", DockerError(ErrorCode.DOCKER_REFUSED, cause="It refuses.", remedy="Look.")
    )

    await failed(desk)

    assert desk.snapshot().diagnosis is None


async def test_refusal_in_dockers_own_words_is_found_by_the_rules(desk):
    desk.engine.fail(
        "start",
        DockerError(
            ErrorCode.DOCKER_REFUSED,
            cause="It refuses.",
            remedy="Look.",
            details="error: invalid argument: --gpus",
        ),
    )

    await failed(desk)

    assert desk.snapshot().diagnosis.primary.cause == "usage_error"
    assert desk.snapshot().diagnosis.primary.evidence[0].line == 0


class FakePlanner:
    def __init__(self, new, error=None):
        self.new, self.error, self.asked = new, error, []

    async def change(self, spec, change, *, chosen=None, revision):
        self.asked.append((change, chosen, revision(spec.name)))
        return ChangedPlan(old=spec, new=self.new, values=(), error=self.error)


def explaining(desk, planner):
    return DiagnosisService(
        diagnoser=small_diagnoser(),
        deployments=lambda: desk.service,
        planner=lambda: planner,
        activities=desk.activities,
    )


async def test_changed_plan_takes_the_place_of_what_runs_and_keeps_its_key(desk):
    def keyed(made, **changes):
        container = replace(made.container, secret_environment=("LLAMA_API_KEY",), **changes)
        return replace(made, container=container)

    await desk.run(desk.service.deploy(keyed(spec()), secrets={"LLAMA_API_KEY": "the-key"}))
    planner = FakePlanner(keyed(spec(revision=2), host_port=18081))
    service = explaining(desk, planner)

    plan = await service.changed_plan(HOST, "chat", PlanChange(), chosen={"a": "1"})
    done = await desk.run(service.apply("box/chat", plan))

    assert planner.asked == [(PlanChange(), {"a": "1"}, 2)]
    assert (done.state, done.deployment_revision) == (S.SERVING, 2)
    assert desk.engine.secrets == {"LLAMA_API_KEY": "the-key"}


async def test_changed_plan_that_cannot_run_is_refused_with_its_reason(desk):
    await desk.run(desk.service.deploy(spec()))
    error = ErrorInfo(code=ErrorCode.DOES_NOT_FIT, cause="Too large.", remedy="Less.")
    for reason, code in ((error, ErrorCode.DOES_NOT_FIT), (None, ErrorCode.NO_PLAN)):
        service = explaining(desk, FakePlanner(None, reason))
        plan = await service.changed_plan(HOST, "chat", PlanChange())
        with pytest.raises(PlanError) as caught:
            await service.apply("box/chat", plan)
        assert caught.value.code is code
    assert await service.changed_plan(HOST, "nothing", PlanChange()) is None


async def test_engine_that_falls_silent_is_explained_by_its_log(desk):
    await desk.run(desk.service.deploy(spec()))
    box = desk.engine.only()
    box.printed.append(desk.engine._chunk(BROKEN_FILE[3][1]))
    box.healthy = False

    await desk.until(lambda: desk.snapshot().state is S.DEGRADED)

    assert desk.snapshot().findings[0].cause == "corrupt_or_partial_weights"
    assert "damaged" in desk.snapshot().error.cause
    box.healthy = True
    await desk.until(lambda: desk.snapshot().state is S.SERVING)
    assert desk.snapshot().diagnosis is None
