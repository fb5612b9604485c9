"""Frozen values to JSON and back, and the JSON Schema of their form.

Writing needs no library. What is surely right is read without one; the rest and schemas go
through pydantic, whose import costs more than most commands, and which tells what is wrong.
A document's unknown keys are passed over: a newer Pitwall of the same schema may have added some.
"""

import json
from collections.abc import Hashable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from app.core.documents.encode import Plain, to_json, to_plain
from app.core.errors import DataFileError, ErrorCode
from app.io.shaping import NotThatShapeError, shaped

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["Plain", "from_json", "json_schema", "to_json", "to_plain"]

T = TypeVar("T")

_HALF_CHARACTER: Final = "\\ud"
"""How JSON begins to write one; alone it is no text."""


def from_json(shape: type[T], text: str | bytes, *, code: ErrorCode | None = None) -> T:
    """Read a value of ``shape``; keys that it does not know are passed over.

    Raises:
        DataFileError: ``code`` (DATA_FILE_BROKEN by default) with every problem in ``details``.
    """
    try:
        return _quickly(shape, text if isinstance(text, str) else text.decode())
    except (NotThatShapeError, ValueError, RecursionError):
        return _carefully(shape, text, code)


def _quickly(shape: type[T], text: str) -> T:
    if _HALF_CHARACTER in text.lower():
        raise NotThatShapeError
    return shaped(shape, json.loads(text))


def _carefully(shape: type[T], text: str | bytes, code: ErrorCode | None) -> T:
    from pydantic import ValidationError

    try:
        return cast("T", _adapter(cast("Hashable", shape)).validate_json(text, strict=True))
    except ValidationError as exc:
        problems = [
            f"{'.'.join(str(part) for part in error['loc']) or 'document'}: {error['msg']}"
            for error in exc.errors(include_url=False)
        ]
        raise DataFileError(
            code or ErrorCode.DATA_FILE_BROKEN,
            {"kind": shape.__name__, "key": problems[0].partition(":")[0]},
            cause=f"This is not a valid {shape.__name__} document: {problems[0]}.",
            remedy="Take the file as Pitwall wrote it, or have it written again.",
            details="\n".join(problems),
        ) from exc


def json_schema(shape: type[object]) -> dict[str, Any]:
    """Return the JSON Schema of a dataclass; its ``schema`` field becomes a constant."""
    from pydantic.json_schema import GenerateJsonSchema

    class Generator(GenerateJsonSchema):
        # Enums as defaults trip pydantic 2.14; our own encoder knows them.
        def encode_default(self, dft: Any) -> Any:  # noqa: ANN401 - as pydantic has it
            return to_plain(dft)

    schema = _adapter(cast("Hashable", shape)).json_schema(schema_generator=Generator)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    marker = schema.get("properties", {}).get("schema")
    if marker is not None and isinstance(marker.get("default"), str):
        marker["const"] = marker["default"]
        schema["required"] = sorted({*schema.get("required", []), "schema"})
    return schema


@lru_cache(maxsize=64)
def _adapter(shape: Hashable) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter

    return TypeAdapter(cast("type[Any]", shape))
