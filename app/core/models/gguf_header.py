"""Parse the header of one GGUF file: metadata and the list of tensors, never their data.

Bounded everywhere: a hostile or cut-off file ends in an error that names it, not in memory.
Long arrays (vocabularies) are counted, not kept.
Source: GGUF specification, versions 2 and 3.
"""

import struct
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Final

from app.core.errors import PlanError
from app.core.models.config_fields import broken
from app.core.models.gguf_types import REMOVED_TYPES, TENSOR_TYPES, TensorType

MAGIC: Final = b"GGUF"
MAX_HEADER_BYTES: Final = 128 * 1024 * 1024
FIRST_READ_BYTES: Final = 1024 * 1024
_MAX_ENTRIES: Final = 1_000_000
_MAX_ARRAY: Final = 16_000_000
_KEPT_ARRAY: Final = 2048
_MAX_TEXT: Final = 16 * 1024 * 1024
_MAX_ELEMENTS: Final = 2**50
_MAX_ALIGNMENT: Final = 2**20

_STRING: Final = 8
_ARRAY: Final = 9
_SCALARS: Final = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?",
    10: "<Q", 11: "<q", 12: "<d",
}  # fmt: skip

GgufValue = int | float | bool | str | tuple[int | float | bool, ...] | None


class NeedMoreError(Exception):
    """The bytes at hand end inside the header."""

    def __init__(self, size: int) -> None:
        super().__init__(f"at least {size} bytes are needed")
        self.size = size


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufTensor:
    """One tensor: its name, type and size."""

    name: str
    type: TensorType
    size_bytes: int
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufHeader:
    """What one file says about itself."""

    version: int
    metadata: Mapping[str, GgufValue]
    array_lengths: Mapping[str, int]
    """Length of every array, also of those that are not kept."""
    tensors: tuple[GgufTensor, ...]
    data_start: int

    @property
    def least_file_bytes(self) -> int:
        """How long the file must be to hold its tensors."""
        ends = (tensor.offset + tensor.size_bytes for tensor in self.tensors)
        return self.data_start + max(ends, default=0)


class _Cursor:
    """Reads little-endian values and asks for more where the bytes end."""

    def __init__(self, data: bytes, file: str) -> None:
        self.data = data
        self.file = file
        self.at = 0

    def fail(self, field: str, reason: str) -> PlanError:
        return broken(field, reason, file=self.file)

    def take(self, size: int) -> bytes:
        end = self.at + size
        if end > len(self.data):
            raise NeedMoreError(end)
        piece = self.data[self.at : end]
        self.at = end
        return piece

    def unpack(self, form: str) -> int | float | bool:
        value: int | float | bool = struct.unpack(form, self.take(struct.calcsize(form)))[0]
        return value

    def u32(self) -> int:
        return int(self.unpack("<I"))

    def u64(self) -> int:
        return int(self.unpack("<Q"))

    def skip(self, size: int) -> None:
        if self.at + size > len(self.data):
            raise NeedMoreError(self.at + size)
        self.at += size

    def text(self, field: str) -> str:
        size = self.u64()
        if size > _MAX_TEXT:
            raise self.fail(field, f"is a text of {size} bytes")
        return self.take(size).decode("utf-8", errors="replace")


def parse_header(data: bytes, *, file: str) -> GgufHeader:
    """Parse the beginning of a file.

    Raises:
        NeedMoreError: when ``data`` ends inside the header.
        PlanError: MODEL_CONFIG_BROKEN naming file, field and reason.
    """
    cursor = _Cursor(data, file)
    magic = cursor.take(4)
    if magic != MAGIC:
        raise cursor.fail("magic", "is not GGUF: this is another kind of file")
    version = cursor.u32()
    if version not in {2, 3}:
        swapped = version & 0xFFFF == 0
        raise cursor.fail("version", "is big-endian" if swapped else f"is {version}, not 2 or 3")
    tensor_count, entry_count = cursor.u64(), cursor.u64()
    if tensor_count > _MAX_ENTRIES or entry_count > _MAX_ENTRIES:
        raise cursor.fail("tensor_count", f"is {tensor_count} with {entry_count} entries")
    metadata: dict[str, GgufValue] = {}
    lengths: dict[str, int] = {}
    for _ in range(entry_count):
        key = cursor.text("metadata key")
        metadata[key] = _value(cursor, key, lengths)
    tensors = tuple(_tensor(cursor) for _ in range(tensor_count))
    return GgufHeader(
        version=version,
        metadata=metadata,
        array_lengths=lengths,
        tensors=tensors,
        data_start=_aligned(cursor, metadata.get("general.alignment")),
    )


