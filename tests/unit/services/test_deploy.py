"""Deploying: every step, every refusal, every way to be interrupted."""

import asyncio
from dataclasses import replace

import pytest
from fakes.containers import Script, lost
from fakes.deploy_host import HOST, IMAGE, LINES, Desk, info, spec

from app.core.deployment.spec import Mount
from app.core.errors import AppError, DockerError, ErrorCode, StoreError, UserInputError
from app.core.events import DeploymentRemoved, DeploymentState, HostState
from app.core.hardware.fingerprint import Fingerprint, Gpu, HostSource
from app.core.labels import DeploymentLabels, read_labels
from app.core.mirrors import registry_of
from app.io.transport.base import CommandResult

S = DeploymentState


async def refused(desk, deployment_spec=None, **options) -> AppError:
    with pytest.raises(AppError) as caught:
        await desk.run(desk.service.deploy(deployment_spec or spec(), **options))
    return caught.value


@pytest.fixture
async def desk():
    desk = Desk()
    yield desk
    await desk.service.close()


async def test_deploy_goes_through_all_states_to_serving(desk):
    done = await desk.run(desk.service.deploy(spec()))

    assert desk.states() == [
        "planned", "preflight", "creating", "starting", "verifying", "serving",
    ]  # fmt: skip
    assert (done.state, done.verified, done.host_port) == (S.SERVING, True, 18080)
    assert done.verified_text.startswith("Red is found")
    assert done.container_id == "c01"


async def test_an_image_comes_from_the_mirror_and_has_its_own_name_afterwards(desk):
    desk.engine.images.clear()
    registry, name = registry_of(IMAGE)
    desk.mirrors[registry] = "mirror.example:5000/hub"
    desk.engine.add_image(f"mirror.example:5000/hub/{name}", registry=True)

    done = await desk.run(desk.service.deploy(spec()))

    assert done.state is S.SERVING
    assert set(desk.engine.images) == {f"mirror.example:5000/hub/{name}", IMAGE}


async def test_restart_policy_is_set_after_the_verification_only(desk):
    policies = []
    watch = desk.bus.subscribe(
        lambda _e: policies.append([b.info.restart_policy for b in desk.engine.boxes.values()])
    )

    await desk.run(desk.service.deploy(spec()))
    watch()

    assert ["no"] in policies
    assert desk.engine.only().info.restart_policy == "unless-stopped"
    assert desk.engine.calls.index("set_restart_policy") > desk.engine.calls.index("start")


async def test_phases_of_the_start_come_with_their_times(desk):
    done = await desk.run(desk.service.deploy(spec()))

    phases = {phase.phase: phase for phase in done.phases}
    assert list(phases) == [
        "preflight", "create", "process", "weights", "kv_cache", "server", "ready", "verify",
        "serving",
    ]  # fmt: skip
    started = [phase.started_s for phase in done.phases]
    assert started == sorted(started)
    assert all(phase.duration_s is not None for phase in done.phases[:-1])
    assert phases["serving"].duration_s is None  # nothing ends it while it serves
    assert phases["weights"].duration_s == pytest.approx(0.4, abs=0.01)


async def test_what_the_engine_took_is_kept(desk):
    await desk.run(desk.service.deploy(spec()))

    actuals = {a.quantity: a.value for a in desk.service.actuals(HOST, "chat")}
    assert actuals == {"slots": 2, "context_tokens_per_slot": 1024}
    assert desk.service.actuals(HOST, "nothing") == ()


async def test_durations_are_learned_for_the_next_start(desk):
    await desk.run(desk.service.deploy(spec()))

    kept = [key for key in desk.journal.values if key.startswith("startup/")]
    assert kept == [
        f"startup/llamacpp/b10434/small@{HOST}",
        "startup/llamacpp/b10434/small",
        f"startup/llamacpp/b10434@{HOST}",
    ]


async def test_what_another_model_took_on_this_host_helps(desk):
    desk.journal.values[f"startup/llamacpp/b10434@{HOST}"] = '{"process": 40, "weights": 2}'
    work = asyncio.ensure_future(desk.service.deploy(spec()))
    await desk.until(lambda: desk.snapshot().state is S.STARTING)
    assert desk.service.remaining_s(HOST, "chat") == pytest.approx(42, abs=1)
    await desk.run(work)


async def test_rest_of_the_start_is_told_once_it_was_learned(desk):
    await desk.run(desk.service.deploy(spec()))
    await desk.run(desk.service.stop(HOST, "chat"))

    work = asyncio.ensure_future(desk.service.start(HOST, "chat"))
    await desk.until(lambda: desk.snapshot().state is S.STARTING)
    assert desk.service.remaining_s(HOST, "chat") is not None
    await desk.run(work)
    assert desk.service.remaining_s(HOST, "nothing") is None


