"""quantization_config of every known scheme, and the bytes it comes down to."""

import pytest

from app.core.errors import AppError
from app.core.models.architecture import Quantization
from app.core.models.config import read_config
from app.core.models.quantized_size import (
    bytes_per_weight,
    effective_quantization,
    is_kept,
    load_dtype,
)
from tests.unit.core.models.builders import LLAMA_8B

W4 = {"weights": {"num_bits": 4, "type": "int", "group_size": 128}}
W8 = {
    "weights": {"num_bits": 8, "type": "float", "group_size": None},
    "input_activations": {"num_bits": 8},
}


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
    ],
)
def test_each_scheme_is_named_and_sized(section, method, label, bits_per_weight):
    found = quantization(section)
    assert (found.method, found.label) == (method, label)
    assert float(bytes_per_weight(found, 2)) * 8 == pytest.approx(bits_per_weight)


def test_an_empty_section_means_unquantized():
    assert quantization({}).method == "none"


def test_an_unknown_method_is_kept_by_name_and_warned_about():
    info = read_config(
        {**LLAMA_8B, "quantization_config": {"quant_method": "quark", "bits": 6}}, name="m"
    )
    assert (info.quantization.method, info.quantization.bits) == ("quark", 6)
    assert "quark" in info.warnings[0]


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
