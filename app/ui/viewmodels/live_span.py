"""Which piece of time is looked at: moving and stretching it, within what is kept."""

from dataclasses import dataclass
from typing import Final

SHORTEST_S: Final = 10.0
LONGEST_S: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of time."""

    end_s: float
    range_s: float

    @property
    def start_s(self) -> float:
        """Its left edge."""
        return self.end_s - self.range_s


def moved(span: Span, by_s: float, now_s: float) -> Span:
    """Move a span, no further than now and than what is kept."""
    earliest = now_s - LONGEST_S + span.range_s
    return Span(min(max(span.end_s + by_s, earliest), now_s), span.range_s)


def stretched(span: Span, factor: float, at_s: float, now_s: float) -> Span:
    """Stretch a span so that ``at_s`` stays where it is seen."""
    range_s = min(max(span.range_s * factor, SHORTEST_S), LONGEST_S)
    share = (span.end_s - at_s) / span.range_s
    return moved(Span(at_s + share * range_s, range_s), 0.0, now_s)
