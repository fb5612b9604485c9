"""The shape of the decision tree's data: ``resources/rules/*.toml``.

Every file has the shape of `RuleFile`; all of them, in the order of their names, make the
`RuleSet` that `evaluate` walks. Conditions speak about facts by name (`facts.py` lists them); an
unknown fact fulfils no comparison, so nothing is refused for what could not be read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Final

from app.core.planning.conditions import Condition, Constraint
from app.core.texts import Text

_STRICT: Final[Mapping[str, str]] = MappingProxyType({"extra": "forbid"})


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
