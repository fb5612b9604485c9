"""Sizing for llama.cpp and Ollama: slots and context are allocated at start.

Everything on the GPU comes first, with fewer slots and then less context where the user left
that open. Of a mixture of experts, the experts of the first layers stay in main memory then, as
few as possible; only after that do whole layers.
"""

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import Final

from app.core.engines.parameters import Parameters
from app.core.engines.spec import PlanField
from app.core.models.estimate_llamacpp import even_runs
from app.core.models.memory import MemoryEstimate
from app.core.models.request import EstimateOptions
from app.core.planning.flag_values import layer_runs
from app.core.planning.host_view import GpuChoice
from app.core.planning.pooled import largest_part, runs_by_memory
from app.core.planning.shard_reasons import one_gpu_reason
from app.core.planning.sizing import (
    Case,
    NotSized,
    Sized,
    Wanted,
    context_reason,
    fewer_reason,
    gib,
    kv_dtype,
    sized_facts,
    too_large,
    wanted,
)
from app.core.texts import Reason

_RESERVE: Final = 0.1
"""Share of a GPU that Ollama's split leaves free at least; field opinion, after issue 8447."""

_SPARE: Final = 0.02
"""Share of a GPU that a model spread over GPU and main memory leaves free; field opinion."""

_SHORTEST: Final = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class _Try:
    choice: GpuChoice | None
    context: int
    slots: int
    layers: int | None
    """Layers on GPUs; ``None`` on a CPU."""
    cpu_experts: int = 0
    """First layers whose experts are in main memory."""
    least_experts: int = 0
    """Fewest such layers that fit, with nothing to spare."""
    runs: tuple[int, ...] = ()
    """Layers of each GPU, where they are dealt out by size."""
    estimate: MemoryEstimate

    @property
    def fits(self) -> bool:
        return self.estimate.fits is not False

    @property
    def is_roomy(self) -> bool:
        """Whether it fits with a little to spare: a long prompt must not end a tight split."""
        found = self.estimate
        held = (
            found.weights_bytes_per_gpu
            + found.kv_cache_bytes_per_gpu
            + found.activation_bytes
            + found.non_torch_bytes
        )
        return self.fits and found.usable_bytes_per_gpu - held >= _SPARE * found.total_bytes_per_gpu


def size_layers(case: Case) -> Sized | NotSized:
    """Find slots, context and layers that fit."""
    aim = wanted(case)
    if isinstance(aim, NotSized):
        return aim
    if not case.on_cpu and len(_own_split(case)) > len(case.host.gpus):
        problem = f"{len(_own_split(case))} GPUs > {len(case.host.gpus)}"
        return NotSized(code="cannot_be_split", values={"problem": problem})
    if case.on_cpu:
        best = _first_fit(case, aim, None, None)
    elif _own_layers(case) is not None or _own_experts(case) is not None:
        best = _on_gpus(case, aim)
    else:
        best = _on_gpus(case, aim) or _experts_in_ram(case, aim) or _split_with_cpu(case, aim)
    if case.may_mix and not case.on_cpu and (best is None or _is_spread(case, best)):
        mixed = replace(case, host=case.host.with_unlike())
        other = _on_gpus(mixed, aim) or _split_with_cpu(mixed, aim)
        if other is not None and (best is None or (other.layers or 0) > (best.layers or 0)):
            return _sized(mixed, aim, other)
    if best is None:
        choice = None if case.on_cpu else case.host.choose(len(case.host.gpus))
        least = _try(
            case,
            choice,
            aim.contexts()[-1],
            aim.concurrencies()[-1],
            _least(case),
            cpu_experts=_own_experts(case) or 0,
        )
        return too_large(
            case, least.estimate, gpus=choice.count if choice else 0, context=least.context
        )
    return _sized(case, aim, best)


def all_layers(case: Case) -> int:
    """Return the number that puts everything on GPUs: the layers and the output."""
    return case.model.architecture.layers + 1


def _is_spread(case: Case, attempt: _Try) -> bool:
    """Tell whether layers, or experts, are left to main memory."""
    return (attempt.layers or 0) < all_layers(case) or attempt.cpu_experts > 0


def _on_gpus(case: Case, aim: Wanted) -> _Try | None:
    count, own, layers = len(case.host.gpus), _own_split(case), _own_layers(case)
    counts = range(count, 0, -1) if case.host.chosen else range(1, count + 1)
    for size in counts:
        if own and size != len(own):
            continue
        choice = case.host.choose(size)
        wanted_layers = all_layers(case) if layers is None else layers
        if choice is not None and (best := _first_fit(case, aim, choice, wanted_layers)):
            return best
    return None


