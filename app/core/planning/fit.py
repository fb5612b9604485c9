"""Does a profile's set of flags fit into this host's memory?"""

from collections.abc import Iterable

from app.core.deployment.spec import ProfileFlag
from app.core.engines.spec import EngineData
from app.core.errors import ErrorCode, PlanError
from app.core.models.architecture import ModelInfo
from app.core.models.memory import Limit, MemoryEstimate
from app.core.models.request import Device
from app.core.planning.flag_estimate import estimate_flags
from app.core.planning.sizing import Estimator, gib
from app.core.units import format_size

__all__ = ["check_memory", "estimate_flags", "expected_bytes"]


def expected_bytes(estimate: MemoryEstimate) -> int:
    """Return what one GPU (or main memory) will hold once the engine serves."""
    return (
        estimate.weights_bytes_per_gpu
        + estimate.activation_bytes
        + estimate.cuda_graph_bytes
        + estimate.non_torch_bytes
        + estimate.kv_cache_bytes_per_gpu
    )


def check_memory(
    flags: Iterable[ProfileFlag],
    *,
    engine: EngineData,
    version: str,
    model: ModelInfo,
    device: Device,
    estimator: Estimator,
) -> MemoryEstimate:
    """Return the memory picture of what fits.

    Raises:
        PlanError: DOES_NOT_FIT with needed and available bytes; GPU_MEMORY_IN_USE when it would
            fit on an idle GPU.
    """
    estimate = estimate_flags(
        flags, engine=engine, version=version, model=model, device=device, estimator=estimator
    )
    if estimate.fits is False:
        if (used := _used_by_others(estimate)) is not None:
            raise _in_use(estimate, used)
        needed = estimate.usable_bytes_per_gpu + estimate.missing_bytes
        where = "main memory" if device.is_cpu else "memory per GPU"
        raise PlanError(
            ErrorCode.DOES_NOT_FIT,
            {
                "needed_bytes": needed,
                "available_bytes": estimate.usable_bytes_per_gpu,
                "missing_bytes": estimate.missing_bytes,
                "limits": " ".join(estimate.limits),
            },
            cause=f"{model.name} needs {gib(needed)} GiB of {where}; "
            f"{gib(estimate.usable_bytes_per_gpu)} GiB can be used.",
            remedy="Lower context or concurrency, take a quantized model, or more GPUs.",
        )
    return estimate


def _used_by_others(estimate: MemoryEstimate) -> str | None:
    """Return the size that others hold, when that is what the engine lacks."""
    for limit in estimate.limits:
        code, _, detail = limit.partition(":")
        if code == Limit.MEMORY_IN_USE:
            return format_size(int(detail)) if detail.isdigit() else detail
    return None


def _in_use(estimate: MemoryEstimate, used: str) -> PlanError:
    asked, missing = gib(estimate.usable_bytes_per_gpu), gib(estimate.missing_bytes)
    return PlanError(
        ErrorCode.GPU_MEMORY_IN_USE,
        {
            "used": used,
            "asked_gib": asked,
            "missing_gib": missing,
            "missing_bytes": estimate.missing_bytes,
        },
        cause=f"{used} of the GPU's memory are used by something else; the engine asks for "
        f"{asked} GiB when it starts, {missing} GiB of it are not free.",
        remedy="See who holds it (“pitwall check HOST”), stop that or choose another GPU; or lower "
        "the engine's memory fraction.",
    )
