"""Over 140 model types: weights and KV bytes against models built by their own code.

Each line of architectures.jsonl is a config with the number of parameters that its authors
publish, or that transformers counts in the model it builds from that config.
"""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.errors import AppError, ErrorCode
from app.core.models.config import read_config
from app.core.models.kv import kv_layout
from app.core.models.weights import parameter_count, tensors
from tests.unit.core.models.builders import LLAMA_8B, outcome

_FILE = Path(__file__).with_name("architectures.jsonl")
MODELS = [json.loads(line) for line in _FILE.read_text(encoding="utf-8").splitlines()]


def _parameters(arch):
    """Count without the rows that engines add to the vocabulary."""
    rows = -arch.vocab_size % 64
    return parameter_count(arch) - rows * arch.hidden_size * (1 if arch.tie_embeddings else 2)


@pytest.mark.parametrize("model", MODELS, ids=[model["id"] for model in MODELS])
def test_weights_and_cache_of_an_architecture_are_counted(model):
    arch = read_config(model["config"], name=model["id"]).architecture
    assert _parameters(arch) == pytest.approx(model["parameters"], rel=0.004)
    if model["kv_bytes_per_token"] is not None:
        assert kv_layout(arch).bytes_per_token == model["kv_bytes_per_token"]


def test_at_least_sixty_known_architectures_are_covered():
    known = {m["config"]["model_type"] for m in MODELS if not _of(m["config"]).is_generic}
    assert len(known) >= 60


def _of(config, **changes):
    return read_config({**config, **changes}, name="m").architecture


def _published(name):
    return next(model["config"] for model in MODELS if model["id"] == name)


@pytest.mark.parametrize(
    ("name", "kind", "layers", "attention"),
    [
        ("jamba", "mamba1", 28, 4),
        ("falcon-h1-34b", "mamba2", 72, None),
        ("nemotron-h-8b", "mamba2", 24, 4),
        ("granite-4.0-h-small", "mamba2", 36, 4),
        ("zamba2", "mamba2", 54, 9),
        ("qwen3_next", "gated_delta", 36, 12),
        ("kimi_linear", "kimi_delta", 21, 6),
        ("MiniMax-Text-01", "lightning", 70, 10),
        ("recurrent_gemma", "rg_lru", 18, 8),
        ("falcon-mamba-7b", "mamba1", 64, 0),
        ("rwkv", "rwkv", 32, 0),
    ],
)
def test_layers_with_a_state_are_told_from_layers_with_a_cache(name, kind, layers, attention):
    arch = _of(_published(name))
    assert (arch.recurrent.kind, arch.recurrent.layers) == (kind, layers)
    assert arch.attention_layers == attention


def test_layers_with_attention_may_be_listed_by_their_numbers():
    bamba = _of(_published("bamba"), attn_layer_indices=[9, 18, 27], layer_types=None)
    assert (bamba.recurrent.layers, bamba.attention_layers) == (29, 3)


def test_the_state_of_a_recurrent_layer_is_sized():
    qwen = _of(_published("qwen3_next")).recurrent
    assert (qwen.state_elements, qwen.conv_elements) == (32 * 128 * 128, 8192 * 3)


def test_heads_of_sliding_layers_may_differ_from_the_others():
    gemma = _of(_published("gemma4"))
    assert (gemma.head_dim, gemma.sliding_head_dim, gemma.sliding_layers) == (512, 256, 25)
    mimo = _of(
        LLAMA_8B, v_head_dim=64, swa_num_key_value_heads=16, swa_head_dim=64, sliding_window=128,
        hybrid_layer_pattern=[0, 1] * 16,
    )  # fmt: skip
    assert (mimo.kv_heads, mimo.sliding_kv_heads, mimo.sliding_layers) == (8, 16, 16)
    # 16 layers of 8 heads with 128 + 64 values, 16 of 16 heads with 64 + 64, 2 bytes each.
    assert kv_layout(mimo).bytes_per_token == 16 * 8 * 192 * 2 + 16 * 16 * 128 * 2


def test_an_unknown_architecture_is_read_by_its_fields_and_said_to_be():
    info = read_config({**LLAMA_8B, "model_type": "brandnew", "architectures": ["X"]}, name="m")
    assert info.architecture.is_generic
    assert "not known" in " ".join(info.warnings)
    assert _parameters(info.architecture) == _parameters(_of(LLAMA_8B))


