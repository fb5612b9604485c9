"""The speed of a plan: what moves it, when it is unknown, when it was measured."""

import math
from dataclasses import replace

import pytest
from fakes.planning_world import catalogue, llama_70b, quantized, safetensors_model
from fakes.speed_cases import H200, speed_case
from hypothesis import given
from hypothesis import strategies as st

from app.core.models.request import EstimateOptions
from app.core.speed.estimate import SpeedMethod, estimate_speed
from app.core.speed.load import Load, load_of_goal
from app.core.speed.measured import MeasuredRun
from app.io.datafiles import data_root, load_speed

DATA = load_speed(data_root())
MODEL = safetensors_model()
EIGHT_B = speed_case(MODEL)
CHAT = Load(prompt_tokens=512, output_tokens=128, concurrency=8)


def speed(case=EIGHT_B, load=CHAT, runs=()):
    return estimate_speed(case, load, DATA, runs)


def run(**changes):
    fields = {
        "engine": "vllm",
        "engine_version": "0.26.0",
        "gpu": H200,
        "gpu_count": 1,
        "model": MODEL.name,
        "load": CHAT,
        "ttft_s": 0.08,
        "itl_s": 0.006,
        "output_tokens_per_s": 1200.0,
        "at": "2026-11-30T10:00:00Z",
        "source": "run 7",
    }
    return MeasuredRun(**{**fields, **changes})


def test_decoding_is_bound_by_the_bytes_of_the_weights():
    found = speed(load=replace(CHAT, concurrency=1))

    read_s = EIGHT_B.estimate.weights_bytes_per_gpu / 4.8e12
    assert read_s < found.itl_s.expected < 2 * read_s
    assert found.itl_s.low < found.itl_s.expected < found.itl_s.high
    assert found.notes[0].en == "roofline estimate, not measured here"
    assert found.samples == 18


def test_long_prompts_are_bound_by_computing():
    short = speed(load=Load(prompt_tokens=1000, output_tokens=10, concurrency=1))
    long = speed(load=Load(prompt_tokens=100_000, output_tokens=10, concurrency=1))

    assert long.ttft_s.expected > 90 * (short.ttft_s.expected - 0.0467)
    assert long.least.ttft_s < long.ttft_s.expected


def test_experts_that_no_token_chose_are_not_read():
    dense = speed(load=replace(CHAT, concurrency=1))
    arch = replace(
        MODEL.architecture,
        experts=64,
        experts_per_token=4,
        moe_intermediate_size=1024,
        intermediate_size=None,
    )
    sparse = speed_case(replace(MODEL, architecture=arch))
    few = speed(sparse, replace(CHAT, concurrency=1))
    many = speed(sparse, replace(CHAT, concurrency=64))

    assert sparse.estimate.weights_bytes_per_gpu > EIGHT_B.estimate.weights_bytes_per_gpu
    assert few.itl_s.expected < dense.itl_s.expected
    assert many.itl_s.expected > 1.5 * few.itl_s.expected


def test_a_sliding_window_reads_no_more_than_it_holds():
    arch = replace(MODEL.architecture, sliding_window=1024, sliding_layers=32)
    load = Load(prompt_tokens=100_000, output_tokens=100, concurrency=8)

    windowed = speed(speed_case(replace(MODEL, architecture=arch)), load)

    assert windowed.itl_s.expected < speed(load=load).itl_s.expected


def test_two_gpus_are_quicker_by_nvlink_than_over_pcie():
    options = EstimateOptions(tensor_parallel_size=2)
    model = llama_70b()
    load = Load(prompt_tokens=4096, output_tokens=128, concurrency=4)
    linked = speed(speed_case(model, options=options, is_nvlinked=True), load)
    apart = speed(speed_case(model, options=options, is_nvlinked=False), load)

    assert linked.ttft_s.expected < apart.ttft_s.expected
    assert linked.itl_s.expected < apart.itl_s.expected


def test_pipeline_stages_do_not_shorten_a_token_and_widen_the_band():
    two = speed_case(MODEL, options=EstimateOptions(pipeline_parallel_size=2))
    found = speed(two)

    assert found.itl_s.expected > speed().itl_s.expected
    assert any("Pipeline" in note.en for note in found.notes)
    assert found.itl_s.high / found.itl_s.expected > 1.5


def test_fp8_weights_are_read_and_computed_quicker():
    fp8 = speed(speed_case(quantized(MODEL, "fp8", bits=8)))

    assert fp8.itl_s.expected < speed().itl_s.expected
    assert fp8.ttft_s.expected < speed().ttft_s.expected


def test_without_cuda_graphs_the_engine_holds_the_gpu_up():
    eager = speed(replace(EIGHT_B, eager=True))

    assert eager.itl_s.expected > 2 * speed().itl_s.expected
    assert eager.ttft_s.expected > speed().ttft_s.expected


def test_other_gpus_versions_and_bursts_widen_the_band():
    def width(span):
        return span.high / span.low

    here = speed()
    l40s = speed(speed_case(MODEL, "NVIDIA L40S"))
    older = speed(replace(EIGHT_B, version="0.8.5"))
    burst = speed(load=replace(CHAT, concurrency=100))

    assert width(l40s.itl_s) > width(here.itl_s)
    assert width(older.itl_s) > width(here.itl_s)
    assert width(burst.output_tokens_per_s) > 2 * width(here.output_tokens_per_s)
    assert any("another GPU" in note.en for note in l40s.notes)
    assert any("other versions" in note.en for note in older.notes)
    assert any("at once" in note.en for note in burst.notes)


