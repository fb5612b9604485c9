"""Looking after deployments: stop, start, crashes, other desks, tunnels, logs, chat."""

import asyncio
from dataclasses import replace

import pytest
from fakes.containers import Script, lost
from fakes.deploy_host import HOST, LINES, Desk, info, spec

from app.core.errors import AppError, DockerError, EngineError, ErrorCode, UserInputError
from app.core.events import DeploymentState, HostRemoved, HostState, LogArrived

S = DeploymentState


@pytest.fixture
async def desk():
    desk = Desk()
    yield desk
    await desk.service.close()


@pytest.fixture
async def serving(desk):
    await desk.run(desk.service.deploy(spec()))
    return desk


async def test_stop_start_restart_remove(serving):
    stopped = await serving.run(serving.service.stop(HOST, "chat"))
    assert (stopped.state, stopped.exit_code) == (S.STOPPED, 0)

    assert (await serving.run(serving.service.start(HOST, "chat"))).state is S.SERVING
    assert (await serving.run(serving.service.restart(HOST, "chat"))).state is S.SERVING

    await serving.run(serving.service.remove(HOST, "chat"))
    assert serving.service.snapshot() == ()
    assert serving.engine.boxes == {}


async def test_remove_takes_all_revisions_and_nothing_else(serving):
    serving.engine.put(info(revision=2, status="exited"))
    serving.engine.put(info(name="other", status="exited"))

    await serving.run(serving.service.remove(HOST, "chat"))

    assert list(serving.engine.boxes) == ["old-other-1"]


async def test_older_revisions_are_counted_and_can_be_removed_alone(serving):
    serving.engine.put(info(revision=0, status="exited"))
    serving.engine.put(info(name="other", revision=0, status="exited"))

    await serving.run(serving.service.refresh(HOST))
    assert serving.snapshot().older_revisions == 1

    assert await serving.run(serving.service.remove_older(HOST, "chat")) == 1
    assert serving.snapshot().older_revisions == 0
    assert "old-chat-0" not in serving.engine.boxes
    assert "old-other-0" in serving.engine.boxes
    assert serving.snapshot().state is S.SERVING


async def test_removal_that_fails_is_told_and_journalled(serving):
    serving.engine.fail("remove", DockerError(ErrorCode.DOCKER_REFUSED, cause="No.", remedy="x"))

    with pytest.raises(DockerError):
        await serving.run(serving.service.remove(HOST, "chat"))
    assert serving.journal.log[-1] == ("finish", "failed", ErrorCode.DOCKER_REFUSED)
    assert serving.snapshot().name == "chat"


async def test_stop_that_fails_shows_what_is_true(serving):
    serving.engine.fail("stop", DockerError(ErrorCode.DOCKER_REFUSED, cause="No.", remedy="x"))

    done = await serving.run(serving.service.stop(HOST, "chat"))

    assert done.state is S.SERVING


async def test_stop_while_starting_leaves_the_container_stopped():
    desk = Desk(script=Script(lines=LINES, ready_after_s=60))
    work = asyncio.ensure_future(desk.service.deploy(spec()))
    await desk.until(lambda: desk.snapshot().state is S.STARTING)

    stopped = await desk.run(desk.service.stop(HOST, "chat"))

    assert stopped.state is S.STOPPED
    assert desk.engine.only().info.status == "exited"
    with pytest.raises(UserInputError) as caught:
        await desk.run(work)
    assert caught.value.code is ErrorCode.CANCELLED
    await desk.service.close()


async def test_stop_before_anything_was_made_forgets_it(desk):
    desk.engine.hold("version")
    work = asyncio.ensure_future(desk.service.deploy(spec()))
    await desk.until(lambda: desk.snapshot().state is S.PREFLIGHT)

    await desk.run(desk.service.stop(HOST, "chat"))

    assert desk.service.snapshot() == ()
    with pytest.raises(UserInputError):
        await desk.run(work)


async def test_start_while_an_operation_runs_is_refused(desk):
    desk.engine.hold("version")
    work = asyncio.ensure_future(desk.service.deploy(spec()))
    await desk.until(lambda: desk.snapshot().state is S.PREFLIGHT)

    with pytest.raises(UserInputError):
        await desk.service.start(HOST, "chat")
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await desk.run(work)


