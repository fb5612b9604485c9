"""Which lines of a long log are worth a look: those that may tell something new."""

from collections.abc import Collection
from typing import Final

from app.core.diagnosis.compiled import CompiledRules
from app.core.diagnosis.record import StartRecord

_LOOKS: Final = 200
_LEAST: Final = 16
"""How often lines of one shape are looked at in the first and in later starts."""
_FRUITLESS: Final = 48
"""Looks at one shape without any match, after which it is looked at no more."""
_MOST_SHAPES: Final = 50_000


class Attention:
    """Counts looks by shape of line; a flood of lines alike tells nothing new."""

    def __init__(self, rules: CompiledRules) -> None:
        self._rules = rules
        self._looks: dict[bytes, int] = {}
        self._fruitless: dict[bytes, int] = {}
        self._start = 0

    def wants(self, shape: bytes, patterns: Collection[int], start: StartRecord) -> bool:
        """Tell whether a line is worth a look.

        Args:
            shape: The line's shape.
            patterns: Those that may match it; none for a line of a traceback.
            start: The start it belongs to.
        """
        if not start.has_finding and patterns and self._rules.late.issuperset(patterns):
            return False
        if self._fruitless.get(shape, 0) >= _FRUITLESS:
            return False
        return self._has_looks_left(shape, start.number) or not (
            self._rules.first_words.isdisjoint(patterns)
        )

    def note(self, shape: bytes, patterns: Collection[int], *, matched: bool) -> None:
        """Tell what came of a look."""
        if matched or not patterns:
            self._fruitless.pop(shape, None)
        else:
            self._fruitless[shape] = self._fruitless.get(shape, 0) + 1
        if len(self._fruitless) > _MOST_SHAPES:
            self._fruitless.clear()

    def _has_looks_left(self, shape: bytes, start: int) -> bool:
        if start != self._start or len(self._looks) > _MOST_SHAPES:
            self._start = start
            self._looks.clear()
        looks = self._looks[shape] = self._looks.get(shape, 0) + 1
        return looks <= max(_LOOKS // start, _LEAST)
