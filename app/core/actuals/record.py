"""One start as it is kept: what was predicted, what the engine said, how long it took."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from app.core.logs.actuals import Actual
from app.core.models.prediction import Prediction


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRecord:
    """A start that became ready."""

    host_id: str
    name: str
    """The deployment's name on that host."""
    revision: int
    at: str
    """UTC, ISO 8601 with ``Z``: when it was ready."""
    prediction: Prediction | None
    """``None`` when another desk deployed it."""
    actuals: tuple[Actual, ...] = ()
    chosen: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """What the engine said that it chose, by name."""
    durations: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Seconds by phase id of the engine's start-up data."""
    simulated: bool = False
    """The demo host's engine; nothing is learned from it."""

    def actual(self, quantity: str) -> Actual | None:
        """Return what the engine said of a predicted quantity.

        On a CPU engines name the same things “host”.
        """
        names = [quantity]
        if self.prediction is not None and self.prediction.on_cpu:
            stem = quantity.removesuffix("_per_gpu")
            names.insert(0, f"{stem}_host")
        for name in names:
            for actual in self.actuals:
                if actual.quantity == name:
                    return actual
        return None