async def test_journal_tells_the_whole_operation(desk):
    await desk.run(desk.service.deploy(spec()))

    steps = [entry[1] for entry in desk.journal.log]
    assert steps == [
        "deploy", "preflight", "creating", "starting", "verifying", "serving", "done",
    ]  # fmt: skip
    assert desk.journal.kept[0].spec == spec()


@pytest.mark.expect_logs("The journal cannot be written")
async def test_journal_that_cannot_be_written_does_not_stop_a_deployment(desk, caplog):
    desk.journal.broken = StoreError(ErrorCode.STORE_FULL, cause="Full.", remedy="Make room.")

    done = await desk.run(desk.service.deploy(spec()))

    assert done.state is S.SERVING
    assert "journal" in caplog.text


async def test_image_is_pinned_by_digest_where_it_has_one(desk):
    desk.engine.add_image(IMAGE, digests=("x@sha256:1",))
    await desk.run(desk.service.deploy(spec()))

    box = desk.engine.only()
    assert box.info.image_id == desk.engine.images[IMAGE].id


async def test_missing_image_is_fetched_with_progress(desk):
    image = desk.engine.images.pop(IMAGE)
    desk.engine.registry[IMAGE] = image

    done = await desk.run(desk.service.deploy(spec()))

    fetch = next(p for p in done.phases if p.phase == "fetch")
    assert fetch.progress == 1.0
    assert "fetching_image" in desk.states()


async def test_missing_image_without_a_way_out_says_how_to_bring_it(desk):
    desk.engine.images.clear()
    desk.engine.fail(
        "pull",
        DockerError(
            ErrorCode.PULL_FAILED, cause="dial tcp: lookup ghcr.io: no such host", remedy="x"
        ),
    )

    error = await refused(desk)

    assert error.code is ErrorCode.IMAGE_MISSING
    assert "docker save" in error.remedy
    assert "docker load" in error.remedy
    assert "no such host" in error.details
    assert desk.snapshot().state is S.FAILED
    assert desk.snapshot().error.code is ErrorCode.IMAGE_MISSING


async def test_pull_is_not_even_tried_where_it_may_not_be(desk):
    desk.engine.images.clear()

    assert (await refused(desk, may_pull=False)).code is ErrorCode.IMAGE_MISSING
    assert "pull" not in desk.engine.calls


async def test_registry_that_does_not_know_the_image_is_told_as_it_is(desk):
    desk.engine.images.clear()

    assert (await refused(desk)).code is ErrorCode.PULL_FAILED


async def test_image_that_is_not_there_after_pulling_is_missing(desk):
    desk.engine.images.clear()
    desk.engine.registry["other"] = desk.engine.add_image("other")
    desk.engine.images.clear()
    desk.engine.registry[IMAGE] = desk.engine.registry["other"]
    desk.engine.images = _Swallows()

    assert (await refused(desk)).code is ErrorCode.IMAGE_MISSING


class _Swallows(dict):
    def __setitem__(self, key, value):
        return


async def test_name_of_a_foreign_container_is_not_touched(desk):
    desk.engine.put(replace(info(), labels={}, id="foreign", host_ports={}))

    assert (await refused(desk)).code is ErrorCode.CONTAINER_NAME_TAKEN
    assert "foreign" in desk.engine.boxes


async def test_name_of_a_serving_deployment_of_another_desk_is_taken(desk):
    desk.engine.put(info())

    assert (await refused(desk)).code is ErrorCode.CONTAINER_NAME_TAKEN


async def test_leftover_that_never_served_makes_room(desk):
    desk.engine.put(info(status="exited", policy="no"))

    done = await desk.run(desk.service.deploy(spec()))

    assert done.state is S.SERVING
    assert list(desk.engine.boxes) == ["c01"]


@pytest.mark.parametrize(
    ("created_at", "system_time", "young"),
    [
        ("2030-01-01T00:00:00.123456789Z", "2030-01-01T00:00:59.9Z", True),
        ("2030-01-01T00:00:05Z", "2030-01-01T01:00:00.5+01:00", True),
        ("2030-01-01T00:00:00Z", "2030-01-01T00:01:00Z", False),
        ("2030-01-01T00:00:00Z", "", False),
        ("", "2030-01-01T00:00:00Z", False),
        pytest.param("2030-01-01T00:00:03Z", "2030-01-01T00:00:00Z", True, id="slewed clock"),
        pytest.param("2031-01-01T00:00:00Z", "2030-01-01T00:00:00Z", False, id="clock set back"),
    ],
)
async def test_container_that_was_made_a_moment_ago_is_somebodys_work(
    desk, created_at, system_time, young
):
    desk.engine.system_time = system_time
    desk.engine.put(info(status="created", policy="no", created_at=created_at, host_ports={}))

    if young:
        error = await refused(desk)
        assert error.code is ErrorCode.CONTAINER_NAME_TAKEN
        assert list(desk.engine.boxes) == ["old-chat-1"]
    else:
        assert (await desk.run(desk.service.deploy(spec()))).state is S.SERVING
        assert list(desk.engine.boxes) == ["c01"]


