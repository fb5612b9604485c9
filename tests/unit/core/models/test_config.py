"""config.json → ModelInfo: families, broken fields, and no surprises from any JSON."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.errors import AppError, ErrorCode
from app.core.models.config import missing_config, parse_config_text, read_config
from tests.unit.core.models.builders import (
    DEEPSEEK_V3,
    GEMMA_2,
    GPT_OSS,
    LLAMA_8B,
    MIXTRAL,
    QWEN3_MOE,
    QWEN_7B,
    outcome,
)

TWO_OF_EIGHT = {"num_experts": 8, "num_experts_per_tok": 2}


def architecture(config, **changes):
    return read_config({**config, **changes}, name="m").architecture


def refused(config, **changes):
    with pytest.raises(AppError) as caught:
        read_config({**config, **changes}, name="m")
    assert caught.value.code is ErrorCode.MODEL_CONFIG_BROKEN
    return caught.value.params


def test_grouped_query_attention_of_qwen_is_read_and_its_unused_window_ignored():
    qwen = architecture(QWEN_7B)
    assert (qwen.heads, qwen.kv_heads, qwen.head_dim) == (28, 4, 128)
    assert qwen.sliding_window is None
    assert qwen.attention_bias
    assert not qwen.tie_embeddings


def test_latent_attention_and_experts_of_deepseek_are_read():
    arch = architecture(DEEPSEEK_V3)
    assert (arch.kv_lora_rank, arch.qk_rope_head_dim, arch.head_dim) == (512, 64, 192)
    assert (arch.experts, arch.experts_per_token, arch.shared_experts) == (256, 8, 1)
    assert (arch.dense_layers, arch.shared_expert_intermediate_size) == (3, 2048)


def test_experts_of_mixtral_are_as_wide_as_its_dense_layers_would_be():
    arch = architecture(MIXTRAL)
    assert (arch.experts, arch.experts_per_token, arch.moe_intermediate_size) == (8, 2, 14336)
    assert arch.sliding_layers == 0


def test_qwen_moe_names_its_own_shared_expert():
    arch = architecture(QWEN3_MOE, shared_expert_intermediate_size=5632, mlp_only_layers=[0, 1, 99])
    assert (arch.shared_experts, arch.shared_expert_intermediate_size) == (1, 5632)
    assert arch.dense_layers == 2


def test_every_second_layer_is_sparse_when_the_step_says_so():
    assert architecture(QWEN3_MOE, decoder_sparse_step=2).dense_layers == 24


@pytest.mark.parametrize(
    ("config", "changes", "window", "sliding"),
    [
        (GEMMA_2, {}, 4096, 21),
        (GPT_OSS, {}, 128, 12),
        (LLAMA_8B, {"model_type": "mistral", "sliding_window": 4096}, 4096, 32),
        (LLAMA_8B, {"model_type": "gemma3_text", "sliding_window": 1024}, 1024, 27),
        (LLAMA_8B, {"sliding_window": 512, "sliding_window_pattern": 4}, 512, 24),
        (QWEN_7B, {"use_sliding_window": True, "max_window_layers": 20}, 131072, 8),
        (QWEN_7B, {"use_sliding_window": True}, 131072, 0),
    ],
)
def test_sliding_layers_are_counted_as_each_family_says_them(config, changes, window, sliding):
    arch = architecture(config, **changes)
    assert (arch.sliding_window, arch.sliding_layers) == (window, sliding)


def test_chunked_attention_counts_as_sliding_by_its_chunk():
    kinds = ["chunked_attention"] * 3 + ["full_attention"]
    arch = architecture(LLAMA_8B, num_hidden_layers=4, layer_types=kinds, attention_chunk_size=8192)
    assert (arch.sliding_window, arch.sliding_layers) == (8192, 3)


def test_hybrid_layers_without_a_cache_are_left_out():
    kinds = ["linear_attention"] * 24 + ["full_attention"] * 8
    assert architecture(LLAMA_8B, layer_types=kinds).attention_layers == 8


def test_sliding_layers_without_a_window_are_warned_about():
    info = read_config({**LLAMA_8B, "layer_types": ["sliding_attention"] * 32}, name="m")
    assert info.architecture.sliding_layers == 0
    assert "without a sliding_window" in info.warnings[0]


def test_vision_language_models_are_read_by_their_text_part():
    text = {k: v for k, v in LLAMA_8B.items() if k not in {"architectures", "vocab_size"}}
    config = {
        "architectures": ["Gemma3ForConditionalGeneration"],
        "model_type": "gemma3",
        "vocab_size": 128256,
        "text_config": text,
        "vision_config": {"hidden_size": 1152},
    }
    info = read_config(config, name="m")
    assert info.architecture.is_multimodal
    assert (info.architecture.hidden_size, info.architecture.vocab_size) == (4096, 128256)
    assert info.architecture.name == "Gemma3ForConditionalGeneration"


def test_a_text_part_inside_another_part_is_found():
    config = {
        "architectures": ["OmniForConditionalGeneration"],
        "model_type": "omni",
        "thinker_config": {"text_config": LLAMA_8B},
    }
    assert read_config(config, name="m").architecture.layers == 32


def test_a_field_missing_in_the_text_part_is_named_with_its_place():
    text = {**LLAMA_8B, "num_attention_heads": None}
    assert refused({"text_config": text})["field"] == "text_config.num_attention_heads"


@pytest.mark.parametrize(
    ("family", "changes"),
    [
        ("bert", {"architectures": ["BertForMaskedLM"]}),
        ("new", {"architectures": ["NewForSequenceClassification"]}),
        ("new", {"is_encoder_decoder": True}),
    ],
)
def test_encoders_are_recognised_and_said(family, changes):
    info = read_config({**LLAMA_8B, "model_type": family, **changes}, name="m")
    assert info.architecture.is_encoder
    assert any("encoder" in text for text in info.warnings)


def test_old_names_of_fields_are_understood():
    arch = architecture(
        {"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12, "vocab_size": 50257,
         "n_positions": 1024}
    )  # fmt: skip
    assert (arch.layers, arch.intermediate_size, arch.kv_heads) == (12, 3072, 12)
    assert arch.tie_embeddings
    assert not arch.gated_mlp
    assert architecture(LLAMA_8B, num_key_value_heads=None, multi_query=True).kv_heads == 1


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"num_hidden_layers": None}, "num_hidden_layers", "is missing"),
        ({"hidden_size": "big"}, "hidden_size", "is not a whole number"),
        ({"hidden_size": True}, "hidden_size", "is not a whole number"),
        ({"vocab_size": 0}, "vocab_size", "outside 1"),
        ({"vocab_size": 1e300}, "vocab_size", "outside 1"),
        ({"num_key_value_heads": 5}, "num_key_value_heads", "does not divide"),
        ({"hidden_size": 4097}, "head_dim", "no multiple"),
        ({"intermediate_size": None}, "intermediate_size", "is missing"),
        ({"torch_dtype": "int3"}, "torch_dtype", "not a known dtype"),
        ({"torch_dtype": 7}, "torch_dtype", "is not a text"),
        ({"architectures": "Llama"}, "architectures", "is not a list"),
        ({"architectures": None, "model_type": None}, "architectures", "missing"),
        ({"kv_lora_rank": 512}, "qk_rope_head_dim", "is missing beside"),
        ({"layer_types": ["full_attention"]}, "layer_types", "1 entries for 32"),
        ({"num_experts": 8}, "num_experts_per_tok", "is missing beside"),
        ({"num_experts": 8, "num_experts_per_tok": 9}, "num_experts_per_tok", "of only 8"),
        ({"num_experts_per_tok": "two"}, "num_experts_per_tok", "is not a whole number"),
        ({"moe_intermediate_size": -1}, "moe_intermediate_size", "outside 0"),
        ({"is_moe": False, "moe_topk": "two"}, "moe_topk", "is not a whole number"),
        ({"num_hidden_layers": [1]}, "num_hidden_layers", "is a list"),
        ({"hidden_size": [4096] * 32}, "hidden_size", "is a list"),
        ({"max_position_embeddings": [8192]}, "max_position_embeddings", "is a list"),
        ({**TWO_OF_EIGHT, "mlp_only_layers": 3}, "mlp_only_layers", "not a list"),
        ({"attention_bias": "yes"}, "attention_bias", "neither true nor false"),
        ({"tie_word_embeddings": 1}, "tie_word_embeddings", "neither true nor false"),
        ({"text_config": 3}, "text_config", "is not an object"),
        ({"quantization_config": []}, "quantization_config", "is not an object"),
    ],
)  # fmt: skip
def test_a_broken_field_is_named_with_its_reason(changes, field, reason):
    params = refused(LLAMA_8B, **changes)
    assert params["field"] == field
    assert reason in params["reason"]


def test_experts_without_any_width_are_refused():
    config = {**QWEN3_MOE, "intermediate_size": None, "moe_intermediate_size": None}
    assert refused(config)["field"] in {"intermediate_size", "moe_intermediate_size"}


def test_a_missing_dtype_and_context_are_warnings_not_guesses():
    info = read_config({**LLAMA_8B, "torch_dtype": None, "max_position_embeddings": None}, name="m")
    assert info.dtype == "bfloat16"
    assert info.architecture.max_context is None
    assert len(info.warnings) == 2


def test_a_window_as_long_as_the_context_is_pointed_out():
    info = read_config({**LLAMA_8B, "model_type": "mistral", "sliding_window": 131072}, name="m")
    assert any("saves nothing" in text for text in info.warnings)


@pytest.mark.parametrize("text", ["", "[]", "nope", "{", "[" * 100000, '"x"'])
def test_text_that_is_no_json_object_is_refused(text):
    with pytest.raises(AppError) as caught:
        parse_config_text(text)
    assert caught.value.code is ErrorCode.MODEL_CONFIG_BROKEN


def test_a_missing_config_says_where_it_was_looked_for():
    error = missing_config("m", "/models/m")
    assert error.code is ErrorCode.MODEL_CONFIG_MISSING
    assert "/models/m" in error.cause


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
_KEYS = sorted(
    {*QWEN_7B, *QWEN3_MOE, *DEEPSEEK_V3, *GPT_OSS, "text_config", "head_dim", "dtype",
     "vision_config", "use_sliding_window", "max_window_layers", "quantization_config"}
)  # fmt: skip
_QUANT = st.fixed_dictionaries(
    {},
    optional={
        "quant_method": st.sampled_from(["awq", "gptq", "fp8", "compressed-tensors", "x"])
        | json_values,
        "bits": json_values,
        "group_size": json_values,
        "weight_block_size": json_values,
        "config_groups": st.dictionaries(
            st.text(max_size=3), st.dictionaries(st.just("weights"), json_values), max_size=2
        )
        | json_values,
        "ignore": json_values,
    },
)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([QWEN_7B, QWEN3_MOE, DEEPSEEK_V3, GPT_OSS, {}]),
    st.dictionaries(st.sampled_from(_KEYS), json_values, max_size=6),
    st.none() | _QUANT,
)
def test_no_json_raises_anything_but_our_errors(base, changes, quantization):
    config = {**base, **changes}
    if quantization is not None:
        config["quantization_config"] = quantization
    assert outcome(lambda: read_config(config, name="m")) in {None, ErrorCode.MODEL_CONFIG_BROKEN}


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60) | json_values.map(json.dumps))
def test_no_text_raises_anything_but_our_errors(text):
    found = outcome(lambda: read_config(parse_config_text(text), name="m"))
    assert found in {None, ErrorCode.MODEL_CONFIG_BROKEN}
