"""What a comparison found: values, sides, differences."""

from dataclasses import dataclass
from enum import StrEnum

from app.core.diff.spec import HEAVIEST_FIRST, Area, Weight
from app.core.hardware.fingerprint import UnknownReason
from app.core.texts import Text

Raw = None | bool | int | float | str | tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One value of one side."""

    path: str
    rule: str
    value: Raw
    """``None`` when it is not known."""
    shown: str
    reason: UnknownReason | Text | None = None
    """Why it is not known, as a kind or in words."""
    label: Text | None = None
    """Instead of the rule's own, where the rule speaks of many names."""


class SideKind(StrEnum):
    """What is compared."""

    HOST = "host"
    DEPLOYMENT = "deployment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two: how it is called and from when it is."""

    name: str
    taken_at: str
    kind: SideKind = SideKind.HOST
    simulated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One value that is not the same, or cannot be told to be."""

    path: str
    area: Area
    label: Text
    a: str | None
    """As shown; ``None`` when it is not known."""
    b: str | None
    weight: Weight
    would_weigh: Weight
    """For an unknown value: what a difference in it would do; else ``weight``."""
    meaning: Text
    source: str
    scope: str = ""
    """Which GPUs, for example ``GPU0, GPU3``; empty for all or for the host as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Everything that differs, the heaviest first, and what nobody could compare."""

    a: Side
    b: Side
    differences: tuple[Difference, ...]
    not_compared: tuple[Text, ...] = ()
    """Values that neither side knows, or that would not matter and one side does not know."""
    compared: int = 0
    """How many values both sides know."""

    def weighing(self, weight: Weight) -> tuple[Difference, ...]:
        """Return the differences of one weight."""
        return tuple(d for d in self.differences if d.weight is weight)

    @property
    def changes_behaviour(self) -> bool:
        """True when some difference changes what runs, fits or is answered."""
        return any(d.weight is Weight.BEHAVIOUR for d in self.differences)


def in_order(differences: list[Difference]) -> tuple[Difference, ...]:
    """Sort: the heaviest first, unknown ones by what they would weigh, then by area and path."""
    areas = list(Area)

    def key(d: Difference) -> tuple[int, int, int, str, str]:
        return (
            HEAVIEST_FIRST.index(d.weight),
            HEAVIEST_FIRST.index(d.would_weigh),
            areas.index(d.area),
            d.path,
            d.scope,
        )

    return tuple(sorted(differences, key=key))
