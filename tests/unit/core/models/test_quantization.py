"""quantization_config of every known scheme, and the bytes it comes down to."""

import pytest

from app.core.errors import AppError
from app.core.models.architecture import Quantization
from app.core.models.config import read_config
from app.core.models.config_quantization import read_modelopt_file
from app.core.models.quantized_modules import is_kept, kept_layers
from app.core.models.quantized_size import (
    bytes_per_weight,
    effective_quantization,
    load_dtype,
    scheme_of,
)
from app.core.models.weights import weights_per_gpu
from tests.unit.core.models.builders import LLAMA_8B

W4 = {"weights": {"num_bits": 4, "type": "int", "group_size": 128}}
W8 = {
    "weights": {"num_bits": 8, "type": "float", "group_size": None},
    "input_activations": {"num_bits": 8},
}

UNEVEN = {"weights": {"num_bits": 4, "type": "int", "group_size": 32, "symmetric": False}}
INT8 = {"weights": {"num_bits": 8, "type": "int"}, "input_activations": {"num_bits": 8}}


def quantization(section):
    return read_config({**LLAMA_8B, "quantization_config": section}, name="m").quantization


@pytest.mark.parametrize(
    ("section", "method", "label", "bits_per_weight"),
    [
        ({"quant_method": "awq", "bits": 4, "group_size": 128}, "awq", "int4 g128", 4.15625),
        ({"quant_method": "awq", "w_bit": 4, "q_group_size": 64}, "awq", "int4 g64", 4.3125),
        ({"quant_method": "gptq", "bits": 8, "group_size": -1}, "gptq", "int8", 8),
        ({"quant_method": "fp8"}, "fp8", "fp8", 8),
        (
            {"quant_method": "fp8", "weight_block_size": [128, 128]},
            "fp8",
            "fp8 block",
            8 + 32 / 16384,
        ),
        (
            {"quant_method": "compressed-tensors", "config_groups": {"group_0": W4}},
            "compressed-tensors",
            "W4A16",
            4.125,
        ),
        (
            {"quant_method": "compressed-tensors", "config_groups": {"g": W8}},
            "compressed-tensors",
            "W8A8 fp8",
            8,
        ),
        (
            {
                "quant_method": "compressed-tensors",
                "config_groups": {"g": {"weights": {"num_bits": 4, "type": "float"}}},
            },
            "compressed-tensors",
            "NVFP4",
            4.5,
        ),
        (
            {
                "quant_method": "compressed-tensors",
                "config_groups": {
                    "g": {"weights": {"num_bits": 4, "type": "float", "group_size": 32}}
                },
            },
            "compressed-tensors",
            "MXFP4",
            4.25,
        ),
        ({"quant_method": "mxfp4"}, "mxfp4", "MXFP4", 4.25),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "nvfp4", "NVFP4", 4.5),
        ({"quant_algo": "FP8"}, "fp8", "fp8", 8),
        ({"quant_method": "nvfp4"}, "nvfp4", "NVFP4", 4.5),
        (
            {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4"},
            "bitsandbytes",
            "bnb nf4",
            4.5,
        ),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, "bitsandbytes", "bnb 8-bit", 8),
        (
            {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4", "bnb_4bit_use_double_quant": True},
            "bitsandbytes",
            "bnb nf4",
            4 + 8 / 64 + 32 / 64 / 256,
        ),
        (
            {"quant_method": "auto-round", "bits": 4, "group_size": 128},
            "auto-round",
            "int4 g128",
            4.15625,
        ),
        ({"quant_method": "compressed-tensors", "config_groups": {"g": UNEVEN}},
         "compressed-tensors", "W4A16", 4 + 20 / 32),
        ({"quant_method": "compressed-tensors", "config_groups": {"g": INT8}},
         "compressed-tensors", "W8A8", 8),
        ({"quant_method": "modelopt", "quant_algo": "MXFP8"}, "mxfp8", "MXFP8", 9),
        ({"quant_method": "modelopt", "quant_algo": "W4A16_AWQ", "group_size": 128}, "modelopt",
         "W4A16_AWQ", 4.125),
        ({"quant_method": "modelopt", "config_groups": {"g": W8}}, "modelopt", "W8A8 fp8", 8),
        ({"quant_method": "modelopt_fp4"}, "nvfp4", "NVFP4", 4.5),
        ({"quant_method": "torchao", "quant_type": "int4_weight_only"}, "torchao",
         "int4_weight_only", 4.125),
        ({"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "fp4",
          "group_size": 32}}}, "quark", "MXFP4", 4.25),
        ({"quant_method": "exl2", "bits": 4.65}, "exl2", "EXL2", 5),
        ({"quant_method": "hqq", "nbits": 4}, "hqq", "HQQ", 4),
    ],
)  # fmt: skip
def test_each_scheme_is_named_and_sized(section, method, label, bits_per_weight):
    found = quantization(section)
    assert (found.method, found.label) == (method, label)
    assert float(bytes_per_weight(found, 2)) * 8 == pytest.approx(bits_per_weight)


