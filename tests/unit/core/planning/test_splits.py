"""Splits by reach, memory shares, ranges, own flags, measured runs: what a plan weighs."""

from dataclasses import replace

import pytest
from fakes.planning_world import (
    best,
    calibration,
    catalogue,
    cpu_host,
    engines,
    gguf_model,
    gpu_host,
    llama_70b,
    plan,
    refusals,
    rules,
    safetensors_model,
)

from app.core.hardware.fingerprint import MigDevice
from app.core.hardware.what_if import make_what_if
from app.core.models.estimate import estimate_memory
from app.core.planning.evaluate import make_plan
from app.core.planning.fit import expected_bytes
from app.core.planning.plan import Goal, GoalKind
from app.core.speed.load import Load
from app.core.speed.measured import MeasuredRun
from app.core.units import GIB

TWO_ISLANDS = ((0, 1), (2, 3))


def codes(reasons):
    return {reason.code for reason in reasons}


def ranges(found):
    return {entry.parameter: entry for entry in found.ranges}


def pcie(count=4, **changes):
    return gpu_host(count=count, memory_mib=65536, reserved_mib=None, **changes)


def test_stages_join_islands_and_sharing_stays_inside_them():
    found = best(pcie(islands=TWO_ISLANDS), llama_70b())
    assert found.parameters.tensor_parallel_size == 2
    assert found.parameters.pipeline_parallel_size == 2
    assert {"stages_islands", "gpus_stages"} <= codes(found.reasons)
    assert "stages_need_support" in codes(found.advice)


@pytest.mark.parametrize(
    ("described", "hosts", "said"),
    [
        ("32x H100 SXM", 4, True),
        ("16x A100-SXM4-80GB", 1, False),
        ("8x H200", 1, False),
        ("24x L40S", None, True),
    ],
)
def test_more_gpus_than_one_host_has_are_several_hosts(described, hosts, said):
    host = make_what_if(described, catalogue(), taken_at="2026-11-30T00:00:00Z")
    if hosts is not None:
        assert len(host.topology.nvlink_islands) == hosts
    huge = safetensors_model(
        "huge", hidden_size=16384, intermediate_size=53248, num_hidden_layers=126,
        num_attention_heads=128,
    )  # fmt: skip
    found = best(host, huge, Goal(engine="vllm"))
    assert ("several_hosts" in codes(found.advice)) is said
    assert not (said and "tp_over_pcie_works" in codes(found.advice))
    assert ("gpus_several_hosts" in codes(found.reasons)) is said
    assert len(best(host, safetensors_model()).parameters.gpu_indices) == 1


def test_for_latency_layers_are_shared_across_islands_instead():
    found = best(pcie(islands=TWO_ISLANDS), llama_70b(), Goal(kind=GoalKind.LATENCY))
    assert found.parameters.tensor_parallel_size == 4
    assert "gpus_cross_links" in codes(found.reasons)


def test_a_size_that_does_not_divide_is_shown_with_why_and_in_the_tree():
    result = plan(pcie(count=3), safetensors_model())
    entry = ranges(result.ranked[0])["tensor_parallel_size"]
    assert entry.choices == ("1", "2")
    assert entry.refused[0].value == "3"
    assert "32 heads / 3" in entry.refused[0].reason.text.en
    node = next(node for node in result.tree if node.id == "value.tensor_parallel_size.3")
    assert (node.state, node.parent) == ("refused", "parameter.tensor_parallel_size")


def test_stages_carry_what_no_number_of_gpus_divides():
    model = llama_70b(num_attention_heads=56, num_key_value_heads=8, head_dim=128)
    found = best(pcie(count=3), model, Goal(engine="vllm"))
    assert found.parameters.pipeline_parallel_size == 3
    assert "stages_uneven" in codes(found.reasons)


