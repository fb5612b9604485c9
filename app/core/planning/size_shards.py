"""Sizing for engines that split every layer over GPUs and take a share of their memory.

vLLM, SGLang, TensorRT-LLM, LMDeploy and TGI; each in its own meaning of the share.

The smallest number of GPUs that holds the model is taken, the nearest to each other first. If the
user asked for a concurrency, more GPUs are taken until it is reached.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.core.engines.parameters import Parameters
from app.core.engines.spec import PlanField
from app.core.models.memory import MemoryEstimate
from app.core.models.request import EstimateOptions
from app.core.planning.shard_reasons import placement_reasons
from app.core.planning.shares import (
    Share,
    first_share,
    lowered_share,
    raised_share,
    share_reason,
    spared_share,
    within_limit,
)
from app.core.planning.sizing import (
    Case,
    NotSized,
    Sized,
    Wanted,
    context_reason,
    kv_dtype,
    sized_facts,
    too_large,
    wanted,
    weight_dtype,
)
from app.core.planning.splits import (
    Reach,
    Split,
    largest_size,
    own_experts,
    own_problem,
    own_sizes,
    possible_splits,
    refused_sizes,
)
from app.core.texts import Reason

_VALUES = ("prefill_tokens", "prefix_caching", "speculative", "expert_parallel_size")
"""Values that rules alone decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Try:
    """One split with one context, and what came out."""

    split: Split
    context: int
    share: Share
    estimate: MemoryEstimate

    @property
    def fits(self) -> bool:
        return self.estimate.fits is not False

    @property
    def is_sure(self) -> bool:
        """One request of full length fits even where the cache comes out smaller than estimated."""
        band = self.estimate.error_band.get("kv_tokens", 0.0)
        return self.fits and self.estimate.max_concurrency * (1 - band) >= 1


def size_shards(case: Case) -> Sized | NotSized:
    """Find GPUs, context and memory share that hold the model."""
    aim = wanted(case)
    if isinstance(aim, NotSized):
        return aim
    alike = _search(case, aim)
    if isinstance(alike, NotSized) and case.may_mix:
        mixed = _search(replace(case, host=case.host.with_unlike()), aim)
        return alike if isinstance(mixed, NotSized) else mixed
    return alike


def _search(case: Case, aim: Wanted) -> Sized | NotSized:
    splits = possible_splits(case)
    if not splits:
        return NotSized(code="cannot_be_split", values=_refusal(case))
    for context in aim.contexts():
        if fitting := _fitting(case, aim, splits, context):
            return _sized(case, aim, _best(case, aim, _longest(case, aim, splits, fitting)))
    least = min(
        (_try(case, aim, split, aim.contexts()[-1]) for split in splits),
        key=lambda attempt: attempt.estimate.missing_bytes,
    )
    refused = too_large(case, least.estimate, gpus=least.split.gpus, context=least.context)
    is_parted = case.host.uses_mig or refused_sizes(case)
    if is_parted and max(split.gpus for split in splits) < len(case.host.gpus):
        return NotSized(code="does_not_fit_unsplit", values={**refused.values, **_refusal(case)})
    return refused


def _fitting(case: Case, aim: Wanted, splits: Sequence[Split], context: int) -> list[_Try]:
    return [attempt for split in splits if (attempt := _try(case, aim, split, context)).fits]


def _longest(case: Case, aim: Wanted, splits: Sequence[Split], found: list[_Try]) -> list[_Try]:
    """Look between a context that fits and the next larger that does not.

    The engine has to start the first time: what lies within the error of the estimate is left out.
    """
    steps = aim.longer(found[0].context)
    low, high = 0, len(steps)
    while low < high:
        middle = (low + high) // 2
        longer = [one for one in _fitting(case, aim, splits, steps[middle]) if one.is_sure]
        if longer:
            low, found = middle + 1, longer
        else:
            high = middle
    return found


def _try(case: Case, aim: Wanted, split: Split, context: int) -> _Try:
    first = first_share(case, split.choice)
    options = _options(case, aim, split, context)
    estimate = case.estimate(split.choice, replace(options, memory_fraction=first.value))
    share = first if first.is_own else _better_share(case, aim, split, first, estimate)
    if share is not first:
        estimate = case.estimate(split.choice, replace(options, memory_fraction=share.value))
    within = within_limit(case, estimate)
    return _Try(split=split, context=context, share=share, estimate=within)


def _better_share(
    case: Case, aim: Wanted, split: Split, first: Share, estimate: MemoryEstimate
) -> Share:
    raised = raised_share(first, split.choice, estimate)
    if raised is not first and case.goal.memory_bytes_per_gpu is None:
        return raised
    if raised is not first:
        return lowered_share(case, split.choice, estimate, raised, aim.concurrency)
    if estimate.fits is False:
        return spared_share(first, estimate)
    return lowered_share(case, split.choice, estimate, first, aim.concurrency)


def _best(case: Case, aim: Wanted, tries: list[_Try]) -> _Try:
    """Take near GPUs before far ones; then enough users, if a number was asked; then few GPUs."""
    if case.host.chosen:
        return tries[0]
    nearest = min(attempt.split.reach for attempt in tries)
    near = [attempt for attempt in tries if attempt.split.reach is nearest]
    if nearest in (Reach.STAGES, Reach.UNEVEN):
        # Few stages wait less for each other: the widest sharing of layers first.
        widest = max(attempt.split.tensor for attempt in near)
        near = [attempt for attempt in near if attempt.split.tensor == widest]
    if case.goal.concurrency is None:
        return near[0]
    for attempt in near:
        if attempt.estimate.max_concurrency >= aim.concurrency:
            return attempt
    return max(near, key=lambda attempt: attempt.estimate.max_concurrency)


