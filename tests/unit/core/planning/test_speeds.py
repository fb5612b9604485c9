"""Plans say how fast they may be, and which limit of the goal they cannot meet."""

from fakes.planning_world import (
    catalogue,
    cpu_host,
    engines,
    gguf_model,
    gpu_host,
    llama_70b,
    plan,
    safetensors_model,
)

from app.core.planning.plan import Goal, GoalKind
from app.core.planning.speeds import SpeedKnowledge, with_speeds
from app.core.speed.estimate import SpeedMethod
from app.io.datafiles import data_root, load_speed


def plans(host, model, goal=None):
    known = SpeedKnowledge(data=load_speed(data_root()), catalogue=catalogue(), engines=engines())
    result = with_speeds(plan(host, model, goal), fingerprint=host, model=model, known=known)
    return {entry.engine: entry for entry in result.ranked}


def codes(entry):
    return {advice.code for advice in entry.advice}


def test_a_plan_for_a_known_gpu_has_its_speed():
    found = plans(gpu_host(), safetensors_model(), Goal(kind=GoalKind.LATENCY))

    speed = found["vllm"].speed
    assert speed.method is SpeedMethod.ROOFLINE
    assert speed.load.concurrency == found["vllm"].parameters.concurrency
    assert found["sglang"].speed.method is SpeedMethod.UNKNOWN
    assert "SGLang" in found["sglang"].speed.reason.en


def test_a_limit_that_no_engine_can_meet_is_said_of_each():
    found = plans(gpu_host(), safetensors_model(), Goal(ttft_s=0.001, itl_s=0.0005))

    for entry in (found["vllm"], found["sglang"]):
        assert {"ttft_out_of_reach", "itl_out_of_reach"} <= codes(entry)
        assert "1 ms" in next(a.text.en for a in entry.advice if a.code == "ttft_out_of_reach")


def test_a_limit_that_is_met_is_not_spoken_of():
    found = plans(gpu_host(), safetensors_model(), Goal(ttft_s=10.0, itl_s=1.0))

    assert not any(code.endswith(("_out_of_reach", "_doubtful")) for code in codes(found["vllm"]))
    assert "ttft_not_predicted" not in codes(found["vllm"])
    assert "ttft_not_predicted" in codes(found["sglang"])


def test_a_limit_inside_the_band_is_doubtful():
    host, model = gpu_host(), safetensors_model()
    itl = plans(host, model, Goal(concurrency=1))["vllm"].speed.itl_s
    goal = Goal(concurrency=1, itl_s=(itl.low + itl.expected) / 2)

    assert "itl_doubtful" in codes(plans(host, model, goal)["vllm"])


def test_the_concurrency_asked_for_counts_for_its_limits():
    host, model = gpu_host(), safetensors_model()
    alone = plans(host, model, Goal(concurrency=1, ttft_s=0.5))["vllm"]
    crowd = plans(host, model, Goal(concurrency=64, ttft_s=0.5))["vllm"]

    assert "ttft_out_of_reach" not in codes(alone)
    assert "ttft_out_of_reach" in codes(crowd)


def test_gpus_without_a_link_of_their_own_are_slower():
    pair = gpu_host(count=2, islands=((0, 1),))
    apart = gpu_host(count=2)

    assert (
        plans(pair, llama_70b())["vllm"].speed.ttft_s.expected
        < plans(apart, llama_70b())["vllm"].speed.ttft_s.expected
    )


def test_a_cpu_has_no_speed_but_a_reason():
    (entry, *_) = plans(cpu_host(), gguf_model()).values()

    assert entry.speed.method is SpeedMethod.UNKNOWN
    assert "CPU" in entry.speed.reason.en
    assert "CPU" in entry.speed.reason.zh_CN