def test_one_mig_instance_is_used_where_every_gpu_is_split():
    host = gpu_host(mig=(0,))
    parts = tuple(
        MigDevice(index=n, uuid=f"MIG-{n}", profile="3g.71gb", memory_total_mib=71000)
        for n in range(2)
    )
    found = best(replace(host, gpus=(replace(host.gpus[0], mig_devices=parts),)), llama_8b())
    assert found.parameters.gpu_uuids == ("MIG-0",)
    assert found.parameters.tensor_parallel_size == 1
    assert {"tp_mig"} <= codes(found.reasons)
    assert "mig_one_instance" in codes(found.advice)


def test_mig_instances_are_not_said_to_work_together():
    host = gpu_host(mig=(0,))
    parts = tuple(
        MigDevice(index=n, uuid=f"MIG-{n}", profile="1g.18gb", memory_total_mib=18000)
        for n in range(3)
    )
    parted = replace(host, gpus=(replace(host.gpus[0], mig_devices=parts),))
    refused = next(r for r in plan(parted, llama_70b()).rejected if r.engine == "vllm")
    assert refused.code == "does_not_fit_unsplit"
    assert "3 MIG; the most that work are 1." in refused.text.en


def llama_8b():
    return safetensors_model()


def test_a_gpu_off_its_fabric_is_left_out_and_named():
    host = gpu_host(count=2)
    lost = replace(host.gpus[0], fabric_state="In Progress")
    found = best(replace(host, gpus=(lost, host.gpus[1])), safetensors_model())
    assert found.parameters.gpu_indices == (1,)
    assert "off_fabric" in codes(found.advice)


def test_unlike_gpus_join_only_when_one_kind_is_too_small():
    host = gpu_host(count=2, memory_mib=81920, reserved_mib=None)
    other = replace(host.gpus[1], name="NVIDIA H200 NVL", memory_total_mib=90000)
    mixed = replace(host, gpus=(host.gpus[0], other))
    assert best(mixed, safetensors_model()).parameters.gpu_indices == (1,)
    result = plan(mixed, llama_70b())
    assert result.ranked[0].parameters.gpu_indices == (0, 1)
    assert "unlike_gpus" in codes(result.ranked[0].advice)
    assert refusals(result)["sglang"] == "unlike_gpus"


# --- memory shares


@pytest.mark.parametrize("engine", ["vllm", "sglang", "tensorrt-llm", "lmdeploy", "tgi"])
def test_a_limit_per_gpu_becomes_a_share_in_the_engines_own_meaning(engine):
    host = gpu_host("NVIDIA A100-SXM4-80GB", cap="8.0", memory_mib=81920)
    goal = Goal(engine=engine, memory_bytes_per_gpu=40 * GIB, concurrency=4)
    found = best(host, safetensors_model(), goal)
    held = found.estimate.weights_bytes_per_gpu + found.estimate.kv_cache_bytes_per_gpu
    assert 0.2 < found.parameters.memory_fraction < 0.6
    assert held < 41 * GIB
    assert "fraction_limit" in codes(found.reasons)


LIMITED = ["vllm", "sglang", "tensorrt-llm", "lmdeploy", "tgi"]


@pytest.mark.parametrize("kind", [GoalKind.THROUGHPUT, GoalKind.MEMORY])
@pytest.mark.parametrize("engine", [*LIMITED, "llamacpp", "ollama"])
def test_no_plan_takes_more_of_a_gpu_than_the_limit(engine, kind):
    sharded = engine in LIMITED
    for model, count, gib in (
        (safetensors_model() if sharded else gguf_model(), 2, 9),
        (safetensors_model() if sharded else gguf_model(), 2, 14),
        (safetensors_model() if sharded else gguf_model(), 1, 40),
        (llama_70b(), 8, 30),
    ):
        limit = gib * GIB
        goal = Goal(engine=engine, kind=kind, memory_bytes_per_gpu=limit)
        for found in plan(gpu_host(count=count), model, goal).ranked:
            assert expected_bytes(found.estimate) <= limit