async def test_port_of_another_container_is_named(desk):
    desk.engine.put(replace(info(name="other"), labels={}))

    error = await refused(desk)
    assert error.code is ErrorCode.PORT_IN_USE
    assert "pitwall-other-r1" in error.cause


async def test_port_of_another_program_is_in_use(desk):
    desk.hosts.link.listening.add(18080)

    assert (await refused(desk)).code is ErrorCode.PORT_IN_USE
    assert "create" not in desk.engine.calls


async def test_open_port_takes_the_next_free_one(desk):
    desk.hosts.link.listening.update({8080, 8081})

    done = await desk.run(desk.service.deploy(spec(port=0)))

    assert done.host_port == 8082
    (container,) = await desk.engine.containers(ours_only=True)
    labels = read_labels(container.labels)
    assert labels is not None
    assert labels.port == 8082


async def test_no_free_port_is_said(desk):
    desk.hosts.link.listening.update(range(8080, 8280))

    assert (await refused(desk, spec(port=0))).code is ErrorCode.PORT_IN_USE


async def test_missing_model_is_said_before_docker_makes_an_empty_folder(desk):
    desk.hosts.link.folders = {"/srv": ()}

    error = await refused(desk)
    assert error.code is ErrorCode.MODEL_NOT_FOUND
    assert "/srv/models/small.gguf" in error.cause


async def test_damaged_model_is_said_before_a_container_is_made(desk):
    desk.hosts.link.files.add("/srv/models/small.gguf")  # one byte long

    error = await refused(desk)
    assert error.code is ErrorCode.MODEL_NOT_WHOLE
    assert "small.gguf" in error.details
    assert await desk.engine.containers(ours_only=True) == ()


async def test_model_in_a_folder_that_may_not_be_listed_is_tried_itself(desk):
    desk.hosts.link.denied.add("/srv/models")
    assert (await refused(desk)).code is ErrorCode.MODEL_NOT_FOUND

    desk.hosts.link.files.add("/srv/models/small.gguf")
    assert (await desk.run(desk.service.deploy(spec()))).state is S.SERVING


@pytest.mark.parametrize("call", ["list_folder", "read_file", "blocking", "run"])
async def test_host_lost_during_the_checks_is_told_as_lost(desk, call):
    async def gone(*_args, **_options):
        raise lost()

    if call == "read_file":
        desk.hosts.link.denied.update({"/srv/models", "/srv/models/small.gguf"})
    setattr(desk.hosts.link, call, gone)

    error = await refused(desk, spec(estimate_bytes_per_gpu=2**30))
    assert error.code is ErrorCode.CONNECTION_LOST


async def test_named_volumes_and_the_root_are_not_looked_for(desk):
    mounts = (Mount(source="cache", target="/cache"), Mount(source="/", target="/host"))

    assert (await desk.run(desk.service.deploy(spec(mounts=mounts)))).state is S.SERVING


async def test_image_that_was_resolved_before_is_found_by_its_id(desk):
    image = desk.engine.images[IMAGE]

    done = await desk.run(desk.service.deploy(spec(image_id=image.id)))
    assert done.state is S.SERVING
    assert desk.engine.only().info.image_id == image.id


async def test_command_that_fails_is_no_refusal(desk):
    async def failed(*_args, **_options):
        return CommandResult(exit_code=1, stdout=b"MemAvailable: 1 kB", stderr=b"")

    desk.hosts.link.run = failed
    done = await desk.run(desk.service.deploy(spec(estimate_bytes_per_gpu=2**40)))
    assert done.state is S.SERVING


async def test_too_little_main_memory_is_said_with_both_figures(desk):
    desk.hosts.link.outputs["cat"] = "MemTotal: 100 kB\nMemAvailable:  1048576 kB\n"

    error = await refused(desk, spec(estimate_bytes_per_gpu=2 * 2**30))
    assert error.code is ErrorCode.DOES_NOT_FIT
    assert "2.0 GiB" in error.cause
    assert "1.0 GiB" in error.cause


@pytest.mark.parametrize("text", ["", "MemAvailable: many\n", "MemAvailable:\n"])
async def test_unreadable_memory_is_no_refusal(desk, text):
    desk.hosts.link.outputs["cat"] = text

    done = await desk.run(desk.service.deploy(spec(estimate_bytes_per_gpu=2**60)))
    assert done.state is S.SERVING


