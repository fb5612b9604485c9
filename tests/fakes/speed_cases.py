"""Cases of the speed model on GPUs of the catalogue."""

from fakes.planning_world import calibration, catalogue

from app.core.models.architecture import ModelInfo
from app.core.models.estimate import estimate_memory
from app.core.models.request import Device, EstimateOptions
from app.core.speed.estimate import SpeedCase

H200 = "NVIDIA H200"


def speed_case(
    model: ModelInfo, gpu_name: str = H200, *, options: EstimateOptions | None = None, **changes
) -> SpeedCase:
    """A case on a catalogue GPU; ``changes`` are fields of `SpeedCase`."""
    asked = options or EstimateOptions()
    gpu = catalogue().match(gpu_name)
    count = asked.tensor_parallel_size * asked.pipeline_parallel_size
    estimate = estimate_memory(
        model=model,
        engine="vllm",
        version="0.26.0",
        device=Device(
            name=gpu_name,
            compute_cap=gpu.compute_cap if gpu else "9.0",
            memory_total_mib=gpu.memory_mib if gpu else 81_559,
            count=count,
        ),
        options=asked,
        calibration=calibration(),
    )
    fields = {
        "model": model,
        "engine": "vllm",
        "engine_name": "vLLM",
        "version": "0.26.0",
        "estimate": estimate,
        "gpu_name": gpu_name,
        "gpu": gpu,
        "tp": asked.tensor_parallel_size,
        "pp": asked.pipeline_parallel_size,
        "quantization": asked.quantization,
        "prefill_tokens": asked.prefill_tokens,
        "eager": asked.enforce_eager,
    }
    return SpeedCase(**{**fields, **changes})