@pytest.mark.parametrize("engine", LIMITED)
def test_weights_above_the_limit_are_refused_whatever_the_share_is_one_of(engine):
    goal = Goal(engine=engine, memory_bytes_per_gpu=20 * GIB)
    assert refusals(plan(gpu_host(count=2), llama_70b(), goal))[engine] == "does_not_fit"


def test_an_own_share_above_the_limit_is_told_as_the_flag_that_does_not_fit():
    flags = ("--gpu-memory-utilization", "0.9")
    goal = Goal(engine="vllm", memory_bytes_per_gpu=40 * GIB, own_flags=flags)
    assert refusals(plan(gpu_host(), safetensors_model(), goal))["vllm"] == "own_flags_refused"


def test_a_limit_counts_for_engines_without_a_share():
    goal = Goal(engine="llamacpp", memory_bytes_per_gpu=3 * GIB, concurrency=1)
    found = best(gpu_host(), gguf_model(), goal)
    assert found.parameters.gpu_layers < 29
    assert "partly_on_cpu" in codes(found.advice)


def test_little_memory_takes_what_the_requests_need():
    goal = Goal(kind=GoalKind.MEMORY, context_tokens=2048, concurrency=4)
    found = best(gpu_host(), safetensors_model(), goal)
    assert found.parameters.memory_fraction < 0.25
    assert found.estimate.max_concurrency >= 3.5
    assert {"context_frees_nothing", "used_is_reserved"} <= codes(found.advice)


# --- experts, drafts, outputs


def experts(**changes):
    return safetensors_model(
        "moe",
        **{
            "architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe",
            "num_experts": 128, "num_experts_per_tok": 8, "moe_intermediate_size": 768,
            "hidden_size": 2048, "num_attention_heads": 32, "num_key_value_heads": 8,
            "head_dim": 128, **changes,
        },
    )  # fmt: skip


def test_many_experts_over_eight_gpus_are_dealt_out_whole():
    host = gpu_host(count=8, islands=(tuple(range(8)),))
    chosen = tuple(f"GPU-{n}" for n in range(8))
    found = best(host, experts(), Goal(engine="vllm", gpu_uuids=chosen))
    assert found.parameters.expert_parallel_size == 8
    assert "--enable-expert-parallel" in found.argv
    twice = best(host, experts(), Goal(engine="sglang", gpu_uuids=chosen))
    assert "--ep-size 8" in " ".join(twice.argv)


def test_drafts_are_planned_for_latency_and_offered_otherwise():
    model = safetensors_model(num_nextn_predict_layers=1)
    quick = best(gpu_host(), model, Goal(kind=GoalKind.LATENCY, engine="vllm"))
    assert quick.parameters.speculative == "mtp"
    assert '"method": "mtp"' in " ".join(quick.argv)
    other = best(gpu_host(), model, Goal(kind=GoalKind.QUALITY, engine="vllm"))
    assert other.parameters.speculative is None
    assert ranges(other)["speculative"].choices == ("off", "mtp")
    assert "mtp_offered" in codes(other.advice)


def test_the_context_holds_the_answers_that_were_asked_for():
    found = best(gpu_host(), safetensors_model(), Goal(output_tokens=30000))
    assert found.parameters.context_tokens == 32048
    assert "context_for_output" in codes(found.reasons)
    short = best(gpu_host(), safetensors_model(), Goal(output_tokens=9000, context_tokens=8192))
    assert "output_beyond_context" in codes(short.advice)


def test_what_the_answers_are_for_is_advised_on():
    found = best(gpu_host(), safetensors_model(), Goal(structured=True, for_others=True))
    assert {"structured_checked", "licence_not_read"} <= codes(found.advice)


