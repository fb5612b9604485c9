"""GGUF headers: what they say, split files, cut-off files, and hostile bytes."""

import struct

import pytest
from gguf.constants import GGML_QUANT_SIZES, LlamaFileType
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.errors import AppError, ErrorCode
from app.core.models.architecture import ModelFile, ModelFormat
from app.core.models.gguf import GgufPart, model_from_gguf, split_names
from app.core.models.gguf_header import read_gguf_header
from app.core.models.gguf_types import FILE_TYPES, TENSOR_TYPES
from tests.unit.core.models.builders import (
    TINY_GGUF,
    TINY_TENSORS,
    gguf_file,
    outcome,
)


def header_of(data: bytes, *, size: int | None = None, chunk: int | None = None):
    return read_gguf_header(
        lambda offset, length: data[offset : offset + min(length, chunk or length)],
        file="m.gguf",
        file_bytes=len(data) if size is None else size,
    )


def model_of(metadata, tensors=TINY_TENSORS):
    data = gguf_file(metadata, tensors)
    part = GgufPart(file=ModelFile(name="m.gguf", size_bytes=len(data)), header=header_of(data))
    return model_from_gguf([part], name="m", path="/m.gguf")


def refused(call):
    with pytest.raises(AppError) as caught:
        call()
    assert caught.value.code is ErrorCode.MODEL_CONFIG_BROKEN
    return caught.value.params


def test_tensor_types_are_those_of_the_reference_package():
    theirs = {int(kind): sizes for kind, sizes in GGML_QUANT_SIZES.items()}
    assert {number: tuple(kind[1:]) for number, kind in TENSOR_TYPES.items()} == theirs


def test_file_types_are_named_as_llama_quantize_names_them():
    for number, name in FILE_TYPES.items():
        assert LlamaFileType(number).name.removeprefix("MOSTLY_").removeprefix("ALL_") == name


def test_a_small_file_tells_architecture_quantization_and_bytes():
    info = model_of(TINY_GGUF)
    arch = info.architecture
    assert (arch.layers, arch.kv_heads, arch.head_dim, arch.vocab_size) == (2, 2, 64, 4)
    assert (info.format, info.quantization.label, info.quantization.bits) == (
        ModelFormat.GGUF,
        "Q4_K_M",
        4,
    )
    assert info.weights_bytes == 2 * 840 + 2 * 36864 + 1024 + 128
    assert info.breakdown is not None
    assert info.breakdown.layer_bytes == (36864, 36864)
    head = (info.breakdown.output_bytes, info.breakdown.other_bytes)
    assert head == (840, 1024 + 128)
    assert info.has_tokenizer
    assert info.has_chat_template
    assert "tokenizer.ggml.tokens" not in info.raw_config


def test_plain_files_and_unknown_mixes_are_labelled_by_their_tensors():
    no_type = {k: v for k, v in TINY_GGUF.items() if k != "general.file_type"}
    assert model_of(no_type).quantization.label == "Q4_K"
    assert model_of({**TINY_GGUF, "general.file_type": 1}).quantization.method == "none"
    assert model_of({**TINY_GGUF, "general.file_type": 32}).dtype == "bfloat16"
    assert model_of({**no_type, "general.file_type": 999}, []).quantization.label == "unknown"


def test_sliding_layers_come_from_the_pattern_or_the_family():
    def sliding(**changes):
        arch = model_of(
            {**TINY_GGUF, "llama.attention.sliding_window": 512, **changes}
        ).architecture
        return arch.sliding_window, arch.sliding_layers

    assert sliding() == (512, 2)
    assert sliding(**{"llama.attention.sliding_window_pattern": [1, 0]}) == (512, 1)
    assert sliding(**{"llama.attention.sliding_window_pattern": 2}) == (512, 1)
    assert sliding(**{"llama.attention.sliding_window_pattern": 1}) == (None, 0)


