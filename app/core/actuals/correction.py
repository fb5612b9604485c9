"""What the starts of this installation teach: bytes to add to the next prediction.

Kept per engine × version series × GPU × model family, as a robust mean of (actual − what the
memory model alone predicts). Used from two comparable starts on, and never beyond a bound: a
correction mends a prediction, it does not replace it.
"""

import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from app.core.actuals.record import StartRecord
from app.core.models.prediction import Prediction
from app.core.units import MIB
from app.core.versions import series_of

LEARNED: Final = (
    "weights_bytes_per_gpu",
    "activation_bytes",
    "cuda_graph_bytes",
    "non_torch_bytes",
    "kv_cache_bytes_per_gpu",
)
"""Quantities that are corrected. Tokens and concurrency follow the KV cache."""
MIN_SAMPLES: Final = 2
BOUND_SHARE: Final = 0.10
BOUND_BYTES: Final = 256 * MIB
"""A correction is at most the larger of both: a tenth of the prediction, or 256 MiB."""
_COMPARABLE: Final = 2.0
"""Starts whose prediction differs by more than this factor say nothing of this one."""
_FAR: Final = 3.0
"""Samples further from the median than this many median deviations are left out."""
_LEAST_SPREAD: Final = 16 * MIB
"""What engines round off, so that equal samples do not make each other outliers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionKey:
    """What starts must have in common."""

    engine: str
    series: str
    """Version range, for example ``0.26`` or ``b10xxx``."""
    gpu: str
    family: str

    @property
    def id(self) -> str:
        """Name it goes by in the window and on the command line."""
        return f"{self.engine} / {self.series} / {self.gpu} / {self.family}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One quantity of one start, in bytes."""

    predicted: float
    """By the memory model alone, without corrections."""
    actual: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What to add to one quantity."""

    quantity: str
    delta_bytes: int
    spread_bytes: int
    """How far the samples lie from it."""
    samples: int
    """How many starts it rests on."""
    left_out: int = 0
    """Samples that lie too far from the others."""
    bounded: bool = False
    """The samples say more than a correction may change."""

    @property
    def is_used(self) -> bool:
        """Whether there are enough samples."""
        return self.samples >= MIN_SAMPLES


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """All that was learned under one key, for showing."""

    key: CorrectionKey
    starts: int
    last_at: str
    corrections: tuple[Correction, ...]


SampleBook = dict[CorrectionKey, dict[str, tuple[Sample, ...]]]
"""Samples by key and quantity."""


def key_of(prediction: Prediction) -> CorrectionKey:
    """Return what a prediction is learned under."""
    return CorrectionKey(
        engine=prediction.engine,
        series=series_of(prediction.engine_version),
        gpu=prediction.gpu,
        family=prediction.family,
    )


def gather(records: Iterable[StartRecord]) -> SampleBook:
    """Return the samples of starts; simulated ones and those without a prediction give none."""
    book: defaultdict[CorrectionKey, defaultdict[str, list[Sample]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for record in records:
        prediction = record.prediction
        if prediction is None or record.simulated:
            continue
        for quantity in LEARNED:
            predicted, actual = prediction.of(quantity), record.actual(quantity)
            if predicted is not None and actual is not None and actual.value > 0:
                sample = Sample(predicted=predicted.uncorrected, actual=actual.value)
                book[key_of(prediction)][quantity].append(sample)
    return {
        key: {name: tuple(samples) for name, samples in found.items()}
        for key, found in book.items()
    }


def correction_of(quantity: str, samples: Iterable[Sample], predicted: float) -> Correction | None:
    """Return what comparable starts add to a prediction; ``None`` when there are none."""
    deltas = [s.actual - s.predicted for s in samples if _is_comparable(s.predicted, predicted)]
    if not deltas:
        return None
    middle = statistics.median(deltas)
    spread = statistics.median([abs(delta - middle) for delta in deltas])
    kept = [d for d in deltas if abs(d - middle) <= max(_FAR * spread, _LEAST_SPREAD)]
    mean = statistics.fmean(kept)
    bound = max(abs(predicted) * BOUND_SHARE, BOUND_BYTES)
    # Never below nothing: what is predicted as a little cannot be corrected to less than that.
    delta = max(-bound, -predicted, min(bound, mean))
    return Correction(
        quantity=quantity,
        delta_bytes=round(delta),
        spread_bytes=round(max(abs(d - mean) for d in kept)),
        samples=len(kept),
        left_out=len(deltas) - len(kept),
        bounded=abs(delta - mean) > 1,
    )


def summarise(records: Iterable[StartRecord]) -> tuple[Learned, ...]:
    """Return what was learned under every key, the newest first."""
    by_key: defaultdict[CorrectionKey, list[StartRecord]] = defaultdict(list)
    for record in records:
        if record.prediction is not None and not record.simulated:
            by_key[key_of(record.prediction)].append(record)
    found = [_learned(key, starts) for key, starts in by_key.items()]
    return tuple(sorted(found, key=lambda learned: learned.last_at, reverse=True))


def _learned(key: CorrectionKey, starts: list[StartRecord]) -> Learned:
    samples = gather(starts).get(key, {})
    corrections = []
    for quantity, found in samples.items():
        typical = statistics.median([sample.predicted for sample in found])
        correction = correction_of(quantity, found, typical)
        if correction is not None:
            corrections.append(correction)
    return Learned(
        key=key,
        starts=len(starts),
        last_at=max(start.at for start in starts),
        corrections=tuple(corrections),
    )


def _is_comparable(one: float, other: float) -> bool:
    small, large = sorted((abs(one), abs(other)))
    return large <= max(small * _COMPARABLE, BOUND_BYTES)