async def test_what_does_not_exist_is_not_found(serving):
    with pytest.raises(UserInputError) as caught:
        await serving.service.stop(HOST, "chap")
    assert caught.value.params["suggestion"] == "chat"
    with pytest.raises(UserInputError) as caught:
        serving.service.find("box/chatt")
    assert caught.value.params["suggestion"] == "box/chat"


async def test_revisions_rise_in_the_snapshots(serving):
    revisions = [e.snapshot.revision for e in serving.events if hasattr(e, "snapshot")]

    assert revisions == sorted(revisions)
    assert len(set(revisions)) == len(revisions)


async def test_preview_names_the_next_revision(serving):
    fresh = await serving.service.preview(None, HOST, name="new")
    again = await serving.service.preview(None, HOST)

    assert (fresh.revision, again.revision) == (1, 2)


# Supervision


async def test_exit_zero_while_serving_is_a_failure(serving):
    serving.engine.crash(restarting=False, exit_code=0, line="error: engine core died")

    await serving.until(lambda: serving.snapshot().state is S.FAILED)

    assert serving.snapshot().exit_code == 0
    assert "engine core died" in serving.snapshot().error.cause


async def test_crash_is_started_again_by_the_engine_and_verified_again(serving):
    serving.engine.crash(restarting=True)

    await serving.until(lambda: serving.snapshot().restart_count == 1)
    await serving.until(lambda: serving.snapshot().state is S.SERVING)

    assert serving.states()[-3:] == ["starting", "verifying", "serving"]
    assert serving.engine.calls.count("set_restart_policy") == 1


async def test_third_crash_in_ten_minutes_stops_the_loop_with_its_cause(serving):
    for number in (1, 2, 3):
        serving.engine.crash(restarting=True, line=f"error: out of handles {number}")
        await serving.until(
            lambda n=number: (
                serving.snapshot().restart_count == n
                and serving.snapshot().state in {S.SERVING, S.CRASH_LOOPING}
            )
        )

    looping = serving.snapshot()
    assert looping.state is S.CRASH_LOOPING
    assert looping.error.code is ErrorCode.ENGINE_CRASH_LOOP
    assert "out of handles" in looping.error.cause
    assert serving.engine.only().info.status == "exited"


async def test_crash_whose_log_cannot_be_read_is_still_told(serving):
    serving.engine.fail("logs", DockerError(ErrorCode.DOCKER_REFUSED, cause="No.", remedy="x"))
    serving.engine.crash(restarting=False, exit_code=3)

    await serving.until(lambda: serving.snapshot().state is S.FAILED)
    assert "code 3" in serving.snapshot().error.cause


async def test_host_lost_while_reading_why_it_crashed_is_unknown(serving):
    serving.engine.fail("logs", lost())
    serving.engine.crash(restarting=False)

    await serving.until(lambda: serving.snapshot().state is S.UNKNOWN)


async def test_crash_looping_can_be_started_again(serving):
    for number in (1, 2, 3):
        serving.engine.crash(restarting=True)
        await serving.until(
            lambda n=number: (
                serving.snapshot().restart_count == n
                and serving.snapshot().state in {S.SERVING, S.CRASH_LOOPING}
            )
        )

    assert (await serving.run(serving.service.start(HOST, "chat"))).state is S.SERVING


async def test_crash_during_the_restart_counts_too(serving):
    serving.engine.only().script.ready_after_s = 30
    serving.engine.crash(restarting=True)
    await serving.until(lambda: serving.snapshot().state is S.STARTING)
    serving.engine.crash(restarting=True)
    await serving.clock.advance(2)
    serving.engine.crash(restarting=True)

    await serving.until(lambda: serving.snapshot().state is S.CRASH_LOOPING)


async def test_health_that_goes_and_comes_back(serving):
    serving.engine.only().healthy = False
    await serving.until(lambda: serving.snapshot().state is S.DEGRADED)
    assert serving.snapshot().error.code is ErrorCode.ENGINE_NEVER_READY

    serving.engine.only().healthy = None
    await serving.until(lambda: serving.snapshot().state is S.SERVING)
    assert serving.snapshot().error is None


