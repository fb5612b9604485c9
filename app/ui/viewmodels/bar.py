"""A level as a value: what a bar shows."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A level and its words; ``fraction`` is ``None`` when it is unknown."""

    fraction: float | None
    text: str