async def test_memory_that_cannot_be_asked_is_no_refusal(desk):
    done = await desk.run(desk.service.deploy(spec(estimate_bytes_per_gpu=2**60)))

    assert done.state is S.SERVING


GPU = {"gpu_uuids": ("GPU-1",), "gpu_access": "nvidia_runtime"}


async def test_gpus_without_a_way_to_hand_them_over_are_refused(desk):
    assert (await refused(desk, spec(**GPU))).code is ErrorCode.GPU_RUNTIME_MISSING
    none = spec(gpu_uuids=("GPU-1",), gpu_access="none")
    assert (await refused(desk, none)).code is ErrorCode.GPU_RUNTIME_MISSING


async def test_gpu_that_is_gone_is_said(desk):
    desk.engine.runtimes = ("runc", "nvidia")
    desk.hosts.facts = _facts("GPU-2")

    error = await refused(desk, spec(**GPU))
    assert (error.code, error.params["gpu"]) == (ErrorCode.NOT_FOUND, "GPU-1")


async def test_gpu_with_too_little_free_memory_is_refused(desk):
    desk.engine.runtimes = ("runc", "nvidia")
    desk.hosts.facts = _facts("GPU-1")
    desk.hosts.link.outputs["nvidia-smi"] = "GPU-1, 1024\nGPU-2, [N/A]\n"

    error = await refused(desk, spec(**GPU, estimate_bytes_per_gpu=2**31))
    assert error.code is ErrorCode.DOES_NOT_FIT

    done = await desk.run(desk.service.deploy(spec(**GPU, estimate_bytes_per_gpu=2**29)))
    assert done.state is S.SERVING


def _facts(uuid):
    return Fingerprint(
        source=HostSource.RECORDED,
        taken_at="x",
        parser_version="1",
        gpus=(Gpu(index=0, uuid=uuid),),
    )


async def test_starts_on_one_gpu_go_one_after_the_other(desk):
    desk.engine.runtimes = ("nvidia",)
    release = desk.engine.hold("post")
    first = asyncio.ensure_future(desk.service.deploy(spec(name="a", port=18081, **GPU)))
    second = asyncio.ensure_future(desk.service.deploy(spec(name="b", port=18082, **GPU)))

    await desk.until(lambda: desk.snapshot("a").state is S.VERIFYING)
    assert desk.snapshot("b").state is S.PLANNED
    release()
    await desk.run(asyncio.gather(first, second))

    assert {s.state for s in desk.service.snapshot()} == {S.SERVING}
    creates = [i for i, call in enumerate(desk.engine.calls) if call == "create"]
    assert desk.engine.calls.index("set_restart_policy") < creates[1]


async def test_starts_without_gpus_go_side_by_side(desk):
    release = desk.engine.hold("post")
    for name, port in (("a", 18081), ("b", 18082)):
        desk._task = asyncio.ensure_future(desk.service.deploy(spec(name=name, port=port)))
    await desk.until(lambda: [s.state for s in desk.service.snapshot()] == [S.VERIFYING] * 2)
    release()
    await desk.until(lambda: [s.state for s in desk.service.snapshot()] == [S.SERVING] * 2)


async def test_refused_creation_leaves_nothing(desk):
    desk.engine.fail("create", DockerError(ErrorCode.DOCKER_REFUSED, cause="No.", remedy="x"))

    assert (await refused(desk)).code is ErrorCode.DOCKER_REFUSED
    assert desk.engine.boxes == {}


async def test_refused_start_removes_the_container(desk):
    desk.engine.fail("start", DockerError(ErrorCode.PORT_IN_USE, cause="Taken.", remedy="x"))

    assert (await refused(desk)).code is ErrorCode.PORT_IN_USE
    assert desk.engine.boxes == {}
    assert desk.snapshot().state is S.FAILED


async def test_removal_that_fails_too_does_not_hide_the_reason(desk):
    desk.engine.fail("start", DockerError(ErrorCode.PORT_IN_USE, cause="Taken.", remedy="x"))
    desk.engine.fail("remove", DockerError(ErrorCode.DOCKER_REFUSED, cause="No.", remedy="x"))

    assert (await refused(desk)).code is ErrorCode.PORT_IN_USE


async def test_engine_that_exits_at_once_shows_code_and_telling_line():
    lines = ((0.0, "error: invalid argument: --bogus-flag"),)
    desk = Desk(script=Script(lines=lines, exits_after_s=0.1, exit_code=1))

    error = await refused(desk)

    assert error.code is ErrorCode.ENGINE_EXITED
    assert error.params["exit_code"] == "1"
    assert "--bogus-flag" in error.cause
    assert (desk.snapshot().state, desk.snapshot().exit_code) == (S.FAILED, 1)
    assert desk.engine.only().info.status == "exited"
    await desk.service.close()


