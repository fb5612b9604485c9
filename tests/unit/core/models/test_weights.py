"""Weights of one GPU: real parameter counts, sharding, quantization, checkpoints."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.models.allocation import Allocation, Requantized, unused_by_requantizing
from app.core.models.config import read_config
from app.core.models.weights import (
    latent_copies_bytes,
    parameter_count,
    tensors,
    weights_per_gpu,
)
from tests.unit.core.models.builders import (
    DEEPSEEK_V3,
    GEMMA_2,
    GPT_OSS,
    LLAMA_8B,
    MIXTRAL,
    QWEN3_MOE,
    QWEN_7B,
)

AWQ = {"quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}}


def model(config, **changes):
    return read_config({**config, **changes}, name="m")


@pytest.mark.parametrize(
    ("config", "published", "norms"),
    [
        (LLAMA_8B, 8_030_261_248, 0),
        (QWEN_7B, 7_615_616_512, 0),
        (MIXTRAL, 46_702_792_704, 0),
        (GEMMA_2, 9_241_705_984, 0),
        # Norms of single heads and of compressed values are not counted one by one.
        (QWEN3_MOE, 30_532_122_624, 12_288),
        (DEEPSEEK_V3, 671_026_419_200, 139_840),
    ],
)
def test_parameters_are_counted_as_published(config, published, norms):
    counted = parameter_count(model(config).architecture)
    assert abs(published - counted) <= norms + 64


def test_two_gpus_hold_half_and_the_norms_twice():
    one = weights_per_gpu(model(LLAMA_8B)).bytes_per_gpu
    two = weights_per_gpu(model(LLAMA_8B), tp=2).bytes_per_gpu
    norms = 65 * 4096 * 2
    assert two == (one - norms) // 2 + norms


def test_kv_heads_are_repeated_where_there_are_fewer_than_gpus():
    by_size = {
        tp: next(
            tensor.elements
            for tensor in tensors(model(QWEN_7B).architecture, tp=tp)
            if tensor.path == "self_attn.qkv_proj"
        )
        for tp in (4, 7)
    }
    assert by_size[7] == 3584 * 128 * (4 + 2)
    assert by_size[4] == 3584 * 128 * (7 + 2)


def test_pipeline_stages_share_layers_and_ends():
    whole = weights_per_gpu(model(LLAMA_8B)).bytes_per_gpu
    stage = weights_per_gpu(model(LLAMA_8B), pp=2).bytes_per_gpu
    assert whole / 2 <= stage < whole / 2 * 1.1


def test_awq_keeps_embedding_and_head_in_sixteen_bits():
    size = weights_per_gpu(model(LLAMA_8B, **AWQ)).bytes_per_gpu
    linear = 8_030_261_248 - 2 * 128256 * 4096 - 65 * 4096
    assert size == pytest.approx(linear * 4.15625 / 8 + 2 * (128256 * 8192) + 65 * 8192, abs=64)


def test_mxfp4_packs_the_experts_only():
    plain = weights_per_gpu(model(GPT_OSS, quantization_config=None)).bytes_per_gpu
    packed = weights_per_gpu(model(GPT_OSS)).bytes_per_gpu
    experts = 24 * 32 * 2880 * 2880 * 3
    assert plain - packed == experts * 2 - experts * 17 // 32


def test_quantizing_while_loading_ignores_the_checkpoints_size():
    info = replace(model(LLAMA_8B), weights_bytes=16_060_522_496)
    fp8 = weights_per_gpu(info, quantization="fp8")
    assert fp8.bytes_per_gpu < 10**10
    assert fp8.source == "architecture (config.json)"


def test_what_the_checkpoint_holds_more_is_added():
    info = replace(model(LLAMA_8B), weights_bytes=16_060_522_496 + 1000)
    assert weights_per_gpu(info).bytes_per_gpu == 16_060_522_496 + 1000
    assert weights_per_gpu(info, tp=2).bytes_per_gpu == (
        weights_per_gpu(model(LLAMA_8B), tp=2).bytes_per_gpu + 500
    )


def test_a_vision_tower_counts_whole_on_every_gpu():
    config = {**LLAMA_8B, "vision_config": {"hidden_size": 1}}
    info = replace(model(config), weights_bytes=16_060_522_496 + 10**9)
    plain = weights_per_gpu(model(config), tp=2).bytes_per_gpu
    assert weights_per_gpu(info, tp=2).bytes_per_gpu == plain + 10**9


def test_a_float32_checkpoint_is_loaded_at_half_its_size():
    info = replace(model(LLAMA_8B, torch_dtype="float32"), weights_bytes=32_121_044_992)
    assert weights_per_gpu(info, compute_cap="9.0").bytes_per_gpu == 16_060_522_496


def test_a_given_size_overrides_the_headers_and_never_goes_below_zero():
    info = replace(model(LLAMA_8B), weights_bytes=16_060_522_496)
    assert weights_per_gpu(info, weights_bytes=1).bytes_per_gpu == 1
    assert weights_per_gpu(info, weights_bytes=0).bytes_per_gpu == 0


def test_large_tensors_are_rounded_up_as_the_allocator_does():
    allocation = Allocation(unit_bytes=2 * 2**20, from_bytes=10 * 2**20)
    assert allocation.rounded(25_690_112) == 27_262_976
    # A rest of more than 1 MiB is split off below 20 MiB; a smaller one stays with its block.
    assert allocation.rounded(17_432_576) == 17_432_576
    assert allocation.rounded(15_925_248) == 16 * 2**20
    assert allocation.rounded(9_000_000) == 9_000_000


def test_weights_quantized_while_loading_may_land_in_blocks_that_are_too_large():
    allocation = Allocation(unit_bytes=2 * 2**20, from_bytes=10 * 2**20)
    mib = 2**20
    query = Requantized(layers=3, loaded_bytes=70 * mib, kept_bytes=35 * mib)
    output = Requantized(layers=3, loaded_bytes=50 * mib, kept_bytes=25 * mib)
    # From the second layer on, 35 MiB lie in the 50 MiB block that “output” left, not in 36 MiB.
    assert unused_by_requantizing([query, output], allocation) == 2 * 14 * mib
    assert unused_by_requantizing([query, output], Allocation()) == 0


def test_latent_attention_on_packed_weights_keeps_a_plain_copy():
    arch = model(DEEPSEEK_V3).architecture
    fp8 = model(DEEPSEEK_V3, quantization_config={"quant_method": "fp8"}).quantization
    assert latent_copies_bytes(arch, fp8, 8, 1) == 61 * 16 * 256 * 512 * 2
    assert latent_copies_bytes(arch, model(DEEPSEEK_V3).quantization, 8, 1) == 0
    assert latent_copies_bytes(model(LLAMA_8B).architecture, fp8, 1, 1) == 0


def test_a_model_with_a_low_rank_query_has_both_projections():
    paths = {tensor.path for tensor in tensors(model(DEEPSEEK_V3).architecture)}
    assert {"self_attn.q_a_proj", "self_attn.q_b_proj"} <= paths
    without = model(DEEPSEEK_V3, q_lora_rank=None).architecture
    assert "self_attn.q_proj" in {tensor.path for tensor in tensors(without)}


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([LLAMA_8B, QWEN_7B, MIXTRAL, DEEPSEEK_V3, GPT_OSS]),
    st.sampled_from([1, 2, 4, 8]),
    st.none() | st.integers(0, 10**12),
)
def test_more_gpus_never_hold_more_each(config, tp, size):
    info = replace(model(config), weights_bytes=size)
    one = weights_per_gpu(info, tp=tp).bytes_per_gpu
    more = weights_per_gpu(info, tp=tp * 2).bytes_per_gpu
    assert 0 <= more <= one
