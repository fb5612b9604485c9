"""Over how many GPUs a model can be spread, and over which: tensor, pipeline, expert parallel.

Layers are shared inside an NVLink island where one is large enough. Islands are joined by stages
of layers (pipeline), which exchange little; sharing layers across PCIe is allowed, weighed and
said. What does not divide is kept with its reason.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final

from app.core.engines.spec import PlanField
from app.core.models.parallelism import shard_text, split_problem
from app.core.planning.host_view import GpuChoice
from app.core.planning.plan import GoalKind
from app.core.planning.sizing import Case

_TENSOR: Final = PlanField.TENSOR_PARALLEL_SIZE
_STAGES: Final = PlanField.PIPELINE_PARALLEL_SIZE
_COPIES: Final = PlanField.DATA_PARALLEL_SIZE
_EXPERTS: Final = PlanField.EXPERT_PARALLEL_SIZE
_COPIES_INSIDE: Final = frozenset({"--enable-dp-attention"})
"""SGLang: copies of the attention alone, on the GPUs that share the other layers."""


class Reach(IntEnum):
    """How far the GPUs of a split are from each other; nearer ones are taken first."""

    ISLAND = 0
    """One GPU, or all inside one NVLink island."""
    STAGES = 1
    """Each stage stays inside an island; stages exchange over PCIe."""
    LINKS = 2
    """Layers are shared across PCIe."""
    UNEVEN = 3
    """Stages, because the layers themselves cannot be divided over these GPUs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """One way to spread a model."""

    tensor: int
    stages: int
    experts: bool
    """Whole experts are dealt out, as cutting each would not divide."""
    choice: GpuChoice
    reach: Reach

    @property
    def gpus(self) -> int:
        """How many GPUs it takes."""
        return self.choice.count


def possible_splits(case: Case) -> tuple[Split, ...]:
    """Return the splits to try, fewest GPUs first; the largest first for GPUs that were chosen.

    Sizes that the user's own flags name are the only ones.
    """
    if (own := own_sizes(case)) is not None:
        split = _asked(case, own)
        return () if split is None else (split,)
    found = [
        split
        for count in range(1, len(case.host.gpus) + 1)
        if (choice := case.host.choose(count)) is not None
        for found in _of(case, choice)
        if (split := _with_own_experts(case, found)) is not None
    ]
    return tuple(reversed(found)) if case.host.chosen else tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSizes:
    """How the user's own flags spread the model."""

    tensor: int = 1
    stages: int = 1
    copies: int = 1

    @property
    def gpus(self) -> int:
        """How many GPUs that takes."""
        return self.tensor * self.stages * self.copies


def own_sizes(case: Case) -> OwnSizes | None:
    """Return the sizes of the user's own flags; ``None`` when none names one."""
    own = case.own
    sizes = [own.whole(field) for field in (_TENSOR, _STAGES, _COPIES)]
    if not any(sizes):
        return None
    tensor, stages, copies = (size or 1 for size in sizes)
    inside = any(flag.name in _COPIES_INSIDE for flag in own.given)
    return OwnSizes(tensor=tensor, stages=stages, copies=1 if inside else copies)


def own_problem(case: Case, sizes: OwnSizes) -> str:
    """Return why the user's own sizes cannot be had here; empty when they can."""
    if sizes.gpus > len(case.host.gpus):
        return f"{sizes.gpus} GPUs > {len(case.host.gpus)}"
    if sizes.stages > case.model.architecture.layers:
        return f"{sizes.stages} stages > {case.model.architecture.layers} layers"
    if case.host.uses_mig and sizes.gpus > 1:
        return f"{sizes.gpus} MIG"
    dealt = case.own.text(_EXPERTS)
    if dealt is not None and dealt.isdigit() and sizes.tensor % int(dealt):
        return f"{sizes.tensor} GPUs / {dealt}"
    return _problem(case, sizes.tensor, experts=_own_deals(case, sizes.tensor)) or ""


def _own_deals(case: Case, tensor: int) -> bool:
    """Whether experts are dealt out over a size that the user named."""
    dealt = own_experts(case)
    if dealt is None:
        return _problem(case, tensor, experts=False) is not None and _deals_experts(case)
    return dealt