async def test_memory_limit_is_told_as_out_of_memory():
    desk = Desk(script=Script(exits_after_s=0.1, exit_code=137, oom_killed=True))

    error = await refused(desk)
    assert error.code is ErrorCode.ENGINE_OUT_OF_MEMORY
    assert "It printed nothing" in error.cause
    await desk.service.close()


async def test_deploying_again_after_a_failed_start_replaces_the_leftover():
    desk = Desk(script=Script(exits_after_s=0.1))
    await refused(desk)
    desk.engine.script = Script(lines=LINES)

    done = await desk.run(desk.service.deploy(spec()))
    assert (done.state, len(desk.engine.boxes)) == (S.SERVING, 1)
    await desk.service.close()


async def test_engine_that_never_gets_ready_is_given_up_after_silence():
    desk = Desk(script=Script(lines=LINES, ready_after_s=None))

    error = await refused(desk)

    assert error.code is ErrorCode.ENGINE_NEVER_READY
    assert "listening on" in error.details
    assert desk.clock.monotonic_s() > 600
    assert desk.engine.boxes == {}
    await desk.service.close()


async def test_engine_that_still_prints_is_waited_for():
    lines = tuple((float(t), f"loading {t}") for t in range(0, 1500, 100))
    desk = Desk(script=Script(lines=lines, ready_after_s=1400))

    assert (await desk.run(desk.service.deploy(spec()))).state is S.SERVING
    await desk.service.close()


async def test_start_without_a_log_is_decided_by_health(desk):
    desk.engine.fail("logs", DockerError(ErrorCode.DOCKER_REFUSED, cause="No.", remedy="x"))

    assert (await desk.run(desk.service.deploy(spec()))).state is S.SERVING


BROKEN = b'{"error": {"message": "broken"}}'


@pytest.mark.parametrize(
    ("script", "code"),
    [
        (Script(answer="  "), ErrorCode.VERIFY_FAILED),
        (Script(status=500, body=BROKEN), ErrorCode.ENGINE_REFUSED_REQUEST),
        (Script(body=BROKEN), ErrorCode.ENGINE_REFUSED_REQUEST),
        (Script(body=b"<html>"), ErrorCode.VERIFY_FAILED),
        (Script(body=b'{"choices": [5]}'), ErrorCode.VERIFY_FAILED),
    ],
)
async def test_answer_that_is_none_fails_and_stops_the_engine(script, code):
    desk = Desk(script=script)

    error = await refused(desk)

    assert (error.code, desk.snapshot().state) == (code, S.FAILED)
    assert desk.engine.only().info.status == "exited"
    assert desk.engine.only().info.restart_policy == "no"
    await desk.service.close()


async def test_a_later_session_still_knows_why_an_answer_was_turned_down():
    first = Desk(script=Script(answer="  "))
    error = await refused(first)
    await first.service.close()
    later = Desk(journal=first.journal)
    later.engine.put(first.engine.only().info, Script(ready_after_s=None))

    found = (await later.run(later.service.refresh(HOST)))[0]

    assert found.state is S.FAILED
    assert found.error.code is ErrorCode.VERIFY_FAILED
    assert found.error.cause == error.cause
    await later.service.close()


@pytest.mark.parametrize("answer", ["the the the " * 12, "\ufffd\ufffd\ufffd ok"])
async def test_bad_answer_leaves_the_engine_degraded_and_running(answer):
    desk = Desk(script=Script(answer=answer))

    done = await desk.run(desk.service.deploy(spec()))

    assert (done.state, done.verified) == (S.DEGRADED, False)
    assert done.error.code is ErrorCode.VERIFY_FAILED
    assert desk.engine.only().info.status == "running"
    assert desk.engine.only().info.restart_policy == "no"
    await desk.service.close()


async def test_model_without_a_chat_template_is_asked_for_plain_text(desk):
    class Plain(Script):
        pass

    asked = []

    def http(transport, port, *, api_key=None):
        made = desk._http(transport, port, api_key=api_key)
        original = made.post_json

        async def post(path, body, *, timeout_s):
            asked.append(path)
            answer = await original(path, body, timeout_s=timeout_s)
            return replace(answer, status=400) if "chat" in path else answer

        made.post_json = post
        return made

    desk.service._steps._parts = replace(desk.service._steps._parts, http=http)
    done = await desk.run(desk.service.deploy(spec()))

    assert done.state is S.SERVING
    assert asked == ["/v1/chat/completions", "/v1/completions"]


