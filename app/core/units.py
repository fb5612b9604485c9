"""Bytes, times and counts: reading what people write, and writing it for people.

Inside everything is bytes and seconds. GiB is 2**30 and GB is 10**9; they are never mixed.
"""

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Final

from app.core.errors import ErrorCode, UserInputError

KIB: Final = 1024
MIB: Final = 1024**2
GIB: Final = 1024**3

_NUMBER = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-zµ]*)\s*")
_Units = Mapping[str, int | Decimal]

# fmt: off
_BYTE_UNITS: Final[_Units] = {
    "": 1, "b": 1,
    "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40,
}
_TIME_UNITS: Final[_Units] = {
    "": 1, "s": 1, "min": 60, "m": 60, "h": 3600,
    "ms": Decimal("0.001"), "us": Decimal("0.000001"), "µs": Decimal("0.000001"),
}
_COUNT_UNITS: Final[_Units] = {
    "": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30,
}
# fmt: on


def parse_bytes(text: str) -> int:
    """Read a size such as ``80GiB`` or ``143771`` (bytes when no unit is given).

    Raises:
        UserInputError: when it is not a size.
    """
    return int(_parse(text, _BYTE_UNITS, "size", "a size such as 80GiB or 500MB"))


def parse_seconds(text: str) -> float:
    """Read a duration such as ``0.5s``, ``200ms`` or ``10m`` (seconds when no unit is given).

    Raises:
        UserInputError: when it is not a duration.
    """
    return float(_parse(text, _TIME_UNITS, "time", "a time such as 0.5s, 200ms or 10m"))


def parse_count(text: str) -> int:
    """Read a count: ``32k`` is 32,000 and ``32Ki`` is 32,768.

    Raises:
        UserInputError: when it is not a whole count.
    """
    value = _parse(text, _COUNT_UNITS, "count", "a whole number such as 32768, 32k or 32Ki")
    if value != int(value):
        raise _refuse(text, "count", "a whole number such as 32768, 32k or 32Ki")
    return int(value)


_MOST: Final = Decimal(2**63 - 1)
"""No engine, file or clock counts further; floats and 64-bit fields do not either."""

_SHOWN: Final = 80
"""Characters of what was typed that an error repeats."""


def _parse(text: str, units: _Units, field: str, form: str) -> Decimal:
    match = _NUMBER.fullmatch(text)
    if match is None or match[2].lower() not in units:
        raise _refuse(text, field, form)
    try:
        value = Decimal(match[1]) * Decimal(units[match[2].lower()])
    except InvalidOperation as exc:  # pragma: no cover - the pattern admits only numbers
        raise _refuse(text, field, form) from exc
    if value > _MOST:
        raise _refuse(text, field, form)
    return value


def _refuse(text: str, field: str, form: str) -> UserInputError:
    text = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
    return UserInputError(
        ErrorCode.INVALID_INPUT,
        {"field": field, "value": text},
        cause=f"“{text}” is not {form.split(' such', maxsplit=1)[0]}.",
        remedy=f"Give {form}.",
    )


def format_gib(size_bytes: float, *, digits: int = 1) -> str:
    """Write a memory size in GiB: ``139.8 GiB``."""
    return f"{size_bytes / GIB:,.{digits}f} GiB"


def format_signed(value: float, amount: str) -> str:
    """Set the sign of a value before its size in words; what reads as zero has none.

    >>> format_signed(-3.0, "0.00 GiB"), format_signed(2.0, "2 B")
    ('0.00 GiB', '+2 B')
    """
    if not any(digit in amount for digit in "123456789"):
        return amount
    return ("−" if value < 0 else "+") + amount


def format_bytes(size_bytes: float) -> str:
    """Write a size with the binary unit that keeps one to four digits: ``512 B``, ``1.5 MiB``."""
    value = float(size_bytes)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(value) < 1024:
            return f"{value:.0f} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:,.1f} TiB"


def format_size(size_bytes: float, *, digits: int = 1) -> str:
    """Write a memory size in GiB; what would lose its digits there keeps its own unit.

    Example:
        >>> format_size(141_000_000_000), format_size(870_000)
        ('131.3 GiB', '849.6 KiB')
    """
    if size_bytes and abs(size_bytes) < GIB:
        return format_bytes(size_bytes)
    return format_gib(size_bytes, digits=digits)


def format_seconds(duration_s: float) -> str:
    """Write a duration for reading: ``3 ms``, ``1.20 s``, ``4 min 05 s``, ``2 h 03 min``."""
    if duration_s < 1:
        return f"{duration_s * 1000:.0f} ms"
    if duration_s < 60:
        return f"{duration_s:.2f} s" if duration_s < 10 else f"{duration_s:.0f} s"
    minutes, seconds = divmod(round(duration_s), 60)
    if minutes < 60:
        return f"{minutes} min {seconds:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"
