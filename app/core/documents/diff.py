"""Documents of ``diff``."""

from dataclasses import dataclass
from typing import Literal

from app.core.diff.difference import Comparison, Difference, Side
from app.core.diff.spec import Weight
from app.core.texts import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffCounts:
    """How many differences of each weight."""

    behaviour: int
    performance: int
    cosmetic: int
    unknown: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffDocument:
    """What differs between A and B, the heaviest first; sentences in both languages."""

    schema: Literal["pitwall.diff/1"] = "pitwall.diff/1"
    kind: Literal["host", "deployment"]
    a: Side
    b: Side
    same_behaviour: bool | None
    """False when some difference changes what runs, fits or is answered; ``None`` when that is not
    known: a value is missing on one side, or nothing could be compared."""
    counts: DiffCounts
    compared: int
    """How many values both sides know."""
    differences: tuple[Difference, ...]
    not_compared: tuple[Text, ...]
    """Values that neither side knows, or that would not matter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEntry:
    """One stored fingerprint of a host."""

    taken_at: str
    gpu_text: str
    driver_version: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffListDocument:
    """``diff HOST --list``: the times at which a host can be compared, newest first."""

    schema: Literal["pitwall.diff/1"] = "pitwall.diff/1"
    host: str
    stored: tuple[StoredEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffRecordDocument:
    """``diff HOST/NAME --record FILE``: where the record was written."""

    schema: Literal["pitwall.diff/1"] = "pitwall.diff/1"
    ref: str
    file: str


def diff_document(comparison: Comparison) -> DiffDocument:
    """Return what is printed of a comparison."""
    counts = {weight.value: len(comparison.weighing(weight)) for weight in Weight}
    return DiffDocument(
        kind=comparison.a.kind.value,
        a=comparison.a,
        b=comparison.b,
        same_behaviour=_is_same(comparison),
        counts=DiffCounts(**counts),
        compared=comparison.compared,
        differences=comparison.differences,
        not_compared=comparison.not_compared,
    )


def _is_same(comparison: Comparison) -> bool | None:
    if comparison.changes_behaviour:
        return False
    is_known = comparison.compared and not comparison.weighing(Weight.UNKNOWN)
    return True if is_known else None
