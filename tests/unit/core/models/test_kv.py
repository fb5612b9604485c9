"""KV cache arithmetic: exact bytes per token, blocks, groups."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.errors import AppError
from app.core.models.config import read_config
from app.core.models.kv import kv_layout
from app.core.models.paged import PagingRules, paged_cache
from tests.unit.core.models.builders import (
    DEEPSEEK_V3,
    GEMMA_2,
    GPT_OSS,
    LLAMA_8B,
    NEMOTRON,
    QWEN_7B,
)


def arch(config, **changes):
    return read_config({**config, **changes}, name="m").architecture


@pytest.mark.parametrize(
    ("config", "options", "expected"),
    [
        (QWEN_7B, {}, 57344),
        (LLAMA_8B, {}, 131072),
        (LLAMA_8B, {"kv_dtype": "fp8"}, 65536),
        (LLAMA_8B, {"kv_dtype": "q8_0/f16"}, 100352),
        (LLAMA_8B, {"kv_dtype": "q4_0"}, 36864),
        (LLAMA_8B, {"tensor_parallel_size": 2}, 65536),
        (LLAMA_8B, {"tensor_parallel_size": 16}, 16384),
        (LLAMA_8B, {"pipeline_parallel_size": 3}, 45056),
        (LLAMA_8B, {"model_dtype": "float32"}, 262144),
        (GEMMA_2, {"tensor_parallel_size": 8}, 43008),
        (DEEPSEEK_V3, {}, 70272),
        (DEEPSEEK_V3, {"tensor_parallel_size": 8}, 70272),
        (DEEPSEEK_V3, {"kv_dtype": "fp8_ds_mla"}, 61 * 656),
    ],
)
def test_bytes_per_token_are_exact(config, options, expected):
    assert kv_layout(arch(config), **options).bytes_per_token == expected


def test_hybrid_layers_and_encoders_keep_less():
    kinds = ["linear_attention"] * 24 + ["full_attention"] * 8
    assert kv_layout(arch(LLAMA_8B, layer_types=kinds)).bytes_per_token == 32768
    assert kv_layout(arch(LLAMA_8B, model_type="bert")).bytes_per_token == 0


def test_an_unknown_cache_dtype_is_refused_by_name():
    with pytest.raises(AppError, match="fp9"):
        kv_layout(arch(LLAMA_8B), kv_dtype="fp9")


def test_the_formula_shows_its_inputs():
    text = kv_layout(arch(LLAMA_8B), kv_dtype="q8_0/f16").formula
    assert text == "32 layers × 8 KV heads × (128 × 1.0625 B + 128 × 2 B)"
    assert "MLA" in kv_layout(arch(DEEPSEEK_V3)).formula


def rules(block, in_flight, **changes):
    return PagingRules(block_size=block, in_flight_tokens=in_flight, **changes)


def test_the_pool_of_a_plain_model_is_whole_blocks():
    # vLLM 0.26.0 printed 132,215 blocks for 112.98 GiB.
    cache = paged_cache(
        kv_layout(arch(QWEN_7B)),
        available_bytes=132215 * 16 * 57344 + 5,
        context_tokens=32768,
        rules=rules(16, 16384),
    )
    assert (cache.blocks, cache.tokens, cache.blocks_per_request) == (132215, 2115440, 2048)
    assert cache.max_concurrency == pytest.approx(64.558, abs=0.001)


def test_sliding_layers_hold_a_window_and_the_tokens_in_flight():
    layout = kv_layout(arch(GPT_OSS))
    cache = paged_cache(
        layout,
        available_bytes=10**10,
        context_tokens=131072,
        rules=rules(16, 4096, tokens_from_requests=True),
    )
    assert (layout.full_layers, layout.sliding_layers) == (12, 12)
    assert cache.blocks_per_request == 8192 + 265
    assert cache.tokens == int(cache.max_concurrency * 131072)


def test_uneven_groups_are_as_large_as_the_smaller_kind():
    kinds = (["sliding_attention"] * 5 + ["full_attention"]) * 6
    layout = kv_layout(arch(LLAMA_8B, num_hidden_layers=36, layer_types=kinds, sliding_window=1024))
    cache = paged_cache(layout, available_bytes=0, context_tokens=8192, rules=rules(16, 2048))
    assert cache.block_bytes == 6 * 16 * 4096
    assert cache.blocks_per_request == 512 + 5 * 193
    assert (cache.blocks, cache.tokens) == (0, 0)


def test_nearly_even_groups_are_padded_to_the_larger_kind():
    kinds = ["sliding_attention"] * 14 + ["full_attention"] * 12
    layout = kv_layout(arch(LLAMA_8B, num_hidden_layers=26, layer_types=kinds, sliding_window=1024))
    cache = paged_cache(layout, available_bytes=10**9, context_tokens=8192, rules=rules(16, 2048))
    assert cache.block_bytes == 14 * 16 * 4096
    assert cache.blocks_per_request == 512 + 193


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**12), st.integers(1, 200000), st.integers(1, 256))
def test_more_memory_never_means_fewer_tokens(available, context, block):
    layout = kv_layout(arch(GEMMA_2))
    sizes = [
        paged_cache(
            layout,
            available_bytes=memory,
            context_tokens=context,
            rules=rules(block, 8192),
        )
        for memory in (available, available + 10**9)
    ]
    assert 0 <= sizes[0].tokens <= sizes[1].tokens


def test_a_recurrent_state_makes_the_pages_of_attention_as_large_as_itself():
    layout = kv_layout(arch(NEMOTRON), state_dtype="float32")
    assert (layout.state_layers, layout.full_layers) == (24, 4)
    assert layout.state_bytes == 128 * 64 * 128 * 4 + (8192 + 2 * 8 * 128) * 3 * 2
    cache = paged_cache(
        layout, available_bytes=10**11, context_tokens=131072, rules=rules(16, 16384)
    )
    # 4,255,744 B over 16 tokens × 4,096 B, rounded up.
    assert cache.block_size == 1040
    assert cache.block_bytes == 4 * 1040 * 4096
    assert cache.blocks_per_request == 127 + 24 // 4
    assert cache.tokens == int(cache.max_concurrency * 131072)


def test_prefix_caching_keeps_a_second_state():
    layout = kv_layout(arch(NEMOTRON), state_dtype="float32")
    cache = paged_cache(
        layout,
        available_bytes=10**11,
        context_tokens=131072,
        rules=rules(16, 16384, states_per_request=2),
    )
    assert cache.blocks_per_request == 127 + 2 * 24 // 4


def test_the_index_of_sparse_attention_is_counted():
    layout = kv_layout(arch(DEEPSEEK_V3, index_head_dim=128, index_n_heads=64, index_topk=2048))
    assert layout.index_bytes == 132
    assert layout.bytes_per_token == 61 * (1152 + 132)


def test_sliding_layers_that_are_not_freed_hold_the_whole_context():
    cache = paged_cache(
        kv_layout(arch(GPT_OSS)),
        available_bytes=10**10,
        context_tokens=131072,
        rules=rules(16, 4096, windows_are_freed=False),
    )
    assert cache.blocks_per_request == 2 * 8192