async def test_one_missed_health_check_is_nothing(serving):
    serving.engine.only().healthy = False
    await serving.clock.advance(2.5)
    serving.engine.only().healthy = None
    await serving.clock.advance(10)

    assert "degraded" not in serving.states()


async def test_container_that_someone_removed_is_gone(serving):
    serving.engine.boxes.clear()

    await serving.until(lambda: serving.snapshot().state is S.FAILED)
    assert serving.snapshot().error.code is ErrorCode.CONTAINER_NOT_FOUND


async def test_container_engine_that_is_away_for_a_while_is_asked_again(serving):
    away = DockerError(ErrorCode.DOCKER_NOT_REACHABLE, cause="Away.", remedy="Wait.")
    serving.engine.fail("inspect", away, away)

    await serving.until(lambda: serving.snapshot().state is S.UNKNOWN)
    assert serving.snapshot().error.code is ErrorCode.DOCKER_NOT_REACHABLE
    await serving.until(lambda: serving.snapshot().state is S.SERVING)


async def test_host_lost_while_the_container_engine_is_away_ends_the_watch(serving):
    away = DockerError(ErrorCode.DOCKER_NOT_REACHABLE, cause="Away.", remedy="Wait.")
    serving.engine.fail("inspect", away, lost())

    await serving.until(lambda: serving.snapshot().state is S.UNKNOWN)
    await serving.clock.advance(20)
    assert serving.snapshot().state is S.UNKNOWN


async def test_lost_host_makes_unknown_and_its_return_serving(serving):
    serving.engine.is_lost = True
    await serving.until(lambda: serving.snapshot().state is S.UNKNOWN)
    assert serving.snapshot().error.code is ErrorCode.CONNECTION_LOST

    serving.engine.is_lost = False
    await serving.run(serving.service.refresh(HOST))
    assert serving.snapshot().state is S.SERVING
    assert serving.snapshot().verified_text


async def test_hosts_that_come_and_go_are_noticed(serving):
    serving.say_host(HostState.CONNECTED)
    await serving.clock.advance(1)
    await serving.run(serving.service.open_tunnel(HOST, "chat"))

    serving.say_host(HostState.LOST)
    await serving.until(lambda: serving.snapshot().state is S.UNKNOWN)
    assert serving.snapshot().tunnel_port is None
    assert serving.tunnels[0].closed

    serving.say_host(HostState.CONNECTED)
    await serving.until(lambda: serving.snapshot().state is S.SERVING)


async def test_host_that_comes_back_without_a_container_engine_stays_unknown(serving):
    serving.say_host(HostState.CONNECTED)
    await serving.clock.advance(1)
    serving.say_host(HostState.LOST)
    await serving.until(lambda: serving.snapshot().state is S.UNKNOWN)

    serving.engine.fail(
        "containers", DockerError(ErrorCode.DOCKER_NOT_REACHABLE, cause="Away.", remedy="x")
    )
    serving.say_host(HostState.CONNECTED)
    await serving.clock.advance(5)
    assert serving.snapshot().state is S.UNKNOWN


async def test_removed_host_takes_its_deployments_off_the_list(serving):
    serving.bus.publish(HostRemoved(host_id=HOST))
    await serving.clock.advance(1)

    assert serving.service.snapshot() == ()
    assert serving.engine.only().info.status == "running"


async def test_closing_leaves_everything_running(desk):
    await desk.run(desk.service.deploy(spec()))

    await desk.service.close()

    assert desk.engine.only().info.status == "running"
    assert desk.engine.only().info.restart_policy == "unless-stopped"


# Other desks


async def test_serving_deployment_of_another_desk_is_taken_on(desk):
    desk.engine.put(info())

    found = (await desk.run(desk.service.refresh(HOST)))[0]

    assert (found.state, found.verified, found.host_port) == (S.SERVING, True, 18080)
    assert (found.engine, found.engine_version, found.model_name) == ("llamacpp", "b10434", "small")
    desk.engine.crash(restarting=False)
    await desk.until(lambda: desk.snapshot().state is S.FAILED)


