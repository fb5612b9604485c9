"""Where the time goes: our recordings of healthy and of crowded engines, and made-up extremes.

Recorded: tests/recorded/slow (see its README) and the demo host's GPUs. Made up: everything that
is built by `window` and `gpu` below.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from app.core.diagnosis.finding import Confidence
from app.core.hardware.fingerprint import Gpu
from app.core.slow.breakdown import NONE_ENDED, Place
from app.core.slow.explain import Seen, SlowReport, SlowVerdict, explain
from app.core.slow.facts import ClientTiming, HostLoad, Planned
from app.core.slow.readings import EngineReading, read_engine, window_of
from app.core.slow.spec import Figure
from app.io.datafiles import data_root, load_causes, load_slow
from app.io.prometheus import read_prometheus

RECORDED = Path(__file__).parents[3] / "recorded" / "slow"
QWEN = "vllm-0.26.0-h200-00-qwen2.5-7b"
HEALTHY = sorted(RECORDED.glob("vllm-0.26.0-h200-*-after.prom"))


@pytest.fixture(scope="module")
def rules():
    return load_slow(data_root())


@pytest.fixture(scope="module")
def causes():
    return load_causes(data_root())


@pytest.fixture
def look(rules):
    def read(name: str | Path, at_s: float, engine: str = "vllm") -> EngineReading:
        file = name if isinstance(name, Path) else RECORDED / f"{name}.prom"
        sources = [source for source in rules.figures if source.engine == engine]
        return read_engine(at_s, read_prometheus(file.read_text()), sources)

    return read


@pytest.fixture
def answer(rules, causes):
    def say(*readings: EngineReading, engine: str = "vllm", **seen) -> SlowReport:
        return explain(Seen(engine=engine, readings=readings, **seen), rules, causes)

    return say


def found(report: SlowReport) -> list[str]:
    return [finding.rule for finding in report.findings]


def gpu(**values) -> Gpu:
    base = Gpu(
        index=0,
        utilization_percent=95,
        temperature_c=60,
        throttle_reasons=(),
        clock_sm_mhz=1900,
        clock_sm_max_mhz=1980,
        pcie_gen_current=5,
        pcie_gen_max=5,
        pcie_width_current=16,
        pcie_width_max=16,
    )
    return replace(base, **values)


def made_up(added=None, gauges=None, seconds: float = 10.0) -> tuple[EngineReading, EngineReading]:
    """Two looks at an engine of which nothing else is known."""
    counters = {Figure(name): value for name, value in (added or {}).items()}
    levels = {Figure(name): value for name, value in (gauges or {}).items()}
    names = dict.fromkeys([*counters, *levels], "made_up")

    def reading(at_s: float, share: float) -> EngineReading:
        values = {**{f: v * share for f, v in counters.items()}, **levels}
        return EngineReading(at_s=at_s, values=values, counters=frozenset(counters), names=names)

    return reading(0.0, 0.0), reading(seconds, 1.0)


# Healthy


@pytest.mark.parametrize("file", HEALTHY, ids=lambda file: file.stem)
def test_healthy_engine_under_load_is_not_called_slow(look, answer, file):
    report = answer(look(Path(str(file).replace("-after", "-before")), 0), look(file, 30))

    assert found(report) == []
    assert report.verdict is SlowVerdict.NOTHING_SLOW


def test_breakdown_adds_up_to_the_latency_the_server_counted(look, answer):
    report = answer(
        look(f"{QWEN}-before", 0),
        look(f"{QWEN}-after", 30),
    )

    assert report.breakdown is not None
    parts = {part.place: part for part in report.breakdown.parts}
    assert report.breakdown.requests == 488
    assert report.breakdown.e2e_s == pytest.approx(1.312, abs=0.001)
    assert parts[Place.QUEUE].share == pytest.approx(0.033, abs=0.001)
    assert parts[Place.PREFILL].share == pytest.approx(0.171, abs=0.001)
    assert parts[Place.DECODE].share == pytest.approx(0.648, abs=0.001)
    assert sum(part.seconds or 0 for part in report.breakdown.parts) == pytest.approx(
        report.breakdown.e2e_s
    )


def test_idle_engine_says_nothing_of_speed(look, answer):
    report = answer(look(f"{QWEN}-before", 0), look(f"{QWEN}-before", 30))

    assert report.verdict is SlowVerdict.IDLE
    assert found(report) == []
    assert report.breakdown is not None
    assert report.breakdown.parts[0].reason == NONE_ENDED


def test_one_look_or_none_is_no_answer(look, answer):
    assert answer().verdict is SlowVerdict.NOT_KNOWN
    assert answer(look("vllm-0.32.0-cpu-after", 0)).verdict is SlowVerdict.NOT_KNOWN


def test_counters_that_fell_make_no_window(look, answer):
    report = answer(look("vllm-0.32.0-cpu-after", 0), look("vllm-0.32.0-cpu-before", 30))

    assert report.verdict is SlowVerdict.NOT_KNOWN


# Crowded


def test_queue_is_named_with_its_share(look, answer):
    report = answer(look("vllm-0.32.0-cpu-before", 0), look("vllm-0.32.0-cpu-after", 20))

    assert found(report)[0] == "queue-share"
    finding = report.findings[0]
    assert finding.cause == "slow_queue"
    assert finding.confidence is Confidence.HIGH
    assert finding.evidence[0].text == "queue 0.53 s / E2E 1.64 s = 33 % · n = 15 · Δt = 20 s"


def test_preemption_explains_the_queue_behind_it(look, answer):
    report = answer(look("vllm-0.32.0-cpu-preempting", 0), look("vllm-0.32.0-cpu-preempting-2", 5))

    assert found(report) == ["preemption"]
    texts = [item.text for item in report.findings[0].evidence]
    assert texts[0] == "preemptions +7 · Δt = 5 s"
    assert texts[1].startswith("KV 91 … 100 %")
    change = report.findings[0].change
    assert change is not None
    assert change.parameters[0].parameter == "max_num_seqs"


def test_engine_without_times_still_shows_its_queue(look, answer):
    during = look("llama-server-b10434-during", 0, "llamacpp")
    later = replace(during, at_s=5.0)

    report = answer(during, later, engine="llamacpp")

    assert found(report) == ["queue-standing"]
    assert "2" in report.findings[0].title.en


def test_what_an_engine_does_not_expose_stays_unknown_with_the_reason(look, answer):
    report = answer(
        look("llama-server-b10434-before", 0, "llamacpp"),
        look("llama-server-b10434-after", 10, "llamacpp"),
        engine="llamacpp",
    )

    assert report.verdict is SlowVerdict.NOTHING_SLOW
    assert report.breakdown is not None
    assert report.breakdown.e2e_s is None
    assert report.breakdown.itl_s == pytest.approx(0.00171, abs=1e-5)
    for part in report.breakdown.parts:
        assert part.seconds is None
        assert part.reason is not None
        assert "llama.cpp" in part.reason.en


def test_engine_without_any_metrics_is_not_known(answer):
    empty = EngineReading(at_s=0, values={}, counters=frozenset(), names={})

    report = answer(empty, replace(empty, at_s=10), engine="ollama")

    assert report.verdict is SlowVerdict.NOT_KNOWN


@pytest.mark.parametrize(
    ("added", "gauges", "rule"),
    [
        ({}, {"kv_percent": 97, "waiting": 3, "running": 40}, "kv-full"),
        (
            {
                "requests": 10,
                "e2e_s": 20,
                "queue_s": 0.1,
                "prefill_s": 14,
                "decode_s": 5,
                "prompt_tokens": 80_000,
            },
            {},
            "prefill-share",
        ),
        (
            {
                "requests": 10,
                "e2e_s": 20,
                "queue_s": 0.1,
                "prefill_s": 14,
                "decode_s": 5,
                "prompt_tokens": 80_000,
                "cache_asked": 80_000,
                "cache_hit": 900,
            },
            {},
            "cold-cache",
        ),
        ({"itl_s": 60, "itl_count": 300, "output_tokens": 300}, {}, "decode-slow"),
        (
            {"requests": 10, "e2e_s": 20, "queue_s": 0.1, "prefill_s": 2, "decode_s": 8},
            {},
            "server-share",
        ),
        (
            {
                "requests": 10,
                "e2e_s": 20,
                "queue_s": 0.1,
                "prefill_s": 2,
                "decode_s": 8,
                "server_cpu_s": 9.4,
            },
            {},
            "server-process-full",
        ),
    ],
)
def test_each_place_of_time_is_named_alone(answer, added, gauges, rule):
    report = answer(*made_up(added, gauges))

    assert found(report) == [rule]
    assert report.findings[0].evidence


def test_warm_cache_and_short_prompts_are_not_called_cold(answer):
    base = {"requests": 10, "e2e_s": 20, "queue_s": 0.1, "prefill_s": 9, "decode_s": 10}
    warm = base | {"prompt_tokens": 80_000, "cache_asked": 80_000, "cache_hit": 60_000}
    short = base | {"prompt_tokens": 800, "cache_asked": 800, "cache_hit": 0}

    assert found(answer(*made_up(warm))) == []
    assert found(answer(*made_up(short))) == []


# The host


def test_overloaded_processors_hold_up_an_idle_gpu_only(answer):
    looks = made_up({"output_tokens": 50, "itl_s": 1, "itl_count": 50})
    host = HostLoad(load=30.0, threads=16)

    resting = answer(*looks, host=host, gpus=(gpu(utilization_percent=20),) * 3)
    working = answer(*looks, host=host, gpus=(gpu(),) * 3)

    on_processors = answer(*looks, host=HostLoad(load=40, threads=16), planned=Planned(gpu_count=0))
    unknown = answer(*looks, host=host)

    assert found(resting) == ["host-processors-full"]
    assert found(working) == []
    assert found(on_processors) == ["host-processors-shared"]
    assert found(unknown) == []


def test_heat_is_told_from_a_power_draw_at_the_limit(answer):
    looks = made_up({"output_tokens": 50, "itl_s": 1, "itl_count": 50})
    hot = gpu(throttle_reasons=("hw_slowdown", "hw_thermal_slowdown"), temperature_c=92)
    capped = gpu(throttle_reasons=("sw_power_cap",), power_limit_w=700, power_default_w=700)
    lowered = gpu(throttle_reasons=("sw_power_cap",), power_limit_w=400, power_default_w=700)
    braked = gpu(throttle_reasons=("hw_power_brake_slowdown",))

    assert found(answer(*looks, gpus=(hot,) * 4)) == ["throttled-hot"]
    assert found(answer(*looks, gpus=(capped,) * 4)) == []
    assert found(answer(*looks, gpus=(lowered,) * 4)) == ["power-limit-lowered"]
    assert found(answer(*looks, gpus=(braked,) * 4)) == ["throttled-power-brake"]


def test_pcie_is_judged_under_load_only(answer):
    looks = made_up({"output_tokens": 50, "itl_s": 1, "itl_count": 50})
    slow = gpu(pcie_gen_current=1)

    at_rest = answer(*looks, gpus=(replace(slow, utilization_percent=0),) * 4)
    report = answer(*looks, gpus=(slow,) * 4)

    assert found(at_rest) == []
    assert found(report) == ["pcie-downgraded"]
    assert "gen 1 ×16" in report.findings[0].title.en


def test_unknown_values_of_a_gpu_raise_nothing(answer):
    looks = made_up({"output_tokens": 50, "itl_s": 1, "itl_count": 50})

    assert found(answer(*looks, gpus=(Gpu(index=0),) * 4)) == []
    assert found(answer(*looks, gpus=(gpu(throttle_reasons=None, pcie_gen_max=None),) * 4)) == []


# The client


def test_stream_that_arrives_at_once_was_held_back(answer):
    looks = made_up({"output_tokens": 50, "itl_s": 1, "itl_count": 50})
    client = ClientTiming(ttft_s=2.9, total_s=3.0, tokens=50, server_ttft_s=0.05)

    report = answer(*looks, client=client)

    assert found(report) == ["held-back-to-the-end"]
    assert "50 ms" in report.findings[0].explanation.en


def test_time_outside_the_server_is_told_from_the_servers_own(answer):
    looks = made_up({"output_tokens": 50, "itl_s": 1, "itl_count": 50})
    far = ClientTiming(ttft_s=0.8, total_s=3.0, tokens=50, server_ttft_s=0.1)
    own = ClientTiming(ttft_s=0.8, total_s=3.0, tokens=50, server_ttft_s=0.75)
    unknown = ClientTiming(ttft_s=0.8, total_s=3.0, tokens=50)

    assert found(answer(*looks, client=far)) == ["outside-server"]
    assert found(answer(*looks, client=own)) == []
    assert found(answer(*looks, client=unknown)) == []


def test_costly_connections_are_named(answer):
    looks = made_up({"output_tokens": 50, "itl_s": 1, "itl_count": 50})
    client = ClientTiming(ttft_s=0.5, total_s=3.0, tokens=50, connect_s=0.4, server_ttft_s=0.05)

    assert found(answer(*looks, client=client)) == ["new-connections"]


def test_client_that_got_no_text_says_nothing_of_the_first(answer):
    looks = made_up({"output_tokens": 50, "itl_s": 1, "itl_count": 50})

    report = answer(*looks, client=ClientTiming(ttft_s=None, total_s=3.0, tokens=0))

    assert found(report) == []


# The data


def test_words_are_whole_in_both_languages_when_every_figure_is_known(look, answer):
    report = answer(look("vllm-0.32.0-cpu-before", 0), look("vllm-0.32.0-cpu-after", 20))

    for finding in report.findings:
        for text in (finding.title, finding.explanation, *finding.remedy):
            assert text.en
            assert text.zh_CN
            assert "{" not in text.en + text.zh_CN
            assert "?" not in text.en


def test_sentence_with_an_unknown_figure_shows_a_question_mark(answer):
    hot = gpu(throttle_reasons=("hw_thermal_slowdown",), temperature_c=None)

    report = answer(*made_up({"output_tokens": 1}), gpus=(hot,) * 3)

    assert "(? °C)" in report.findings[0].title.en
    assert all("?" not in item.text for item in report.findings[0].evidence)


def test_window_needs_time_between_looks():
    first, last = made_up({"output_tokens": 1})

    assert window_of((first,)) is None
    assert window_of((first, replace(last, at_s=first.at_s))) is None
