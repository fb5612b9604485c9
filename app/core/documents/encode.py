"""Frozen values to plain JSON values, without any library: the command line starts faster."""

import dataclasses
import json
import math
from collections.abc import Mapping
from enum import Enum

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]


def to_plain(value: object) -> Plain:
    """Turn dataclasses, mappings, sequences and enums into what JSON has; NaN becomes ``null``."""
    plain: Plain
    match value:
        case Enum():
            plain = to_plain(value.value)
        case float():
            plain = value if math.isfinite(value) else None
        case None | bool() | int() | str():
            plain = value
        case Mapping():
            plain = {str(to_plain(key)): to_plain(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            plain = [to_plain(item) for item in value]
        case _ if dataclasses.is_dataclass(value):
            plain = {f.name: to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        case _:
            plain = str(value)
    return plain


def to_json(value: object, *, indent: int | None = None) -> str:
    """Write a value as JSON text; one line unless ``indent`` is given."""
    return json.dumps(to_plain(value), ensure_ascii=False, indent=indent)
