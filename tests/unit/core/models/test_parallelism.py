"""Which tensor-parallel sizes a model allows."""

import pytest
from fakes.planning_world import quantized, safetensors_model

from app.core.models.config import read_config
from app.core.models.estimate import Device, EstimateOptions, estimate_memory
from app.core.models.parallelism import shard_text, split_problem
from tests.unit.core.models.builders import DEEPSEEK_V3, QWEN3_MOE


@pytest.mark.parametrize(
    ("changes", "size", "problem"),
    [
        ({}, 1, None),
        ({}, 2, None),
        ({}, 8, None),
        ({}, 3, "32 heads / 3"),
        ({"num_key_value_heads": 2}, 4, None),
        ({"num_attention_heads": 24, "num_key_value_heads": 4, "head_dim": 128}, 6,
         "4 KV heads / 6"),
        ({"num_attention_heads": 24, "num_key_value_heads": 8, "head_dim": 128}, 3,
         "8 KV heads / 3"),
        ({"intermediate_size": 14335}, 2, "14335 intermediate columns / 2"),
    ],
)  # fmt: skip
def test_split_follows_heads_kv_heads_and_width(changes, size, problem):
    assert split_problem(safetensors_model(**changes), size) == problem


def test_experts_are_split_by_their_own_width():
    odd = read_config({**QWEN3_MOE, "moe_intermediate_size": 771}, name="m")
    assert split_problem(odd, 2) == "771 expert columns / 2"


def test_latent_attention_has_no_kv_heads_to_split():
    model = read_config({**DEEPSEEK_V3, "num_key_value_heads": 1}, name="m")
    assert split_problem(model, 2) is None


def test_quantization_groups_are_not_cut():
    model = safetensors_model(intermediate_size=29568)
    awq = quantized(model, "awq", bits=4, group_size=128)
    assert split_problem(awq, 2) == "29568 intermediate columns / 2 in groups of 128"
    assert split_problem(quantized(model, "awq", bits=4, group_size=-1), 2) is None
    blocks = quantized(model, "fp8", bits=8, block_shape=(128, 128))
    assert split_problem(blocks, 2) == "29568 intermediate columns / 2 in groups of 128"


def test_an_estimate_refuses_what_a_plan_would_not_split(calibration):
    blocks = {"quant_method": "fp8", "weight_block_size": [128, 128]}
    model = read_config({**QWEN3_MOE, "quantization_config": blocks}, name="m")
    found = estimate_memory(
        model=model,
        engine="vllm",
        version="0.26.0",
        device=Device(name="NVIDIA H200", memory_total_mib=143771, count=4),
        options=EstimateOptions(tensor_parallel_size=4),
        calibration=calibration,
    )
    assert found.fits is False
    assert "heads_not_divisible:768 expert columns / 4 in groups of 128" in found.limits


def test_experts_dealt_out_whole_are_not_cut():
    changes = {
        "num_local_experts": 64, "num_experts_per_tok": 4, "intermediate_size": 1536,
        "model_type": "mixtral",
    }  # fmt: skip
    blocks = {"quant_method": "fp8", "weight_block_size": [128, 128]}
    model = safetensors_model(**changes, quantization_config=blocks)
    problem = split_problem(model, 8 * 2)
    assert problem == "8 KV heads / 16" or problem.endswith("in groups of 128")
    assert split_problem(model, 8) == "1536 expert columns / 8 in groups of 128"
    assert split_problem(model, 8, expert_parallel=True) is None
    assert "experts" in split_problem(
        safetensors_model(**{**changes, "num_local_experts": 12}), 8, expert_parallel=True
    )


def test_a_problem_is_shown_with_the_size_of_one_part():
    assert shard_text("3072 expert columns / 16 in groups of 128") == (
        "3072 expert columns / 16 = 192, no multiple of 128"
    )
    assert shard_text("28 heads / 3") == "28 heads / 3 = 9.3"
