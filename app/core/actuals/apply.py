"""Use what earlier starts taught: change an estimate and say so in its basis."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from app.core.actuals.correction import (
    LEARNED,
    Correction,
    CorrectionKey,
    SampleBook,
    correction_of,
)
from app.core.models.memory import Basis, Limit, MemoryEstimate

_KV: Final = "kv_cache_bytes_per_gpu"
_BESIDE: Final = tuple(name for name in LEARNED if name != _KV)
_LEAST_BAND: Final = 0.005
"""Even samples that agree promise no more than half a per cent."""
_REST_TOLERANCE: Final = 0.02
"""KV cache and the rest make up the usable memory, but for what is rounded or not counted."""


def correct(estimate: MemoryEstimate, key: CorrectionKey, book: SampleBook) -> MemoryEstimate:
    """Return the estimate with what was learned under ``key``; itself when that is nothing."""
    samples = book.get(key)
    if not samples or estimate.total_bytes_per_gpu <= 0:
        return estimate
    found = {
        name: correction
        for name in LEARNED
        if (
            correction := correction_of(name, samples.get(name, ()), float(getattr(estimate, name)))
        )
        is not None
        and correction.is_used
        and correction.delta_bytes
    }
    return _applied(estimate, found, key) if found else estimate


def _applied(
    estimate: MemoryEstimate, found: Mapping[str, Correction], key: CorrectionKey
) -> MemoryEstimate:
    deltas = {name: correction.delta_bytes for name, correction in found.items()}
    counted = _parts_of_whole(estimate)
    if counted and _KV not in deltas:
        deltas[_KV] = -sum(deltas.get(name, 0) for name in counted)
    changed = replace(
        estimate,
        weights_bytes_per_gpu=_sized(estimate, "weights_bytes_per_gpu", deltas),
        activation_bytes=_sized(estimate, "activation_bytes", deltas),
        cuda_graph_bytes=_sized(estimate, "cuda_graph_bytes", deltas),
        non_torch_bytes=_sized(estimate, "non_torch_bytes", deltas),
        kv_cache_bytes_per_gpu=_sized(estimate, _KV, deltas),
    )
    judged = _as_rest(changed, estimate) if counted else _as_taken(changed)
    return replace(
        judged,
        corrections=MappingProxyType({name: delta for name, delta in deltas.items() if delta}),
        error_band=_bands(judged, found),
        basis=_basis(judged, found, key),
    )


def _sized(estimate: MemoryEstimate, name: str, deltas: Mapping[str, int]) -> int:
    return max(0, int(getattr(estimate, name)) + deltas.get(name, 0))


def _parts_of_whole(estimate: MemoryEstimate) -> tuple[str, ...]:
    """Return what stands beside a KV cache that is the rest of the usable memory.

    Empty when the KV cache has a size of its own (llama.cpp). Some versions take CUDA graphs off
    before they size the cache, others do not.
    """
    usable, cache = estimate.usable_bytes_per_gpu, estimate.kv_cache_bytes_per_gpu
    without = tuple(name for name in _BESIDE if name != "cuda_graph_bytes")
    for names in (without, _BESIDE):
        whole = cache + sum(getattr(estimate, name) for name in names)
        if cache and abs(whole - usable) <= usable * _REST_TOLERANCE:
            return names
    return ()


def _as_rest(changed: MemoryEstimate, before: MemoryEstimate) -> MemoryEstimate:
    """Let tokens, concurrency and verdict follow the KV cache: it decides all three.

    A refusal stands: what does not fit by arithmetic was never seen to start.
    """
    share = changed.kv_cache_bytes_per_gpu / before.kv_cache_bytes_per_gpu
    concurrency = before.max_concurrency * share
    changed = replace(changed, kv_tokens=int(before.kv_tokens * share), max_concurrency=concurrency)
    if before.fits is True and 0 < concurrency < 1:
        lacking = round(changed.kv_cache_bytes_per_gpu * (1 / concurrency - 1))
        limits = (*changed.limits, str(Limit.CONTEXT_TOO_LONG))
        return replace(changed, fits=False, missing_bytes=lacking, limits=limits)
    return changed


def _as_taken(changed: MemoryEstimate) -> MemoryEstimate:
    """Judge whether all parts still fit; none of them gives way to another."""
    whole = changed.kv_cache_bytes_per_gpu + sum(getattr(changed, name) for name in _BESIDE)
    lacking = whole - changed.usable_bytes_per_gpu
    if changed.fits is not True or lacking <= 0:
        return changed
    limits = (*changed.limits, str(Limit.NO_ROOM_FOR_KV))
    return replace(changed, fits=False, missing_bytes=lacking, limits=limits)


def _bands(estimate: MemoryEstimate, found: Mapping[str, Correction]) -> Mapping[str, float]:
    bands = dict(estimate.error_band)
    for name, correction in found.items():
        value = getattr(estimate, name)
        if value > 0:
            scatter = max(correction.spread_bytes / value, _LEAST_BAND)
            choose = max if correction.bounded else min
            bands[name] = choose(scatter, bands.get(name, scatter))
    return MappingProxyType(bands)


def _basis(
    estimate: MemoryEstimate, found: Mapping[str, Correction], key: CorrectionKey
) -> tuple[Basis, ...]:
    """Return the basis with the corrected quantities as measured ones, formulas kept."""
    rows = []
    for basis in estimate.basis:
        correction = found.get(basis.quantity)
        rows.append(basis if correction is None else _measured(basis, correction, key))
    told = {basis.quantity for basis in estimate.basis}
    for name, correction in found.items():
        if name not in told:
            bare = Basis(quantity=name, source="", method="formula")
            rows.append(_measured(bare, correction, key))
    return tuple(rows)


def _measured(basis: Basis, correction: Correction, key: CorrectionKey) -> Basis:
    bound = ", held at the bound" if correction.bounded else ""
    formula = f"{basis.formula} {correction.delta_bytes:+d} B".strip()
    return Basis(
        quantity=basis.quantity,
        source=f"{correction.samples} samples on this installation ({key.id}){bound}"
        + (f"; {basis.source}" if basis.source else ""),
        method="measured",
        formula=formula,
    )
