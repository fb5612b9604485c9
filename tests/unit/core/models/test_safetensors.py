"""safetensors headers and index: sizes, cut-off files, missing shards, pointers."""

import json
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.errors import AppError, ErrorCode
from app.core.models.safetensors import header_steps, missing_shards, parse_index
from tests.unit.core.models.builders import outcome, safetensors_file

TWO = {"a": ("BF16", [4, 8], 64), "b": ("F32", [2], 8), "c": ("X9", [3], 5)}


def read(data: bytes, *, size: int | None = None):
    steps = header_steps("m.safetensors", len(data) if size is None else size)
    wanted = next(steps)
    while True:
        try:
            wanted = steps.send(data[:wanted])
        except StopIteration as done:
            return done.value


def refused(call):
    with pytest.raises(AppError) as caught:
        call()
    assert caught.value.code is ErrorCode.MODEL_CONFIG_BROKEN
    return caught.value


def test_tensor_bytes_are_summed_by_dtype():
    header = read(safetensors_file(TWO))
    assert (header.tensors, header.tensor_bytes) == (3, 77)
    assert header.bytes_by_dtype == {"BF16": 64, "F32": 8, "X9": 5}


def test_a_header_longer_than_the_first_read_is_fetched():
    many = {f"layers.{number}.weight": ("F16", [16], 32) for number in range(5000)}
    assert read(safetensors_file(many)).tensors == 5000


def test_a_cut_off_file_is_named():
    error = refused(lambda: read(safetensors_file(TWO)[:-10]))
    assert error.params["file"] == "m.safetensors"
    assert "cut off" in error.params["reason"]
    assert refused(lambda: read(safetensors_file(TWO)[:40])).params["field"] == "size"
    assert refused(lambda: read(b"abc")).params["field"] == "header"
    many = {f"layers.{number}.weight": ("F16", [16], 32) for number in range(5000)}
    data = safetensors_file(many)
    assert refused(lambda: read(data[:300000], size=len(data))).params["field"] == "size"


def test_a_git_lfs_pointer_is_recognised_with_its_remedy():
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
    assert "git lfs pull" in refused(lambda: read(pointer)).remedy


@pytest.mark.parametrize(
    ("header", "field"),
    [
        (b"nope", "header"),
        (b"[]", "header"),
        (b'{"a": 3}', "a"),
        (b'{"a": {}}', "a.dtype"),
        (b'{"a": {"dtype": "F16"}}', "a.data_offsets"),
        (b'{"a": {"dtype": "F16", "shape": [1], "data_offsets": [2, 0]}}', "a.data_offsets"),
        (b'{"a": {"dtype": "F16", "shape": [1], "data_offsets": [0]}}', "a.data_offsets"),
        (b'{"a": {"dtype": "F16", "shape": 1, "data_offsets": [0, 2]}}', "a.shape"),
        (b'{"a": {"dtype": "F16", "shape": [-1], "data_offsets": [0, 2]}}', "a.shape"),
        (b'{"a": {"dtype": "F16", "shape": [2], "data_offsets": [0, 2]}}', "a"),
    ],
)
def test_a_broken_entry_is_named(header, field):
    data = struct.pack("<Q", len(header)) + header + bytes(16)
    assert refused(lambda: read(data)).params["field"] == field


def test_an_absurd_header_length_is_no_safetensors_file():
    assert "no safetensors" in refused(lambda: read(struct.pack("<Q", 2**60))).params["reason"]


def test_the_index_names_its_shards_and_what_is_missing():
    text = json.dumps(
        {
            "metadata": {"total_size": 99},
            "weight_map": {f"w{n}": f"model-{n}-of-5.safetensors" for n in range(1, 6)},
        }
    )
    index = parse_index(text)
    assert (len(index.files), index.total_bytes) == (5, 99)
    assert missing_shards(index, frozenset(index.files)) is None
    error = missing_shards(index, frozenset({"model-2-of-5.safetensors"}))
    assert error is not None
    assert error.params["file"] == "model-1-of-5.safetensors"
    assert "4 of 5" in error.cause
    assert "and 1 more" in error.cause


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "[]",
        "{}",
        '{"weight_map": {}}',
        '{"weight_map": {"a": 1}}',
        '{"weight_map": {"a": "../x"}}',
    ],
)
def test_a_broken_index_is_refused(text):
    assert refused(lambda: parse_index(text)).params["file"] == "model.safetensors.index.json"


def test_an_index_without_a_size_leaves_it_unknown():
    assert parse_index('{"weight_map": {"a": "x"}, "metadata": []}').total_bytes is None


@settings(max_examples=120, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_but_our_errors(data):
    for bytes_ in (data, struct.pack("<Q", len(data)) + data):
        found = outcome(lambda bytes_=bytes_: read(bytes_))
        assert found in {None, ErrorCode.MODEL_CONFIG_BROKEN}
