"""Unlike GPUs that hold whole layers: one pool of memory, dealt out by what each has free.

llama.cpp and Ollama give each GPU as many layers as fit, so the smallest sets nothing; what each
GPU needs for itself, and a layer that fits nowhere whole, is taken off the pool.
"""

from dataclasses import replace
from typing import Final

from app.core.hardware.fingerprint import Gpu
from app.core.models.architecture import ModelInfo
from app.core.models.memory import MemoryEstimate
from app.core.models.request import Device
from app.core.planning.flag_values import layer_runs
from app.core.planning.host_view import GpuChoice
from app.core.units import MIB

_BESIDE_MIB: Final = 1024
"""CUDA context and scratch memory of each further GPU; field opinion, after llama.cpp's buffers."""

_SHARED: Final = frozenset(
    {"weights_bytes_per_gpu", "kv_cache_bytes_per_gpu", "kv_bytes_per_token_per_gpu"}
)
"""What the GPUs divide among them."""


def pooled_device(device: Device, choice: GpuChoice, model: ModelInfo) -> Device:
    """Return unlike GPUs as one; ``device`` as it is where the memory of one is not known.

    Args:
        device: The GPUs as if all were as large as the smallest.
        choice: The GPUs themselves.
        model: Gives the size of a layer.
    """
    totals = [gpu.memory_total_mib for gpu in choice.gpus if gpu.memory_total_mib is not None]
    if not choice.is_unlike or len(totals) < choice.count:
        return device
    layer_mib = (model.weights_bytes or 0) // (model.architecture.layers + 1) // MIB
    further = (choice.count - 1) * (_BESIDE_MIB + layer_mib)
    return replace(
        device,
        name=max(choice.gpus, key=lambda gpu: gpu.memory_total_mib or 0).name or device.name,
        memory_total_mib=sum(totals),
        memory_reserved_mib=sum(gpu.memory_reserved_mib or 0 for gpu in choice.gpus),
        memory_used_mib=sum(gpu.memory_used_mib or 0 for gpu in choice.gpus) + further,
        count=1,
    )


def runs_by_memory(choice: GpuChoice, layers: int) -> tuple[int, ...]:
    """Return how many layers each GPU gets, in the order of their indices."""
    ordered = sorted(choice.gpus, key=lambda gpu: gpu.index)
    return layer_runs(",".join(str(_free_mib(gpu)) for gpu in ordered), layers)


def largest_part(estimate: MemoryEstimate, choice: GpuChoice) -> MemoryEstimate:
    """Return what the GPU with most layers holds, from the picture of the pool."""
    most = max(choice.gpus, key=_free_mib)
    share = _free_mib(most) / max(1, sum(_free_mib(gpu) for gpu in choice.gpus))
    bases = tuple(
        replace(basis, formula=f"({basis.formula}) × {share:.2f}", inputs=())
        if basis.quantity in _SHARED
        else basis
        for basis in estimate.basis
    )
    return replace(
        estimate,
        weights_bytes_per_gpu=int(estimate.weights_bytes_per_gpu * share),
        kv_cache_bytes_per_gpu=int(estimate.kv_cache_bytes_per_gpu * share),
        kv_bytes_per_token_per_gpu=int(estimate.kv_bytes_per_token_per_gpu * share),
        usable_bytes_per_gpu=_free_mib(most) * MIB,
        total_bytes_per_gpu=(most.memory_total_mib or 0) * MIB,
        basis=bases,
        gpu_count=choice.count,
    )


def _free_mib(gpu: Gpu) -> int:
    return max(0, (gpu.memory_total_mib or 0) - (gpu.memory_used_mib or 0))