async def test_api_key_is_made_up_and_read_back_from_the_container(desk):
    await desk.run(desk.service.deploy(spec(secret_environment=("LLAMA_API_KEY",))))

    assert desk.engine.secrets == {"LLAMA_API_KEY": "made-up-key"}
    assert desk.https[-1].api_key == "made-up-key"


async def test_a_new_revision_answers_to_the_key_that_clients_have(desk):
    keyed = spec(secret_environment=("LLAMA_API_KEY",))
    found = info(status="exited", environment=("LLAMA_API_KEY=from-another-desk",))
    desk.engine.put(found)
    await desk.run(desk.service.refresh(HOST))

    await desk.run(desk.service.deploy(replace_revision(keyed, 2)))
    assert desk.engine.secrets == {"LLAMA_API_KEY": "from-another-desk"}
    assert desk.keys.held == {(HOST, "chat"): "from-another-desk"}

    await desk.run(desk.service.remove(HOST, "chat"))
    assert desk.keys.held == {}
    await desk.run(desk.service.deploy(keyed))
    assert desk.engine.secrets == {"LLAMA_API_KEY": "made-up-key"}


async def test_a_container_that_was_lost_is_made_again_with_its_key(desk):
    keyed = spec(secret_environment=("LLAMA_API_KEY",))
    await desk.run(desk.service.deploy(keyed, secrets={"LLAMA_API_KEY": "given"}))
    desk.engine.boxes.clear()
    await desk.until(lambda: desk.snapshot().state is S.FAILED)

    await desk.run(desk.service.deploy(keyed))

    assert desk.engine.secrets == {"LLAMA_API_KEY": "given"}


def replace_revision(made, revision):
    other = spec(revision=revision)
    container = replace(made.container, name=other.container.name, labels=other.container.labels)
    return replace(made, revision=revision, container=container)


async def test_secret_that_nobody_gave_is_asked_for(desk):
    wants = spec(secret_environment=("HF_TOKEN",))

    assert (await refused(desk, wants)).params["field"] == "HF_TOKEN"
    done = await desk.run(desk.service.deploy(wants, secrets={"HF_TOKEN": "t"}))
    assert done.state is S.SERVING


async def test_deployment_that_runs_is_not_deployed_over(desk):
    await desk.run(desk.service.deploy(spec()))

    assert (await refused(desk)).code is ErrorCode.NAME_TAKEN
    assert desk.snapshot().state is S.SERVING


async def test_deploying_a_plan_whose_start_was_found_waits_for_it_and_verifies(desk):
    desk.engine.put(info(policy="no"), Script(lines=LINES, ready_after_s=5))
    await desk.service.refresh(HOST)
    assert desk.snapshot().state is S.STARTING

    done = await desk.run(desk.service.deploy(spec(revision=2)))

    assert (done.state, done.verified) == (S.SERVING, True)
    assert desk.engine.only().info.restart_policy == "unless-stopped"
    again = await desk.run(desk.service.deploy(spec(revision=2)))
    assert again.container_id == "old-chat-1"


async def test_start_that_was_found_and_fails_is_told_to_who_waits_for_it(desk):
    desk.engine.put(info(policy="no"), Script(ready_after_s=None, exits_after_s=3))
    await desk.service.refresh(HOST)

    assert (await refused(desk)).code is ErrorCode.ENGINE_EXITED


async def test_another_plan_does_not_take_over_a_start_that_was_found(desk):
    desk.engine.put(info(policy="no"), Script(lines=LINES, ready_after_s=50))
    await desk.service.refresh(HOST)

    assert (await refused(desk, spec(plan_digest="other"))).code is ErrorCode.NAME_TAKEN


async def test_giving_up_waiting_leaves_the_start_that_was_found(desk):
    desk.engine.put(info(policy="no"), Script(lines=LINES, ready_after_s=50))
    await desk.service.refresh(HOST)
    work = asyncio.ensure_future(desk.service.deploy(spec()))
    await desk.clock.advance(1)

    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await desk.run(work)

    assert list(desk.engine.boxes) == ["old-chat-1"]
    await desk.until(lambda: desk.snapshot().state is S.SERVING)


async def test_engine_unknown_to_this_desk_is_watched_without_phases():
    desk = Desk(engines={})

    done = await desk.run(desk.service.deploy(spec()))
    assert done.state is S.SERVING
    await desk.service.stop(HOST, "chat")
    await desk.service.close()


# Interrupted


