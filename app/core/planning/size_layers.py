"""Sizing for llama.cpp and Ollama: slots and context are allocated at start.

Everything on the GPU comes first, with fewer slots and then less context where the user left
that open; only then do layers stay with the CPU.
"""

from dataclasses import dataclass

from app.core.engines.parameters import Parameters
from app.core.engines.spec import PlanField
from app.core.models.memory import MemoryEstimate
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
)
from app.core.texts import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class _Try:
    choice: GpuChoice | None
    context: int
    slots: int
    layers: int | None
    """Layers on GPUs; ``None`` on a CPU."""
    estimate: MemoryEstimate

    @property
    def fits(self) -> bool:
        return self.estimate.fits is not False


def size_layers(case: Case) -> Sized | NotSized:
    """Find slots, context and layers that fit."""
    aim = wanted(case)
    if isinstance(aim, NotSized):
        return aim
    if case.on_cpu:
        best = _first_fit(case, aim, None, None)
    else:
        best = _on_gpus(case, aim) or _split_with_cpu(case, aim)
    if best is None:
        return _too_large(case, aim)
    return _sized(case, aim, best)


def all_layers(case: Case) -> int:
    """Return the number that puts everything on GPUs: the layers and the output."""
    return case.model.architecture.layers + 1


def _on_gpus(case: Case, aim: Wanted) -> _Try | None:
    count = len(case.host.gpus)
    counts = range(count, 0, -1) if case.host.chosen else range(1, count + 1)
    for size in counts:
        choice = case.host.choose(size)
        if choice is not None and (best := _first_fit(case, aim, choice, all_layers(case))):
            return best
    return None


def _first_fit(
    case: Case, aim: Wanted, choice: GpuChoice | None, layers: int | None
) -> _Try | None:
    for context in aim.contexts():
        for slots in aim.concurrencies():
            attempt = _try(case, choice, context, slots, layers)
            if attempt.fits:
                return attempt
    return None


def _split_with_cpu(case: Case, aim: Wanted) -> _Try | None:
    """Put as many layers on the GPUs as fit, with one slot when that was left open."""
    choice = case.host.choose(len(case.host.gpus))
    slots, low, high = aim.concurrencies()[-1], 1, all_layers(case)
    best: _Try | None = None
    while low <= high:
        layers = (low + high) // 2
        attempt = _try(case, choice, aim.context, slots, layers)
        if attempt.fits:
            best, low = attempt, layers + 1
        else:
            high = layers - 1
    return best


def _try(
    case: Case, choice: GpuChoice | None, context: int, slots: int, layers: int | None
) -> _Try:
    options = EstimateOptions(
        # Layers are spread over GPUs, which is what pipeline parallelism means for memory.
        pipeline_parallel_size=choice.count if choice else 1,
        context_tokens=context,
        concurrency=slots,
        kv_dtype=kv_dtype(case)[0],
        gpu_layers=layers,
    )
    estimate = case.estimate(choice, options)
    return _Try(choice=choice, context=context, slots=slots, layers=layers, estimate=estimate)


def _sized(case: Case, aim: Wanted, best: _Try) -> Sized:
    kv, kv_reason = kv_dtype(case)
    partly = best.layers is not None and best.layers < all_layers(case)
    on_cpu = best.layers is None or partly
    threads = case.host.cores if on_cpu and case.has_flag(PlanField.THREADS) else None
    reasons = {
        "context_tokens": context_reason(case, aim, best.context),
        "concurrency": _slots_reason(case, aim, best),
        "kv_dtype": kv_reason,
    }
    if threads is not None:
        reasons["threads"] = case.reason("threads_cores", "threads", value=threads)
    if best.choice is not None:
        reasons["gpu_layers"] = _layers_reason(case, best)
        reasons["gpu_indices"] = _gpus_reason(case, best.choice)
    choice = best.choice
    parameters = Parameters(
        context_tokens=best.context,
        concurrency=best.slots,
        pipeline_parallel_size=choice.count if choice else 1,
        gpu_indices=choice.indices if choice else (),
        gpu_uuids=choice.uuids if choice else (),
        kv_dtype=kv,
        gpu_layers=best.layers,
        threads=threads,
    )
    return Sized(
        parameters=parameters,
        estimate=best.estimate,
        choice=choice,
        reasons=reasons,
        facts={
            "context_tokens": best.context,
            "concurrency": best.slots,
            "tensor_parallel_size": 1,
            "gpus_used": choice.count if choice else 0,
            "one_island": choice.is_one_island if choice else None,
            "max_concurrency": float(best.slots),
            "fits": None if best.estimate.fits == "unknown" else True,
            "partly_on_cpu": partly,
            "gpu_layers": best.layers,
            "kv_dtype": kv,
            "total_context": best.context * best.slots,
        },
    )


def _slots_reason(case: Case, aim: Wanted, best: _Try) -> Reason:
    if best.slots == aim.concurrency:
        return aim.concurrency_reason
    return case.reason("slots_reduced", "concurrency", value=best.slots, wanted=aim.concurrency)


def _layers_reason(case: Case, best: _Try) -> Reason:
    code = "layers_all" if best.layers == all_layers(case) else "layers_partly"
    return case.reason(code, "gpu_layers", value=best.layers, layers=all_layers(case))


def _gpus_reason(case: Case, choice: GpuChoice) -> Reason:
    listed = ", ".join(str(index) for index in choice.indices)
    code = "gpu_freest" if choice.count == 1 else "gpus_layers_spread"
    return case.reason(code, "gpu_indices", value=listed)


def _too_large(case: Case, aim: Wanted) -> NotSized:
    choice = None if case.on_cpu else case.host.choose(len(case.host.gpus))
    layers = None if case.on_cpu else 1
    attempt = _try(case, choice, aim.contexts()[-1], aim.concurrencies()[-1], layers)
    estimate = attempt.estimate
    return NotSized(
        code="does_not_fit_ram" if case.on_cpu else "does_not_fit",
        values={
            "needed_gib": gib(estimate.usable_bytes_per_gpu + estimate.missing_bytes),
            "available_gib": gib(estimate.usable_bytes_per_gpu),
            "missing_gib": gib(estimate.missing_bytes),
            "missing_bytes": estimate.missing_bytes,
            "gpus_used": choice.count if choice else 0,
            "context_tokens": attempt.context,
        },
    )
