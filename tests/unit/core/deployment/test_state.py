"""The life of a deployment: what follows what, and that no order of events breaks it."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from app.core.deployment import happenings as h
from app.core.deployment.happenings import Action, Seen
from app.core.deployment.state import CRASH_LIMIT, UP, WORKING, DeploymentStatus, step
from app.core.errors import ErrorCode, ErrorInfo
from app.core.events import DeploymentState as S

BAD = ErrorInfo(code=ErrorCode.ENGINE_EXITED, cause="It ended.", remedy="Look.")
LOST = ErrorInfo(code=ErrorCode.CONNECTION_LOST, cause="Gone.", remedy="Wait.")

TO_SERVING = (
    h.DeployRequested(),
    h.PreflightPassed(image_present=True),
    h.ContainerCreated(),
    h.EngineReady(),
    h.Verified(),
)


def after(*events, status=None):
    status = status or DeploymentStatus()
    actions = ()
    for event in events:
        status, actions = step(status, event)
    return status, actions


def crash(at_s, *, restarting=True, exit_code=1):
    return h.ContainerExited(at_s=at_s, error=BAD, exit_code=exit_code, restarting=restarting)


def test_deploy_goes_straight_to_serving_when_the_image_is_there():
    states = []
    status = DeploymentStatus()
    for event in TO_SERVING:
        status, _ = step(status, event)
        states.append(status.state)

    assert states == [S.PREFLIGHT, S.CREATING, S.STARTING, S.VERIFYING, S.SERVING]
    assert status.verified


def test_missing_image_is_fetched_first():
    status, actions = after(h.DeployRequested(), h.PreflightPassed(image_present=False))

    assert (status.state, actions) == (S.FETCHING_IMAGE, (Action.FETCH_IMAGE,))
    assert after(h.ImageFetched(), status=status)[0].state == S.CREATING


def test_restart_policy_is_set_only_after_the_first_verification():
    _, actions = after(*TO_SERVING)
    assert actions == (Action.KEEP_RUNNING, Action.WATCH_HEALTH)

    _, actions = after(*TO_SERVING, crash(0), h.EngineReady(), h.Verified())
    assert actions == (Action.WATCH_HEALTH,)


def test_refused_preflight_leaves_nothing_to_undo():
    status, actions = after(h.DeployRequested(), h.StepFailed(error=BAD))

    assert (status.state, status.error, actions) == (S.FAILED, BAD, ())


@pytest.mark.parametrize("count", [2, 3])
def test_refused_create_or_start_removes_the_container(count):
    status, actions = after(*TO_SERVING[:count], h.StepFailed(error=BAD))

    assert status.state == S.FAILED
    assert not status.has_container
    assert actions == (Action.REMOVE_CONTAINER,)


def test_engine_that_exits_at_once_fails_and_keeps_its_container_for_the_log():
    status, actions = after(*TO_SERVING[:3], crash(1, restarting=False, exit_code=2))

    assert (status.state, status.exit_code, status.has_container) == (S.FAILED, 2, True)
    assert actions == ()


def test_exit_zero_after_serving_is_a_failure():
    status, _ = after(*TO_SERVING, crash(9, restarting=False, exit_code=0))

    assert (status.state, status.exit_code) == (S.FAILED, 0)


def test_answer_that_does_not_come_fails_and_stops_the_engine():
    status, actions = after(*TO_SERVING[:4], h.VerifyFailed(error=BAD))

    assert (status.state, actions) == (S.FAILED, (Action.STOP_CONTAINER,))


def test_bad_answer_leaves_it_running_as_degraded():
    status, actions = after(*TO_SERVING[:4], h.VerifyFailed(error=BAD, keeps_serving=True))

    assert (status.state, status.error, actions) == (S.DEGRADED, BAD, (Action.WATCH_HEALTH,))
    assert after(h.HealthRegained(), status=status)[0].state == S.DEGRADED


def test_third_crash_in_ten_minutes_stops_the_loop():
    status, actions = after(*TO_SERVING, crash(0), crash(100), crash(599))

    assert status.state == S.CRASH_LOOPING
    assert actions == (Action.STOP_CONTAINER,)


def test_crashes_further_apart_are_restarts():
    status, actions = after(*TO_SERVING, crash(0), crash(100), crash(601))

    assert status.state == S.STARTING
    assert actions == (Action.WATCH_START,)


def test_exit_of_a_crash_looping_container_changes_nothing():
    looping, _ = after(*TO_SERVING, crash(0), crash(1), crash(2))

    assert after(crash(3), h.Stopped(), status=looping)[0] == looping


def test_health_comes_and_goes():
    status, _ = after(*TO_SERVING, h.HealthLost(error=BAD))
    assert (status.state, status.error) == (S.DEGRADED, BAD)

    status, _ = after(h.HealthRegained(), status=status)
    assert (status.state, status.error) == (S.SERVING, None)


def test_stop_ends_stopped_whether_the_exit_or_the_answer_comes_first():
    for last in (h.Stopped(exit_code=0), crash(1, exit_code=137)):
        status, _ = after(*TO_SERVING, h.StopRequested(), last)
        assert (status.state, status.error) == (S.STOPPED, None)


def test_stop_that_is_refused_asks_what_is_true():
    status, actions = after(*TO_SERVING, h.StopRequested(), h.StepFailed(error=BAD))

    assert (status.state, actions) == (S.UNKNOWN, (Action.RECONCILE,))


def test_stopped_starts_again_with_a_clean_record():
    status, actions = after(
        *TO_SERVING, crash(0), h.StopRequested(), h.Stopped(), h.StartRequested()
    )

    assert (status.state, status.crashes) == (S.STARTING, ())
    assert actions == (Action.START_CONTAINER, Action.WATCH_START)


def test_start_of_what_has_no_container_does_nothing():
    failed, _ = after(h.DeployRequested(), h.StepFailed(error=BAD))

    assert after(h.StartRequested(), status=failed) == (failed, ())


def test_cancel_undoes_what_was_made():
    for count, undo in ((1, ()), (2, (Action.REMOVE_CONTAINER,)), (3, (Action.REMOVE_CONTAINER,))):
        status, actions = after(*TO_SERVING[:count], h.Cancelled())
        assert (status.state, status.has_container, actions) == (S.PLANNED, False, undo)


def test_cancelled_restart_of_a_verified_one_stops_it_and_keeps_it():
    status, actions = after(*TO_SERVING, crash(0), h.Cancelled())

    assert (status.state, actions) == (S.STOPPING, (Action.STOP_CONTAINER,))
    assert status.has_container


@pytest.mark.parametrize("cut", [h.Cancelled(), h.ConnectionLost(error=LOST)])
def test_an_end_after_a_stop_that_was_cut_short_is_no_failure(cut):
    unknown, actions = after(*TO_SERVING, h.StopRequested(), cut)
    assert unknown.state is S.UNKNOWN
    assert Action.STOP_CONTAINER not in actions

    running = h.Observed(seen=Seen.RUNNING, error=BAD, verified=True, healthy=True)
    serving, _ = after(running, status=unknown)
    assert serving.state is S.SERVING
    ended, _ = after(h.ContainerExited(at_s=1, error=BAD, exit_code=0), status=serving)
    assert (ended.state, ended.error, ended.stop_asked) == (S.STOPPED, None, False)
    crashed, _ = after(crash(1), status=serving)
    assert crashed.state is S.STARTING


def test_restart_that_cannot_be_started_keeps_its_container():
    stopped, _ = after(*TO_SERVING, h.StopRequested(), h.Stopped())

    status, actions = after(h.StartRequested(), h.StepFailed(error=BAD), status=stopped)
    assert (status.state, status.has_container, actions) == (S.FAILED, True, ())


def test_lost_connection_makes_unknown_and_ends_work():
    for count in (1, 3, 5):
        status, actions = after(*TO_SERVING[:count], h.ConnectionLost(error=LOST))
        assert (status.state, status.error, actions) == (S.UNKNOWN, LOST, (Action.ABANDON,))


def test_lost_connection_does_not_touch_what_never_was_there():
    failed, _ = after(h.DeployRequested(), h.StepFailed(error=BAD))

    assert after(h.ConnectionLost(error=LOST), status=failed)[0] == failed


@pytest.mark.parametrize(
    ("observed", "state", "actions"),
    [
        (h.Observed(seen=Seen.MISSING, error=BAD), S.FAILED, ()),
        (h.Observed(seen=Seen.CREATED, error=BAD), S.STOPPED, ()),
        (
            h.Observed(seen=Seen.CREATED, error=BAD, cut_off=True),
            S.STARTING,
            (Action.START_CONTAINER, Action.WATCH_START),
        ),
        (h.Observed(seen=Seen.RUNNING, error=BAD), S.STARTING, (Action.WATCH_START,)),
        (
            h.Observed(seen=Seen.RUNNING, error=BAD, verified=True, healthy=True),
            S.SERVING,
            (Action.WATCH_HEALTH,),
        ),
        (
            h.Observed(seen=Seen.RESTARTING, error=BAD, verified=True),
            S.STARTING,
            (Action.WATCH_START,),
        ),
        (
            h.Observed(seen=Seen.RESTARTING, error=BAD, verified=True, restart_count=3),
            S.CRASH_LOOPING,
            (Action.STOP_CONTAINER,),
        ),
        (h.Observed(seen=Seen.EXITED, error=BAD, verified=True), S.STOPPED, ()),
        (h.Observed(seen=Seen.EXITED, error=BAD), S.FAILED, ()),
    ],
)
def test_what_is_seen_after_a_reconnect_decides(observed, state, actions):
    lost, _ = after(*TO_SERVING, h.ConnectionLost(error=LOST))
    asked, asks = after(h.ConnectionRegained(), status=lost)

    status, done = after(observed, status=asked)

    assert asks == (Action.RECONCILE,)
    assert (status.state, done) == (state, actions)
    assert status.before_lost is None


def test_observation_of_a_living_one_is_ignored():
    serving, _ = after(*TO_SERVING)

    seen = h.Observed(seen=Seen.MISSING, error=BAD)
    assert after(seen, h.ConnectionRegained(), status=serving) == (serving, ())


EVENTS = st.one_of(
    st.builds(h.DeployRequested),
    st.builds(h.PreflightPassed, image_present=st.booleans()),
    st.builds(h.ImageFetched),
    st.builds(h.ContainerCreated),
    st.builds(h.EngineReady),
    st.builds(h.Verified),
    st.builds(h.VerifyFailed, error=st.just(BAD), keeps_serving=st.booleans()),
    st.builds(h.StepFailed, error=st.just(BAD)),
    st.builds(h.Cancelled),
    st.builds(
        h.ContainerExited,
        at_s=st.floats(0, 2000),
        error=st.just(BAD),
        exit_code=st.integers(0, 255),
        restarting=st.booleans(),
    ),
    st.builds(h.HealthLost, error=st.just(BAD)),
    st.builds(h.HealthRegained),
    st.builds(h.StopRequested),
    st.builds(h.Stopped),
    st.builds(h.StartRequested),
    st.builds(h.ConnectionLost, error=st.just(LOST)),
    st.builds(h.ConnectionRegained),
    st.builds(
        h.Observed,
        seen=st.sampled_from(Seen),
        error=st.just(BAD),
        verified=st.booleans(),
        healthy=st.booleans(),
        restart_count=st.integers(0, 5),
    ),
)

STATUSES = st.builds(
    DeploymentStatus,
    state=st.sampled_from(S),
    has_container=st.booleans(),
    verified=st.booleans(),
    crashes=st.lists(st.floats(0, 2000), max_size=3).map(tuple),
)


@given(STATUSES, EVENTS)
def test_every_event_is_answered_in_every_state(status, event):
    following, actions = step(status, event)

    assert isinstance(following, DeploymentStatus)
    assert len(actions) == len(set(actions))


@given(STATUSES, EVENTS)
def test_a_doubled_event_does_no_more_than_one(status, event):
    if isinstance(event, h.ContainerExited):
        return  # two crashes are two crashes
    once, _ = step(status, event)
    if isinstance(event, h.Cancelled) and once.state is S.STOPPING:
        return  # the second one cancels the stop that the first one asked for
    twice, actions = step(once, event)

    assert twice == once
    assert Action.CREATE_CONTAINER not in actions


class Life(RuleBasedStateMachine):
    """Any order of events; what must hold at every moment."""

    def __init__(self):
        super().__init__()
        self.status = DeploymentStatus()
        self.at_s = 0.0
        self.made = 0
        self.kept = False

    @rule(event=EVENTS, wait_s=st.floats(0, 300))
    def happen(self, event, wait_s):
        self.at_s += wait_s
        if isinstance(event, h.ContainerExited):
            event = replace(event, at_s=self.at_s)
        self.status, actions = step(self.status, event)
        if Action.CREATE_CONTAINER in actions:
            self.made += 1
        if Action.KEEP_RUNNING in actions:
            assert isinstance(event, h.Verified)
        if isinstance(event, h.ConnectionLost):
            assert not set(actions) - {Action.ABANDON}

    @invariant()
    def a_container_is_created_once(self):
        # A second one only after cancelling has gone back to the beginning.
        if self.status.state in UP:
            assert self.status.has_container

    @invariant()
    def serving_means_verified(self):
        if self.status.state == S.SERVING:
            assert self.status.verified

    @invariant()
    def a_loop_is_stopped_in_time(self):
        recent = [at for at in self.status.crashes if self.at_s - at < 600]
        if self.status.state in UP:
            assert len(recent) < CRASH_LIMIT

    @invariant()
    def a_failure_says_why(self):
        if self.status.state in {S.FAILED, S.CRASH_LOOPING}:
            assert self.status.error is not None

    @invariant()
    def work_has_no_old_error_of_a_stop(self):
        if self.status.state == S.STOPPED:
            assert self.status.error is None


Life.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestLife = Life.TestCase


def test_working_states_can_be_cancelled():
    for state in WORKING:
        status, _ = step(DeploymentStatus(state=state), h.Cancelled())
        assert status.state == S.PLANNED
