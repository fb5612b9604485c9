"""Small documents read without pydantic, whose import costs more than listing the hosts.

Only what is surely right is taken: a flat dataclass of texts, whole numbers, truth values and
enums, each of exactly its type. Everything else goes to `app.io.documents`, which also tells
what is wrong.
"""

import dataclasses
import json
from enum import Enum
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from app.io.documents import from_json

T = TypeVar("T")


class _NotSureError(Exception):
    """The quick way does not know this."""


def from_flat_json(shape: type[T], text: str) -> T:
    """Read a value of ``shape`` as `from_json` does.

    Raises:
        DataFileError: as `from_json`.
    """
    try:
        return _read(shape, json.loads(text))
    except (_NotSureError, ValueError, RecursionError):
        return from_json(shape, text)


def _read(shape: type[T], document: object) -> T:
    if not isinstance(document, dict):
        raise _NotSureError
    hints = get_type_hints(shape)
    values: dict[str, Any] = {}
    for field in dataclasses.fields(shape):  # type: ignore[arg-type]
        if field.name in document:
            values[field.name] = _value(document[field.name], hints[field.name])
        elif field.default is dataclasses.MISSING:
            raise _NotSureError
    return shape(**values)


def _value(value: object, hint: Any) -> object:  # noqa: ANN401 - a type as it is annotated
    if get_origin(hint) is UnionType:
        kinds = get_args(hint)
        if value is None and NoneType in kinds:
            return None
        rest = [kind for kind in kinds if kind is not NoneType]
        if len(rest) != 1:
            raise _NotSureError
        return _value(value, rest[0])
    kind = getattr(hint, "__supertype__", hint)  # a NewType's own type
    if isinstance(kind, type) and issubclass(kind, Enum) and isinstance(value, str):
        return kind(value)
    if kind not in (str, int, bool) or type(value) is not kind:
        raise _NotSureError
    if isinstance(value, str):
        value.encode()  # half a character is no text
    return value
