"""Comparisons in rules: ``requested > free``, ``driver < 550``, ``oom_killed == true``.

Both sides are names or constants. A name stands for a group of the match or a fact. Sizes carry
their unit (``7.34 GiB``); what is named a version compares as one. The answer is True, False, or
``None`` when a side is not known.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.core.units import GIB, KIB, MIB

FactValue = bool | int | float | str | None
Facts = Mapping[str, FactValue]

Comparable = float | str | tuple[int, ...]

_SHAPE: Final = re.compile(r"(.+?)\s*(==|!=|<=|>=|<|>)\s*(.+)")
_SIZE: Final = re.compile(r"(-?\d[\d.,]*)\s*([KMGT]?i?B)?", re.IGNORECASE)
_NAME: Final = re.compile(r"[A-Za-z_][\w.-]*")
_FACTOR: Final = re.compile(r"(\d+(?:\.\d+)?)\s*\*\s*(.+)")
_UNITS: Final = {
    "": 1.0,
    "B": 1.0,
    "KIB": KIB,
    "KB": KIB,
    "MIB": MIB,
    "MB": MIB,
    "GIB": GIB,
    "GB": GIB,
    "TIB": 1024 * GIB,
    "TB": 1024 * GIB,
}
_TRUTHS: Final = {"true": 1.0, "false": 0.0}
_VERSION_NAMES: Final = ("version", "driver", "cuda", "cap")


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison, taken apart."""

    left: str
    operator: str
    right: str

    def holds(self, facts: Facts) -> bool | None:
        """Return whether it is true; ``None`` when a side is not known."""
        as_version = any(_is_version(side) for side in (self.left, self.right))
        left = _value(self.left, facts, as_version=as_version)
        right = _value(self.right, facts, as_version=as_version)
        if left is None or right is None or type(left) is not type(right):
            return None
        return _holds(left, self.operator, right)


def parse_comparison(text: str) -> Comparison | None:
    """Return the comparison, ``None`` for what is none."""
    found = _SHAPE.fullmatch(text.strip())
    return Comparison(found[1].strip(), found[2], found[3].strip()) if found else None


def number_of(text: str) -> float | None:
    """Return ``7.34 GiB`` in bytes, ``262,144`` and ``1900,00`` as numbers; ``None`` for words.

    A comma before other than three digits, or after a point, is a decimal comma as in some locales.
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        return None
    try:
        return float(_plain(found[1].rstrip(".,"))) * _UNITS[(found[2] or "").upper()]
    except ValueError:
        return None


def _plain(digits: str) -> str:
    """Write a number with a point for its fraction and nothing between thousands."""
    whole, comma, rest = digits.rpartition(",")
    if not comma:
        return digits
    is_decimal = "," not in whole and ("." in whole or len(rest) != 3)
    if "." in rest or not is_decimal:
        return digits.replace(",", "")
    return f"{whole.replace('.', '')}.{rest}"


def _value(side: str, facts: Facts, *, as_version: bool) -> Comparable | None:
    factor = _FACTOR.fullmatch(side)
    if factor:
        value = _value(factor[2], facts, as_version=False)
        return float(factor[1]) * value if isinstance(value, float) else None
    if side[0] in "\"'":
        return side.strip("\"'")
    is_name = _NAME.fullmatch(side) is not None and side not in _TRUTHS
    raw = facts.get(side) if is_name else side
    return _typed(raw, as_version=as_version)


def _typed(raw: FactValue, *, as_version: bool) -> Comparable | None:
    if raw is None:
        return None
    if as_version:
        numbers = re.findall(r"\d+", str(raw))
        return tuple(map(int, numbers)) if numbers else None
    if isinstance(raw, str) and raw in _TRUTHS:
        return _TRUTHS[raw]
    if isinstance(raw, str):
        number = number_of(raw)
        return raw if number is None else number
    return float(raw)


def _is_version(side: str) -> bool:
    return side.endswith(_VERSION_NAMES)


def _holds(left: Comparable, operator: str, right: Comparable) -> bool:
    """Both sides are of one type, so that they have an order."""
    if operator in {"==", "!="}:
        return (left == right) is (operator == "==")
    is_less = left < right  # type: ignore[operator]  # of one type, see above
    if operator in {"<", ">="}:
        return is_less is (operator == "<")
    return (is_less or left == right) is (operator == "<=")
