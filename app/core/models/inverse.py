"""Inverse questions: largest context, most requests at once, fewest GPUs, that still fit."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from app.core.models.memory import MemoryEstimate
from app.core.models.request import Device, EstimateOptions

Ask = Callable[[Device, EstimateOptions], MemoryEstimate]
"""The memory picture of one engine, version and model for a device and options."""

_STEP: Final = 16
"""Contexts are whole blocks of tokens."""
_CONTEXT_LIMIT: Final = 4 * 1024 * 1024
"""Where a model names no limit of its own."""
GPU_COUNTS: Final = (1, 2, 4, 8, 16)


class Wanted(StrEnum):
    """What is looked for."""

    CONTEXT = "context"
    CONCURRENCY = "concurrency"
    TENSOR_PARALLEL = "tp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """The best value, with the memory picture it leads to."""

    wanted: Wanted
    value: int | None
    """``None``: no value fits, or memory is unknown."""
    estimate: MemoryEstimate


def solve(
    wanted: Wanted, ask: Ask, device: Device, options: EstimateOptions, *, max_context: int | None
) -> Solution:
    """Return the largest (for ``tp`` the smallest) value that fits.

    ``max_context`` is the model's own limit in tokens.

    Raises:
        UserInputError: INVALID_INPUT for options outside their range.
    """
    match wanted:
        case Wanted.CONTEXT:
            return _largest_context(ask, device, options, max_context or _CONTEXT_LIMIT)
        case Wanted.CONCURRENCY:
            return _most_requests(ask, device, options)
        case Wanted.TENSOR_PARALLEL:
            return _fewest_gpus(ask, device, options)


def _largest_context(ask: Ask, device: Device, options: EstimateOptions, limit: int) -> Solution:
    def at(tokens: int) -> MemoryEstimate:
        return ask(device, replace(options, context_tokens=tokens))

    best = at(limit)
    if best.fits is True:
        return Solution(wanted=Wanted.CONTEXT, value=limit, estimate=best)
    low, high = 0, -(-limit // _STEP)
    found: MemoryEstimate | None = None
    while high - low > 1:
        middle = (low + high) // 2
        estimate = at(middle * _STEP)
        if estimate.fits is True:
            low, found = middle, estimate
        else:
            high = middle
    value = low * _STEP if found is not None else None
    return Solution(wanted=Wanted.CONTEXT, value=value, estimate=found or best)


def _most_requests(ask: Ask, device: Device, options: EstimateOptions) -> Solution:
    found = ask(device, replace(options, concurrency=None))
    whole = int(found.max_concurrency)
    value = whole if found.fits is True and whole else None
    return Solution(wanted=Wanted.CONCURRENCY, value=value, estimate=found)


def _fewest_gpus(ask: Ask, device: Device, options: EstimateOptions) -> Solution:
    last: MemoryEstimate | None = None
    for count in GPU_COUNTS:
        last = ask(
            replace(device, count=max(count, device.count)),
            replace(options, tensor_parallel_size=count),
        )
        enough = options.concurrency is None or last.max_concurrency >= options.concurrency
        if last.fits is True and enough:
            return Solution(wanted=Wanted.TENSOR_PARALLEL, value=count, estimate=last)
    if last is None:  # GPU_COUNTS is never empty
        raise AssertionError
    return Solution(wanted=Wanted.TENSOR_PARALLEL, value=None, estimate=last)
