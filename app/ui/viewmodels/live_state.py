"""What the Live page shows, as one value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from app.core.ids import HostId
from app.ui.viewmodels.live_marks import Mark
from app.ui.viewmodels.live_plots import PlotView

RANGES_S: Final = (60, 300, 900, 3600, 21_600, 86_400)
"""Seconds of the range buttons."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveState:
    """Everything the page shows, but for the curves' points."""

    host_id: HostId | None = None
    host_name: str = ""
    is_connected: bool = False
    is_simulated: bool = False
    deployments: tuple[str, ...] = ()
    deployment: str | None = None
    beside: tuple[str, ...] = ()
    """Other deployments that are compared with it."""
    colors: Mapping[str, int] = field(default_factory=dict)
    """Number of each compared deployment's colour; empty while one alone is shown."""
    is_split: bool = False
    gpus: tuple[int, ...] = ()
    gpu: int | None = None
    hidden: frozenset[str] = frozenset()
    range_s: float = RANGES_S[0]
    is_paused: bool = False
    now_s: float = 0.0
    """Right edge of the time axis; stands still while paused, and lies back when moved there."""
    plots: tuple[PlotView, ...] = ()
    marks: tuple[Mark, ...] = ()
