"""Does a profile's set of flags fit into this host's memory?"""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import replace

from app.core.deployment.spec import ProfileFlag
from app.core.engines.spec import EngineData, PlanField
from app.core.errors import ErrorCode, PlanError
from app.core.models.architecture import ModelInfo
from app.core.models.memory import Limit, MemoryEstimate
from app.core.models.request import Device, EstimateOptions
from app.core.planning.flag_estimate import estimate_flags, options_of_flags
from app.core.planning.sizing import Estimator, gib
from app.core.units import format_size
from app.core.versions import in_span

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
    flags = tuple(flags)
    estimate = estimate_flags(
        flags, engine=engine, version=version, model=model, device=device, estimator=estimator
    )
    if estimate.fits is False and _splits_by_itself(engine, version) and not device.is_cpu:
        options = options_of_flags(
            flags, engine=engine, version=version, device=device, model=model
        )
        estimate = _with_fewer_layers(
            estimate, options, model=model, engine=engine.engine.id, version=version,
            device=device, estimator=estimator,
        )  # fmt: skip
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


def _splits_by_itself(engine: EngineData, version: str) -> bool:
    """Tell whether the engine decides how many layers the GPUs get: Ollama has no flag for it."""
    scheme = engine.engine.version_scheme
    return engine.engine.layer_split and not any(
        rule.plan_field is PlanField.GPU_LAYERS and in_span(version, rule.since, rule.until, scheme)
        for rule in engine.flags.flag
    )


def _with_fewer_layers(
    whole: MemoryEstimate,
    options: EstimateOptions,
    *,
    model: ModelInfo,
    engine: str,
    version: str,
    device: Device,
    estimator: Estimator,
) -> MemoryEstimate:
    """Return the picture with as many layers on the GPUs as fit; ``whole`` when none do."""

    def attempt(layers: int) -> MemoryEstimate:
        return estimator(
            model=model,
            engine=engine,
            version=version,
            device=device,
            options=replace(options, gpu_layers=layers),
        )

    counts = range(model.architecture.layers, -1, -1)
    at = bisect_left(counts, True, key=lambda layers: attempt(layers).fits is not False)
    return whole if at == len(counts) else attempt(counts[at])


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