def test_an_unknown_architecture_without_heads_names_the_missing_key():
    with pytest.raises(AppError) as caught:
        _of({"model_type": "brandnew", "num_hidden_layers": 2, "hidden_size": 8, "vocab_size": 9})
    assert caught.value.code is ErrorCode.MODEL_CONFIG_BROKEN
    assert caught.value.params["field"] == "intermediate_size"
    with pytest.raises(AppError) as caught:
        _of(LLAMA_8B, num_attention_heads=None)
    assert caught.value.params["field"] == "num_attention_heads"


@pytest.mark.parametrize(
    ("changes", "context"),
    [
        ({}, 131072),
        ({"rope_scaling": {"type": "linear", "factor": 2.0}}, 262144),
        ({"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, 131072),
        (
            {"rope_scaling": {"type": "yarn", "factor": 4.0,
                              "original_max_position_embeddings": 4096}},
            16384,
        ),
        ({"rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}, 131072),
        ({"rope_parameters": {"full_attention": {"rope_type": "linear", "factor": 8.0}}}, 131072),
        ({"rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "model_type": "gemma3_text"},
         131072),
    ],
)  # fmt: skip
def test_the_context_follows_how_positions_are_stretched(changes, context):
    assert _of(LLAMA_8B, **changes).max_context == context


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"rope_scaling": {"type": "yarn", "factor": -4}}, "rope_scaling.factor"),
        ({"rope_scaling": 3}, "rope_scaling"),
        ({"num_hidden_layers": -1}, "num_hidden_layers"),
        ({"num_hidden_layers": 100_000}, "num_hidden_layers"),
        ({"hybrid_override_pattern": "M?" * 16}, "hybrid_override_pattern"),
        ({"hybrid_override_pattern": "M*"}, "hybrid_override_pattern"),
        ({"layer_types": ["dreaming"] * 32}, "layer_types"),
        ({"attn_layer_indices": [99]}, "attn_layer_indices"),
        ({"num_kv_shared_layers": 32}, "num_kv_shared_layers"),
        ({"num_key_value_heads": [8, 4]}, "num_key_value_heads"),
        ({"num_experts": 8, "num_experts_per_tok": 2, "first_k_dense_replace": 40},
         "first_k_dense_replace"),
        ({"model_type": "jamba", "mamba_d_state": None, "attn_layer_period": 8}, "mamba_d_state"),
    ],
)  # fmt: skip
def test_a_field_that_contradicts_the_rest_is_named(changes, field):
    with pytest.raises(AppError) as caught:
        _of(LLAMA_8B, **changes)
    assert caught.value.params["field"] == field


def test_a_text_part_leans_on_the_defaults_of_its_class():
    llava = _of(_published("llava-1.5-7b"))
    assert (llava.layers, llava.heads, llava.vocab_size) == (32, 32, 32064)
    assert llava.vision_parameters == pytest.approx(324_487_168, rel=0.004)


def test_layers_for_further_tokens_are_counted_apart():
    assert _of(LLAMA_8B, num_nextn_predict_layers=1).mtp_layers == 1


def test_a_table_of_layers_may_name_those_for_further_tokens_too():
    kinds = ["full_attention"] * 33
    assert _of(LLAMA_8B, layer_types=kinds, num_nextn_predict_layers=1).attention_layers is None


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from([model["config"] for model in MODELS]),
    st.integers(1, 64),
    st.sampled_from([1, 2, 4, 8]),
)
def test_whatever_is_read_is_finite_and_never_negative(config, layers, gpus):
    """Sizes are scaled by another number of layers where the config lets them be."""
    changed = {**config, "num_hidden_layers": layers} if "num_hidden_layers" in config else config
    found = outcome(lambda: read_config(changed, name="m"))
    assert found in {None, ErrorCode.MODEL_CONFIG_BROKEN}
    if found is not None:
        return
    arch = read_config(changed, name="m").architecture
    whole = sum(t.count * t.elements for t in tensors(arch))
    part = sum(t.count * t.elements for t in tensors(arch, tp=gpus))
    assert 0 < part <= whole
    assert kv_layout(arch).bytes_per_token >= 0


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 128), st.integers(1, 16), st.sampled_from([1, 2, 4, 8]))
def test_more_layers_and_heads_never_take_less(layers, factor, kv_heads):
    def sizes(count, width):
        arch = _of(LLAMA_8B, num_hidden_layers=count, hidden_size=4096 * width, head_dim=128,
                   num_key_value_heads=kv_heads)  # fmt: skip
        return _parameters(arch), kv_layout(arch).bytes_per_token

    small, more = sizes(layers, 1), sizes(layers + 1, 1)
    wide = sizes(layers, factor)
    assert all(a < b for a, b in zip(small, more, strict=True))
    assert small[0] <= wide[0]
    assert small[1] == wide[1]


