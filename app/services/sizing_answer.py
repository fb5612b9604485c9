"""The inverse questions and the table of hardware for one question; needs neither hosts nor store.

The service with hosts stands apart: the command line answers without it, in a third of the time.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.core.models.hardware_table import (
    Candidate,
    HardwareRow,
    Judge,
    hardware_table,
    runs_everywhere,
)
from app.core.models.inverse import Solution, Wanted
from app.core.models.memory import MemoryEstimate
from app.core.models.request import Device, EstimateOptions
from app.services.estimating import Asked

if TYPE_CHECKING:
    from app.core.planning.sizing import Estimator


@dataclass(frozen=True, slots=True, kw_only=True)
class SizingAnswer:
    """What was asked, on its own device, its inverse questions, and what hardware would do."""

    estimate: MemoryEstimate
    """The picture on the device that was asked about."""
    solutions: tuple[Solution, ...] = ()
    """One per inverse question, in the order asked."""
    rows: tuple[HardwareRow, ...] = ()
    """Owned hosts first, then the catalogue, each by memory; one may be the smallest enough."""
    unread: tuple[str, ...] = ()
    """Names of hosts whose stored facts could not be read."""


def sizing_answer(
    asked: Asked,
    estimator: "Estimator",
    candidates: Iterable[Candidate],
    wanted: Sequence[Wanted] = (),
    judge: Judge = runs_everywhere,
) -> SizingAnswer:
    """Answer inverse questions about a device, and which of the candidates would do.

    Raises:
        UserInputError: INVALID_INPUT for options outside their range.
        PlanError: UNSUPPORTED_COMBINATION for an engine or KV dtype that is not known.
    """

    def ask(device: Device, options: EstimateOptions) -> MemoryEstimate:
        return replace(asked, device=device, options=options).estimate(estimator)

    return SizingAnswer(
        estimate=asked.estimate(estimator),
        solutions=tuple(asked.solve(one, estimator) for one in wanted),
        rows=hardware_table(candidates, ask, asked.options, judge),
    )