def test_experts_and_compressed_attention_are_read():
    arch = model_of(
        {
            **TINY_GGUF,
            "llama.expert_count": 8,
            "llama.expert_used_count": 2,
            "llama.expert_shared_count": 1,
            "llama.leading_dense_block_count": 1,
            "llama.attention.kv_lora_rank": 32,
            "llama.attention.key_length_mla": 48,
            "llama.attention.value_length_mla": 32,
            "llama.rope.dimension_count": 16,
        }
    ).architecture
    assert (arch.experts, arch.moe_intermediate_size, arch.dense_layers) == (8, 512, 1)
    assert (arch.kv_lora_rank, arch.head_dim, arch.v_head_dim) == (32, 48, 32)
    assert (arch.qk_rope_head_dim, arch.qk_nope_head_dim, arch.kv_heads) == (16, 32, 4)


def test_layers_without_kv_heads_keep_no_cache():
    arch = model_of({**TINY_GGUF, "llama.attention.head_count_kv": [0, 2]}).architecture
    assert (arch.attention_layers, arch.kv_heads) == (1, 2)
    assert model_of({**TINY_GGUF, "llama.attention.head_count_kv": 0}).architecture.kv_heads == 4


def test_missing_context_and_template_are_warned_about():
    metadata = {
        key: value
        for key, value in TINY_GGUF.items()
        if key not in {"llama.context_length", "tokenizer.chat_template"}
    }
    assert len(model_of(metadata).warnings) == 2


def test_encoders_are_recognised():
    renamed = {
        key.replace("llama.", "bert."): "bert" if value == "llama" else value
        for key, value in TINY_GGUF.items()
    }
    info = model_of(renamed)
    assert info.architecture.is_encoder
    assert any("encoder" in text for text in info.warnings)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"general.architecture": ""}, "general.architecture"),
        ({"llama.block_count": 0}, "llama.block_count"),
        ({"llama.block_count": "two"}, "llama.block_count"),
        ({"llama.attention.head_count": 3}, "llama.attention.key_length"),
        ({"llama.attention.head_count_kv": 7}, "llama.attention.head_count_kv"),
        ({"tokenizer.ggml.tokens": []}, "llama.vocab_size"),
        ({"split.count": 2}, "split.count"),
        ({"general.alignment": 0}, "general.alignment"),
        ({"general.alignment": "wide"}, "general.alignment"),
    ],
)
def test_a_broken_value_is_named(changes, field):
    assert refused(lambda: model_of({**TINY_GGUF, **changes}))["field"] == field


def test_a_cut_off_file_is_named_with_both_sizes():
    data = gguf_file(TINY_GGUF, TINY_TENSORS)
    params = refused(lambda: header_of(data[:-1000]))
    assert params["file"] == "m.gguf"
    assert str(len(data) - 1000) in params["reason"]
    assert refused(lambda: header_of(data[:200]))["field"] == "size"


def test_a_reader_that_returns_less_than_promised_is_noticed():
    data = gguf_file(TINY_GGUF, TINY_TENSORS)
    assert refused(lambda: header_of(data, chunk=100))["field"] == "header"


def test_a_long_vocabulary_is_counted_over_several_reads():
    metadata = {
        **TINY_GGUF,
        "tokenizer.ggml.tokens": [f"token-{number}" * 3 for number in range(60000)],
        "tokenizer.ggml.token_type": [1] * 60000,
    }
    assert model_of(metadata).architecture.vocab_size == 60000


def test_parts_of_a_split_are_summed_and_counted():
    first = gguf_file({**TINY_GGUF, "split.count": 2, "split.tensors.count": 6}, TINY_TENSORS[:3])
    second = gguf_file({"split.count": 2}, TINY_TENSORS[3:])
    parts = [
        GgufPart(file=ModelFile(name=name, size_bytes=len(data)), header=header_of(data))
        for name, data in zip(split_names("m-00001-of-00002.gguf"), (first, second), strict=True)
    ]
    info = model_from_gguf(parts, name="m")
    assert len(info.files) == 2
    assert info.weights_bytes == 2 * 840 + 2 * 36864 + 1024 + 128
    short = gguf_file({"split.count": 2}, TINY_TENSORS[4:])
    parts[1] = GgufPart(file=ModelFile(name="x", size_bytes=1), header=header_of(short))
    assert refused(lambda: model_from_gguf(parts, name="m"))["field"] == "split.tensors.count"


