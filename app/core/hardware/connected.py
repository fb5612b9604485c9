"""Which things hang together, directly or through others."""

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def connected(pairs: Iterable[tuple[T, T]]) -> list[set[T]]:
    """Return the sets of what the pairs join."""
    groups: list[set[T]] = []
    for a, b in pairs:
        touching = [group for group in groups if a in group or b in group]
        groups = [group for group in groups if group not in touching]
        groups.append({a, b}.union(*touching))
    return groups
