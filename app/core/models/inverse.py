"""The memory model asked the other way round: how long, how many, on how few GPUs.

Answers come from `estimate_memory` itself, so they can never disagree with it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from app.core.models.architecture import ModelInfo
from app.core.models.calibration import Calibration
from app.core.models.estimate import estimate_memory
from app.core.models.memory import MemoryEstimate
from app.core.models.parallelism import allowed_tensor_parallel
from app.core.models.request import Device, EstimateOptions

STEP_TOKENS: Final = 256
"""Contexts are answered in this step: every engine's block divides it."""

_MAX_SLOTS: Final = 4096


def largest_context(
    *,
    model: ModelInfo,
    engine: str,
    version: str,
    device: Device,
    options: EstimateOptions,
    calibration: Calibration,
    upper: int | None = None,
) -> int | None:
    """Return the longest context that fits, at most ``upper`` (the model's own by default).

    ``None`` when not even 256 tokens fit or the memory is unknown. Old vLLM (before 0.9) prefers
    chunks above 32,768 tokens, so a longer context may fit where a shorter one does not: the
    longest one is tried first.
    """
    top = upper or model.architecture.max_context or 131072

    def fits(steps: int) -> bool:
        tokens = min(top, steps * STEP_TOKENS)
        estimate = estimate_memory(
            model=model,
            engine=engine,
            version=version,
            device=device,
            options=replace(options, context_tokens=tokens),
            calibration=calibration,
        )
        return estimate.fits is True

    steps = _largest(fits, -(-top // STEP_TOKENS))
    return None if steps is None else min(top, steps * STEP_TOKENS)


def largest_concurrency(
    *,
    model: ModelInfo,
    engine: str,
    version: str,
    device: Device,
    options: EstimateOptions,
    calibration: Calibration,
) -> int | None:
    """Return how many requests of full context length fit at once; ``None`` when none does.

    llama.cpp sets memory aside per slot; paged engines share one pool.
    """

    def estimate(concurrency: int | None) -> MemoryEstimate:
        return estimate_memory(
            model=model,
            engine=engine,
            version=version,
            device=device,
            options=replace(options, concurrency=concurrency),
            calibration=calibration,
        )

    if engine in {"llamacpp", "ollama"}:
        return _largest(lambda slots: estimate(slots).fits is True, _MAX_SLOTS)
    paged = estimate(None)
    if paged.fits is not True:
        return None
    most = int(paged.max_concurrency)
    return min(most, options.max_num_seqs) if options.max_num_seqs else most


def smallest_tensor_parallel(
    *,
    model: ModelInfo,
    engine: str,
    version: str,
    device: Device,
    options: EstimateOptions,
    calibration: Calibration,
) -> int | None:
    """Return the fewest GPUs on which the model fits, sizes that divide it only."""
    for size in allowed_tensor_parallel(model.architecture, device.count):
        estimate = estimate_memory(
            model=model,
            engine=engine,
            version=version,
            device=device,
            options=replace(options, tensor_parallel_size=size),
            calibration=calibration,
        )
        if estimate.fits is True:
            return size
    return None


def _largest(fits: Callable[[int], bool], upper: int) -> int | None:
    """Return the largest of 1 … ``upper`` that fits: the end first, then by halving."""
    if fits(upper):
        return upper
    if upper <= 1 or not fits(1):
        return None
    low, high = 1, upper
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low