def test_an_empty_section_means_unquantized():
    assert quantization({}).method == "none"


def test_an_unknown_method_is_kept_by_name_and_warned_about():
    info = read_config(
        {**LLAMA_8B, "quantization_config": {"quant_method": "fancy", "bits": 6}}, name="m"
    )
    assert (info.quantization.method, info.quantization.bits) == ("fancy", 6)
    assert "fancy" in info.warnings[0]


@pytest.mark.parametrize(
    ("section", "field"),
    [
        ({"bits": 4}, "quant_method"),
        ({"quant_method": "awq", "bits": 64}, "bits"),
        ({"quant_method": "fp8", "weight_block_size": [0, 128]}, "weight_block_size"),
        ({"quant_method": "compressed-tensors"}, "config_groups"),
        ({"quant_method": "compressed-tensors", "config_groups": {"g": {}}}, "config_groups"),
        ({"quant_method": "modelopt", "quant_algo": "W4A8"}, "quant_algo"),
    ],
)
def test_a_broken_section_names_its_field(section, field):
    with pytest.raises(AppError) as caught:
        quantization(section)
    assert caught.value.params["field"] == f"quantization_config.{field}"


def test_modules_left_alone_are_matched_by_kind_not_by_layer():
    scheme = Quantization(
        method="fp8",
        bits=8,
        unquantized=("lm_head", "re:.*self_attn.*", "model.layers.0.mlp.down_proj"),
    )
    assert is_kept("self_attn.qkv_proj", scheme)
    assert not is_kept("mlp.down_proj", scheme)


@pytest.mark.parametrize(
    ("asked", "model", "capability", "kept"),
    [
        ("auto", "bfloat16", "9.0", "bfloat16"),
        ("auto", "float32", "9.0", "bfloat16"),
        ("auto", "float32", "7.0", "float16"),
        ("auto", "float32", None, "bfloat16"),
        ("half", "bfloat16", "9.0", "float16"),
        ("float32", "bfloat16", "9.0", "float32"),
    ],
)
def test_the_loaded_dtype_follows_the_model_but_never_stays_float32(asked, model, capability, kept):
    assert load_dtype(asked, model, capability) == kept


def test_quantizing_while_loading_applies_to_plain_checkpoints_only():
    plain, awq = Quantization(method="none"), Quantization(method="awq", bits=4)
    assert effective_quantization(plain, "fp8").bits == 8
    assert effective_quantization(plain, "awq") is plain
    assert effective_quantization(awq, "fp8") is awq