def _aligned(cursor: _Cursor, value: GgufValue) -> int:
    alignment = 32 if value is None else value
    if not isinstance(alignment, int) or not 0 < alignment <= _MAX_ALIGNMENT:
        raise cursor.fail("general.alignment", f"is {alignment}")
    return -(-cursor.at // alignment) * alignment


def _value(cursor: _Cursor, key: str, lengths: dict[str, int]) -> GgufValue:
    kind = cursor.u32()
    if kind == _STRING:
        return cursor.text(key)
    if kind == _ARRAY:
        return _array(cursor, key, lengths)
    form = _SCALARS.get(kind)
    if form is None:
        raise cursor.fail(key, f"has the unknown value type {kind}")
    return cursor.unpack(form)


def _array(cursor: _Cursor, key: str, lengths: dict[str, int]) -> GgufValue:
    kind, count = cursor.u32(), cursor.u64()
    if count > _MAX_ARRAY:
        raise cursor.fail(key, f"is an array of {count} values")
    lengths[key] = count
    if kind == _STRING:
        _skip_texts(cursor, key, count)
        return None
    form = _SCALARS.get(kind)
    if form is None:
        raise cursor.fail(key, f"is an array of the unknown value type {kind}")
    if count > _KEPT_ARRAY:
        cursor.skip(count * struct.calcsize(form))
        return None
    return tuple(cursor.unpack(form) for _ in range(count))


def _skip_texts(cursor: _Cursor, key: str, count: int) -> None:
    # Walks 150,000 token texts in some 30 ms: no method call per text.
    data, at, end = cursor.data, cursor.at, len(cursor.data)
    unpack = struct.Struct("<Q").unpack_from
    for _ in range(count):
        if at + 8 > end:
            raise NeedMoreError(at + 8)
        size = unpack(data, at)[0]
        if size > _MAX_TEXT:
            raise cursor.fail(key, f"holds a text of {size} bytes")
        at += 8 + size
    if at > end:
        raise NeedMoreError(at)
    cursor.at = at


def _tensor(cursor: _Cursor) -> GgufTensor:
    name = cursor.text("tensor name")
    dimensions = cursor.u32()
    if not 0 < dimensions <= 8:
        raise cursor.fail(name, f"has {dimensions} dimensions")
    elements, first = 1, 0
    for index in range(dimensions):
        size = cursor.u64()
        first = size if index == 0 else first
        elements *= size
        if elements > _MAX_ELEMENTS:
            raise cursor.fail(name, "is larger than any real tensor")
    number = cursor.u32()
    kind = TENSOR_TYPES.get(number) or REMOVED_TYPES.get(number)
    if kind is None:
        raise cursor.fail(name, f"has the unknown tensor type {number}")
    if first % kind.block:
        raise cursor.fail(name, f"has rows of {first}, no multiple of {kind.block} ({kind.name})")
    return GgufTensor(
        name=name,
        type=kind,
        size_bytes=elements // kind.block * kind.size_bytes,
        offset=cursor.u64(),
    )


def header_steps(file: str, file_bytes: int) -> Generator[int, bytes, GgufHeader]:
    """Yield how many bytes from the beginning are needed; take them; return the header.

    Free of input and output, so that a local file and a remote one share it.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN when the file is broken or shorter than it must be.
    """
    wanted = min(FIRST_READ_BYTES, file_bytes)
    while True:
        data = yield wanted
        try:
            header = parse_header(data, file=file)
        except NeedMoreError as exc:
            if exc.size > file_bytes:
                raise cut_off(file, file_bytes, exc.size) from exc
            if exc.size > MAX_HEADER_BYTES or len(data) < wanted:
                raise broken("header", "is too long or cannot be read whole", file=file) from exc
            wanted = min(file_bytes, max(exc.size, 4 * wanted), MAX_HEADER_BYTES)
            continue
        if header.least_file_bytes > file_bytes:
            raise cut_off(file, file_bytes, header.least_file_bytes)
        return header


def cut_off(file: str, file_bytes: int, least: int) -> PlanError:
    """Return the error for a file that ends too early."""
    return broken("size", f"is {file_bytes} bytes, at least {least} are needed: cut off", file=file)


def read_gguf_header(
    read: Callable[[int, int], bytes], *, file: str, file_bytes: int
) -> GgufHeader:
    """Read the header through ``read(offset, length)``.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN naming the file.
    """
    steps = header_steps(file, file_bytes)
    wanted = next(steps)
    while True:
        try:
            wanted = steps.send(read(0, wanted))
        except StopIteration as done:
            header: GgufHeader = done.value
            return header