START = b"GGUF" + struct.pack("<IQQ", 3, 0, 1)
ONE_KEY = START + struct.pack("<Q", 1) + b"k"


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (b"GGML" + bytes(40), "magic"),
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "version"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "version"),
        (b"GGUF" + struct.pack("<IQQ", 3, 2**40, 0), "tensor_count"),
        (START + struct.pack("<Q", 2**60), "metadata key"),
        (ONE_KEY + struct.pack("<I", 77), "k"),
        (ONE_KEY + struct.pack("<IIQ", 9, 8, 2**50), "k"),
        (ONE_KEY + struct.pack("<IIQ", 9, 77, 2), "k"),
        (ONE_KEY + struct.pack("<IIQQ", 9, 8, 1, 2**40), "k"),
        (gguf_file(TINY_GGUF, [("t", [], 0, 0)]), "t"),
        (gguf_file(TINY_GGUF, [("t", [2**40, 2**40], 0, 0)]), "t"),
        (gguf_file(TINY_GGUF, [("t", [4], 5, 0)]), "t"),
        (gguf_file(TINY_GGUF, [("t", [4], 12, 0)]), "t"),
    ],
)
def test_hostile_headers_are_refused_by_field(data, field):
    assert refused(lambda: header_of(data))["field"] == field


def test_a_header_beyond_the_limit_is_not_read():
    data = b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"k"
    data += struct.pack("<IIQ", 9, 10, 15_999_999)
    params = refused(lambda: header_of(data, size=10**10, chunk=len(data)))
    assert params["field"] == "header"


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_raise_anything_but_our_errors(tail):
    for data in (tail, b"GGUF\x03\x00\x00\x00" + tail):
        assert outcome(lambda data=data: header_of(data)) in {None, ErrorCode.MODEL_CONFIG_BROKEN}


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 1200), st.binary(min_size=1, max_size=8))
def test_no_damage_to_a_header_raises_anything_but_our_errors(at, bytes_):
    data = bytearray(gguf_file(TINY_GGUF, TINY_TENSORS))
    data[at : at + len(bytes_)] = bytes_

    def read():
        part = GgufPart(
            file=ModelFile(name="m", size_bytes=len(data)), header=header_of(bytes(data))
        )
        model_from_gguf([part], name="m")

    assert outcome(read) in {None, ErrorCode.MODEL_CONFIG_BROKEN}


def hybrid(architecture, mixers, cached, **changes):
    """Return a model of four layers: some with a state, some with a cache."""
    metadata = {key.replace("llama.", f"{architecture}."): v for key, v in TINY_GGUF.items()}
    metadata |= {
        "general.architecture": architecture,
        f"{architecture}.block_count": 4,
        f"{architecture}.ssm.conv_kernel": 4,
        f"{architecture}.ssm.state_size": 128,
        f"{architecture}.ssm.inner_size": 512,
        f"{architecture}.ssm.group_count": 2,
        **{f"{architecture}.{key}": value for key, value in changes.items()},
    }
    tensors = [("token_embd.weight", [256, 4], 14, 840)]
    tensors += [(f"blk.{n}.ssm_in.weight", [256, 256], 12, 36864) for n in mixers]
    tensors += [(f"blk.{n}.attn_k.weight", [256, 256], 12, 36864) for n in cached]
    return model_of(metadata, tensors).architecture


def test_layers_with_a_state_are_told_by_their_tensors():
    arch = hybrid("nemotron_h", (0, 2, 3), (1,))
    assert (arch.recurrent.layers, arch.attention_layers) == (3, 1)
    assert (arch.recurrent.kind, arch.recurrent.parameters) == ("mamba2", 65536)
    assert arch.recurrent.state_elements == 512 * 128
    assert arch.recurrent.conv_elements == (512 + 2 * 2 * 128) * 3
    both = hybrid("falcon-h1", range(4), range(4))
    assert (both.recurrent.layers, both.attention_layers) == (4, None)


def test_a_model_without_attention_needs_no_heads():
    none = {"attention.head_count": 0, "attention.head_count_kv": 0, "ssm.group_count": 0}
    arch = hybrid("mamba", range(4), (), **none)
    assert (arch.recurrent.kind, arch.attention_layers) == ("mamba1", 0)


def test_tensors_of_a_removed_type_are_read_and_warned_about():
    info = model_of(TINY_GGUF, [*TINY_TENSORS, ("blk.0.attn_k.weight", [256, 32], 31, 4608)])
    assert "Q4_0_4_4" in " ".join(info.warnings)
