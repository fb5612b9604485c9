"""Conditions about facts, and the hard limits made of them: what planning and sizing both judge by.

An unknown fact fulfils no comparison, so nothing is refused for what could not be read.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import ClassVar, Final

from app.core.texts import Reason, Text, sourced
from app.core.versions import VersionKey, VersionScheme, version_key

_STRICT: Final[Mapping[str, str]] = MappingProxyType({"extra": "forbid"})

Value = bool | int | float | str | None
"""What a fact can be; ``None`` means unknown."""

Facts = dict[str, Value]


class Operator(StrEnum):
    """How a fact is compared."""

    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    IN = "in"
    NOT_IN = "not_in"
    KNOWN = "known"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One comparison of one fact."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    fact: str
    op: Operator = Operator.EQ
    value: bool | int | float | str | tuple[str, ...] | None = None
    other: str = ""
    """Compare with this fact instead of ``value``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """A hard limit: when all conditions hold, the candidate is refused with this text."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    code: str
    engine: str = ""
    """Only for this engine; empty means all."""
    when: tuple[Condition, ...]
    text: Text
    source: str
    checked: str

    def reason(self, facts: Mapping[str, "Value"]) -> Reason:
        """Return its sentence, filled with facts."""
        text = self.text.filled({**facts, "more": ""})
        return Reason(code=self.code, text=text, source=sourced(self.source, self.checked))


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintFile:
    """The hard limits of one file below ``resources/rules``."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    constraint: tuple[Constraint, ...] = ()


def first_refusal(
    constraints: Iterable[Constraint], engine: str, facts: Mapping[str, Value]
) -> Constraint | None:
    """Return the first limit that refuses an engine; ``None`` when none does."""
    for rule in constraints:
        if rule.engine in ("", engine) and holds(rule.when, facts):
            return rule
    return None


def holds(conditions: Iterable[Condition], facts: Mapping[str, Value]) -> bool:
    """Tell whether all conditions are fulfilled by the facts."""
    return all(_fulfilled(condition, facts) for condition in conditions)


def _fulfilled(condition: Condition, facts: Mapping[str, Value]) -> bool:
    actual = facts.get(condition.fact)
    if condition.op is Operator.KNOWN:
        return actual is not None
    if condition.op is Operator.UNKNOWN:
        return actual is None
    expected = facts.get(condition.other) if condition.other else condition.value
    if actual is None or expected is None:
        return False
    return _compared(condition.op, actual, expected)


def _compared(
    op: Operator, actual: bool | float | str, expected: bool | float | str | tuple[str, ...]
) -> bool:
    if isinstance(expected, tuple):
        listed = str(actual) in expected
        return listed if op is Operator.IN else op is Operator.NOT_IN and not listed
    if op in (Operator.EQ, Operator.NE):
        return (actual == expected) is (op is Operator.EQ)
    if isinstance(actual, str) and isinstance(expected, str):
        return _ordered_versions(op, actual, expected)
    if isinstance(actual, str) or isinstance(expected, str):
        return False
    return _ordered(op, float(actual), float(expected))


def _ordered_versions(op: Operator, actual: str, expected: str) -> bool:
    """Compare versions such as ``0.18.0`` and drivers such as ``535.104.05``."""
    left, right = _version(actual), _version(expected)
    if left is None or right is None:
        return False
    return _ordered(op, float((left > right) - (left < right)), 0.0)


def _version(text: str) -> VersionKey | None:
    return version_key(text, VersionScheme.SEMVER) or version_key(text, VersionScheme.BUILD)


def _ordered(op: Operator, actual: float, expected: float) -> bool:
    match op:
        case Operator.LT:
            return actual < expected
        case Operator.LE:
            return actual <= expected
        case Operator.GT:
            return actual > expected
        case Operator.GE:
            return actual >= expected
        case _:
            return False
