"""Rates from counters: what was added per second between two looks, also across restarts."""

from typing import Final

LONGEST_GAP_S: Final = 10.0
"""A rate over a longer gap would smear what happened while nobody looked."""


class CounterRate:
    """Turns the readings of one counter into rates."""

    def __init__(self) -> None:
        self._at_s: float | None = None
        self._value = 0.0

    def update(self, at_s: float, value: float) -> float | None:
        """Take a reading; ``None`` for the first one and after a gap.

        A counter that fell was reset (the engine was restarted): what it shows now was added
        since then.
        """
        before_s, before = self._at_s, self._value
        self._at_s, self._value = at_s, value
        if before_s is None or at_s <= before_s or at_s - before_s > LONGEST_GAP_S:
            return None
        added = value - before if value >= before else value
        return added / (at_s - before_s)

    def forget(self) -> None:
        """Start anew; the next reading gives no rate."""
        self._at_s = None