def test_main_memory_of_a_gguf_of_experts_keeps_experts_before_layers():
    base = gguf_model(weights_gib=40, layers=48)
    moe = replace(
        base,
        architecture=replace(
            base.architecture, experts=64, experts_per_token=4, moe_intermediate_size=2048
        ),
    )
    found = best(gpu_host(memory_mib=24576, reserved_mib=None), moe, Goal(engine="llamacpp"))
    assert found.parameters.gpu_layers == 49
    assert 0 < found.parameters.cpu_moe_layers < 48
    assert "experts_split" in codes(found.advice)
    # A little room is left beside the fewest that would do.
    assert 0 < ranges(found)["cpu_moe_layers"].low <= found.parameters.cpu_moe_layers
    two = best(gpu_host(count=2, memory_mib=16384, reserved_mib=None), moe, Goal(engine="llamacpp"))
    assert sum(map(int, two.parameters.tensor_split.split(","))) == 49
    assert "layers_by_size" in codes(two.reasons)


# --- own flags and measured runs


def test_own_flags_take_the_place_of_planned_ones():
    goal = Goal(engine="vllm", own_flags=("--max-num-seqs", "7", "--block-size=32"))
    found = best(gpu_host(), safetensors_model(), goal)
    line = " ".join(found.argv)
    assert "--max-num-seqs 7" in line
    assert "--block-size 32" in line
    assert {"block_size", "max_seqs_meaning"} <= codes(found.advice)


def test_own_parallel_size_takes_as_many_gpus():
    goal = Goal(engine="vllm", own_flags=("--tensor-parallel-size", "2"))
    found = best(gpu_host(count=2), safetensors_model(), goal)
    assert found.parameters.tensor_parallel_size == 2
    assert len(found.parameters.gpu_uuids) == 2
    assert found.estimate.gpu_count == 2


def test_runs_of_this_installation_come_before_opinion():
    load = Load(concurrency=8, prompt_tokens=512, output_tokens=128)
    common = {
        "gpu": "NVIDIA H200", "gpu_count": 1, "model": "llama-3.1-8b", "load": load, "itl_s": 0.01,
        "at": "2026-11-30T00:00:00Z", "source": "run-1",
    }  # fmt: skip
    runs = (
        MeasuredRun(engine="vllm", engine_version="0.33.0", ttft_s=0.2, output_tokens_per_s=1000.0,
                    **common),
        MeasuredRun(engine="lmdeploy", engine_version="0.18.0", ttft_s=0.1,
                    output_tokens_per_s=2500.0, **common),
    )  # fmt: skip
    result = planned_with(runs, Goal())
    assert result.ranked[0].engine == "lmdeploy"
    assert "measured_here" in codes(result.ranked[0].reasons)
    quick = planned_with(runs, Goal(kind=GoalKind.LATENCY))
    assert quick.ranked[0].engine == "lmdeploy"
    assert "low_latency" not in codes(next(p for p in quick.ranked if p.engine == "vllm").reasons)


def planned_with(runs, goal):
    return make_plan(
        fingerprint=gpu_host(),
        model=safetensors_model(),
        goal=goal,
        engines=engines(),
        rules=rules(),
        estimator=lambda **asked: estimate_memory(calibration=calibration(), **asked),
        catalogue=catalogue(),
        runs=runs,
    )


# --- data as a whole


def test_the_tuning_plan_has_loads_figures_rounds_and_an_end():
    kinds = [step.kind for step in plan(cpu_host(), gguf_model()).tuning]
    assert kinds.count("load") >= 3
    assert kinds.count("figure") == 3
    assert kinds.count("round") == 3
    assert {"method", "stop"} <= set(kinds)


def test_old_gpus_show_which_types_they_lack():
    host = gpu_host("Tesla T4", cap="7.5", memory_mib=15360, reserved_mib=None)
    small = safetensors_model(
        "small", num_hidden_layers=8, hidden_size=2048, intermediate_size=8192
    )
    found = ranges(best(host, small, Goal(engine="vllm")))
    assert found["dtype"].refused[0].value == "bfloat16"
    assert [entry.value for entry in found["kv_dtype"].refused] == ["fp8"]
