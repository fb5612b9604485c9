"""Sizing for engines that split every layer over GPUs and take a share of their memory.

vLLM, SGLang, TensorRT-LLM, LMDeploy and TGI; each in its own meaning of the share.

The smallest number of GPUs that holds the model is taken, inside one NVLink island when one is
large enough. If the user asked for a concurrency, more GPUs are taken until it is reached.
"""

import math
from dataclasses import dataclass, replace

from app.core.engines.parameters import Parameters
from app.core.engines.spec import FractionMeaning, FractionRule
from app.core.hardware.fingerprint import Gpu
from app.core.models.memory import MemoryEstimate
from app.core.models.parallelism import split_problem
from app.core.models.request import EstimateOptions
from app.core.planning.host_view import GpuChoice
from app.core.planning.sizing import (
    Case,
    NotSized,
    Sized,
    Wanted,
    context_reason,
    gib,
    kv_dtype,
    wanted,
    weight_dtype,
)
from app.core.planning.wording import sourced
from app.core.texts import Reason
from app.core.versions import in_span

_SPARE_MIB = 1024
"""Left beside other processes for the CUDA context of the engine's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Try:
    """One number of GPUs with one context, and what came out."""

    choice: GpuChoice
    context: int
    fraction: float | None
    estimate: MemoryEstimate

    @property
    def fits(self) -> bool:
        return self.estimate.fits is not False


def size_shards(case: Case) -> Sized | NotSized:
    """Find GPUs, context and memory share that hold the model."""
    aim = wanted(case)
    if isinstance(aim, NotSized):
        return aim
    sizes = _sizes(case)
    for context in aim.contexts():
        fitting = [attempt for attempt in _tries(case, aim, sizes, context) if attempt.fits]
        if fitting:
            return _sized(case, aim, _best(case, fitting), sizes)
    return _too_large(case, aim, sizes)


def _sizes(case: Case) -> tuple[int, ...]:
    count = len(case.host.gpus)
    doubled = case.engine.engine.tensor_parallel_powers_of_two
    sizes = [
        n
        for n in range(1, count + 1)
        if split_problem(case.model, n) is None and not (doubled and n.bit_count() > 1)
    ]
    # Who chose GPUs wants them used: the largest possible split comes first.
    return tuple(reversed(sizes)) if case.host.chosen else tuple(sizes)


def _tries(case: Case, aim: Wanted, sizes: tuple[int, ...], context: int) -> list[_Try]:
    found = []
    for size in sizes:
        choice = case.host.choose(size)
        if choice is not None:
            fraction = _fraction(case, choice)
            options = _options(case, aim, choice, context, fraction)
            estimate = case.estimate(choice, options)
            found.append(_Try(choice=choice, context=context, fraction=fraction, estimate=estimate))
    return found


def _best(case: Case, tries: list[_Try]) -> _Try:
    """Take one island before PCIe; then enough users, if a number was asked; then few GPUs."""
    if case.host.chosen:
        return tries[0]
    near = [attempt for attempt in tries if attempt.choice.is_one_island] or tries
    asked = case.goal.concurrency
    if asked is None:
        return near[0]
    for attempt in near:
        if attempt.estimate.max_concurrency >= asked:
            return attempt
    return max(near, key=lambda attempt: attempt.estimate.max_concurrency)


def _options(
    case: Case, aim: Wanted, choice: GpuChoice, context: int, fraction: float | None
) -> EstimateOptions:
    prefill = case.wording.number("prefill_tokens", case.facts)
    return EstimateOptions(
        tensor_parallel_size=choice.count,
        context_tokens=context,
        concurrency=aim.concurrency,
        memory_fraction=fraction,
        kv_dtype=kv_dtype(case)[0],
        dtype=weight_dtype(case)[0],
        prefill_tokens=prefill[0] if prefill else None,
        max_num_seqs=aim.concurrency,
    )


def _default_fraction(case: Case) -> FractionRule | None:
    engine = case.engine.engine
    for rule in engine.memory_fraction:
        if in_span(case.image.version, rule.since, rule.until, engine.version_scheme):
            return rule
    return None


def _fraction(case: Case, choice: GpuChoice) -> float | None:
    """Return the engine's default; of a share of the total, less where others hold memory.

    ``None`` leaves it to an engine that works it out from the GPU it finds.
    """
    default = _default_fraction(case)
    if default is None:
        return None
    if default.meaning is not FractionMeaning.OF_TOTAL:
        return default.value
    return min([default.value, *(_free_share(gpu) for gpu in choice.gpus)])


def _free_share(gpu: Gpu) -> float:
    """Return the share that is free; 1 when nobody holds memory or it is not known."""
    total, used = gpu.memory_total_mib, gpu.memory_used_mib
    if not total or not used:
        return 1.0
    visible = total - (gpu.memory_reserved_mib or 0)
    return max(0.01, math.floor(100 * (visible - used - _SPARE_MIB) / visible) / 100)


def _sized(case: Case, aim: Wanted, best: _Try, sizes: tuple[int, ...]) -> Sized:
    dtype, dtype_reason = weight_dtype(case)
    kv, kv_reason = kv_dtype(case)
    prefill = case.wording.number("prefill_tokens", case.facts)
    prefix = case.wording.default("prefix_caching", case.facts)
    reasons = {
        "context_tokens": context_reason(case, aim, best.context),
        "concurrency": aim.concurrency_reason,
        "tensor_parallel_size": _split_reason(case, aim, best, sizes),
        "gpu_indices": _link_reason(case, best.choice),
        "memory_fraction": _fraction_reason(case, best),
        "kv_dtype": kv_reason,
        "dtype": dtype_reason,
    }
    if prefill is not None:
        reasons["prefill_tokens"] = prefill[1]
    if prefix is not None:
        reasons["prefix_caching"] = prefix[1]
    parameters = Parameters(
        context_tokens=best.context,
        concurrency=aim.concurrency,
        tensor_parallel_size=best.choice.count,
        gpu_indices=best.choice.indices,
        gpu_uuids=best.choice.uuids,
        memory_fraction=best.fraction,
        kv_dtype=kv,
        dtype=dtype,
        prefill_tokens=prefill[0] if prefill else None,
        prefix_caching=bool(prefix[0]) if prefix else None,
    )
    return Sized(
        parameters=parameters,
        estimate=best.estimate,
        choice=best.choice,
        reasons=reasons,
        facts={
            "context_tokens": best.context,
            "concurrency": aim.concurrency,
            "tensor_parallel_size": best.choice.count,
            "gpus_used": best.choice.count,
            "one_island": best.choice.is_one_island,
            "max_concurrency": round(best.estimate.max_concurrency, 1),
            "fits": None if best.estimate.fits == "unknown" else True,
            "partly_on_cpu": False,
            "kv_dtype": kv,
            "memory_fraction": best.fraction,
            "island_unused": max(0, int(case.facts["island_size"] or 0) - best.choice.count),
        },
    )


def _split_reason(case: Case, aim: Wanted, best: _Try, sizes: tuple[int, ...]) -> Reason:
    count = best.choice.count
    if case.host.chosen:
        return case.reason("tp_chosen", "tensor_parallel_size", value=count)
    if count == 1:
        return case.reason("tp_one", "tensor_parallel_size", value=1)
    smaller = max(size for size in sizes if size < count)
    attempt = _tries(case, aim, (smaller,), best.context)[0]
    code = "tp_concurrency" if attempt.fits else "tp_memory"
    return case.reason(
        code,
        "tensor_parallel_size",
        value=count,
        smaller=smaller,
        missing_gib=gib(attempt.estimate.missing_bytes),
        reached=f"{attempt.estimate.max_concurrency:.1f}",
    )


def _link_reason(case: Case, choice: GpuChoice) -> Reason:
    listed = ", ".join(str(index) for index in choice.indices)
    if choice.count == 1:
        return case.reason("gpu_freest", "gpu_indices", value=listed)
    code = "gpus_one_island" if choice.is_one_island else "gpus_cross_links"
    return case.reason(code, "gpu_indices", value=listed)


def _fraction_reason(case: Case, best: _Try) -> Reason:
    default = _default_fraction(case)
    if default is None or best.fraction is None:
        return case.reason("fraction_by_engine", "memory_fraction")
    code = "fraction_default" if best.fraction >= default.value else "fraction_shared"
    if default.meaning is not FractionMeaning.OF_TOTAL:
        code = f"fraction_{default.meaning.value}"
    used = max(gpu.memory_used_mib or 0 for gpu in best.choice.gpus)
    reason = case.reason(
        code,
        "memory_fraction",
        value=f"{best.fraction:g}",
        default=f"{default.value:g}",
        used_mib=used,
    )
    return replace(reason, source=sourced(default.source, default.checked))


def _too_large(case: Case, aim: Wanted, sizes: tuple[int, ...]) -> NotSized:
    attempt = min(
        _tries(case, aim, sizes, aim.contexts()[-1]),
        key=lambda attempt: attempt.estimate.missing_bytes,
    )
    estimate = attempt.estimate
    needed = estimate.usable_bytes_per_gpu + estimate.missing_bytes
    return NotSized(
        code="does_not_fit",
        values={
            "needed_gib": gib(needed),
            "available_gib": gib(estimate.usable_bytes_per_gpu),
            "missing_gib": gib(estimate.missing_bytes),
            "missing_bytes": estimate.missing_bytes,
            "gpus_used": attempt.choice.count,
            "context_tokens": attempt.context,
        },
    )
