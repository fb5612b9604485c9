"""Document of ``pitwall tour``."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class TourFigures:
    """What the tour measured on the demo host; simulated."""

    ttft_s: float | None
    output_tokens_per_s: float | None
    requests: int
    start_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TourDocument:
    """Where the tour left its pictures, profile and log."""

    schema: Literal["pitwall.tour/1"] = "pitwall.tour/1"
    folder: str
    language: str
    theme: str
    pictures: tuple[str, ...]
    profile: str
    log: str
    figures: TourFigures
    simulated: Literal[True] = True
