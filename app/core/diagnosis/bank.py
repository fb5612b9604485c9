"""All patterns of the rules, each once, and a quick answer to “could this line matter?”."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from app.core.diagnosis.anchors import anchors_of
from app.core.diagnosis.rules import DiagnosisRules

_BORING: Final = str.maketrans("", "", "0123456789abcdef")
_KNOWN_SHAPES: Final = 50_000
_TRACEBACK: Final = ("Traceback (most recent", '  File "', "Error: ", "Exception: ")


@dataclass(frozen=True, slots=True)
class Hit:
    """A pattern that matched a line."""

    sign: int
    match: re.Match[str]


class PatternBank:
    """Patterns by number; lines that hold none of their anchors are told apart cheaply."""

    def __init__(self, rules: DiagnosisRules) -> None:
        self._numbers: dict[str, int] = {}
        self._patterns: list[re.Pattern[str]] = []
        self._by_anchor: dict[str, list[int]] = defaultdict(list)
        self._unanchored: list[int] = []
        for pattern in patterns_of(rules):
            self._add(pattern)
        self._anchors = tuple(self._by_anchor)
        self._bare = tuple(
            sorted({bare(anchor) for anchor in (*self._anchors, *_TRACEBACK)}, key=len)
        )
        self._shapes: dict[str, bool] = {}

    def number(self, pattern: str) -> int:
        """Return the number of a pattern that is in the rules."""
        return self._numbers[pattern]

    def pattern(self, number: int) -> re.Pattern[str]:
        """Return the compiled pattern."""
        return self._patterns[number]

    def hits(self, text: str) -> Iterator[Hit]:
        """Yield every pattern that matches a text."""
        tried: set[int] = set()
        for anchor in self._anchors:
            if anchor in text:
                tried.update(self._by_anchor[anchor])
        for number in (*sorted(tried), *self._unanchored):
            found = self._patterns[number].search(text)
            if found:
                yield Hit(number, found)

    def matters(self, shape: str) -> bool:
        """Tell whether a line of this shape may match; shapes come from `bare`."""
        known = self._shapes.get(shape)
        if known is None:
            if len(self._shapes) >= _KNOWN_SHAPES:
                self._shapes.clear()
            known = any(anchor in shape for anchor in self._bare)
            self._shapes[shape] = known
        return known

    def _add(self, pattern: str) -> None:
        if pattern in self._numbers:
            return
        number = self._numbers[pattern] = len(self._patterns)
        self._patterns.append(re.compile(pattern))
        anchors = anchors_of(pattern)
        if not anchors:
            self._unanchored.append(number)
        for anchor in anchors:
            self._by_anchor[anchor].append(number)


def bare(text: str) -> str:
    """Return the text without digits and a to f: ids, times and figures make no new shapes."""
    return text.translate(_BORING)


def patterns_of(rules: DiagnosisRules) -> Iterable[str]:
    """Return every pattern that is searched in lines."""
    for marker in rules.markers:
        yield from marker.any
    for fact in rules.facts:
        yield from fact.any
    for rule in rules.rules:
        for group in (
            rule.any,
            rule.also,
            rule.after,
            rule.before,
            rule.none,
            rule.none_before,
            rule.none_after,
            rule.raise_if,
            rule.lower_if,
        ):
            yield from group
