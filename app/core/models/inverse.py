"""Inverse questions: largest context, most requests at once, fewest GPUs, that still fit."""

from collections.abc import Callable, Iterator
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
_REQUESTS_LIMIT: Final = 1024
_LOOKS: Final = 24
"""Contexts looked at before halving the distance: what fits may not be one piece from zero on."""
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


def spread(options: EstimateOptions, gpus: int) -> EstimateOptions:
    """Return the options with a model divided over ``gpus``: stages stay, their width changes.

    Example:
        >>> spread(EstimateOptions(pipeline_parallel_size=2), 8).tensor_parallel_size
        4
    """
    stages = options.pipeline_parallel_size
    if gpus % stages:
        stages = 1
    return replace(
        options, tensor_parallel_size=gpus // stages, pipeline_parallel_size=stages, tensor_split=()
    )


def _largest_context(ask: Ask, device: Device, options: EstimateOptions, limit: int) -> Solution:
    """Find the largest context; a shorter one need not fit because a longer one does."""

    def at(tokens: int) -> MemoryEstimate:
        return ask(device, replace(options, context_tokens=tokens))

    best = at(limit)
    if best.fits is not False:
        value = limit if best.fits is True else None
        return Solution(wanted=Wanted.CONTEXT, value=value, estimate=best)
    high = -(-limit // _STEP)
    low, found = 0, None
    for low in _looks(high):
        estimate = at(low * _STEP)
        if estimate.fits is True:
            found = estimate
            break
        high = low
    while found is not None and high - low > 1:
        middle = (low + high) // 2
        estimate = at(middle * _STEP)
        if estimate.fits is True:
            low, found = middle, estimate
        else:
            high = middle
    value = low * _STEP if found is not None else None
    return Solution(wanted=Wanted.CONTEXT, value=value, estimate=found or best)


def _looks(steps: int) -> Iterator[int]:
    """Yield steps below ``steps``, largest first: evenly at first, then halving down to one."""
    at = steps
    for look in range(_LOOKS - 1, 0, -1):
        if 0 < steps * look // _LOOKS < at:
            at = steps * look // _LOOKS
            yield at
    while at > 1:
        at //= 2
        yield at


def _most_requests(ask: Ask, device: Device, options: EstimateOptions) -> Solution:
    """Find the most requests of full length that are held at once.

    A paged cache tells its own limit; slots that each take their share have to be tried.
    """
    alone = ask(device, replace(options, concurrency=None))
    if alone.fits is not True:
        return Solution(wanted=Wanted.CONCURRENCY, value=None, estimate=alone)
    low, high, found = 0, _REQUESTS_LIMIT + 1, alone
    if alone.max_concurrency > 1.0:
        whole = int(alone.max_concurrency)
        return Solution(wanted=Wanted.CONCURRENCY, value=whole or None, estimate=alone)
    while high - low > 1:
        middle = (low + high) // 2
        estimate = ask(device, replace(options, concurrency=middle))
        if estimate.fits is True and estimate.max_concurrency >= middle:
            low, found = middle, estimate
        else:
            high = middle
    return Solution(wanted=Wanted.CONCURRENCY, value=low or None, estimate=found)


def _fewest_gpus(ask: Ask, device: Device, options: EstimateOptions) -> Solution:
    last: MemoryEstimate | None = None
    for count in GPU_COUNTS:
        last = ask(replace(device, count=max(count, device.count)), spread(options, count))
        enough = options.concurrency is None or last.max_concurrency >= options.concurrency
        if last.fits is True and enough:
            return Solution(wanted=Wanted.TENSOR_PARALLEL, value=count, estimate=last)
    if last is None:  # GPU_COUNTS is never empty
        raise AssertionError
    return Solution(wanted=Wanted.TENSOR_PARALLEL, value=None, estimate=last)
