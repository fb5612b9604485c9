"""Why these GPUs, and why each layer (or run of layers) is shared in this way."""

from typing import Final

from app.core.engines.spec import PlanField
from app.core.models.memory import MemoryEstimate
from app.core.planning.host_view import GpuChoice
from app.core.planning.sizing import Case, gib
from app.core.planning.splits import Reach, Split
from app.core.texts import Reason

_OWN: Final = (PlanField.PIPELINE_PARALLEL_SIZE, PlanField.DATA_PARALLEL_SIZE)


def placement_reasons(
    case: Case, split: Split, smaller: tuple[Split, MemoryEstimate] | None
) -> dict[str, Reason]:
    """Return the reasons for split, stages and GPUs.

    Args:
        case: What is planned.
        split: What was taken.
        smaller: The next smaller split and its memory; ``None`` when there is none.
    """
    reasons = {
        "tensor_parallel_size": _tensor_reason(case, split, smaller),
        "gpu_indices": _link_reason(case, split),
    }
    if split.stages > 1:
        code = "stages_hosts" if case.facts.get("beyond_one_host") else "stages_islands"
        code = "stages_uneven" if split.reach is Reach.UNEVEN else code
        reasons["pipeline_parallel_size"] = case.reason(
            code, "pipeline_parallel_size", value=split.stages, gpus=split.gpus, inside=split.tensor
        )
    return reasons


def _tensor_reason(
    case: Case, split: Split, smaller: tuple[Split, MemoryEstimate] | None
) -> Reason:
    if any(case.own.text(field) for field in _OWN):
        return case.reason("tp_own", "tensor_parallel_size", value=split.tensor)
    if case.host.chosen:
        code = "tp_chosen" if split.stages == 1 else "tp_chosen_stages"
        return case.reason(code, "tensor_parallel_size", value=split.tensor, gpus=split.gpus)
    if case.host.uses_mig:
        return case.reason("tp_mig", "tensor_parallel_size", value=1)
    if split.gpus == 1 or smaller is None:
        return case.reason("tp_one", "tensor_parallel_size", value=split.tensor)
    fewer, estimate = smaller
    code = "tp_memory" if estimate.fits is False else "tp_concurrency"
    return case.reason(
        code,
        "tensor_parallel_size",
        value=split.gpus,
        smaller=fewer.gpus,
        missing_gib=gib(estimate.missing_bytes),
        reached=f"{estimate.max_concurrency:.1f}",
    )


def one_gpu_reason(case: Case, choice: GpuChoice) -> Reason:
    """Return why this GPU: the freest, or simply the first where none is freer."""
    free = {(gpu.memory_total_mib or 0) - (gpu.memory_used_mib or 0) for gpu in case.host.gpus}
    code = "gpu_only" if len(case.host.gpus) == 1 else "gpu_first"
    code = "gpu_freest" if len(free) > 1 else code
    return case.reason(code, "gpu_indices", value=", ".join(map(str, choice.indices)))


def _link_reason(case: Case, split: Split) -> Reason:
    choice = split.choice
    listed = ", ".join(str(index) for index in choice.indices)
    if choice.count == 1:
        return one_gpu_reason(case, choice)
    if choice.is_unlike:
        return case.reason("gpus_unlike", "gpu_indices", value=listed)
    if not choice.is_one_island and case.facts.get("beyond_one_host"):
        return case.reason("gpus_several_hosts", "gpu_indices", value=listed)
    if split.reach is Reach.STAGES:
        return case.reason("gpus_stages", "gpu_indices", value=listed)
    code = "gpus_one_island" if choice.is_one_island else "gpus_cross_links"
    return case.reason(code, "gpu_indices", value=listed)
