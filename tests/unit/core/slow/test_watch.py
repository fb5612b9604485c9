"""Trouble over time: made-up looks on a made-up clock, and our recordings, which stay quiet."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.fingerprint import Gpu, HostSource
from app.core.hardware.recording import sections_from_recording
from app.core.ids import HostId
from app.core.logs.line import LogLine
from app.core.slow.alerts import KEPT, QUIET_S, AlertBook, AlertKey, of_deployment
from app.core.slow.creep import Creep, creep_facts
from app.core.slow.explain import judge, sign_finding
from app.core.slow.facts import HostLoad, Planned, host_facts, plan_facts
from app.core.slow.readings import EngineReading, read_engine
from app.core.slow.signs import SignReader
from app.core.slow.spec import Figure, Use
from app.core.slow.tracks import EngineTrack, GpuTrack, MemoryTrack
from app.io.datafiles import data_root, load_causes, load_slow
from app.io.prometheus import read_prometheus

ROOT = Path(__file__).parents[4]
RECORDED = ROOT / "tests" / "recorded"


@pytest.fixture(scope="module")
def rules():
    return load_slow(data_root())


@pytest.fixture(scope="module")
def causes():
    return load_causes(data_root())


@pytest.fixture
def names(rules, causes):
    def judged(facts) -> list[str]:
        return [j.finding.rule for j in judge(facts, rules.of(Use.WATCH), causes)]

    return judged


def gpu(**values) -> Gpu:
    base = Gpu(
        index=1,
        utilization_percent=90,
        temperature_c=70,
        throttle_reasons=(),
        clock_sm_mhz=1900,
        clock_sm_max_mhz=1980,
        memory_used_mib=40_000,
        ecc_uncorrected_volatile=2,
    )
    return replace(base, **values)


def engine(at_s: float, **values) -> EngineReading:
    figures = {Figure(name): float(value) for name, value in values.items()}
    counters = frozenset(figures) & {Figure.PREEMPTIONS, Figure.REQUESTS, Figure.OUTPUT_TOKENS}
    return EngineReading(at_s=at_s, values=figures, counters=counters, names={})


# GPUs


@pytest.mark.parametrize("state", ["idle", "busy"])
def test_our_h200_host_raises_no_alarm_at_rest_and_at_full_load(names, state):
    folder = ROOT / "resources/demo/h200-x2" / state
    files = {file.name: file.read_text() for file in folder.iterdir()}
    fingerprint = assemble_fingerprint(
        sections_from_recording(files),
        source=HostSource.RECORDED,
        taken_at="2026-11-29T19:22:33Z",
    )
    assert len(fingerprint.gpus) == 2
    for recorded in fingerprint.gpus:
        track = GpuTrack()
        for look in range(40):
            assert names(track.look(look * 30.0, recorded)) == []


def test_heat_is_an_alarm_only_when_it_lasts(names):
    track = GpuTrack()
    hot = gpu(throttle_reasons=("sw_thermal_slowdown",), temperature_c=91)

    told = [names(track.look(at, hot if at in {30, 60, 90} else gpu())) for at in range(0, 150, 30)]

    assert told[:3] == [[], [], ["watch-hot"]]


def test_alarm_of_heat_ends_a_quarter_of_an_hour_later(names):
    track = GpuTrack()
    for at in range(0, 120, 30):
        track.look(at, gpu(throttle_reasons=("hw_thermal_slowdown",)))

    told = [names(track.look(at, gpu())) for at in range(120, 1200, 30)]

    assert told[0] == ["watch-hot"]
    assert told[-1] == []


def test_gap_in_the_watch_counts_for_nothing(names):
    track = GpuTrack()
    hot = gpu(throttle_reasons=("hw_thermal_slowdown",))
    track.look(0, hot)

    assert names(track.look(3600, hot)) == []


def test_power_brake_is_told_from_a_power_limit(names):
    braked, limited = GpuTrack(), GpuTrack()
    for at in range(0, 120, 30):
        brake = braked.look(at, gpu(throttle_reasons=("hw_power_brake_slowdown",)))
        limit = limited.look(at, gpu(throttle_reasons=("sw_power_cap",)))

    assert names(brake) == ["watch-power-brake"]
    assert names(limit) == []


def test_old_memory_errors_are_no_news_but_new_ones_are(names):
    track = GpuTrack()

    assert names(track.look(0, gpu())) == []
    assert names(track.look(30, gpu(ecc_uncorrected_volatile=3))) == ["watch-ecc"]


def test_counter_that_was_reset_is_no_memory_error(names):
    track = GpuTrack()
    track.look(0, gpu(ecc_uncorrected_volatile=9))

    assert names(track.look(30, gpu(ecc_uncorrected_volatile=0))) == []
    assert names(track.look(60, gpu(ecc_uncorrected_volatile=1))) == ["watch-ecc"]


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ({"remapped_rows_pending": True}, "watch-remap"),
        ({"remapped_rows_failure": True}, "watch-remap-failed"),
        ({"recovery_action": "Reset"}, "watch-recovery"),
    ],
)
def test_what_the_driver_asks_for_is_said(names, values, rule):
    quiet = dict.fromkeys(values, False) if "recovery_action" not in values else {}

    assert names(GpuTrack().look(0, gpu(**values))) == [rule]
    assert names(GpuTrack().look(0, gpu(**quiet))) == []


def test_fabric_that_does_not_come_up_is_an_alarm_after_five_minutes(names):
    waiting, failed, fine = GpuTrack(), GpuTrack(), GpuTrack()
    told = []
    for at in range(0, 420, 60):
        told.append(names(waiting.look(at, gpu(fabric_state="In Progress"))))
        broken = failed.look(at, gpu(fabric_state="Completed", fabric_status="Insufficient"))
        whole = fine.look(at, gpu(fabric_state="Completed", fabric_status="Success"))

    assert told[3] == []
    assert told[-1] == ["watch-fabric"]
    assert names(broken) == ["watch-fabric-failed"]
    assert names(whole) == []


def test_slow_pcie_under_load_needs_several_samples(names):
    slow = gpu(pcie_gen_current=3, pcie_gen_max=5, pcie_width_current=16, pcie_width_max=16)
    track = GpuTrack()

    told = [names(track.look(at, slow)) for at in (0, 30, 60)]

    assert told == [[], [], ["pcie-downgraded"]]


# Engines


def test_healthy_and_idle_engines_raise_no_alarm_for_hours(names, rules):
    text = (RECORDED / "slow/vllm-0.26.0-h200-00-qwen2.5-7b-after.prom").read_text()
    sources = [source for source in rules.figures if source.engine == "vllm"]
    track, first = EngineTrack("vllm"), read_engine(0.0, read_prometheus(text), sources)
    for look in range(700):
        reading = replace(first, at_s=look * 15.0)
        assert names(track.look(reading, (gpu(utilization_percent=0),), rules)) == []


def test_preemptions_are_an_alarm_when_they_go_on(names, rules):
    burst, steady = EngineTrack("vllm"), EngineTrack("vllm")
    for look in range(20):
        once = engine(look * 15, preemptions=min(look, 1), kv_percent=80, waiting=0, running=4)
        often = engine(look * 15, preemptions=look, kv_percent=99, waiting=4, running=4)
        told_once = names(burst.look(once, None, rules))
        told_often = names(steady.look(often, None, rules))

    assert told_once == []
    assert told_often == ["watch-preempting"]


def test_full_kv_cache_alone_is_fine_without_a_queue(names, rules):
    alone, waited = EngineTrack("vllm"), EngineTrack("vllm")
    for look in range(30):
        told_alone = names(alone.look(engine(look * 15, kv_percent=99, waiting=0), None, rules))
        told_waited = names(waited.look(engine(look * 15, kv_percent=99, waiting=2), None, rules))

    assert told_alone == []
    assert told_waited == ["watch-kv-limit"]


def test_work_without_a_gpu_is_told_from_a_pause_between_tokens(names, rules):
    track, pause = EngineTrack("llamacpp"), EngineTrack("llamacpp")
    empty = gpu(utilization_percent=0, memory_used_mib=300)
    for look in range(6):
        told = names(track.look(engine(look * 15, running=1), (empty,), rules))
        rest = gpu(utilization_percent=0 if look % 2 else 70)
        told_pause = names(pause.look(engine(look * 15, running=1), (rest,), rules))

    assert told == ["watch-without-gpu"]
    assert told_pause == []


def test_engine_on_the_processor_by_plan_is_no_fallback(names, rules):
    track = EngineTrack("llamacpp")
    for look in range(10):
        told = names(track.look(engine(look * 15, running=1), (), rules))

    assert told == []


def test_gpu_memory_that_vanishes_under_a_running_container_is_an_alarm(names, rules):
    track = EngineTrack("vllm")
    for look in range(12):
        used = 40_000 if look < 4 else 10
        facts = track.look(
            engine(look * 15, running=1),
            (gpu(memory_used_mib=used, utilization_percent=0),),
            rules,
        )

    assert names(facts) == ["watch-gpu-lost"]


def test_restarted_engine_begins_anew(names, rules):
    track = EngineTrack("vllm")
    full = (gpu(memory_used_mib=40_000),)
    for look in range(4):
        track.look(engine(look * 15, requests=10 + look), full, rules)
    told = []
    for look in range(4, 10):
        loading = (gpu(memory_used_mib=10, utilization_percent=0),)
        told += names(track.look(engine(look * 15, requests=0), loading, rules))

    assert told == []


def test_unknown_memory_of_a_gpu_says_nothing(names, rules):
    track = EngineTrack("vllm")
    for look in range(10):
        unknown = (gpu(memory_used_mib=None, utilization_percent=None),)
        assert names(track.look(engine(look * 15, running=1), unknown, rules)) == []


# Creep


def hours(shape, *, length_h: float = 10.0) -> dict:
    creep = Creep()
    for minute in range(int(length_h * 60)):
        creep.add(minute * 60.0, shape(minute / 60))
    return creep_facts(creep.slope, total=80_000.0) | {"gpu_process": True, "pid": 77}


def test_steady_rise_over_hours_is_named_with_the_time_left(names):
    facts = hours(lambda h: 40_000 + 400 * h)

    assert names(facts) == ["watch-gpu-memory-creep"]
    assert facts["creep_mib_per_h"] == pytest.approx(400, rel=0.01)
    assert facts["creep_hours_left"] == pytest.approx(90, rel=0.02)


@pytest.mark.parametrize(
    "shape",
    [
        lambda _h: 40_000.0,
        lambda h: 40_000.0 if h < 5 else 46_000.0,  # one step
        lambda h: 40_000 + 3_000 * ((h * 2) % 1),  # a sawtooth
        lambda h: 40_000 + min(h, 0.5) * 20_000,  # warm-up only
        lambda h: 40_000 + 5 * h,  # too little to matter
    ],
    ids=["flat", "step", "sawtooth", "warm-up", "little"],
)
def test_what_does_not_creep_raises_no_alarm(names, shape):
    assert names(hours(shape)) == []


def test_creep_needs_three_hours_after_the_warm_up(names):
    assert names(hours(lambda h: 40_000 + 400 * h, length_h=3)) == []


def test_rise_with_a_few_dips_is_still_one(names):
    facts = hours(lambda h: 40_000 + 400 * h - (3_000 if int(h * 60) % 97 == 0 else 0))

    assert names(facts) == ["watch-gpu-memory-creep"]


def test_server_process_that_grows_is_named_by_its_main_memory(names, rules):
    track = EngineTrack("vllm")
    for look in range(6 * 60):
        bytes_used = (600 + look * 2) * 2**20
        facts = track.look(
            engine(look * 60, server_memory_bytes=bytes_used, running=0), None, rules
        )

    assert names(facts) == ["watch-server-memory-creep"]


def test_process_that_is_gone_is_forgotten():
    track = MemoryTrack()
    for minute in range(400):
        facts = track.look(minute * 60, "a", 1000 + minute * 5, 80_000)
    assert facts["creep_hours"] > 3

    track.keep_only(["b"])

    assert track.look(400 * 60, "a", 3000, 80_000) == {}


# Log


def line(text: str, number: int = 1) -> LogLine:
    return LogLine(text=text, raw=text, at=f"2026-11-30T00:00:{number:02d}Z", number=number)


@pytest.mark.parametrize(
    ("engine_id", "text", "rule"),
    [
        ("vllm", "Failed to initialize NVML: Unknown Error", "sign-nvml-lost"),
        (
            "ollama",
            'level=INFO source=types.go:60 msg="inference compute" library=cpu',
            "sign-ollama-cpu",
        ),
        ("llamacpp", "load_tensors: offloaded 0/29 layers to GPU", "sign-no-layer-on-gpu"),
        ("ollama", "load_tensors: offloaded 9/29 layers to GPU", "sign-some-layers-on-gpu"),
        (
            "vllm",
            "Your GPU does not have native support for FP8 computation but",
            "sign-fp8-weight-only",
        ),
        (
            "lmdeploy",
            "Fallback to pytorch engine because `/m` not supported by turbomind engine.",
            "sign-turbomind-left",
        ),
    ],
)
def test_engine_that_says_it_became_slower_is_heard(rules, causes, engine_id, text, rule):
    reader = SignReader(rules.signs, engine_id, causes)

    found = reader.read([line(text)], plan_facts(Planned(gpu_count=1)))

    assert [sign.id for sign, _ in found] == [rule]
    assert found[0][1].finding.evidence[0].text == text


@pytest.mark.parametrize(
    ("engine_id", "text", "gpus"),
    [
        ("llamacpp", "load_tensors: offloaded 29/29 layers to GPU", 1),
        ("llamacpp", "load_tensors: offloaded 0/29 layers to GPU", 0),
        ("ollama", 'msg="inference compute" id=GPU-1 library=cuda compute=9.0', 1),
        ("ollama", 'msg="inference compute" id=cpu library=cpu', 0),
        ("vllm", "Using FLASH_ATTN attention backend out of potential backends", 1),
    ],
)
def test_near_misses_say_nothing(rules, causes, engine_id, text, gpus):
    reader = SignReader(rules.signs, engine_id, causes)

    assert reader.read([line(text)], plan_facts(Planned(gpu_count=gpus))) == ()


def test_line_that_is_read_twice_counts_once(rules, causes):
    reader = SignReader(rules.signs, "vllm", causes)
    lost = line("Failed to initialize NVML: Unknown Error")

    assert len(reader.read([lost], {})) == 1
    assert reader.read([lost], {}) == ()
    assert len(reader.read([replace(lost, at="2026-11-30T01:00:00Z")], {})) == 1


def test_recorded_logs_of_engines_that_serve_hold_no_sign(rules, causes):
    logs = sorted((RECORDED / "failures").glob("*.log"))
    assert logs
    for log in logs:
        reader = SignReader(rules.signs, "vllm" if "vllm" in log.name else "llamacpp", causes)
        lines = [line(text, 1) for text in log.read_text(errors="replace").splitlines()]
        assert reader.read(lines, {"gpu_count": 1}) == (), log.name


# Host


@pytest.mark.parametrize(
    ("severity", "code", "rule"),
    [("fail", 119, "watch-xid"), ("warn", 31, "watch-xid-warn"), ("fail", 79, "watch-xid-off-bus")],
)
def test_xid_is_named_with_what_to_do(names, severity, code, rule):
    facts = {
        "xid": code,
        "xid_severity": severity,
        "xid_line": "NVRM: Xid …",
        "xid_meaning": "m",
        "xid_meaning_zh": "m",
        "xid_action": "a",
        "xid_action_zh": "a",
    }

    assert names(facts) == [rule]
    assert names(facts | {"xid_severity": None, "xid": 45}) == []


def test_clock_that_is_off_is_said(names):
    assert names(host_facts(HostLoad(clock_offset_s=-95.0))) == ["watch-clock"]
    assert names(host_facts(HostLoad(clock_offset_s=1.5, load=90, threads=4))) == []


# The list


@pytest.fixture
def judged(rules, causes):
    found = sign_finding(rules.signs[0], "Failed to initialize NVML", {}, causes)
    assert found is not None
    return found


def key(rule: str = "r", deployment: str = "d") -> AlertKey:
    return AlertKey(host_id=HostId("h"), rule=rule, deployment=deployment)


def test_alert_is_news_once_and_keeps_when_it_began(judged):
    book = AlertBook()

    first = book.see(key(), judged, 10.0, host_name="h")
    second = book.see(key(), judged, 20.0, host_name="h")

    assert first is not None
    assert first.subject == "h/d"
    assert second is None
    (alert,) = book.all()
    assert (alert.first_s, alert.last_s, alert.count) == (10.0, 20.0, 1)


def test_alert_that_ended_and_came_back_counts_again(judged):
    book = AlertBook()
    book.see(key(), judged, 0.0, host_name="h")

    (over,) = book.quiet_down(QUIET_S + 1)
    assert not over.is_active
    assert of_deployment(book.all(), HostId("h"), "d") == ()
    assert book.quiet_down(QUIET_S + 2) == ()
    again = book.see(key(), judged, QUIET_S + 60, host_name="h")

    assert again is not None
    assert (again.count, again.first_s) == (2, 0.0)
    assert of_deployment(book.all(), HostId("h"), "d") == (again,)


def test_single_happenings_each_count(judged):
    book = AlertBook()
    book.see(key(), judged, 0.0, host_name="h", again=True)
    again = book.see(key(), judged, 1.0, host_name="h", again=True)

    assert again is not None
    assert again.count == 2


def test_list_is_bounded_and_loses_the_oldest_first(judged):
    book = AlertBook()
    for number in range(KEPT + 5):
        book.see(key(str(number)), judged, float(number), host_name="h")

    assert len(book.all()) == KEPT
    assert book.all()[0].key.rule == str(KEPT + 4)
    assert book.all()[-1].key.rule == "5"


def test_deployment_and_host_that_are_gone_take_their_alerts_along(judged):
    book = AlertBook()
    for deployment in ("a", "b", ""):
        book.see(key(deployment=deployment), judged, 0.0, host_name="h")

    book.drop(HostId("h"), "a")
    assert {a.key.deployment for a in book.all()} == {"b", ""}
    assert {a.subject for a in book.all()} == {"h/b", "h"}
    book.drop(HostId("h"))
    assert book.all() == ()
