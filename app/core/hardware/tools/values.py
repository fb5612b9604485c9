"""Single values as tools print them: a number, a word, or the reason why there is none.

``[N/A]`` and its many relatives become an `UnknownReason`, never 0. Numbers may carry a unit, a
decimal comma (``77,00 W``) or thousands separators (``143,771 MiB``).
"""

import re
from typing import Final

from app.core.hardware.fingerprint import UnknownReason

Value = str | int | float | bool
Cell = Value | UnknownReason
"""What was read, or why not."""

_REASONS: Final = {
    "": UnknownReason.NOT_REPORTED,
    "-": UnknownReason.NOT_REPORTED,
    "?": UnknownReason.NOT_REPORTED,
    "n/a": UnknownReason.NOT_REPORTED,
    "na": UnknownReason.NOT_REPORTED,
    "none": UnknownReason.NOT_REPORTED,
    "null": UnknownReason.NOT_REPORTED,
    "unknown": UnknownReason.NOT_REPORTED,
    "not available": UnknownReason.NOT_REPORTED,
    "not found": UnknownReason.NOT_REPORTED,
    "redacted": UnknownReason.NOT_REPORTED,
    "not supported": UnknownReason.NOT_SUPPORTED,
    "unsupported": UnknownReason.NOT_SUPPORTED,
    "requested functionality has been deprecated": UnknownReason.NOT_SUPPORTED,
    "function not found": UnknownReason.NOT_SUPPORTED,
    "insufficient permissions": UnknownReason.NEEDS_ROOT,
    "no permission": UnknownReason.NEEDS_ROOT,
    "permission denied": UnknownReason.NEEDS_ROOT,
    "err!": UnknownReason.UNREADABLE,
    "unknown error": UnknownReason.UNREADABLE,
    "gpu is lost": UnknownReason.UNREADABLE,
    "gpu requires reset": UnknownReason.UNREADABLE,
    "reset required": UnknownReason.UNREADABLE,
}

_NUMBER = re.compile(r"([+-]?[0-9][0-9.,']*)\s*([A-Za-z%/°]*)")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:[,'][0-9]{3})+")

_MIB_UNITS: Final = {
    "": 1.0,
    "mib": 1.0,
    "mb": 1.0,
    "m": 1.0,
    "gib": 1024.0,
    "gb": 1024.0,
    "kib": 1 / 1024,
    "kb": 1 / 1024,
    "b": 1 / 1024**2,
}
"""nvidia-smi's older ``MB`` counts in 2**20 as well."""

LARGEST: Final = 2**53
"""Above it a number is not a measured value but noise."""


def missing(text: str) -> UnknownReason | None:
    """Return why a printed value means "not known", ``None`` when it is a value."""
    bare = text.strip().strip("[]<>()").strip().lower()
    return _REASONS.get(bare)


def read_text(text: str) -> str | UnknownReason:
    """Read a word or name; one with a character that could not be decoded is not it."""
    return missing(text) or (UnknownReason.UNREADABLE if "\ufffd" in text else text.strip())


def read_word(text: str) -> str | UnknownReason:
    """Read the word of a state, where ``None`` is one of its values."""
    bare = text.strip()
    return bare if bare.lower() == "none" else read_text(bare)


def read_number(text: str) -> tuple[float, str] | UnknownReason:
    """Read a number and its unit (lower case, may be empty)."""
    reason = missing(text)
    if reason is not None:
        return reason
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return UnknownReason.UNREADABLE
    digits = match[1]
    if _THOUSANDS.fullmatch(digits.lstrip("+-")):
        digits = digits.replace(",", "").replace("'", "")
    else:
        digits = digits.replace(",", ".")
    try:
        number = float(digits)
    except ValueError:
        return UnknownReason.UNREADABLE
    return (number, match[2].lower()) if abs(number) < LARGEST else UnknownReason.UNREADABLE


def read_float(text: str) -> float | UnknownReason:
    """Read a measured number, its unit as printed; a decimal comma is never a separator of it."""
    number = read_number(re.sub(r"(?<=[0-9]),(?=[0-9])", ".", text))
    return number if isinstance(number, UnknownReason) else number[0]


def read_int(text: str) -> int | UnknownReason:
    """Read a whole number; ``16x`` and ``0 %`` are such, ``1.5`` is not."""
    number = read_number(text)
    if isinstance(number, UnknownReason):
        return number
    return int(number[0]) if number[0] == int(number[0]) else UnknownReason.UNREADABLE


def read_count(text: str) -> int | UnknownReason:
    """Read a whole number of at least 0."""
    number = read_int(text)
    if isinstance(number, UnknownReason):
        return number
    return number if number >= 0 else UnknownReason.UNREADABLE


def read_mib(text: str) -> int | UnknownReason:
    """Read a memory size in MiB; a number without a unit is MiB (``nounits``)."""
    number = read_number(text)
    if isinstance(number, UnknownReason):
        return number
    scale = _MIB_UNITS.get(number[1])
    if scale is None or number[0] < 0:
        return UnknownReason.UNREADABLE
    return int(number[0] * scale)


_SWITCHES: Final = {
    "enabled": True,
    "on": True,
    "yes": True,
    "1": True,
    "active": True,
    "disabled": False,
    "off": False,
    "no": False,
    "0": False,
    "not active": False,
}


def read_switch(text: str) -> bool | UnknownReason:
    """Read ``Enabled``/``Disabled``, ``On``/``Off``."""
    reason = missing(text)
    if reason is not None:
        return reason
    value = _SWITCHES.get(text.strip().lower())
    return UnknownReason.UNREADABLE if value is None else value


def known_int(cell: Cell | None) -> int | None:
    """Return a whole number, ``None`` when the cell is anything else."""
    return cell if isinstance(cell, int) and not isinstance(cell, bool) else None


def known_float(cell: Cell | None) -> float | None:
    """Return a number, ``None`` when the cell is anything else."""
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return None
    return float(cell)


def known_text(cell: Cell | None) -> str | None:
    """Return a text, ``None`` when the cell is anything else."""
    return cell if isinstance(cell, str) and not isinstance(cell, UnknownReason) else None


def known_words(cell: Cell | None) -> tuple[str, ...] | None:
    """Return the words of a comma-separated list, ``None`` when the cell is no text."""
    text = known_text(cell)
    return None if text is None else tuple(word for word in text.split(",") if word)


def known_bool(cell: Cell | None) -> bool | None:
    """Return a switch, ``None`` when the cell is anything else."""
    return cell if isinstance(cell, bool) else None