@pytest.mark.parametrize(
    "call", ["version", "pulling", "create", "created", "start", "logs", "post"]
)
async def test_cancel_at_every_step_cleans_up_what_it_made(desk, call):
    if call == "pulling":
        desk.engine.registry[IMAGE] = desk.engine.images.pop(IMAGE)
    release = desk.engine.hold(call)
    work = asyncio.ensure_future(desk.service.deploy(spec()))
    for _ in range(8):
        await desk.clock.advance(0.1)

    work.cancel()
    await asyncio.sleep(0)
    release()
    with pytest.raises(asyncio.CancelledError):
        await desk.run(work)

    assert desk.engine.boxes == {}
    assert desk.service.snapshot() == ()
    assert isinstance(desk.events[-1], DeploymentRemoved) or any(
        isinstance(event, DeploymentRemoved) for event in desk.events
    )
    assert desk.journal.log[-1][:2] == ("finish", "cancelled")


async def test_what_was_cancelled_while_the_host_was_lost_is_removed_when_it_is_back(desk):
    work = asyncio.ensure_future(desk.service.deploy(spec()))
    await desk.until(lambda: desk.engine.boxes and desk.engine.only().info.status == "running")
    desk.engine.is_lost = True
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await desk.run(work)
    assert len(desk.engine.boxes) == 1

    desk.engine.is_lost = False
    desk.engine.put(info(name="other"))
    await desk.run(desk.service.refresh(HOST))

    assert list(desk.engine.boxes) == ["old-other-1"]
    assert [shot.name for shot in desk.service.snapshot()] == ["other"]


@pytest.mark.parametrize(("later_s", "is_removed"), [(60.0, True), (700.0, False)])
async def test_what_was_cancelled_at_its_very_last_step_is_removed_soon_after(
    desk, later_s, is_removed
):
    """The host did that step when it could, and told nobody: the container looks verified."""
    desk.engine.ahead_s = 0.0
    release = desk.engine.hold("set_restart_policy")
    work = asyncio.ensure_future(desk.service.deploy(spec()))
    await desk.until(lambda: "set_restart_policy" in desk.engine.calls)
    desk.engine.is_lost = True
    work.cancel()
    release()
    with pytest.raises(asyncio.CancelledError):
        await desk.run(work)
    desk.engine.only().info = replace(desk.engine.only().info, restart_policy="unless-stopped")

    desk.engine.is_lost = False
    desk.clock.set_forward(later_s)
    await desk.run(desk.service.refresh(HOST))

    assert desk.engine.boxes == {} if is_removed else desk.snapshot().state is S.SERVING


async def test_what_was_stopped_while_it_started_is_not_taken_for_cancelled(desk):
    desk.engine.script = Script(lines=LINES, ready_after_s=60)
    work = asyncio.ensure_future(desk.service.deploy(spec()))
    await desk.until(lambda: desk.engine.boxes and desk.engine.only().info.status == "running")
    await desk.run(desk.service.stop(HOST, "chat"))
    with pytest.raises(UserInputError):
        await desk.run(work)

    await desk.run(desk.service.refresh(HOST))

    assert desk.engine.only().info.status == "exited"


async def test_cancel_while_waiting_for_a_gpu_changes_nothing(desk):
    desk.engine.runtimes = ("nvidia",)
    release = desk.engine.hold("post")
    first = asyncio.ensure_future(desk.service.deploy(spec(name="a", port=18081, **GPU)))
    await desk.until(lambda: desk.snapshot("a").state is S.VERIFYING)
    second = asyncio.ensure_future(desk.service.deploy(spec(name="b", port=18082, **GPU)))
    await desk.clock.advance(1)

    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await desk.run(second)
    release()
    await desk.run(first)

    assert [s.name for s in desk.service.snapshot()] == ["a"]


async def test_activity_bar_can_cancel_a_deployment(desk):
    release = desk.engine.hold("post")
    work = asyncio.ensure_future(desk.service.deploy(spec()))
    await desk.until(lambda: desk.snapshot().state is S.VERIFYING)
    activity = next(e for e in desk.events if getattr(e, "title_code", "") == "deploy")

    assert desk.activities.cancel(activity.id)
    release()
    with pytest.raises(asyncio.CancelledError):
        await desk.run(work)
    assert desk.engine.boxes == {}


async def test_connection_lost_while_starting_ends_the_operation_and_keeps_the_container():
    desk = Desk(script=Script(lines=LINES, ready_after_s=60))
    work = asyncio.ensure_future(desk.service.deploy(spec()))
    await desk.until(lambda: desk.snapshot().state is S.STARTING)

    desk.engine.is_lost = True
    with pytest.raises(AppError) as caught:
        await desk.run(work)

    assert caught.value.code is ErrorCode.CONNECTION_LOST
    assert desk.snapshot().state is S.UNKNOWN
    assert desk.journal.log[-1] == ("finish", "failed", ErrorCode.CONNECTION_LOST)
    assert len(desk.engine.boxes) == 1
    await desk.service.close()