ENGINE = {"engine": "sglang", "engine_name": "SGLang"}
ON_CPU = replace(EIGHT_B.estimate, on_cpu=True)
NO_MEMORY = replace(EIGHT_B.estimate, weights_bytes_per_gpu=0)
ENCODER = replace(MODEL, architecture=replace(MODEL.architecture, is_encoder=True))


@pytest.mark.parametrize(
    ("case", "word"),
    [
        (replace(EIGHT_B, estimate=ON_CPU), "CPU"),
        (replace(EIGHT_B, gpu=None, gpu_name="NVIDIA X900"), "X900"),
        (replace(EIGHT_B, gpu_name="NVIDIA H200 MIG 1g.18gb"), "part of a GPU"),
        (replace(EIGHT_B, gpu=catalogue().match("Tesla P4")), "throughput"),
        (replace(EIGHT_B, in_main_memory=True), "main memory"),
        (replace(EIGHT_B, estimate=NO_MEMORY), "memory picture"),
        (replace(EIGHT_B, model=ENCODER), "no text"),
        (
            replace(EIGHT_B, tp=2, is_nvlinked=False, gpu=replace(EIGHT_B.gpu, pcie_gen=None)),
            "neighbours",
        ),
        (replace(EIGHT_B, **ENGINE), "SGLang"),
    ],
)
def test_what_is_not_known_is_said_and_never_a_number(case, word):
    found = speed(case)

    assert found.method is SpeedMethod.UNKNOWN
    assert word in found.reason.en
    assert found.reason.zh_CN
    assert (found.ttft_s, found.itl_s, found.output_tokens_per_s) == (None, None, None)


def test_an_engine_without_runs_still_has_what_the_hardware_allows():
    found = speed(replace(EIGHT_B, **ENGINE))

    assert found.least.itl_s == pytest.approx(
        EIGHT_B.estimate.weights_bytes_per_gpu / 4.8e12, rel=0.1
    )
    assert speed(replace(EIGHT_B, estimate=ON_CPU)).least is None


def test_measured_runs_take_the_roofs_place_and_are_named():
    runs = [run(), run(ttft_s=0.1, source="run 8"), run(model="other"), run(gpu_count=2)]

    found = speed(runs=runs)

    assert found.method is SpeedMethod.MEASURED
    assert found.samples == 2
    assert found.ttft_s.expected == pytest.approx(0.09)
    assert found.ttft_s.low <= 0.08
    assert found.ttft_s.high >= 0.1
    assert "run 7" in found.source
    assert "run 8" in found.notes[0].en


def test_runs_under_another_load_say_nothing():
    other = replace(CHAT, concurrency=64)

    assert speed(runs=[run(load=other)]).method is SpeedMethod.ROOFLINE


def test_measured_runs_speak_even_where_the_roofline_knows_nothing():
    cpu = replace(EIGHT_B, estimate=ON_CPU, gpu_name="CPU", gpu=None)

    assert speed(cpu, runs=[run(gpu="CPU")]).method is SpeedMethod.MEASURED


def test_a_goals_load_is_cut_to_the_context():
    long = load_of_goal("long-context", DATA.load, context=4096, concurrency=0)

    assert long == Load(prompt_tokens=3968, output_tokens=128, concurrency=1)
    asked = load_of_goal("latency", DATA.load, context=4096, concurrency=1, output_tokens=4000)
    assert (asked.prompt_tokens, asked.output_tokens) == (96, 4000)
    assert load_of_goal("quality", DATA.load, context=2, concurrency=4).prompt_tokens == 1


LOADS = st.builds(
    Load,
    prompt_tokens=st.integers(1, 200_000),
    output_tokens=st.integers(1, 8192),
    concurrency=st.integers(1, 512),
)


@given(load=LOADS, more=st.integers(1, 100_000))
def test_longer_prompts_and_more_requests_are_never_quicker(load, more):
    base = speed(load=load)
    longer = speed(load=replace(load, prompt_tokens=load.prompt_tokens + more))
    crowded = speed(load=replace(load, concurrency=load.concurrency + more % 64))

    for slower in (longer, crowded):
        assert slower.ttft_s.expected >= base.ttft_s.expected * (1 - 1e-9)
        assert slower.itl_s.expected >= base.itl_s.expected * (1 - 1e-9)
    assert longer.output_tokens_per_s.expected <= base.output_tokens_per_s.expected * (1 + 1e-9)


@given(load=LOADS, tp=st.sampled_from([1, 2, 4, 8]), eager=st.booleans())
def test_every_figure_is_finite_and_inside_its_band(load, tp, eager):
    options = EstimateOptions(tensor_parallel_size=tp)
    found = speed(replace(speed_case(MODEL, options=options), eager=eager), load)

    for span in (found.ttft_s, found.itl_s, found.output_tokens_per_s):
        assert 0 < span.low <= span.expected <= span.high
        assert math.isfinite(span.high)
    assert found.least.ttft_s <= found.ttft_s.expected
    assert found.least.itl_s <= found.itl_s.expected