MOE = {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 512}
DELTA = {"linear_num_value_heads": 8, "linear_num_key_heads": 8, "linear_key_head_dim": 128,
         "linear_value_head_dim": 128}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "attention", "sliding"),
    [
        ({"sliding_window": 4096, "sliding_window_pattern": "LLLG"}, None, 24),
        ({"attention_chunk_size": 8192, "interleave_moe_layer_step": 1}, None, 24),
        ({"attention_chunk_size": 8192, "no_rope_layers": [1, 1, 1, 0] * 8}, None, 24),
        ({"no_rope_layers": [1, 0] * 16}, None, 0),
        ({"full_attention_interval": 4, **DELTA}, 8, 0),
        ({"attn_type_list": [0] * 28 + [1] * 4, "model_type": "minimax_m1"}, 4, 0),
        ({"full_attn_idxs": [0, 4], "conv_L_cache": 3}, 2, 0),
        (
            {"linear_attn_config": {"full_attn_layers": [4, 8], "num_heads": 8, "head_dim": 64}},
            2,
            0,
        ),
        ({"layer_types": ["hybrid_sliding"] * 32, "sliding_window": 64}, None, 32),
        ({"num_kv_shared_layers": 8, "layer_types": ["sliding_attention"] * 32,
          "sliding_window": 64}, 24, 24),
        ({"attention_window_size": 2048, "layer_types": ["recurrent", "attention"] * 16,
          "lru_width": 4096}, 16, 16),
        ({"model_type": "falcon_h1", "mamba_n_heads": 32, "mamba_d_state": 64}, None, 0),
    ],
)  # fmt: skip
def test_every_way_of_writing_the_kinds_of_layers_is_understood(changes, attention, sliding):
    arch = _of(LLAMA_8B, **changes)
    assert (arch.attention_layers, arch.sliding_layers) == (attention, sliding)


@pytest.mark.parametrize(
    ("changes", "dense"),
    [
        ({"moe_layer_freq": [0] * 3 + [1] * 29}, 3),
        ({"mlp_layer_types": ["dense"] + ["sparse"] * 31}, 1),
        ({"moe_layers": list(range(4, 32))}, 4),
        ({"moe_layers_enum": "4,5,6"}, 29),
        ({"expert_layer_period": 2, "expert_layer_offset": 1}, 16),
        ({"first_k_dense_replace": 2}, 2),
        ({"enable_moe_block": False}, 0),
    ],
)
def test_every_way_of_writing_which_layers_have_experts_is_understood(changes, dense):
    assert _of(LLAMA_8B, **MOE, **changes).dense_layers == dense


@pytest.mark.parametrize(
    ("changes", "kv_heads"),
    [
        ({"multi_query": True, "new_decoder_architecture": False}, 1),
        ({"multi_query_attention": False, "multi_query_group_num": 2}, 32),
        ({"num_key_value_heads": None, "attn_config": {"kv_n_heads": 4}}, 4),
        ({"num_key_value_heads": [8] * 32}, 8),
    ],
)
def test_every_way_of_writing_kv_heads_is_understood(changes, kv_heads):
    assert _of(LLAMA_8B, **changes).kv_heads == kv_heads


def test_layers_that_attend_to_an_image_keep_no_cache_of_tokens():
    assert _of(LLAMA_8B, cross_attention_layers=[3, 8]).attention_layers == 30


def test_recurrent_layers_without_sizes_are_said_not_guessed():
    info = read_config({**LLAMA_8B, "layer_types": ["linear_attention"] * 32}, name="m")
    assert info.architecture.recurrent is None
    assert "not counted" in " ".join(info.warnings)