async def test_after_the_reconnect_the_start_is_found_by_labels_and_finished():
    desk = Desk(script=Script(lines=LINES, ready_after_s=60))
    work = asyncio.ensure_future(desk.service.deploy(spec()))
    await desk.until(lambda: desk.snapshot().state is S.STARTING)
    desk.engine.is_lost = True
    with pytest.raises(AppError):
        await desk.run(work)

    desk.engine.is_lost = False
    await desk.run(desk.service.refresh(HOST))
    assert desk.snapshot().state is S.STARTING
    await desk.until(lambda: desk.snapshot().state is S.SERVING)

    assert desk.engine.only().info.restart_policy == "unless-stopped"
    assert ("step", "resumed") in desk.journal.log
    assert desk.journal.log[-1][:2] == ("finish", "done")
    await desk.service.close()


@pytest.mark.parametrize(
    ("later", "goes_on"),
    [
        pytest.param("2030-01-01T00:01:00.000000000Z", True, id="a minute later"),
        pytest.param("2030-01-01T00:30:00.000000000Z", False, id="half an hour later"),
        pytest.param("", False, id="engine tells no time"),
    ],
)
async def test_start_that_was_cut_off_before_its_container_ran_goes_on_soon_after(later, goes_on):
    desk = Desk(script=Script(lines=LINES, ready_after_s=1))
    desk.engine.fail("start", lost())
    with pytest.raises(AppError):
        await desk.run(desk.service.deploy(spec()))
    assert desk.engine.only().info.status == "created"
    desk.engine.only().info = replace(
        desk.engine.only().info, created_at="2030-01-01T00:00:00.000000000Z"
    )

    desk.engine.system_time = later
    await desk.run(desk.service.refresh(HOST))

    if goes_on:
        await desk.until(lambda: desk.snapshot().state is S.SERVING)
        assert ("step", "resumed") in desk.journal.log
    else:
        assert desk.snapshot().state is S.STOPPED
    await desk.service.close()


async def test_container_that_another_desk_only_created_waits_for_a_person(desk):
    desk.engine.put(
        info(
            status="created",
            policy="no",
            host_ports={},
            created_at="2030-01-01T00:00:00.000000000Z",
        )
    )
    desk.engine.system_time = "2030-01-01T00:01:00.000000000Z"

    await desk.run(desk.service.refresh(HOST))

    assert desk.snapshot().state is S.STOPPED


async def test_host_that_is_said_to_be_lost_ends_a_hanging_operation(desk):
    desk.engine.hold("post")
    work = asyncio.ensure_future(desk.service.deploy(spec()))
    await desk.until(lambda: desk.snapshot().state is S.VERIFYING)
    desk.say_host(HostState.CONNECTED)
    await desk.clock.advance(1)

    desk.say_host(HostState.LOST)
    with pytest.raises(AppError) as caught:
        await desk.run(work)

    assert caught.value.code is ErrorCode.CONNECTION_LOST
    assert desk.snapshot().state is S.UNKNOWN


async def test_connection_lost_before_anything_was_made_is_told_after_the_reconnect(desk):
    desk.engine.fail("create", lost())

    assert (await refused(desk)).code is ErrorCode.CONNECTION_LOST
    await desk.run(desk.service.refresh(HOST))

    assert desk.snapshot().state is S.FAILED
    assert desk.snapshot().error.code is ErrorCode.CONNECTION_LOST


async def test_container_created_without_our_hearing_of_it_is_removed_on_cancel(desk):
    release = desk.engine.hold("create")
    work = asyncio.ensure_future(desk.service.deploy(spec()))
    await desk.until(lambda: desk.snapshot().state is S.CREATING)
    desk.engine.put(info(status="created", policy="no", host_ports={}))
    desk.engine.fail("create", lost())
    work.cancel()
    await asyncio.sleep(0)
    release()

    with pytest.raises(asyncio.CancelledError):
        await desk.run(work)
    assert desk.engine.boxes == {}


async def test_cancel_does_not_remove_a_container_of_another_plan(desk):
    release = desk.engine.hold("create")
    work = asyncio.ensure_future(desk.service.deploy(spec()))
    await desk.until(lambda: desk.snapshot().state is S.CREATING)
    other = DeploymentLabels(
        deployment="chat",
        revision=1,
        engine="x",
        engine_version="",
        model="",
        port=1,
        plan_digest="d2",
    )
    desk.engine.put(info(status="created", policy="no", labels=other.to_labels()))
    desk.engine.fail("create", DockerError(ErrorCode.CONTAINER_NAME_TAKEN, cause="x", remedy="x"))
    work.cancel()
    await asyncio.sleep(0)
    release()

    with pytest.raises(asyncio.CancelledError):
        await desk.run(work)
    assert len(desk.engine.boxes) == 1
