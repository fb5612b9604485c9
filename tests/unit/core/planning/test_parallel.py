import pytest
from fakes.planning_world import quantized, safetensors_model
from hypothesis import given
from hypothesis import strategies as st

from app.core.planning.parallel import SplitProblem, possible_sizes, split_problem


@pytest.mark.parametrize(
    ("changes", "size", "problem"),
    [
        ({}, 1, None),
        ({}, 2, None),
        ({}, 8, None),
        ({}, 3, SplitProblem.HEADS),
        ({"num_key_value_heads": 2}, 4, None),
        ({"num_attention_heads": 24, "num_key_value_heads": 4, "head_dim": 128}, 6,
         SplitProblem.KV_HEADS),
        ({"num_attention_heads": 24, "num_key_value_heads": 8, "head_dim": 128}, 3,
         SplitProblem.KV_HEADS),
        ({"intermediate_size": 14335}, 2, SplitProblem.INTERMEDIATE),
    ],
)  # fmt: skip
def test_split_follows_heads_kv_heads_and_width(changes, size, problem):
    assert split_problem(safetensors_model(**changes), size) is problem


def test_quantization_groups_are_not_cut():
    model = safetensors_model(intermediate_size=29568)
    awq = quantized(model, "awq", bits=4, group_size=128)
    assert split_problem(awq, 2) is SplitProblem.GROUPS
    assert split_problem(quantized(model, "awq", bits=4, group_size=-1), 2) is None
    blocks = quantized(model, "fp8", bits=8, block_shape=(128, 128))
    assert split_problem(blocks, 2) is SplitProblem.GROUPS


@given(st.integers(1, 16))
def test_possible_sizes_are_exactly_those_without_problem(limit):
    model = safetensors_model()
    sizes = possible_sizes(model, limit)
    assert 1 in sizes
    assert all(split_problem(model, size) is None for size in sizes)
    assert max(sizes) <= limit