def own_experts(case: Case) -> bool | None:
    """Whether the user's own flags deal whole experts out; ``None`` when they do not say."""
    value = case.own.text(_EXPERTS)
    return None if value is None else value not in ("false", "0", "1")


def _with_own_experts(case: Case, split: Split) -> Split | None:
    """Return the split with experts dealt out as the user wants; ``None`` where it cannot be."""
    dealt = own_experts(case)
    if dealt is None or split.tensor == 1:
        return None if dealt and (case.own.whole(_EXPERTS) or 1) > 1 else split
    size = case.own.whole(_EXPERTS) or split.tensor
    if split.tensor % size or _problem(case, split.tensor, experts=dealt) is not None:
        return None
    return replace(split, experts=dealt)


def _asked(case: Case, sizes: OwnSizes) -> Split | None:
    """Return the split of the user's own flags."""
    choice = None if own_problem(case, sizes) else case.host.choose(sizes.gpus)
    if choice is None:
        return None
    reach = Reach.STAGES if sizes.stages > 1 else Reach.LINKS
    return Split(
        tensor=sizes.tensor,
        stages=sizes.stages,
        experts=_own_deals(case, sizes.tensor) and sizes.tensor > 1,
        choice=choice,
        reach=Reach.ISLAND if choice.is_one_island else reach,
    )


def refused_sizes(case: Case) -> Mapping[int, str]:
    """Return the tensor-parallel sizes that the model or the engine forbids, with what is wrong."""
    found = {}
    for size in range(2, len(case.host.gpus) + 1):
        problem = _problem(case, size, experts=_deals_experts(case))
        if problem is not None:
            found[size] = problem
    return found


def largest_size(case: Case) -> int:
    """Return the largest tensor-parallel size that works on these GPUs."""
    refused = refused_sizes(case)
    return max(n for n in range(1, max(1, len(case.host.gpus)) + 1) if n not in refused)


def _of(case: Case, choice: GpuChoice) -> Iterator[Split]:
    count = choice.count
    whole = _tensor(case, choice)
    if whole is not None and (choice.is_one_island or not case.host.islands):
        yield whole
        return
    # The larger share of each layer first: fewer stages wait for each other.
    staged = [
        split
        for stages in range(2, count + 1)
        if count % stages == 0
        and (split := _staged(case, choice, stages, divides=whole is not None)) is not None
    ]
    if whole is not None and (case.goal.kind is GoalKind.LATENCY or not staged):
        yield whole
        return
    yield from staged[:1] or ([whole] if whole is not None else [])


def _tensor(case: Case, choice: GpuChoice) -> Split | None:
    size = choice.count
    experts = _problem(case, size, experts=False) is not None and _deals_experts(case)
    if _problem(case, size, experts=experts) is not None:
        return None
    return Split(
        tensor=size,
        stages=1,
        experts=experts,
        choice=choice,
        reach=Reach.ISLAND if choice.is_one_island else Reach.LINKS,
    )


def _staged(case: Case, choice: GpuChoice, stages: int, *, divides: bool) -> Split | None:
    tensor = choice.count // stages
    if not case.has_flag(PlanField.PIPELINE_PARALLEL_SIZE):
        return None
    if stages > case.model.architecture.layers or _problem(case, tensor, experts=False) is not None:
        return None
    inside = tensor == 1 or case.host.holds_stages(choice, tensor)
    if divides and not (inside and tensor > 1):
        return None
    return Split(
        tensor=tensor,
        stages=stages,
        experts=False,
        choice=choice,
        reach=Reach.STAGES if divides else Reach.UNEVEN,
    )


def _deals_experts(case: Case) -> bool:
    return bool(case.model.architecture.experts) and case.has_flag(PlanField.EXPERT_PARALLEL_SIZE)


def _problem(case: Case, size: int, *, experts: bool) -> str | None:
    engine = case.engine.engine
    if engine.tensor_parallel_powers_of_two and size.bit_count() > 1:
        return f"{engine.name}: 1, 2, 4, 8 …"
    if size > 1 and not engine.tensor_parallel:
        return engine.name
    problem = split_problem(case.model, size, expert_parallel=experts)
    return None if problem is None else shard_text(problem)
