"""All patterns of the rules, each once, and a quick answer to “could this line matter?”."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from app.core.diagnosis.anchors import anchors_of
from app.core.diagnosis.rules import DiagnosisRules

_BORING: Final = b"0123456789abcdef"
_GRAM: Final = 4
_COMMON: Final = b"zqjxkvywgpumlhrsnito "
"""Letters that a shape may hold, rare ones first."""
_KNOWN_SHAPES: Final = 50_000
_TRACEBACK: Final = ("Traceback (most recent", '  File "', "Error: ", "Exception: ")


Possible = tuple[int, ...] | None
_Anchored = tuple[bytes, tuple[int, ...]]
"""An anchor's shape and its patterns."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A pattern that matched a line."""

    sign: int
    match: re.Match[str]


class PatternBank:
    """Patterns by number, and which of them a line's shape leaves possible."""

    def __init__(self, rules: DiagnosisRules) -> None:
        self._numbers: dict[str, int] = {}
        self._patterns: list[re.Pattern[str]] = []
        self._by_anchor: dict[str, list[int]] = defaultdict(list)
        for pattern in patterns_of(rules):
            self._add(pattern)
        self._by_gram: dict[bytes, set[_Anchored]] = defaultdict(set)
        self._short: list[_Anchored] = []
        for anchor in (*_TRACEBACK, *self._by_anchor):
            text, numbers = bare(anchor), tuple(self._by_anchor.get(anchor, ()))
            if len(text) >= _GRAM:
                self._by_gram[_rarest_gram(text)].add((text, numbers))
            else:
                self._short.append((text, numbers))
        self._shapes: dict[bytes, Possible] = {}

    def number(self, pattern: str) -> int:
        """Return the number of a pattern that is in the rules."""
        return self._numbers[pattern]

    def hits(self, text: str, possible: Iterable[int]) -> Iterator[Hit]:
        """Yield the patterns that match a text."""
        for number in possible:
            found = self._patterns[number].search(text)
            if found:
                yield Hit(number, found)

    def possible_in(self, text: str) -> list[int]:
        """Return the patterns that may match a text, without regard to its shape."""
        found = {
            n for anchor, numbers in self._by_anchor.items() if anchor in text for n in numbers
        }
        return sorted(found)

    def possible(self, shape: bytes) -> Possible:
        """Return the patterns that may match a line of this shape; shapes come from `bare`.

        Returns:
            ``None`` for a line that is of no interest at all.
        """
        try:
            return self._shapes[shape]
        except KeyError:
            pass
        if len(self._shapes) >= _KNOWN_SHAPES:
            self._shapes.clear()
        grams = self._by_gram.keys() & {shape[at : at + _GRAM] for at in range(len(shape))}
        near = [item for gram in grams for item in self._by_gram[gram] if item[0] in shape]
        near += [item for item in self._short if item[0] in shape]
        known = tuple(sorted({number for _, numbers in near for number in numbers}))
        self._shapes[shape] = found = known if near else None
        return found

    def _add(self, pattern: str) -> None:
        if pattern in self._numbers:
            return
        number = self._numbers[pattern] = len(self._patterns)
        self._patterns.append(re.compile(pattern))
        for anchor in anchors_of(pattern):
            self._by_anchor[anchor].append(number)


def bare(text: str) -> bytes:
    """Return the text without digits and a to f: ids, times and figures make no new shapes."""
    return text.encode(errors="replace").translate(None, _BORING)


def _rarest_gram(text: bytes) -> bytes:
    """Return the piece of an anchor that the fewest lines hold: few letters, few common ones."""
    pieces = [text[at : at + _GRAM] for at in range(max(len(text) - _GRAM, 0) + 1)]
    return min(pieces, key=lambda piece: sum(_COMMON.find(char) + 1 for char in piece))


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