KINDS = [
    "self_attn.qkv_proj", "self_attn.o_proj", "mlp.gate_up_proj", "mlp.down_proj",
    "mlp.experts.w13", "mlp.shared_experts.down_proj", "mixer", "lm_head",
]  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "kept"),
    [
        ("lm_head", {"lm_head"}),
        ("self_attn", {"self_attn.qkv_proj", "self_attn.o_proj"}),
        ("re:.*self_attn.*", {"self_attn.qkv_proj", "self_attn.o_proj"}),
        ("re:.*self_attn.(q|k|v)_proj$", {"self_attn.qkv_proj"}),
        ("re:.*mlp.gate$", set()),
        ("*.mlp.gate.*", set()),
        ("mlp.gate", set()),
        ("re:.*linear_attn.*", {"mixer"}),
        ("*mixer.out_proj*", {"mixer"}),
        ("model.layers.*.mlp.experts*", {"mlp.experts.w13"}),
        ("re:.*shared_expert.*", {"mlp.shared_experts.down_proj"}),
        ("re:(?:model\\.layers\\.\\d+\\.)?mlp\\.down_proj$", {"mlp.down_proj"}),
        ("re:visual.*", set()),
        ("re:" + "(a|b)" * 90, set()),
        ("re:" + "(a+)+" * 60, set()),
        ("", set()),
    ],
)
def test_a_pattern_keeps_the_modules_it_names_and_no_others(pattern, kept):
    scheme = Quantization(method="fp8", bits=8, unquantized=(pattern,))
    assert {kind for kind in KINDS if is_kept(kind, scheme)} == kept


def test_modules_left_alone_in_single_layers_are_counted():
    names = tuple(f"model.layers.{layer}.mlp.down_proj" for layer in (0, 1, 31, 61))
    scheme = Quantization(method="fp8", bits=8, unquantized=(*names, "model.layers.5*"))
    assert kept_layers("mlp.down_proj", scheme, 32) == 4
    assert kept_layers("self_attn.o_proj", scheme, 32) == 1
    plain = {"quant_method": "fp8"}
    some = {**plain, "ignored_layers": list(names)}
    assert weights(some) - weights(plain) == 3 * 14336 * 4096


def weights(section):
    return weights_per_gpu(
        read_config({**LLAMA_8B, "quantization_config": section}, name="m")
    ).bytes_per_gpu


def test_checkpoints_that_mix_schemes_are_sized_part_by_part():
    mixed = {
        "quant_method": "compressed-tensors",
        "config_groups": {
            "group_0": {**W8, "targets": ["re:.*self_attn.*"]},
            "group_1": {**W4, "targets": ["Linear"]},
        },
        "ignore": ["lm_head"],
    }
    attention = 32 * (4096 * 6144 + 4096 * 4096)
    only_four = {**mixed, "config_groups": {"group_1": W4}}
    assert weights(mixed) - weights(only_four) == attention * (8 - 4.125) / 8


def test_gptq_leaves_out_or_packs_differently_what_dynamic_says():
    plain = {"quant_method": "gptq", "bits": 4, "group_size": 128}
    rules = {"-:.*down_proj": {}, "+:.*o_proj": {"bits": 8}, ".*gate_proj": {"bits": 16}}
    found = quantization({**plain, "dynamic": rules})
    assert is_kept("mlp.down_proj", found)
    assert is_kept("mlp.gate_up_proj", found)
    assert scheme_of("self_attn.o_proj", found).bits == 8


def test_modelopt_names_the_algorithm_of_each_layer_when_they_differ():
    found = quantization(
        {
            "quant_method": "modelopt",
            "quant_algo": "MIXED_PRECISION",
            "quantized_layers": {"model.layers.0.mlp.down_proj": {"quant_algo": "FP8"}},
        }
    )
    assert scheme_of("mlp.down_proj", found).bits == 8
    assert scheme_of("mlp.gate_up_proj", found).bits is None


def test_modelopt_says_it_in_a_file_of_its_own():
    found = read_modelopt_file({"quantization": {"quant_algo": "NVFP4", "exclude_modules": ["x"]}})
    assert (found.label, found.unquantized) == ("NVFP4", ("x",))
    assert read_modelopt_file({}).method == "none"


def test_a_format_that_no_engine_loads_is_said():
    info = read_config({**LLAMA_8B, "quantization_config": {"quant_method": "exl2"}}, name="m")
    assert info.quantization.unsupported
    assert "EXL2" in info.warnings[0]
