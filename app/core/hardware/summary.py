"""The few words that a list shows of a host."""

from collections import Counter

from app.core.hardware.fingerprint import (
    Fingerprint,
    FingerprintSummary,
    HostSource,
    UnknownReason,
)

# A machine without the vendor's tool has no GPU that could be used.
_NO_TOOL = UnknownReason.TOOL_MISSING
_ENGINE_NAMES = {"docker": "Docker", "podman": "Podman"}


def summarize(fp: Fingerprint) -> FingerprintSummary:
    """Return GPU names with their count, versions and memory; unknown memory stays ``None``."""
    return FingerprintSummary(
        gpu_text=_gpu_text(fp),
        gpu_count=len(fp.gpus),
        driver_version=fp.driver_version,
        container_text=_container_text(fp),
        memory_total_mib=_sum([gpu.memory_total_mib for gpu in fp.gpus]),
        memory_used_mib=_sum([gpu.memory_used_mib for gpu in fp.gpus]),
        taken_at=fp.taken_at,
        simulated=fp.simulated,
        is_thought_of=fp.source is HostSource.CATALOGUE,
        gpus_known=bool(fp.gpus) or fp.unknown.get("gpus", _NO_TOOL) is _NO_TOOL,
    )


def _gpu_text(fp: Fingerprint) -> str:
    names = Counter(gpu.name or "GPU" for gpu in fp.gpus)
    return " + ".join(f"{count} × {name}" for name, count in names.items())


def _container_text(fp: Fingerprint) -> str:
    if fp.containers.name is None:
        return ""
    name = _ENGINE_NAMES.get(fp.containers.name, fp.containers.name)
    return f"{name} {fp.containers.version}" if fp.containers.version else name


def _sum(values: list[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None
