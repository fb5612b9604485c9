"""vLLM's memory: a fraction of the GPU's total, less weights, profiling peak and the rest.

``kv = ⌈total × fraction⌉ − weights − activation peak − non-torch − CUDA graphs`` where the
version takes graphs off. A KV cache of a given size takes the formula's place, beside everything
else that is held; the share has to be free at the start all the same.
Source: vLLM v1/worker/gpu_worker.py, v1/worker/utils.py (request_memory).
"""

import math
from dataclasses import replace

from app.core.models.architecture import ModelInfo
from app.core.models.calibration import Calibration
from app.core.models.memory import Limit, MemoryEstimate, limit
from app.core.models.paged import paged_cache
from app.core.models.request import Device, EstimateOptions
from app.core.models.vllm_basis import vllm_basis
from app.core.models.vllm_parts import gather_parts
from app.core.models.vllm_verdict import (
    error_band,
    judge,
    measured_range,
    one_request,
    uncertain_bytes,
)


def estimate_vllm(
    *,
    model: ModelInfo,
    version: str,
    device: Device,
    options: EstimateOptions,
    calibration: Calibration,
) -> MemoryEstimate:
    """Return vLLM's memory picture; `app.core.models.estimate.estimate_memory` is the entry."""
    # Who writes 0.8.x most likely runs the last release of the series.
    version = version.removesuffix(".x") + ".99" if version.endswith(".x") else version
    parts = gather_parts(model, version, device, options, calibration)
    total_bytes = parts.total.total_bytes if parts.total else 0
    given = options.kv_cache_bytes
    share = usable = math.ceil(total_bytes * parts.fraction)
    if given is not None and device.is_cpu:
        share = usable = total_bytes
    elif given is not None:
        usable = max(0, total_bytes - device.used_bytes - parts.context_memory)
        parts = replace(parts, counted_graphs=parts.graphs.size_bytes)
    left = (
        usable
        - parts.weights_bytes
        - parts.activation.size_bytes
        - parts.non_torch
        - parts.counted_graphs
    )
    if given is not None and parts.total is not None:
        left = given if given <= left else left - given
    cache = paged_cache(
        parts.layout,
        available_bytes=left,
        context_tokens=parts.context or parts.paging.block_size,
        rules=parts.paging,
    )
    verdict = judge(model, device, options, parts, cache, left=left, usable=usable, share=share)
    measured, outside = measured_range(
        data=calibration.vllm,
        version=version,
        device=device,
        options=options,
        parts=parts,
        model=model,
    )
    return MemoryEstimate(
        weights_bytes_per_gpu=parts.weights_bytes,
        kv_bytes_per_token_per_gpu=parts.layout.bytes_per_token,
        activation_bytes=parts.activation.size_bytes,
        cuda_graph_bytes=parts.graphs.size_bytes,
        non_torch_bytes=parts.non_torch,
        total_bytes_per_gpu=total_bytes,
        usable_bytes_per_gpu=usable,
        kv_cache_bytes_per_gpu=max(0, left),
        kv_tokens=cache.tokens,
        max_concurrency=cache.max_concurrency,
        fits=verdict.fits,
        missing_bytes=verdict.missing,
        margin_bytes=left - one_request(parts, cache) if parts.total and given is None else None,
        uncertain_bytes=round(uncertain_bytes(calibration.vllm, measured, parts)),
        limits=(*verdict.limits, *(limit(Limit.OUTSIDE_CALIBRATION, what) for what in outside)),
        basis=vllm_basis(
            model,
            parts,
            cache,
            calibration.vllm,
            measured=measured,
            device=device,
            options=options,
            left=left,
            usable=usable,
        )
        if options.with_basis
        else (),
        error_band=error_band(calibration.vllm, measured, parts, left, given=given),
        gpu_count=options.tensor_parallel_size * options.pipeline_parallel_size,
        on_cpu=device.is_cpu,
    )
