"""What types of weights and KV cache, and what ways to quantize, need of a GPU generation."""

from collections.abc import Iterator, Sequence
from typing import Final

from app.core.engines.spec import EngineFile, QuantizationRule
from app.core.versions import capability_at_least, in_span

_BFLOAT16_SINCE: Final = "8.0"
"""Source: CUDA programming guide, arithmetic throughput; vLLM 0.33.0 platforms/cuda.py."""


def lacks_bfloat16(capabilities: Sequence[str | None]) -> bool:
    """Tell whether a GPU cannot compute in bfloat16."""
    return any(capability_at_least(cap, _BFLOAT16_SINCE) is False for cap in capabilities)


def kv_dtype_lacks(
    engine: EngineFile,
    version: str,
    dtype: str,
    capabilities: Sequence[str | None],
    *,
    on_cpu: bool = False,
) -> str:
    """Return what a type of the KV cache lacks; empty when it works."""
    wanted = []
    for rule in engine.kv_dtype:
        if rule.dtype != dtype or not in_span(
            version, rule.since, rule.until, engine.version_scheme
        ):
            continue
        if on_cpu:
            return "" if rule.on_cpu else "CPU"
        if not rule.min_capability or all(
            capability_at_least(cap, rule.min_capability) for cap in capabilities
        ):
            return ""
        wanted.append(f"≥ {rule.min_capability}")
    return min(wanted, default=f"{engine.name} {version}")


def method_lacks(
    engine: EngineFile, version: str, method: str, capabilities: Sequence[str | None]
) -> str:
    """Return the generation that a way to quantize needs; empty when these GPUs are enough."""
    for rule in _methods(engine, version, method):
        if any(capability_at_least(cap, rule.min_capability) is False for cap in capabilities):
            return rule.min_capability
    return ""


def plain_method(name: str | None) -> str:
    """Return one spelling of a way to quantize: engines write ``_`` or ``-``."""
    return (name or "").replace("_", "-")


def _methods(engine: EngineFile, version: str, method: str) -> Iterator[QuantizationRule]:
    for rule in engine.quantization:
        alive = in_span(version, rule.since, rule.until, engine.version_scheme)
        if plain_method(rule.method) == method and rule.min_capability and alive:
            yield rule
