"""Estimates over generated configs: finite, never negative, monotonic where they must be."""

from dataclasses import replace
from math import isfinite

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.models.config import read_config
from app.core.models.estimate import Device, EstimateOptions, estimate_memory
from app.core.units import GIB
from tests.unit.core.models.builders import GEMMA_2, LLAMA_8B

ENGINES = ["vllm", "llamacpp", "ollama", "sglang", "tensorrt-llm", "lmdeploy", "tgi"]
LAYERED = {"llamacpp", "ollama"}
# Chunks appear above 32,768 tokens in vLLM's first engine: what fits there is not one piece.
VERSIONS = ["0.8.5", "0.9.2", "0.18.0", "0.26.0", "0.33.0"]
KINDS = ["dense", "sliding", "experts", "latent", "recurrent", "delta", "index"]


def _config(kind, *, layers, heads, kv_heads, size, inner, vocab):
    config = {
        **LLAMA_8B,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "head_dim": size,
        "hidden_size": heads * size,
        "intermediate_size": inner,
        "vocab_size": vocab,
    }
    experts = {"num_experts": 16, "num_experts_per_tok": 2, "moe_intermediate_size": inner // 4}
    latent = {"kv_lora_rank": 512, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128,
              "v_head_dim": 128, "q_lora_rank": 1536}  # fmt: skip
    every_fourth = ["linear_attention", "linear_attention", "linear_attention", "full_attention"]
    more = {
        "dense": {},
        "sliding": {
            "layer_types": (["sliding_attention"] * 3 + ["full_attention"]) * (layers // 4),
            "sliding_window": 1024,
        },
        "experts": {"architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", **experts},
        "latent": {
            "architectures": ["DeepseekV3ForCausalLM"], "model_type": "deepseek_v3", **latent,
        },
        "index": {
            "architectures": ["DeepseekV32ForCausalLM"], "model_type": "deepseek_v32", **latent,
            "index_head_dim": 128, "index_n_heads": 64,
        },
        "recurrent": {
            "architectures": ["NemotronHForCausalLM"], "model_type": "nemotron_h",
            "hybrid_override_pattern": "M-M*" * (layers // 4), "mamba_num_heads": 64,
            "mamba_head_dim": 64, "ssm_state_size": 128, "n_groups": 8, "conv_kernel": 4,
        },
        "delta": {
            "architectures": ["Qwen3NextForCausalLM"], "model_type": "qwen3_next", **experts,
            "layer_types": every_fourth * (layers // 4), "linear_num_value_heads": 32,
            "linear_num_key_heads": 16, "linear_key_head_dim": 128, "linear_value_head_dim": 128,
            "linear_conv_kernel_dim": 4, "shared_expert_intermediate_size": inner // 4,
        },
    }  # fmt: skip
    return {**config, **more[kind]}


SHAPES = st.builds(
    dict,
    kind=st.sampled_from(KINDS),
    layers=st.integers(1, 24).map(lambda number: 4 * number),
    heads=st.sampled_from([8, 16, 32, 64]),
    kv_heads=st.sampled_from([1, 2, 4, 8]),
    size=st.sampled_from([64, 128, 256]),
    inner=st.integers(4, 120).map(lambda number: 256 * number),
    vocab=st.integers(1000, 260000),
)
ASKED = st.builds(
    dict,
    engine=st.sampled_from(ENGINES),
    version=st.sampled_from(VERSIONS),
    context=st.integers(1, 500_000),
    total=st.integers(1000, 300_000),
    batch=st.none() | st.integers(16, 65536),
    sequences=st.none() | st.integers(1, 2048),
    tp=st.sampled_from([1, 2, 4, 8]),
)


@pytest.fixture
def ask(calibration):
    def call(shape, asked, **options):
        given_options = {
            "context_tokens": asked["context"],
            "prefill_tokens": asked["batch"],
            "max_num_seqs": asked["sequences"],
            "tensor_parallel_size": asked["tp"],
            **options,
        }
        return estimate_memory(
            model=read_config(_config(**shape), name="generated"),
            engine=asked["engine"],
            version=asked["version"],
            device=Device(
                name="GPU", memory_total_mib=asked["total"], count=16, ram_bytes=2000 * GIB
            ),
            options=EstimateOptions(**given_options),
            calibration=calibration,
        )

    return call


def tried(**strategies):
    """Try generated cases; the fixture only binds the calibration."""
    quiet = [HealthCheck.function_scoped_fixture]

    def decorate(test):
        checked = settings(max_examples=30, deadline=None, suppress_health_check=quiet)
        return checked(given(shape=SHAPES, asked=ASKED, **strategies)(test))

    return decorate


@tried()
def test_every_number_is_finite_and_never_negative(ask, shape, asked):
    found = ask(shape, asked)
    for name in found.__slots__:
        value = getattr(found, name)
        if isinstance(value, int | float):
            assert isfinite(value), name
            assert value >= 0 or name == "margin_bytes", name
    assert all(isfinite(band) and band >= 0 for band in found.error_band.values())
    assert found.fits in {True, False}


@tried(more=st.integers(1, 20))
def test_more_layers_need_more_and_hold_less(ask, shape, asked, more):
    if asked["engine"] in LAYERED:
        asked = {
            **asked,
            "tp": 1,
        }  # with several, whole layers are dealt out: the fullest may change
    small, large = ask(shape, asked), ask({**shape, "layers": shape["layers"] + 4 * more}, asked)
    assert large.weights_bytes_per_gpu >= small.weights_bytes_per_gpu
    assert large.kv_bytes_per_token_per_gpu >= small.kv_bytes_per_token_per_gpu
    assert (large.fits is True) <= (small.fits is True)
    if asked["engine"] not in LAYERED:
        assert large.kv_cache_bytes_per_gpu <= small.kv_cache_bytes_per_gpu


@tried(longer=st.integers(1, 500_000))
def test_a_longer_context_is_never_held_more_often(ask, shape, asked, longer):
    short, long = ask(shape, asked), ask(shape, asked, context_tokens=asked["context"] + longer)
    assert long.max_concurrency <= short.max_concurrency + 1e-9
    assert (long.fits is True) <= (short.fits is True)


@tried(more=st.integers(1, 65536))
def test_a_larger_batch_needs_more(ask, shape, asked, more):
    first = asked["batch"] or 2048
    small, large = (ask(shape, asked, prefill_tokens=size) for size in (first, first + more))
    assert large.activation_bytes >= small.activation_bytes
    assert (large.fits is True) <= (small.fits is True)


@tried(more=st.integers(1, 512))
def test_more_requests_at_once_need_more(ask, shape, asked, more):
    few, many = (
        ask(shape, asked, max_num_seqs=number, concurrency=number) for number in (more, 2 * more)
    )
    assert many.activation_bytes + many.cuda_graph_bytes >= (
        few.activation_bytes + few.cuda_graph_bytes
    )
    if asked["engine"] in LAYERED:
        assert many.kv_cache_bytes_per_gpu >= few.kv_cache_bytes_per_gpu
        assert (many.fits is True) <= (few.fits is True)


@tried(more=st.integers(1, 100_000))
def test_more_memory_never_holds_less(ask, shape, asked, more):
    asked = {**asked, "total": max(asked["total"], 21_000)}
    # Engines choose larger batches on larger GPUs: with the batch given, more is never less.
    pinned = {"prefill_tokens": asked["batch"] or 2048, "max_num_seqs": 64, "memory_fraction": 0.9}
    less = ask(shape, asked, **pinned)
    most = ask(shape, {**asked, "total": asked["total"] + more}, **pinned)
    assert most.kv_tokens >= less.kv_tokens
    assert (less.fits is True) <= (most.fits is True)


@tried()
def test_more_gpus_each_hold_less_of_the_model(ask, shape, asked):
    one, two = ask(shape, asked), ask(shape, asked, tensor_parallel_size=asked["tp"] * 2)
    assert two.weights_bytes_per_gpu <= one.weights_bytes_per_gpu + GIB // 8
    assert two.kv_bytes_per_token_per_gpu <= one.kv_bytes_per_token_per_gpu


def test_capacity_in_tokens_rises_with_context_where_windows_let_go(calibration):
    """Sliding layers hold no more for a longer request, so a token of it is cheaper."""
    device = Device(name="NVIDIA H200", memory_total_mib=143771, count=1)
    model = read_config({**GEMMA_2, "sliding_window": 1024}, name="sliding")

    def tokens(context):
        options = EstimateOptions(context_tokens=context, prefill_tokens=2048, max_num_seqs=64)
        return estimate_memory(
            model=model, engine="vllm", version="0.26.0", device=device, options=options,
            calibration=calibration,
        ).kv_tokens  # fmt: skip

    assert tokens(2048) < tokens(8192) < tokens(65536)


def test_a_longer_context_may_fit_where_a_shorter_one_does_not(calibration):
    """vLLM's first engine chunks prompts above 32,768 tokens: 35,000 fit where 29,000 do not."""
    device = Device(name="NVIDIA GeForce RTX 3090", memory_total_mib=24576, compute_cap="8.6")
    model = read_config(LLAMA_8B, name="llama-3.1-8b")

    def fits(context):
        return estimate_memory(
            model=model, engine="vllm", version="0.6.4", device=replace(device, count=1),
            options=EstimateOptions(context_tokens=context), calibration=calibration,
        ).fits  # fmt: skip

    assert [fits(context) for context in (20000, 29000, 35000, 45000)] == [True, False, True, True]
