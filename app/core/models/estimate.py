"""The memory estimate: what each GPU holds, what is left, whether it fits, and why.

One entry for all engines; each engine's own meaning of its fraction is in its module.
"""

from dataclasses import replace

from app.core.errors import ErrorCode, PlanError, UserInputError
from app.core.models.architecture import ModelInfo
from app.core.models.calibration import Calibration
from app.core.models.memory import Limit, MemoryEstimate, limit
from app.core.models.request import Device, EstimateOptions

__all__ = ["Device", "EstimateOptions", "estimate_memory"]

_SIZED_ELSEWHERE = frozenset({"none", "gguf"})
"""What needs no bits: nothing is quantized, or the file names the type of each tensor."""


def estimate_memory(
    *,
    model: ModelInfo,
    engine: str,
    version: str,
    device: Device,
    options: EstimateOptions,
    calibration: Calibration,
) -> MemoryEstimate:
    """Return the memory picture of one engine, model, device and set of options.

    Raises:
        UserInputError: INVALID_INPUT for options outside their range.
        PlanError: UNSUPPORTED_COMBINATION for an engine or KV dtype that is not known.
    """
    _check(options, device)
    found = _of_engine(
        model=model,
        engine=engine,
        version=version,
        device=device,
        options=options,
        calibration=calibration,
    )
    unread = _unread(model)
    return replace(found, limits=(*found.limits, *unread)) if unread else found


def _unread(model: ModelInfo) -> tuple[str, ...]:
    """Return what of the model was only guessed, for any engine."""
    found = []
    if model.architecture.is_generic:
        found.append(limit(Limit.ARCHITECTURE_UNKNOWN, model.architecture.name))
    scheme = model.quantization
    if scheme.method not in _SIZED_ELSEWHERE and scheme.bits is None and not scheme.parts:
        found.append(limit(Limit.QUANTIZATION_UNKNOWN, scheme.method))
    return tuple(found)


def _of_engine(
    *,
    model: ModelInfo,
    engine: str,
    version: str,
    device: Device,
    options: EstimateOptions,
    calibration: Calibration,
) -> MemoryEstimate:
    # A command asks about one engine: the others' modules need not be read.
    match engine:
        case "vllm":
            from app.core.models.estimate_vllm import estimate_vllm

            return estimate_vllm(
                model=model,
                version=version,
                device=device,
                options=options,
                calibration=calibration,
            )
        case "llamacpp" | "ollama":
            from app.core.models.estimate_llamacpp import estimate_llamacpp

            return estimate_llamacpp(
                model=model,
                engine=engine,
                version=version,
                device=device,
                options=options,
                calibration=calibration,
            )
        case _:
            from app.core.models.estimate_other import estimate_other

            for entry in calibration.other_engines.engine:
                if entry.engine == engine:
                    return estimate_other(
                        model=model,
                        entry=entry,
                        version=version,
                        device=device,
                        options=options,
                        calibration=calibration,
                    )
    raise PlanError(
        ErrorCode.UNSUPPORTED_COMBINATION,
        {"engine": engine},
        cause=f"There is no memory model for the engine “{engine}”.",
        remedy="Use vllm, llamacpp, ollama, sglang, tensorrt-llm, lmdeploy or tgi.",
    )


def _check(options: EstimateOptions, device: Device) -> None:
    positive = {
        "tensor_parallel_size": options.tensor_parallel_size,
        "pipeline_parallel_size": options.pipeline_parallel_size,
        "context_tokens": options.context_tokens,
        "concurrency": options.concurrency,
        "prefill_tokens": options.prefill_tokens,
        "max_num_seqs": options.max_num_seqs,
        "block_size": options.block_size,
        "gpu_count": device.count,
    }
    # Nothing is an answer that is not known yet; less than nothing is a mistake.
    sizes = {"gpu_memory_mib": device.memory_total_mib, "weights_bytes": options.weights_bytes}
    positive |= {name: size for name, size in sizes.items() if size is not None and size < 0}
    for name, value in positive.items():
        if value is not None and value < 1:
            raise UserInputError(
                ErrorCode.INVALID_INPUT,
                {"field": name, "value": value},
                cause=f"{name} is {value}; it must be at least 1.",
                remedy=f"Give {name} as a whole number from 1.",
            )
