"""How a comparison reads on its tab, in the language in force."""

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.diff.difference import Comparison, Difference
from app.core.diff.spec import Weight
from app.core.diff.text import headline, value_text, with_reasons
from app.core.diff.words import AREAS, WEIGHTS
from app.ui.messages import is_english
from app.ui.viewmodels.said import said

translate = QCoreApplication.translate

_STATUS: Final = {
    Weight.BEHAVIOUR: "error",
    Weight.PERFORMANCE: "warn",
    Weight.UNKNOWN: "unknown",
    Weight.COSMETIC: "ok",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceRow:
    """One difference as it reads."""

    area: str
    label: str
    a: str
    b: str
    meaning: str
    """Empty where the next row's meaning is the same."""
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceGroup:
    """The differences of one weight."""

    title: str
    status: str
    rows: tuple[DifferenceRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonView:
    """A comparison as it reads, in the language in force."""

    headline: str
    icon: str
    status: str
    a: str
    b: str
    groups: tuple[DifferenceGroup, ...]
    not_compared: str


def present_comparison(comparison: Comparison, *, only_behaviour: bool) -> ComparisonView:
    """Decide every text of a comparison."""
    behaviour = comparison.changes_behaviour
    weights = (Weight.BEHAVIOUR,) if only_behaviour else tuple(_STATUS)
    return ComparisonView(
        headline=headline(comparison, _language()),
        icon="alert-triangle" if behaviour else "circle-check",
        status="error" if behaviour else "ok",
        a=_side(comparison.a.name, comparison.a.taken_at),
        b=_side(comparison.b.name, comparison.b.taken_at),
        groups=tuple(
            _group(comparison, weight) for weight in weights if comparison.weighing(weight)
        ),
        not_compared="" if only_behaviour else _not_compared(comparison),
    )


def _group(comparison: Comparison, weight: Weight) -> DifferenceGroup:
    found = with_reasons(comparison.weighing(weight))
    rows = tuple(_row(difference, says_why=says_why) for difference, says_why in found)
    title = translate("Fingerprint", "{word} · {count}")
    return DifferenceGroup(
        title=title.format(word=said(WEIGHTS[weight]), count=len(rows)),
        status=_STATUS[weight],
        rows=rows,
    )


def _row(difference: Difference, *, says_why: bool) -> DifferenceRow:
    label = said(difference.label)
    return DifferenceRow(
        area=said(AREAS[difference.area]),
        label=f"{label} ({difference.scope})" if difference.scope else label,
        a=value_text(difference.a, _language()),
        b=value_text(difference.b, _language()),
        meaning=said(difference.meaning) if says_why else "",
        source=difference.source,
    )


def _not_compared(comparison: Comparison) -> str:
    if not comparison.not_compared:
        return ""
    names = dict.fromkeys(said(text) for text in comparison.not_compared)
    between = ", " if is_english() else "、"
    text = translate("Fingerprint", "Could not be compared: {names}")
    return text.format(names=between.join(names))


def _side(name: str, taken_at: str) -> str:
    return f"{name} · {short_time(taken_at)}"


def short_time(stamp: str) -> str:
    """Write a time to the minute, in UTC as it is stored."""
    return f"{stamp[:16].replace('T', ' ')} UTC"


def _language() -> str:
    return "en" if is_english() else "zh_CN"