def _own_layers(case: Case) -> int | None:
    """Return the layers that the user puts on GPUs; more than there are means all of them."""
    own = case.own.text(PlanField.GPU_LAYERS)
    if own == "all":
        return all_layers(case)
    return min(int(own), all_layers(case)) if own is not None and own.isdigit() else None


def _own_experts(case: Case) -> int | None:
    return case.own.whole(PlanField.CPU_MOE_LAYERS)


def _own_split(case: Case) -> tuple[int, ...]:
    """Return the layers of each GPU by the user's own split; empty without one."""
    return layer_runs(case.own.text(PlanField.TENSOR_SPLIT) or "", all_layers(case))


def _first_fit(
    case: Case, aim: Wanted, choice: GpuChoice | None, layers: int | None
) -> _Try | None:
    for context in aim.contexts():
        for slots in aim.concurrencies():
            own = 0 if choice is None else _own_experts(case) or 0
            attempt = _try(case, choice, context, slots, layers, cpu_experts=own)
            if attempt.fits:
                return attempt
    return None


def _experts_in_ram(case: Case, aim: Wanted) -> _Try | None:
    """Keep all layers on the GPUs and as few layers' experts as possible in main memory."""
    if not case.model.architecture.experts or not case.has_flag(PlanField.CPU_MOE_LAYERS):
        return None
    choice, slots = case.host.choose(len(case.host.gpus)), aim.concurrencies()[-1]

    def attempt(count: int) -> _Try:
        return _try(case, choice, aim.context, slots, all_layers(case), cpu_experts=count)

    counts = range(1, case.model.architecture.layers + 1)
    at = bisect_left(counts, True, key=lambda count: attempt(count).fits)
    if at == len(counts):
        return None
    roomy = bisect_left(counts, True, lo=at, key=lambda count: attempt(count).is_roomy)
    best = attempt(counts[min(roomy, len(counts) - 1)])
    return replace(best, least_experts=counts[at])


def _least(case: Case) -> int | None:
    own = _own_layers(case)
    return None if case.on_cpu else 1 if own is None else own


def _split_with_cpu(case: Case, aim: Wanted) -> _Try | None:
    """Put as many layers on the GPUs as fit, with one slot when that was left open."""
    choice = case.host.choose(len(case.host.gpus))
    slots, low, high = aim.concurrencies()[-1], 1, all_layers(case)
    best: _Try | None = None
    while low <= high:
        layers = (low + high) // 2
        attempt = _try(case, choice, aim.context, slots, layers)
        best = attempt if attempt.fits and (best is None or attempt.is_roomy) else best
        if attempt.is_roomy:
            low = layers + 1
        else:
            high = layers - 1
    return best


def _try(
    case: Case,
    choice: GpuChoice | None,
    context: int,
    slots: int,
    layers: int | None,
    *,
    cpu_experts: int = 0,
) -> _Try:
    options = EstimateOptions(
        # Layers are spread over GPUs, which is what pipeline parallelism means for memory.
        pipeline_parallel_size=choice.count if choice and not choice.is_unlike else 1,
        context_tokens=context,
        concurrency=slots,
        kv_dtype=kv_dtype(case)[0],
        gpu_layers=layers,
        cpu_moe_layers=cpu_experts,
        prefill_tokens=case.own.whole(PlanField.PREFILL_TOKENS),
    )
    by_memory: tuple[int, ...] = ()
    if choice is not None and choice.is_unlike:
        by_memory = _own_split(case) or runs_by_memory(choice, layers or all_layers(case))
    elif choice is not None and choice.count > 1 and (own := _own_split(case)):
        options = replace(options, tensor_split=own)
    elif cpu_experts and choice is not None and choice.count > 1:
        runs = even_runs(case.model, options, choice.count)
        options = replace(options, tensor_split=runs)
    return _Try(
        choice=choice,
        context=context,
        slots=slots,
        layers=layers,
        cpu_experts=cpu_experts,
        runs=options.tensor_split or by_memory,
        estimate=case.estimate(choice, options),
    )


