"""Gather differences: values path by path, equal ones of several GPUs told once."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.core.diff.difference import Comparison, Difference, Item, Side, in_order
from app.core.diff.judge import Names, judge
from app.core.diff.spec import DiffRules, Weight
from app.core.hardware.fingerprint import UnknownReason
from app.core.texts import Text


@dataclass(slots=True)
class Collector:
    """What a comparison has found so far."""

    rules: DiffRules
    names: Names
    differences: list[Difference] = field(default_factory=list)
    not_compared: dict[str, Text] = field(default_factory=dict)
    compared: int = 0

    def compare(self, a: Iterable[Item], b: Iterable[Item]) -> None:
        """Hold two sides' values against each other; one that only one side has is unknown."""
        self.differences.extend(self._found(by_path(a), by_path(b)))

    def compare_gpus(self, pairs: Sequence[tuple[str, Iterable[Item], Iterable[Item]]]) -> None:
        """Compare pairs of GPUs (name, values, values) and tell equal differences once."""
        same: dict[Difference, list[str]] = defaultdict(list)
        for name, a, b in pairs:
            for difference in self._found(by_path(a), by_path(b)):
                same[difference].append(name)
        for difference, names in same.items():
            sorted_names = sorted(names, key=lambda name: (len(name), name))
            scope = "" if len(names) == len(pairs) else ", ".join(sorted_names)
            self.differences.append(replace(difference, scope=scope))

    def _found(self, a: Mapping[str, Item], b: Mapping[str, Item]) -> Iterable[Difference]:
        for path in sorted(a.keys() | b.keys()):
            first = a.get(path) or _missing(b[path])
            second = b.get(path) or _missing(a[path])
            difference = self._judge(first, second)
            if difference is not None:
                yield difference

    def _judge(self, a: Item, b: Item) -> Difference | None:
        rule = self.rules.rule(a.rule)
        unknown = [item for item in (a, b) if item.value is None]
        if len(unknown) == 2 or (unknown and rule.weight is Weight.COSMETIC):
            if any(item.reason is not UnknownReason.NOT_SUPPORTED for item in unknown):
                self.not_compared[a.path] = a.label or rule.label
            return None
        self.compared += not unknown
        return judge(a, b, rule, self.names)

    def result(self, a: Side, b: Side) -> Comparison:
        """Return everything in order."""
        return Comparison(
            a=a,
            b=b,
            differences=in_order(self.differences),
            not_compared=tuple(self.not_compared[path] for path in sorted(self.not_compared)),
            compared=self.compared,
        )


def by_path(items: Iterable[Item]) -> dict[str, Item]:
    """Return the values by path."""
    return {item.path: item for item in items}


def _missing(other: Item) -> Item:
    return replace(other, value=None, shown="", reason=UnknownReason.NOT_ASKED)


def distinct_names(a: Side, b: Side) -> Names:
    """Return what to call the sides in sentences: with their times when both have one name."""
    if a.name != b.name:
        return Names(a=a.name, b=b.name)
    if a.taken_at != b.taken_at:
        return Names(a=f"{a.name} ({_when(a)})", b=f"{b.name} ({_when(b)})")
    return Names(a=f"{a.name} (A)", b=f"{b.name} (B)")


def _when(side: Side) -> str:
    return side.taken_at.replace("T", " ").removesuffix("Z")
