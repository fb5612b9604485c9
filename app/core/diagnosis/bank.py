"""All patterns of the rules, each once, and a quick answer to “could this line matter?”."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from app.core.diagnosis.anchors import anchors_of, split_branches
from app.core.diagnosis.rules import DiagnosisRules

_BORING: Final = b"0123456789abcdef"
_GRAM: Final = 4
_COMMON: Final = b"zqjxkvywgpumlhrsnito "
"""Letters that a shape may hold, rare ones first."""
_WINDOW: Final = 80
"""Characters on each side of a boundary that an anchor across it may take."""
_KNOWN_SHAPES: Final = 50_000
_TRACEBACK: Final = ("Traceback (most recent", '  File "', "Error: ", "Exception: ")


@dataclass(frozen=True, slots=True)
class Hit:
    """A pattern that matched a line."""

    sign: int
    match: re.Match[str]


class Possible(NamedTuple):
    """What may match lines of one shape."""

    branches: tuple[int, ...]
    signs: frozenset[int]
    """Numbers of the patterns that the branches belong to."""


NONE_POSSIBLE: Final = Possible((), frozenset())
_Anchored = tuple[bytes, tuple[int, ...]]
"""An anchor's shape and its branches."""


class PatternBank:
    """Patterns by number, and which of them a line's shape leaves possible.

    The alternatives of a pattern are searched each on its own: only those whose anchor is there.
    """

    def __init__(self, rules: DiagnosisRules) -> None:
        self._numbers: dict[str, int] = {}
        self._branches: list[tuple[int, re.Pattern[str]]] = []
        by_anchor: dict[str, list[int]] = defaultdict(list)
        for pattern in patterns_of(rules):
            if pattern not in self._numbers:
                self._add(pattern, by_anchor)
        self._by_gram: dict[bytes, set[_Anchored]] = defaultdict(set)
        self._short: list[_Anchored] = []
        for anchor in (*_TRACEBACK, *by_anchor):
            text, branches = bare(anchor), tuple(by_anchor.get(anchor, ()))
            grams = _rarest_grams(text)
            for gram in grams:
                self._by_gram[gram].add((text, branches))
            if not grams:
                self._short.append((text, branches))
        self._shapes: dict[bytes, Possible | None] = {}

    def number(self, pattern: str) -> int:
        """Return the number of a pattern that is in the rules."""
        return self._numbers[pattern]

    def hits(self, text: str, branches: Iterable[int]) -> Iterator[Hit]:
        """Yield the patterns that match a text, each once."""
        found: set[int] = set()
        for branch in branches:
            sign, pattern = self._branches[branch]
            match = None if sign in found else pattern.search(text)
            if match:
                found.add(sign)
                yield Hit(sign, match)

    def possible(self, shape: bytes) -> Possible | None:
        """Return what may match a line of this shape; shapes come from `bare`.

        Returns:
            ``None`` for a line that is of no interest at all.
        """
        try:
            return self._shapes[shape]
        except KeyError:
            pass
        if len(self._shapes) >= _KNOWN_SHAPES:
            self._shapes.clear()
        self._shapes[shape] = found = self._find(shape)
        return found

    def spanning(self, text: str, boundary: int) -> Possible:
        """Return the patterns whose anchor may lie across a boundary in a text."""
        window = text[max(boundary - _WINDOW, 0) : boundary + _WINDOW]
        return self._find(bare(window)) or NONE_POSSIBLE

    def _find(self, shape: bytes) -> Possible | None:
        # Every second place is enough: each anchor is known by two pieces side by side.
        grams = self._by_gram.keys() & {shape[at : at + _GRAM] for at in range(0, len(shape), 2)}
        near = [item for gram in grams for item in self._by_gram[gram] if item[0] in shape]
        near += [item for item in self._short if item[0] in shape]
        if not near:
            return None
        branches = sorted({number for _, numbers in near for number in numbers})
        return Possible(
            tuple(branches), frozenset(self._branches[branch][0] for branch in branches)
        )

    def _add(self, pattern: str, by_anchor: dict[str, list[int]]) -> None:
        number = self._numbers[pattern] = len(self._numbers)
        for branch in split_branches(pattern):
            for anchor in anchors_of(branch):
                by_anchor[anchor].append(len(self._branches))
            self._branches.append((number, re.compile(branch)))


def bare(text: str) -> bytes:
    """Return the text without digits and a to f: ids, times and figures make no new shapes."""
    return text.encode(errors="replace").translate(None, _BORING)


def _rarest_grams(text: bytes) -> tuple[bytes, ...]:
    """Return two pieces of an anchor side by side that the fewest lines hold; none if too short."""
    pairs = [
        (text[at : at + _GRAM], text[at + 1 : at + 1 + _GRAM]) for at in range(len(text) - _GRAM)
    ]
    return min(pairs, key=lambda pair: sum(map(_commonness, pair)), default=())


def _commonness(piece: bytes) -> int:
    return sum(_COMMON.find(char) + 1 for char in piece)


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
