"""Headers of safetensors files and their index: tensor bytes, cut-off files, missing shards.

A file is an 8-byte length, a JSON object and the data. Git LFS pointers, which lie where weights
should be after a clone without LFS, are recognised.
"""

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Final

from app.core.errors import ErrorCode, PlanError
from app.core.models.config_fields import as_mapping, broken

FIRST_READ_BYTES: Final = 256 * 1024
MAX_HEADER_BYTES: Final = 100 * 1024 * 1024
"""The format's own limit."""

INDEX_NAME: Final = "model.safetensors.index.json"

LFS_POINTER: Final = b"version https://git-lfs.github.com/spec/"
_LENGTH_BYTES: Final = 8
_WIDTHS: Final = {
    "BOOL": 8, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8, "I16": 16, "U16": 16,
    "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32, "F64": 64, "I64": 64, "U64": 64,
    "F4": 4, "C64": 64,
}  # fmt: skip
"""Bits per value; types that are not listed are taken by their offsets alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardHeader:
    """What one file holds."""

    file: str
    tensors: int
    tensor_bytes: int
    bytes_by_dtype: Mapping[str, int]


def header_steps(file: str, file_bytes: int) -> Generator[int, bytes, ShardHeader]:
    """Yield how many bytes from the beginning are needed; take them; return the header.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN naming the file when it is broken, cut off or a pointer.
    """
    data = yield min(FIRST_READ_BYTES, file_bytes)
    if data.startswith(LFS_POINTER):
        raise _pointer(file)
    if len(data) < _LENGTH_BYTES:
        raise broken("header", f"needs 8 bytes, the file has {file_bytes}", file=file)
    length = int.from_bytes(data[:_LENGTH_BYTES], "little")
    start = _LENGTH_BYTES + length
    if length > MAX_HEADER_BYTES:
        raise broken("header", f"claims {length} bytes: this is no safetensors file", file=file)
    if start > file_bytes:
        raise _cut_off(file, file_bytes, start)
    if len(data) < start:
        data = yield start
        if len(data) < start:
            raise _cut_off(file, len(data), start)
    return parse_header(data[_LENGTH_BYTES:start], file=file, data_bytes=file_bytes - start)


def parse_header(header: bytes, *, file: str, data_bytes: int) -> ShardHeader:
    """Check a header against the bytes that follow it.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN naming file and tensor.
    """
    try:
        value: object = json.loads(header)
    except (ValueError, RecursionError) as exc:
        raise broken("header", "is no JSON", file=file) from exc
    if not isinstance(value, Mapping):
        raise broken("header", "is no JSON object", file=file)
    by_dtype: dict[str, int] = {}
    count = last = 0
    for name, entry in value.items():
        if name == "__metadata__":
            continue
        dtype, begin, end = _entry(str(name), entry, file)
        by_dtype[dtype] = by_dtype.get(dtype, 0) + end - begin
        count, last = count + 1, max(last, end)
    if last > data_bytes:
        raise _cut_off(file, data_bytes, last, what="data of ")
    return ShardHeader(
        file=file,
        tensors=count,
        tensor_bytes=sum(by_dtype.values()),
        bytes_by_dtype=by_dtype,
    )


def _entry(name: str, entry: object, file: str) -> tuple[str, int, int]:
    if not isinstance(entry, Mapping):
        raise broken(name, "is no object", file=file)
    dtype, shape, offsets = entry.get("dtype"), entry.get("shape"), entry.get("data_offsets")
    if not isinstance(dtype, str):
        raise broken(f"{name}.dtype", "is missing", file=file)
    begin, end = _pair(offsets, f"{name}.data_offsets", file)
    elements = 1
    for size in shape if isinstance(shape, list) else [None]:
        if isinstance(size, bool) or not isinstance(size, int) or not 0 <= size < 2**48:
            raise broken(f"{name}.shape", "is no list of sizes", file=file)
        elements = min(elements * size, 2**63)
    width = _WIDTHS.get(dtype)
    if width is not None and -(-elements * width // 8) != end - begin:
        raise broken(name, f"has {end - begin} bytes for {elements} values of {dtype}", file=file)
    return dtype, begin, end


def _pair(value: object, field: str, file: str) -> tuple[int, int]:
    if isinstance(value, list) and len(value) == 2:
        begin, end = value
        if (
            isinstance(begin, int)
            and isinstance(end, int)
            and not isinstance(begin, bool)
            and 0 <= begin <= end < 2**63
        ):
            return begin, end
    raise broken(field, "is no pair of offsets", file=file)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardIndex:
    """The index of a model in several files."""

    files: tuple[str, ...]
    total_bytes: int | None


def parse_index(text: str) -> ShardIndex:
    """Read ``model.safetensors.index.json``.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN naming the field.
    """
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise broken("file", "is no JSON", file=INDEX_NAME) from exc
    top = as_mapping(value, "file", file=INDEX_NAME)
    weight_map = top.get("weight_map")
    if not isinstance(weight_map, Mapping) or not weight_map:
        raise broken("weight_map", "is missing or empty", file=INDEX_NAME)
    names = {name for name in weight_map.values() if isinstance(name, str)}
    if (
        any("/" in name or "\\" in name or name in {"", ".", ".."} for name in names)
        or len(names) == 0
    ):
        raise broken("weight_map", "names files outside the folder", file=INDEX_NAME)
    metadata = top.get("metadata")
    size = metadata.get("total_size") if isinstance(metadata, Mapping) else None
    whole = isinstance(size, int) and not isinstance(size, bool) and size > 0
    return ShardIndex(files=tuple(sorted(names)), total_bytes=size if whole else None)


def missing_shards(index: ShardIndex, present: frozenset[str]) -> PlanError | None:
    """Return the error for shards that are not there; ``None`` when all are."""
    missing = tuple(name for name in index.files if name not in present)
    if not missing:
        return None
    shown = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
    return PlanError(
        ErrorCode.MODEL_CONFIG_BROKEN,
        {"field": "weight_map", "reason": "missing shards", "file": missing[0]},
        cause=f"{len(missing)} of {len(index.files)} weight files are missing: {shown}.",
        remedy="Finish the copy or download of the model.",
        details="\n".join(missing),
    )


def _pointer(file: str) -> PlanError:
    return PlanError(
        ErrorCode.MODEL_CONFIG_BROKEN,
        {"field": "file", "reason": "is a Git LFS pointer", "file": file},
        cause=f"{file} is a Git LFS pointer, not the weights themselves.",
        remedy="Run “git lfs pull” in the model's folder, or download the file itself.",
    )


def _cut_off(file: str, have: int, need: int, *, what: str = "") -> PlanError:
    return broken("size", f"is {what}{have} bytes, {need} are needed: cut off", file=file)