@pytest.mark.parametrize(
    ("container", "state"),
    [
        (info(status="exited"), S.STOPPED),
        (info(status="exited", policy="no", exit_code=2), S.FAILED),
        (info(status="created", policy="no"), S.STOPPED),
        (info(status="restarting", restart_count=3), S.CRASH_LOOPING),
        (info(status="paused"), S.STARTING),
    ],
)
async def test_state_is_read_from_container_and_labels(desk, container, state):
    desk.engine.put(container, Script(ready_after_s=None))

    found = (await desk.run(desk.service.refresh(HOST)))[0]
    assert found.state is state


async def test_start_of_another_desk_is_finished_here(desk):
    desk.engine.put(info(policy="no"), Script(lines=LINES, ready_after_s=3))

    await desk.run(desk.service.refresh(HOST))
    await desk.until(lambda: desk.snapshot().state is S.SERVING)

    assert desk.engine.only().info.restart_policy == "unless-stopped"


async def test_restarting_one_that_runs_again_while_looking_is_watched(desk):
    desk.engine.put(info(status="running", restart_count=1), Script(lines=LINES, ready_after_s=3))

    await desk.run(desk.service.refresh(HOST))
    await desk.until(lambda: desk.snapshot().state is S.SERVING)


async def test_of_several_revisions_the_running_one_counts(desk):
    desk.engine.put(info(revision=1))
    desk.engine.put(info(revision=2, status="exited"))

    found = await desk.run(desk.service.refresh(HOST))
    assert [f.deployment_revision for f in found] == [1]


async def test_of_several_stopped_revisions_the_highest_verified_counts(desk):
    desk.engine.put(info(revision=1, status="exited"))
    desk.engine.put(info(revision=2, status="exited"))
    desk.engine.put(info(revision=3, status="exited", policy="no"))

    found = await desk.run(desk.service.refresh(HOST))
    assert [f.deployment_revision for f in found] == [2]


async def test_container_that_is_not_ours_is_left_alone(desk):
    desk.engine.put(replace(info(), labels={"io.pitwall.schema": "2"}))

    assert await desk.run(desk.service.refresh(HOST)) == ()


async def test_refresh_forgets_what_is_gone_and_keeps_what_failed(serving):
    await serving.run(serving.service.stop(HOST, "chat"))
    serving.engine.fail("create", DockerError(ErrorCode.DOCKER_REFUSED, cause="No.", remedy="x"))
    with pytest.raises(DockerError):
        await serving.run(serving.service.deploy(spec(name="bad", port=18081)))
    serving.engine.boxes.clear()

    left = await serving.run(serving.service.refresh(HOST))
    assert [snapshot.name for snapshot in left] == ["bad"]


async def test_refresh_does_not_disturb_what_is_looked_after(serving):
    before = serving.snapshot()

    await serving.run(serving.service.refresh(HOST))
    assert serving.snapshot() == before


async def test_refresh_keeps_what_is_known_of_a_stopped_one(serving):
    await serving.run(serving.service.stop(HOST, "chat"))
    before = serving.snapshot()

    await serving.run(serving.service.refresh(HOST))
    assert serving.snapshot() == before


async def test_stopped_one_that_another_desk_started_is_seen(serving):
    await serving.run(serving.service.stop(HOST, "chat"))
    await serving.engine.start("c01")

    await serving.run(serving.service.refresh(HOST))
    await serving.until(lambda: serving.snapshot().state is S.SERVING)


async def test_container_of_an_unknown_deployment_removed_meanwhile_is_told(serving):
    serving.engine.is_lost = True
    await serving.until(lambda: serving.snapshot().state is S.UNKNOWN)
    serving.engine.is_lost = False
    serving.engine.boxes.clear()

    await serving.run(serving.service.refresh(HOST))
    assert serving.snapshot().state is S.FAILED
    assert serving.snapshot().error.code is ErrorCode.CONTAINER_NOT_FOUND


async def test_loss_during_a_resumed_start_is_journalled(desk):
    desk.engine.put(info(policy="no"), Script(lines=LINES, ready_after_s=60))
    await desk.run(desk.service.refresh(HOST))
    desk.say_host(HostState.CONNECTED)
    await desk.clock.advance(1)

    desk.say_host(HostState.LOST)
    await desk.until(lambda: desk.snapshot().state is S.UNKNOWN)
    assert desk.journal.log[-1][:2] == ("finish", "failed")


