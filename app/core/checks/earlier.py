"""What an earlier fingerprint adds: counters that only tell something by how they grow."""

from dataclasses import replace
from datetime import datetime
from types import MappingProxyType

from app.core.checks.spec import CheckContext
from app.core.hardware.fingerprint import Fingerprint, Gpu


def with_earlier(context: CheckContext, now: Fingerprint, earlier: Fingerprint) -> CheckContext:
    """Add the counters of the same GPUs at an earlier time; nothing when the times are unknown.

    A counter that starts anew (driver loaded again, GPU reset) is the judges' matter.
    """
    minutes = _minutes(earlier.taken_at, now.taken_at)
    if minutes is None or minutes <= 0:
        return context
    before = {gpu.uuid: gpu for gpu in earlier.gpus if gpu.uuid is not None}
    pairs = [(gpu, before[gpu.uuid]) for gpu in now.gpus if gpu.uuid in before]
    return replace(
        context,
        minutes_since_earlier=minutes,
        earlier_replays=_counts(pairs, "pcie_replays"),
        earlier_nvlink_errors=_counts(pairs, "nvlink_errors"),
    )


def _counts(pairs: list[tuple[Gpu, Gpu]], field: str) -> MappingProxyType[int, int]:
    counts = {now.index: getattr(before, field) for now, before in pairs}
    return MappingProxyType({i: count for i, count in counts.items() if count is not None})


def _minutes(earlier: str, now: str) -> float | None:
    try:
        passed = datetime.fromisoformat(now) - datetime.fromisoformat(earlier)
    except (ValueError, TypeError):  # broken text, or only one of them names its zone
        return None
    return passed.total_seconds() / 60