def _sized(case: Case, aim: Wanted, best: _Try) -> Sized:
    kv, kv_reason = kv_dtype(case)
    choice = best.choice
    partly = best.layers is not None and best.layers < all_layers(case)
    in_ram = best.layers is None or partly or best.cpu_experts > 0
    threads = case.host.cores if in_ram and case.has_flag(PlanField.THREADS) else None
    threads = case.own.whole(PlanField.THREADS) or threads
    overhead = case.own.whole(PlanField.GPU_OVERHEAD_BYTES)
    if overhead is None and partly:
        overhead = _overhead(case, best)
    parameters = Parameters(
        context_tokens=best.context,
        concurrency=best.slots,
        pipeline_parallel_size=choice.count if choice else 1,
        gpu_indices=choice.indices if choice else (),
        gpu_uuids=choice.uuids if choice else (),
        kv_dtype=kv,
        gpu_layers=best.layers,
        cpu_moe_layers=best.cpu_experts or None,
        tensor_split=",".join(map(str, best.runs)) or None,
        gpu_overhead_bytes=overhead,
        threads=threads,
        prefill_tokens=case.own.whole(PlanField.PREFILL_TOKENS),
    )
    reasons = {
        "context_tokens": context_reason(case, aim, best.context),
        "concurrency": fewer_reason(case, aim, best.slots, "slots_reduced"),
        "kv_dtype": kv_reason,
        **_memory_reasons(case, best, threads, overhead),
    }
    return Sized(
        parameters=parameters,
        estimate=_shown(best),
        choice=choice,
        reasons=reasons,
        facts={
            **sized_facts(parameters, best.estimate, choice),
            "max_concurrency": float(best.slots),
            "partly_on_cpu": partly,
            "experts_on_cpu": best.cpu_experts > 0,
            "least_experts": best.least_experts or best.cpu_experts,
            "gpu_layers": best.layers,
            "all_layers": all_layers(case),
            "total_context": best.context * best.slots,
            "context_all_on_gpu": _context_on_gpu(case, aim)
            if partly and _own_layers(case) is None
            else None,
        },
    )


def _shown(best: _Try) -> MemoryEstimate:
    """Return the picture of one GPU: of the one with most layers, where they are unlike."""
    choice = best.choice
    if choice is None or not choice.is_unlike or best.estimate.gpu_count != 1:
        return best.estimate
    return largest_part(best.estimate, choice)


def _memory_reasons(
    case: Case, best: _Try, threads: int | None, overhead: int | None
) -> dict[str, Reason]:
    reasons = {}
    if threads is not None:
        reasons["threads"] = case.reason("threads_cores", "threads", value=threads)
    if overhead is not None:
        reasons["gpu_overhead_bytes"] = case.reason(
            "overhead_split", "gpu_overhead_bytes", value=gib(overhead)
        )
    if best.choice is not None:
        reasons["gpu_layers"] = _layers_reason(case, best)
        reasons["gpu_indices"] = _gpus_reason(case, best.choice)
    if best.cpu_experts:
        reasons["cpu_moe_layers"] = case.reason(
            "experts_in_ram",
            "cpu_moe_layers",
            value=best.cpu_experts,
            layers=case.model.architecture.layers,
        )
    if best.runs:
        unlike = best.choice is not None and best.choice.is_unlike
        code = "layers_by_memory" if unlike else "layers_by_size"
        reasons["tensor_split"] = case.reason(code, "tensor_split", value=best.runs)
    return reasons


def _overhead(case: Case, best: _Try) -> int | None:
    """Return what the engine's own split must leave free, so that it takes no more layers."""
    if not case.has_flag(PlanField.GPU_OVERHEAD_BYTES):
        return None
    estimate = best.estimate
    left = estimate.usable_bytes_per_gpu - estimate.weights_bytes_per_gpu
    left -= estimate.kv_cache_bytes_per_gpu
    count = best.choice.count if best.choice is not None and best.choice.is_unlike else 1
    return max(left, int(_RESERVE * estimate.total_bytes_per_gpu)) // count


def _context_on_gpu(case: Case, aim: Wanted) -> int | None:
    """Return the largest context, halving, at which every layer is on the GPUs."""
    choice = case.host.choose(len(case.host.gpus))
    context = aim.context // 2
    while context >= _SHORTEST:
        if _try(case, choice, context, aim.concurrencies()[-1], all_layers(case)).fits:
            return context
        context //= 2
    return None


def _layers_reason(case: Case, best: _Try) -> Reason:
    code = "layers_all" if best.layers == all_layers(case) else "layers_partly"
    return case.reason(code, "gpu_layers", value=best.layers, layers=all_layers(case))


def _gpus_reason(case: Case, choice: GpuChoice) -> Reason:
    if choice.count == 1:
        return one_gpu_reason(case, choice)
    listed = ", ".join(str(index) for index in choice.indices)
    return case.reason("gpus_layers_spread", "gpu_indices", value=listed)