async def test_port_is_read_from_the_label_when_the_engine_does_not_say(desk):
    desk.engine.put(info(status="exited", host_ports={}))

    found = (await desk.run(desk.service.refresh(HOST)))[0]
    assert found.host_port == 18080


# Talking


async def test_tunnel_is_opened_once_and_shown(serving):
    first = await serving.run(serving.service.open_tunnel(HOST, "chat"))
    again = await serving.run(serving.service.open_tunnel(HOST, "chat"))
    assert first == again == serving.snapshot().tunnel_port
    assert serving.tunnels[0].remote_port == 18080

    other = await serving.run(serving.service.open_tunnel(HOST, "chat", 41000))
    assert other == 41000
    assert serving.tunnels[0].closed

    await serving.run(serving.service.close_tunnel(HOST, "chat"))
    assert serving.snapshot().tunnel_port is None
    await serving.run(serving.service.close_tunnel(HOST, "chat"))


async def test_tunnel_closes_with_its_deployment(serving):
    await serving.run(serving.service.open_tunnel(HOST, "chat"))

    await serving.run(serving.service.stop(HOST, "chat"))
    assert serving.tunnels[0].closed


async def test_tunnel_that_cannot_be_closed_does_not_stop_closing(serving):
    await serving.run(serving.service.open_tunnel(HOST, "chat"))

    async def broken():
        raise lost()

    serving.tunnels[0].close = broken
    await serving.service.close()


async def test_chat_streams_and_counts(serving):
    answer = await serving.run(serving.service.chat(HOST, "chat", "Hello?"))

    assert answer.text.strip().startswith("Red is found")
    assert answer.tokens == 13
    assert answer.ttft_s is not None
    assert answer.total_s >= answer.ttft_s


@pytest.mark.parametrize(
    ("events", "text"),
    [
        ((b'{"choices":[{"text":"plain","finish_reason":"stop"}]}', b"[DONE]"), "plain"),
        ((b'{"choices":[{"delta":{"reasoning_content":"hm"}}]}',), "hm"),
        ((b"not json", b'{"choices":[]}', b"[DONE]"), ""),
    ],
)
async def test_chat_reads_what_engines_send(serving, events, text):
    serving.engine.only().script.events = events

    assert (await serving.run(serving.service.chat(HOST, "chat", "x"))).text == text


async def test_error_in_mid_stream_is_an_error_even_before_the_end_mark(serving):
    serving.engine.only().script.events = (
        b'{"choices":[{"delta":{"content":"a"}}]}',
        b'{"error": {"message": "EngineCore encountered an issue", "code": 500}}',
        b"[DONE]",
    )
    with pytest.raises(EngineError) as caught:
        await serving.run(serving.service.chat(HOST, "chat", "x"))
    assert "EngineCore" in caught.value.cause


async def test_api_key_is_told_also_when_another_desk_made_it(serving):
    serving.engine.put(info(name="other", environment=("LLAMA_API_KEY=theirs",)))
    await serving.run(serving.service.refresh(HOST))
    assert await serving.run(serving.service.api_key(HOST, "other")) == "theirs"


async def test_api_key_that_was_not_noted_is_read_from_the_container(serving):
    box = serving.engine.only()
    assert await serving.run(serving.service.api_key(HOST, "chat")) is None

    box.info = replace(box.info, environment=("LLAMA_API_KEY=its-own",))

    assert await serving.run(serving.service.api_key(HOST, "chat")) == "its-own"
    with pytest.raises(UserInputError):
        await serving.run(serving.service.api_key(HOST, "nobody"))


async def test_chat_without_a_container_says_so(desk):
    desk.engine.fail("create", DockerError(ErrorCode.DOCKER_REFUSED, cause="No.", remedy="x"))
    with pytest.raises(DockerError):
        await desk.run(desk.service.deploy(spec()))

    with pytest.raises(DockerError) as caught:
        await desk.run(desk.service.chat(HOST, "chat", "x"))
    assert caught.value.code is ErrorCode.CONTAINER_NOT_FOUND
    with pytest.raises(DockerError):
        await desk.run(read_all(desk.service.logs(HOST, "chat")))


async def read_all(lines):
    return [line async for line in lines]


