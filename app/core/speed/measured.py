"""Runs that were measured here: they take the place of the roofline where the load is alike."""

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from app.core.speed.load import Load

_ALIKE: Final = 1.25
"""Loads whose lengths and concurrency differ by more than this factor are others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRun:
    """One valid run of a load against a deployment."""

    engine: str
    engine_version: str
    gpu: str
    """The GPU's name as the driver prints it."""
    gpu_count: int
    model: str
    """Name of the model as it is planned with."""
    load: Load
    ttft_s: float
    """Median."""
    itl_s: float
    """Median gap between tokens."""
    output_tokens_per_s: float
    at: str
    """UTC, ISO 8601 with ``Z``."""
    source: str
    """Which run, for people: its id or the tool's file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunKey:
    """What a run must have in common with a plan to speak for it."""

    engine: str
    engine_version: str
    gpu: str
    gpu_count: int
    model: str


def runs_like(runs: Iterable[MeasuredRun], key: RunKey, load: Load) -> tuple[MeasuredRun, ...]:
    """Return the runs of the same engine, version, GPUs and model under a like load."""
    return tuple(run for run in runs if _key(run) == key and _is_alike(run.load, load))


def one_stream(runs: Iterable[MeasuredRun], key: RunKey) -> MeasuredRun | None:
    """Return the newest run of one request at a time, whatever its lengths; ``None`` for none."""
    return next((run for run in runs if _key(run) == key and run.load.concurrency == 1), None)


def middle(values: Iterable[float]) -> tuple[float, float, float]:
    """Return median, smallest and largest."""
    found = sorted(values)
    return statistics.median(found), found[0], found[-1]


def _key(run: MeasuredRun) -> RunKey:
    return RunKey(
        engine=run.engine,
        engine_version=run.engine_version,
        gpu=run.gpu,
        gpu_count=run.gpu_count,
        model=run.model,
    )


def _is_alike(one: Load, other: Load) -> bool:
    pairs = (
        (one.prompt_tokens, other.prompt_tokens),
        (one.output_tokens, other.output_tokens),
        (one.concurrency, other.concurrency),
    )
    return all(max(pair) <= min(pair) * _ALIKE for pair in pairs)
