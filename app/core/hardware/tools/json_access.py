"""Look into JSON that others wrote, where every level may be missing or of another kind."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_EMPTY: Final[Mapping[str, object]] = MappingProxyType({})


def parse_object(text: str) -> Mapping[str, object] | None:
    """Return the JSON object in ``text``, ``None`` when it is not one."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def parse_json(text: str) -> object:
    """Return the JSON value in ``text``, ``None`` when it is none."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def child(document: Mapping[str, object], *path: str) -> Mapping[str, object]:
    """Return the object at ``path``, an empty one when there is none."""
    here = document
    for key in path:
        below = here.get(key)
        if not isinstance(below, dict):
            return _EMPTY
        here = below
    return here


def items(document: Mapping[str, object], key: str) -> list[object]:
    """Return the list under ``key``, an empty one when there is none."""
    value = document.get(key)
    return value if isinstance(value, list) else []


def text_of(document: Mapping[str, object], key: str) -> str | None:
    """Return the non-empty text under ``key``."""
    value = document.get(key)
    return value if isinstance(value, str) and value else None


def int_of(document: Mapping[str, object], key: str) -> int | None:
    """Return the whole number under ``key``."""
    value = document.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
