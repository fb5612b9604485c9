"""Phases, durations and the rest's time, from the lines of a start."""

from dataclasses import replace

import pytest
from fakes.engine_logs import LLAMA_START, VLLM_START

from app.core.engines.spec import PhaseRule, StartupFile
from app.core.logs.line import LogLine
from app.core.logs.phases import PhaseTracker, typical_durations
from app.core.logs.reader import read_lines
from app.core.texts import Text

NAME = Text(en="x", zh_CN="x")


def rules(*parts):
    return StartupFile(
        phase=tuple(PhaseRule(id=i, label=NAME, pattern=p, progress_group=g) for i, p, g in parts)
    )


THREE = rules(
    ("process", "boot", ""),
    ("load", r"load (?P<p>\S+)%", "p"),
    ("ready", "up", ""),
)
LEARNED = {"process": 2.0, "load": 10.0}


def said(text):
    return LogLine(text=text)


def test_llama_start_goes_through_all_phases(llama_startup):
    tracker = PhaseTracker(llama_startup)
    tracker.begin(100.0)

    for at_s, line in enumerate(read_lines([LLAMA_START]), start=101):
        tracker.feed(line, at_s)

    phases = tracker.phases()
    assert [phase.phase for phase in phases] == [
        "process",
        "weights",
        "kv_cache",
        "server",
        "ready",
    ]
    assert [phase.started_s for phase in phases] == [100, 103, 104, 105, 106]
    assert tracker.current is not None
    assert tracker.current.id == "ready"


def test_vllm_start_skips_nothing_and_reads_progress(vllm_startup):
    tracker = PhaseTracker(vllm_startup)
    tracker.begin(0.0)

    for at_s, line in enumerate(read_lines([VLLM_START]), start=1):
        tracker.feed(line, at_s)

    by_name = {phase.phase: phase for phase in tracker.phases()}
    assert all(phase.started_s is not None for phase in by_name.values())
    assert by_name["weights"].progress == 0.5
    assert by_name["graphs"].progress == 1.0


def test_recorded_starts_reach_the_last_phase(llama_startup, vllm_startup, shared_log):
    for startup, path in (
        (llama_startup, "lab/captures/llama-server-b10434/startup.log"),
        (vllm_startup, "lab/captures/vllm-0.32.0/startup.log"),
        (vllm_startup, "captures/h200-docker-vllm-0.26.0/v1.log"),
    ):
        tracker = PhaseTracker(startup)
        tracker.begin(0.0)
        for line in read_lines([shared_log(path)]):
            tracker.feed(line, float(line.number))
        starts = [p.started_s for p in tracker.phases() if p.started_s is not None]
        assert tracker.phases()[-1].started_s is not None, path
        assert starts == sorted(starts)


def test_phases_never_go_back():
    tracker = PhaseTracker(THREE)
    tracker.begin(0)
    tracker.feed(said("up"), 5)

    assert tracker.feed(said("load 1%"), 6) is False
    assert tracker.phases()[1].started_s is None


def test_phase_without_a_line_stays_unreached_and_the_one_before_lasts_longer():
    tracker = PhaseTracker(THREE)
    tracker.begin(0)
    tracker.feed(said("up"), 5)

    assert tracker.durations() == {"process": 5}


def test_nothing_is_known_before_the_beginning():
    tracker = PhaseTracker(THREE)

    assert tracker.current is None
    assert tracker.remaining_s(1) is None
    assert PhaseTracker(StartupFile()).phases() == ()


def test_rest_comes_from_an_earlier_start():
    tracker = PhaseTracker(THREE, learned=LEARNED)
    tracker.begin(0)

    assert tracker.remaining_s(1) == pytest.approx(11)


def test_phase_that_the_earlier_start_skipped_takes_no_time():
    tracker = PhaseTracker(THREE, learned={"load": 3.0})
    tracker.begin(0)

    assert tracker.remaining_s(1) == pytest.approx(3)


def test_rest_is_unknown_when_nothing_was_learned():
    tracker = PhaseTracker(THREE)
    tracker.begin(0)
    tracker.feed(said("load 25%"), 2)

    assert tracker.remaining_s(7) is None


def test_before_anything_was_learned_the_engines_data_tells_the_rest():
    rules = (
        replace(THREE.phase[0], typical_gpu_s=30.0, typical_cpu_s=20.0),
        replace(THREE.phase[1], typical_gpu_s=2.0),
        *THREE.phase[2:],
    )
    startup = replace(THREE, phase=rules)

    on_cpu = typical_durations(startup, on_cpu=True)
    on_gpu = typical_durations(startup, on_cpu=False)
    assert on_cpu == {rules[0].id: 20.0}
    assert sum(on_gpu.values()) == 32.0
    tracker = PhaseTracker(startup, learned=on_gpu)
    tracker.begin(0)
    assert tracker.remaining_s(10) == pytest.approx(22)
    assert typical_durations(THREE, on_cpu=True) == {}


def test_the_demo_hosts_starts_have_their_own_durations():
    rule = PhaseRule(
        id="load", label=NAME, pattern="x", typical_gpu_s=31.0, typical_simulated_s=2.5
    )
    startup = replace(THREE, phase=(rule,))

    assert typical_durations(startup, on_cpu=False, simulated=True) == {"load": 2.5}
    assert typical_durations(startup, on_cpu=False) == {"load": 31.0}


def test_a_late_phase_counts_as_nearly_over_not_as_negative():
    tracker = PhaseTracker(THREE, learned=LEARNED)
    tracker.begin(0)

    assert tracker.remaining_s(50) == pytest.approx(10)


def test_progress_tells_the_rest_of_its_phase():
    tracker = PhaseTracker(THREE, learned=LEARNED)
    tracker.begin(0)
    tracker.feed(said("load 25%"), 2)

    assert tracker.remaining_s(7) == pytest.approx(15)


def test_same_progress_is_no_change_and_nonsense_is_ignored():
    tracker = PhaseTracker(THREE)
    tracker.begin(0)

    assert tracker.feed(said("load 25%"), 2)
    assert not tracker.feed(said("load 25%"), 3)
    assert not tracker.feed(said("load xx%"), 3)
    assert not tracker.feed(said(""), 3)


def test_end_closes_the_phase_and_what_follows_is_ignored():
    tracker = PhaseTracker(THREE)
    tracker.begin(0)
    tracker.end(4)
    tracker.end(9)

    assert tracker.durations() == {"process": 4}
    assert not tracker.feed(said("up"), 10)
    assert tracker.remaining_s(5) is None


def test_beginning_again_forgets_the_start_before():
    tracker = PhaseTracker(THREE)
    tracker.begin(0)
    tracker.feed(said("up"), 5)
    tracker.begin(20)

    assert [phase.started_s for phase in tracker.phases()] == [20, None, None]
