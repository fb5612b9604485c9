"""Times of a load from bytes, operations and bandwidths: decoding reads, prompts compute.

``step = √(engine's step² + GPU's step²)``: the engine prepares one step while the GPU is at the
last one, so the slower of both decides. ``prompt = operations ÷ (throughput × share)``. All
requests arrive at once, each answer is followed by a new request: the harshest steady load.
"""

import math
from dataclasses import dataclass

from app.core.speed.load import Load
from app.core.speed.spec import EngineSpeed
from app.core.speed.work import Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardware:
    """One GPU, and its way to the others that share a layer with it."""

    bandwidth_bytes_s: float
    flops_s: float
    """Dense, in the precision that the weights are computed in."""
    link_bytes_s: float
    """In one direction, between GPUs; infinite for a single GPU."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """What a load takes."""

    ttft_s: float
    """Median of the time to the first token."""
    itl_s: float
    """Gap between two tokens of one answer while no prompt is read."""
    output_tokens_per_s: float
    """Of all requests together."""


def predict_times(
    work: Work, hardware: Hardware, engine: EngineSpeed, load: Load, *, prefill: int, eager: bool
) -> Times:
    """Return the times of a load.

    Args:
        work: What the model asks of each GPU.
        hardware: What each GPU gives.
        engine: Constants that were measured.
        load: Lengths and requests at once.
        prefill: Prompt tokens that one step takes.
        eager: CUDA graphs are off.
    """
    count = load.concurrency
    step_s = _step_s(work, hardware, engine, load, eager=eager)
    prompt_s = work.stages * _prompt_s(work, hardware, engine, load.prompt_tokens)
    together = max(1.0, min(float(count), prefill / load.prompt_tokens))
    first_s = engine.request_s + (engine.eager_steps * step_s if eager else 0.0)
    ttft_s = first_s + (count + together) / 2 * prompt_s
    # One round: every prompt is read once, and every request has its share of all steps.
    round_s = first_s + count * prompt_s + load.output_tokens * step_s
    return Times(
        ttft_s=ttft_s,
        itl_s=step_s,
        output_tokens_per_s=count * load.output_tokens / round_s,
    )


def least_times(work: Work, hardware: Hardware, load: Load) -> Times:
    """Return what no engine can beat on this hardware: one request, every unit at its full rate."""
    context = load.prompt_tokens + load.output_tokens / 2
    read_s = work.read_bytes(1, context) / hardware.bandwidth_bytes_s
    itl_s = work.stages * max(read_s, work.step_flops(1, context) / hardware.flops_s)
    ttft_s = work.stages * work.prompt_flops(load.prompt_tokens) / hardware.flops_s
    return Times(
        ttft_s=ttft_s,
        itl_s=itl_s,
        output_tokens_per_s=load.output_tokens / (ttft_s + load.output_tokens * itl_s),
    )


def _step_s(
    work: Work, hardware: Hardware, engine: EngineSpeed, load: Load, *, eager: bool
) -> float:
    context = load.prompt_tokens + load.output_tokens / 2
    count = load.concurrency
    read_s = work.read_bytes(count, context) / (hardware.bandwidth_bytes_s * engine.bandwidth_share)
    compute_s = work.step_flops(count, context) / (hardware.flops_s * engine.compute_share)
    gpu_s = max(read_s, compute_s) + _reduce_s(work, hardware, engine, count)
    engine_s = engine.eager_layer_s * work.layers if eager else engine.step_s
    return work.stages * math.hypot(engine_s, gpu_s)


def _prompt_s(work: Work, hardware: Hardware, engine: EngineSpeed, tokens: int) -> float:
    compute_s = work.prompt_flops(tokens) / (hardware.flops_s * engine.compute_share)
    return compute_s + _moved_s(work, hardware, tokens)


def _reduce_s(work: Work, hardware: Hardware, engine: EngineSpeed, tokens: int) -> float:
    if work.gpus == 1:
        return 0.0
    return 2 * work.layers * engine.reduce_s + _moved_s(work, hardware, tokens)


def _moved_s(work: Work, hardware: Hardware, tokens: int) -> float:
    """Return what the bytes of two all-reduces per layer take, in 2 bytes a value, as a ring."""
    share = 2 * (work.gpus - 1) / work.gpus
    return 2 * work.layers * tokens * work.hidden_size * 2 * share / hardware.link_bytes_s