def _options(case: Case, aim: Wanted, split: Split, context: int) -> EstimateOptions:
    prefill = case.wording.number("prefill_tokens", case.facts)
    own_prefill = case.own.whole(PlanField.PREFILL_TOKENS)
    return EstimateOptions(
        tensor_parallel_size=split.tensor,
        pipeline_parallel_size=split.stages,
        expert_parallel=split.experts,
        context_tokens=context,
        concurrency=aim.concurrency,
        kv_dtype=kv_dtype(case)[0],
        dtype=weight_dtype(case)[0],
        prefill_tokens=own_prefill or (prefill[0] if prefill else None),
        max_num_seqs=aim.concurrency,
    )


def _sized(case: Case, aim: Wanted, best: _Try) -> Sized:
    split, choice = best.split, best.split.choice
    dtype, dtype_reason = weight_dtype(case)
    kv, kv_reason = kv_dtype(case)
    ruled = _ruled(case, split)
    parameters = Parameters(
        context_tokens=best.context,
        concurrency=aim.concurrency,
        tensor_parallel_size=split.tensor,
        pipeline_parallel_size=split.stages,
        expert_parallel_size=_whole(ruled, "expert_parallel_size"),
        gpu_indices=choice.indices,
        gpu_uuids=choice.uuids,
        memory_fraction=best.share.value,
        kv_dtype=kv,
        dtype=dtype,
        prefill_tokens=_whole(ruled, "prefill_tokens"),
        prefix_caching=bool(ruled["prefix_caching"][0]) if "prefix_caching" in ruled else None,
        speculative=str(ruled["speculative"][0]) if "speculative" in ruled else None,
        enforce_eager=case.own.yes(PlanField.ENFORCE_EAGER),
        kv_cache_bytes=case.own.whole(PlanField.KV_CACHE_BYTES),
    )
    smaller = _smaller(case, aim, best)
    reasons = {
        "context_tokens": context_reason(case, aim, best.context),
        "concurrency": aim.concurrency_reason,
        **placement_reasons(case, split, smaller),
        "memory_fraction": share_reason(case, choice, best.share),
        "kv_dtype": kv_reason,
        "dtype": dtype_reason,
        **{name: reason for name, (_, reason) in ruled.items()},
    }
    kv_heads = case.model.architecture.kv_heads
    return Sized(
        parameters=parameters,
        estimate=best.estimate,
        choice=choice,
        reasons=reasons,
        facts={
            **sized_facts(parameters, best.estimate, choice),
            "memory_fraction": best.share.value,
            "island_unused": max(0, int(case.facts["island_size"] or 0) - choice.count),
            "copies": len(case.host.gpus) // max(1, choice.count),
            "kv_heads_repeated": split.tensor > kv_heads,
            "unlike_used": choice.is_unlike,
            "speculative": parameters.speculative,
        },
    )


def _ruled(case: Case, split: Split) -> dict[str, tuple[bool | float | str, Reason]]:
    """Return the values that the user or rules decide once the split is known, with reasons."""
    facts = {**case.facts, "tensor_parallel_size": split.tensor}
    found = {
        name: default
        for name in _VALUES
        if (default := case.wording.default(name, facts)) is not None
    }
    experts = found.pop("expert_parallel_size", None)
    own = own_experts(case)
    if own is not None:
        experts = None
    if split.experts and own:
        size = case.own.whole(PlanField.EXPERT_PARALLEL_SIZE) or split.tensor
        found["expert_parallel_size"] = (size, case.reason("own_value", "expert_parallel_size"))
    elif split.experts:
        reason = case.reason("experts_dealt", "expert_parallel_size", value=split.tensor)
        found["expert_parallel_size"] = (split.tensor, reason)
    elif experts is not None and (case.model.architecture.experts or 1) % split.tensor == 0:
        found["expert_parallel_size"] = (split.tensor, experts[1])
    return {**found, **_own_values(case)}


def _own_values(case: Case) -> dict[str, tuple[bool | float | str, Reason]]:
    own = case.own
    values = {
        PlanField.PREFILL_TOKENS: own.whole(PlanField.PREFILL_TOKENS),
        PlanField.PREFIX_CACHING: own.yes(PlanField.PREFIX_CACHING),
        PlanField.SPECULATIVE: own.text(PlanField.SPECULATIVE),
    }
    return {
        each.value: (value, case.reason("own_value", each.value))
        for each, value in values.items()
        if value is not None
    }


def _whole(ruled: dict[str, tuple[bool | float | str, Reason]], name: str) -> int | None:
    return int(ruled[name][0]) if name in ruled else None


def _smaller(case: Case, aim: Wanted, best: _Try) -> tuple[Split, MemoryEstimate] | None:
    """Return the next smaller split with what it lacks, to say why it was not enough."""
    fewer = [split for split in possible_splits(case) if split.gpus < best.split.gpus]
    if not fewer:
        return None
    split = max(fewer, key=lambda other: other.gpus)
    return split, _try(case, aim, split, best.context).estimate


def _refusal(case: Case) -> dict[str, object]:
    refused = refused_sizes(case)
    count = len(case.host.gpus)
    if case.host.uses_mig and own_sizes(case) is None:
        return {"problem": f"{count} MIG", "size": count, "largest": 1}
    own = own_sizes(case)
    problem = (
        (own_problem(case, own) if own else "")
        or (case.own.words(PlanField.EXPERT_PARALLEL_SIZE) if own_experts(case) else "")
        or refused.get(count)
        or next(iter(refused.values()), "")
    )
    return {"problem": problem, "size": count, "largest": largest_size(case)}
