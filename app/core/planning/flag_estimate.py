"""The memory picture of an engine started with given flags."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from app.core.deployment.profile_flag import ProfileFlag
from app.core.engines.spec import EngineData
from app.core.models.architecture import ModelInfo
from app.core.models.memory import MemoryEstimate
from app.core.models.request import Device, EstimateOptions
from app.core.planning.flag_values import estimate_options, neutral_values

if TYPE_CHECKING:
    from app.core.planning.sizing import Estimator


def options_of_flags(
    flags: Iterable[ProfileFlag],
    *,
    engine: EngineData,
    version: str,
    device: Device,
    weights_bytes: int | None = None,
    model: ModelInfo | None = None,
) -> EstimateOptions:
    """Return the engine-neutral options that flags stand for; a split of layers needs the model."""
    layers = 0 if model is None else model.architecture.layers + 1
    options = replace(
        estimate_options(neutral_values(engine, version, flags), layers),
        weights_bytes=weights_bytes,
    )
    if engine.engine.layer_split and not device.is_cpu:
        # Its layers are spread over all GPUs, which is what pipeline parallelism means for memory.
        return replace(options, pipeline_parallel_size=device.count)
    return options


def estimate_flags(
    flags: Iterable[ProfileFlag],
    *,
    engine: EngineData,
    version: str,
    model: ModelInfo,
    device: Device,
    estimator: "Estimator",
    weights_bytes: int | None = None,
) -> MemoryEstimate:
    """Return the memory picture of an engine started with these flags."""
    options = options_of_flags(
        flags,
        engine=engine,
        version=version,
        device=device,
        weights_bytes=weights_bytes,
        model=model,
    )
    return estimator(
        model=model, engine=engine.engine.id, version=version, device=device, options=options
    )
