"""What ``pitwall tour`` is asked for, and its document."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class TourRequest:
    """What the tour should look like and where its pictures go."""

    folder: str
    language: str
    """``en`` or ``zh_CN``."""
    theme: str
    """``light`` or ``dark``."""
    say: Callable[[str], None]
    """Takes one line of progress."""


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