async def test_log_is_given_as_cleaned_lines(serving):
    lines = await serving.run(read_all(serving.service.logs(HOST, "chat")))

    assert len(lines) == len(LINES)
    assert (lines[1].source, lines[1].text) == ("srv", "load_model: loading model 'small.gguf'")
    assert lines[0].at.startswith("2030-01-01T00:00:00")


async def test_log_has_a_tail(serving):
    assert len(await serving.run(read_all(serving.service.logs(HOST, "chat", tail=2)))) == 2


async def test_followed_log_goes_on_until_the_container_is_stopped(serving):
    reading = asyncio.ensure_future(read_all(serving.service.logs(HOST, "chat", follow=True)))
    await serving.clock.advance(3)
    assert not reading.done()

    serving.engine.crash(restarting=False, line="last words")
    lines = await serving.run(reading)
    assert lines[-1].text == "last words"


async def test_followed_log_that_breaks_off_goes_on_without_doubling(serving):
    engine = serving.engine
    original = engine.logs
    streams = []

    async def breaking(container, *, follow, tail=None, since=None):
        streams.append(since)
        assert follow
        async for chunk in original(container, follow=len(streams) > 1, tail=tail, since=since):
            yield chunk

    engine.logs = breaking
    reading = asyncio.ensure_future(read_all(serving.service.logs(HOST, "chat", follow=True)))
    await serving.clock.advance(3)
    engine.crash(restarting=False, line="end")
    lines = await serving.run(reading)

    assert len(lines) == len(LINES) + 1
    assert len(streams) == 2


async def test_followed_log_is_published_in_batches(serving):
    await serving.service.follow_log(HOST, "chat")
    await serving.service.follow_log(HOST, "chat")
    await serving.clock.advance(3)
    arrived = [e for e in serving.events if isinstance(e, LogArrived)]
    assert sum(len(e.lines) for e in arrived) == len(LINES)

    await serving.service.unfollow_log(HOST, "chat")
    await serving.service.unfollow_log(HOST, "chat")
    await serving.clock.advance(1)


async def test_what_polling_makes_an_engine_print_is_not_shown_but_kept(serving):
    box = serving.engine.only()
    poll = "0.00.707.636 I srv  update_slots: all slots are idle"
    box.printed.extend(serving.engine._chunk(poll) for _ in range(600))
    box.printed.append(serving.engine._chunk("0.09.000.000 W srv  update_slots: all is not well"))

    await serving.service.follow_log(HOST, "chat")
    await serving.clock.advance(2)

    shown = [line for e in serving.events if isinstance(e, LogArrived) for line in e.lines]
    assert len(shown) == len(LINES) + 1
    assert "all is not well" in shown[-1]
    kept = await serving.run(read_all(serving.service.logs(HOST, "chat")))
    assert len(kept) == len(LINES) + 601


async def test_followed_log_of_a_lost_host_ends_with_the_reason(serving):
    serving.engine.fail("logs", lost())
    await serving.service.follow_log(HOST, "chat")
    await serving.clock.advance(2)

    arrived = [e for e in serving.events if isinstance(e, LogArrived)]
    assert arrived[-1].lines == ("The connection was lost.",)


async def test_too_many_lines_are_dropped_and_counted(serving):
    box = serving.engine.only()
    box.printed.extend(serving.engine._chunk(f"line {n}") for n in range(2000))
    await serving.service.follow_log(HOST, "chat", tail=3000)
    await serving.clock.advance(2)

    arrived = [e for e in serving.events if isinstance(e, LogArrived)]
    assert sum(len(e.lines) for e in arrived) + arrived[-1].dropped == 2000 + len(LINES)


async def test_unreadable_journal_and_memory_are_no_obstacle(desk):
    key = f"startup/llamacpp/b10434/small@{HOST}"
    desk.journal.values[key] = "[1]"
    assert (await desk.run(desk.service.deploy(spec()))).state is S.SERVING
    desk.journal.values[key] = "{broken"
    assert (await desk.run(desk.service.restart(HOST, "chat"))).state is S.SERVING


async def test_failed_stop_of_a_lost_host_says_so(serving):
    serving.engine.is_lost = True

    with pytest.raises(AppError) as caught:
        await serving.run(serving.service.stop(HOST, "chat"))
    assert caught.value.code is ErrorCode.CONNECTION_LOST
    assert serving.snapshot().state is S.UNKNOWN
