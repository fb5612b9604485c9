"""The shape of ``resources/diff/*.toml``: which differences matter, and how to say so."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import ClassVar, Final

from app.core.texts import Text

_STRICT: Final[Mapping[str, str]] = MappingProxyType({"extra": "forbid"})


class Weight(StrEnum):
    """What a difference does, the heaviest first."""

    BEHAVIOUR = "behaviour"
    """Changes what runs, what fits, or what is answered."""
    PERFORMANCE = "performance"
    COSMETIC = "cosmetic"
    """Does not matter to an engine."""
    UNKNOWN = "unknown"
    """One side is not known, so nobody can tell whether it differs."""


HEAVIEST_FIRST: Final = (Weight.BEHAVIOUR, Weight.PERFORMANCE, Weight.COSMETIC, Weight.UNKNOWN)


class Compare(StrEnum):
    """How two values are held against each other."""

    EXACT = "exact"
    VERSION = "version"
    """Numbers separated by dots; a difference is any other text."""
    NUMBER = "number"


class Area(StrEnum):
    """What a difference is about."""

    DRIVER = "driver"
    GPUS = "gpus"
    LINKS = "links"
    MACHINE = "machine"
    CONTAINERS = "containers"
    MODEL = "model"
    IMAGE = "image"
    ARGUMENTS = "arguments"
    ENVIRONMENT = "environment"
    GENERATION = "generation"
    SAID = "said"
    """What the engine itself said that it uses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffCase:
    """What a difference means under a condition on the two values; all conditions must hold.

    Texts may use ``{lower}``/``{higher}`` (the side with the lower or higher value), ``{low}``/
    ``{high}`` (the values) and, with ``major`` or ``either``, ``{side}``/``{other}``. Nothing in
    them may depend on which side was named first.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    crosses: str = ""
    """The lower value is below this one, the higher one is not."""
    major: str = ""
    """Exactly one side's first number is this one."""
    either: tuple[str, ...] = ()
    """Exactly one side's value is one of these."""
    ratio_below: float | None = None
    """The values differ by less than this part of the higher one."""
    weight: Weight | None = None
    meaning: Text
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffRule:
    """One kind of value: how it is called, compared and what a difference in it means."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    id: str
    """Path of the value without places: ``gpu.compute_cap``."""
    names: tuple[str, ...] = ()
    """For flags, variables and files: the names it speaks of; one may begin or end with ``*``."""
    area: Area
    label: Text
    weight: Weight
    compare: Compare = Compare.EXACT
    tolerance: float = 0.0
    """Numbers that lie no further apart are equal."""
    tolerance_ratio: float = 0.0
    unit: str = ""
    meaning: Text
    source: str
    checked: str
    case: tuple[DiffCase, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidRule:
    """A line in which an engine says what it uses."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    id: str
    """The value's name; ``said.<id>`` is its rule."""
    engine: str
    pattern: str
    """Searched in a cleaned line; the group ``value`` is the value."""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffFile:
    """Shape of a file of ``resources/diff``."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    schema_version: int = 1
    rule: tuple[DiffRule, ...] = ()
    said: tuple[SaidRule, ...] = ()


@dataclass(frozen=True, slots=True)
class DiffRules:
    """The rules of all files."""

    rules: tuple[DiffRule, ...]
    said: tuple[SaidRule, ...] = ()
    _by_id: dict[str, DiffRule] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the rules."""
        object.__setattr__(self, "_by_id", {rule.id: rule for rule in self.rules})

    def rule(self, rule_id: str) -> DiffRule:
        """Return the rule of a value; `KeyError` when the data has none."""
        return self._by_id[rule_id]

    def named(self, family: str, name: str) -> DiffRule:
        """Return the rule of ``family`` that names ``name``, else the family's rule for all."""
        members = [r for r in self.rules if r.id.startswith(f"{family}.")]
        for rule in members:
            if name in rule.names:
                return rule
        for rule in members:
            if any(_fits(pattern, name) for pattern in rule.names):
                return rule
        return self._by_id[f"{family}.other"]


def _fits(pattern: str, name: str) -> bool:
    if pattern.endswith("*"):
        return name.startswith(pattern[:-1])
    return pattern.startswith("*") and name.endswith(pattern[1:])
