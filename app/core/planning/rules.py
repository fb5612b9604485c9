"""The shape of the decision tree's data: ``resources/rules/*.toml``.

Every file has the shape of `RuleFile`; all of them, in the order of their names, make the
`RuleSet` that `evaluate` walks. Conditions speak about facts by name (`facts.py` lists them); an
unknown fact fulfils no comparison, so nothing is refused for what could not be read.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import ClassVar, Final

from app.core.texts import Text
from app.core.versions import VersionKey, VersionScheme, version_key

_STRICT: Final[Mapping[str, str]] = MappingProxyType({"extra": "forbid"})

Value = bool | int | float | str | None
"""What a fact can be; ``None`` means unknown."""


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
class Branch:
    """One possible answer to a question."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    id: str
    label: Text
    when: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question of the tree; the first branch whose conditions all hold is taken."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    id: str
    text: Text
    branch: tuple[Branch, ...] = ()
    """Empty for the question that the engines themselves answer."""
    source: str
    checked: str


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Points for an engine; ``opinion`` marks what a measured run here may overturn."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    code: str
    engine: str = ""
    when: tuple[Condition, ...] = ()
    points: float
    opinion: bool = False
    text: Text
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Default:
    """The value a parameter starts from; the first match in file order holds."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    code: str
    parameter: str
    engine: str = ""
    when: tuple[Condition, ...] = ()
    value: bool | int | float | str
    text: Text
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonText:
    """The sentence for a value that the planner computes; places are filled by it."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    code: str
    parameter: str = ""
    text: Text
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """A warning shown when a user is about to follow a mistaken or risky habit."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    code: str
    engine: str = ""
    when: tuple[Condition, ...]
    text: Text
    parameter: str = ""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """One entry of the tuning plan: a load, a figure, how to go on, a round, when to stop."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    kind: str
    id: str
    text: Text
    parameters: tuple[str, ...] = ()
    """What a round changes, one at a time."""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFile:
    """One file below ``resources/rules``; each table may be absent."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    schema_version: int
    question: tuple[Question, ...] = ()
    constraint: tuple[Constraint, ...] = ()
    score: tuple[Score, ...] = ()
    default: tuple[Default, ...] = ()
    reason: tuple[ReasonText, ...] = ()
    advice: tuple[Advice, ...] = ()
    tuning: tuple[Tuning, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """All rules, in the order of their files' names."""

    questions: tuple[Question, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    scores: tuple[Score, ...] = ()
    defaults: tuple[Default, ...] = ()
    reasons: tuple[ReasonText, ...] = ()
    advice: tuple[Advice, ...] = ()
    tuning: tuple[Tuning, ...] = ()


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
