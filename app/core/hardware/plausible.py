"""Values that no host has, in a fingerprint from a file that somebody edited or broke."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Final

from app.core.hardware.fingerprint import Fingerprint

_BELOW_ZERO: Final = ("temp", "numa", "exit_code", "margin")
"""Parts of the names of what may be negative; all else is a size, a count or a rate."""


def implausible(fingerprint: Fingerprint) -> str | None:
    """Return the path of the first number that cannot be, ``None`` when there is none."""
    return next(
        (path for path, number in _numbers(fingerprint, "") if not _can_be(path, number)), None
    )


def _can_be(path: str, number: float) -> bool:
    return math.isfinite(number) and (number >= 0 or any(part in path for part in _BELOW_ZERO))


def _numbers(value: object, path: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, bool | str) or value is None:
        return
    if isinstance(value, int | float):
        yield path, value
    elif is_dataclass(value):
        for field in fields(value):
            if field.name not in {"sections", "packed_sections"}:
                yield from _numbers(getattr(value, field.name), _below(path, field.name))
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            yield from _numbers(entry, _below(path, str(key)))
    elif isinstance(value, tuple | list | frozenset):
        for index, entry in enumerate(value):
            yield from _numbers(entry, _below(path, str(index)))


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
