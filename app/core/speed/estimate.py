"""The speed of a plan: measured where it was, else the roofline with its band, else unknown."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from app.core.hardware.catalogue import GpuModel
from app.core.models.architecture import ModelInfo
from app.core.models.memory import MemoryEstimate
from app.core.models.quantized_size import effective_quantization
from app.core.speed.load import Load
from app.core.speed.measured import MeasuredRun, RunKey, middle, one_stream, runs_like
from app.core.speed.roofline import Hardware, Times, least_times, predict_times
from app.core.speed.spec import Bands, EngineSpeed, SpeedData
from app.core.speed.texts import NOTES, UNKNOWN
from app.core.speed.work import Work, work_of
from app.core.texts import Text
from app.core.units import format_seconds
from app.core.versions import series_of

_MEASURED_BAND: Final = 1.1
"""Runs of one machine repeat to about a tenth."""


class SpeedMethod(StrEnum):
    """Where the figures come from."""

    ROOFLINE = "roofline"
    MEASURED = "measured"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """What is expected, and between which values."""

    expected: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedEstimate:
    """The speed under one load. Figures are ``None`` where the method is ``unknown``."""

    load: Load
    method: SpeedMethod
    ttft_s: Span | None = None
    """Median seconds to the first token when all requests arrive at once."""
    itl_s: Span | None = None
    """Seconds between two tokens of one answer while no prompt is read."""
    output_tokens_per_s: Span | None = None
    """Of all requests together."""
    least: Times | None = None
    """What one request takes at the hardware's full rate: no engine is faster."""
    reason: Text | None = None
    """Why it is unknown."""
    notes: tuple[Text, ...] = ()
    """How it came about and what widens the band."""
    samples: int = 0
    """Loads or runs behind the figures."""
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedCase:
    """Everything that decides a speed but the load."""

    model: ModelInfo
    engine: str
    engine_name: str
    version: str
    estimate: MemoryEstimate
    gpu_name: str
    gpu: GpuModel | None
    """``None`` when the catalogue does not know it, or for a CPU."""
    is_nvlinked: bool | None = None
    """Whether the GPUs reach each other by NVLink; ``None`` asks the catalogue."""
    tp: int = 1
    pp: int = 1
    dtype: str = "auto"
    quantization: str | None = None
    """Quantization while loading, where a flag asks for it."""
    prefill_tokens: int | None = None
    eager: bool = False
    in_main_memory: bool = False
    """Layers or experts were left off the GPU."""


def estimate_speed(
    case: SpeedCase, load: Load, data: SpeedData, runs: Iterable[MeasuredRun] = ()
) -> SpeedEstimate:
    """Return the speed of a case under a load."""
    key = RunKey(
        engine=case.engine,
        engine_version=case.version,
        gpu=case.gpu_name,
        gpu_count=case.tp * case.pp,
        model=case.model.name,
    )
    least, known = _least(case, load, data), tuple(runs)
    if found := runs_like(known, key, load):
        return _measured(found, load, least)
    estimate = _estimated(case, load, data, least)
    single = one_stream(known, key)
    if single is None:
        return estimate
    return replace(estimate, notes=(*estimate.notes, _seen_here(single)))


def _estimated(case: SpeedCase, load: Load, data: SpeedData, least: Times | None) -> SpeedEstimate:
    constants = data.of(case.engine)
    reason = _why_unknown(case, data) or (None if constants else _unknown("engine", case))
    hardware = _hardware(case, data)
    if reason is not None or constants is None or hardware is None:
        return SpeedEstimate(load=load, method=SpeedMethod.UNKNOWN, least=least, reason=reason)
    return _roofline(case, load, constants, hardware, least)


def _roofline(
    case: SpeedCase, load: Load, constants: EngineSpeed, hardware: Hardware, least: Times | None
) -> SpeedEstimate:
    times = predict_times(
        _work(case),
        hardware,
        constants,
        load,
        prefill=case.prefill_tokens or constants.prefill_tokens,
        eager=case.eager,
    )
    widened, notes = _outside(case, constants)
    bands = _widened(constants.bands, constants.outside_factor if widened else 1.0)
    is_beyond = load.concurrency > constants.concurrency_max
    if is_beyond:
        notes = (*notes, _beyond(constants))
    lowest = bands.throughput * (constants.beyond_factor if is_beyond else 1.0)
    rate = times.output_tokens_per_s
    return SpeedEstimate(
        load=load,
        method=SpeedMethod.ROOFLINE,
        ttft_s=_span(times.ttft_s, bands.ttft, least.ttft_s if least else 0.0),
        itl_s=_span(times.itl_s, bands.itl, least.itl_s if least else 0.0),
        output_tokens_per_s=Span(expected=rate, low=rate / lowest, high=rate * bands.throughput),
        least=least,
        notes=(NOTES["estimated"], *notes),
        samples=constants.samples,
        source=f"{constants.source}, {constants.checked}",
    )


def _measured(runs: tuple[MeasuredRun, ...], load: Load, least: Times | None) -> SpeedEstimate:
    source = "; ".join(f"{run.source}, {run.at}" for run in runs)
    return SpeedEstimate(
        load=load,
        method=SpeedMethod.MEASURED,
        ttft_s=_seen(run.ttft_s for run in runs),
        itl_s=_seen(run.itl_s for run in runs),
        output_tokens_per_s=_seen(run.output_tokens_per_s for run in runs),
        least=least,
        notes=(NOTES["measured"].filled({"samples": len(runs), "source": source}),),
        samples=len(runs),
        source=source,
    )


def _seen_here(run: MeasuredRun) -> Text:
    """One request alone is no measure of many at once, but of the hardware with this engine."""
    return NOTES["one_stream"].filled(
        {
            "at": run.at,
            "prompt": run.load.prompt_tokens,
            "answer": run.load.output_tokens,
            "ttft": format_seconds(run.ttft_s),
            "itl": f"{run.itl_s * 1000:.1f} ms",
        }
    )


def _seen(values: Iterable[float]) -> Span:
    expected, low, high = middle(values)
    return Span(
        expected=expected,
        low=min(low, expected / _MEASURED_BAND),
        high=max(high, expected * _MEASURED_BAND),
    )


def _span(expected: float, band: float, least: float) -> Span:
    low = min(expected, max(expected / band, least))
    return Span(expected=expected, low=low, high=expected * band)


def _why_unknown(case: SpeedCase, data: SpeedData) -> Text | None:
    """Return what is missing of model or hardware, if something is."""
    gpu, name = case.gpu, case.gpu_name
    lacks = {
        "encoder": case.model.architecture.is_encoder,
        "cpu": case.estimate.on_cpu,
        "slice": " MIG " in f"{name} " or name.startswith("MIG"),
        "gpu": gpu is None,
        "figures": gpu is not None and (gpu.bandwidth_gbps is None or gpu.fp16_tflops is None),
        "main_memory": case.in_main_memory,
        "memory": case.estimate.weights_bytes_per_gpu <= 0,
        "link": _link_bytes_s(case, data) is None,
    }
    return next((_unknown(code, case) for code, is_lacking in lacks.items() if is_lacking), None)


def _unknown(code: str, case: SpeedCase) -> Text:
    return UNKNOWN[code].filled({"gpu": case.gpu_name, "engine": case.engine_name})


def _least(case: SpeedCase, load: Load, data: SpeedData) -> Times | None:
    if _why_unknown(case, data) is not None:
        return None
    hardware = _hardware(case, data)
    return None if hardware is None else least_times(_work(case), hardware, load)


def _work(case: SpeedCase) -> Work:
    return work_of(case.model, case.estimate, tp=case.tp, pp=case.pp, dtype=case.dtype)


def _hardware(case: SpeedCase, data: SpeedData) -> Hardware | None:
    gpu, link = case.gpu, _link_bytes_s(case, data)
    if gpu is None or gpu.bandwidth_gbps is None or gpu.fp16_tflops is None or link is None:
        return None
    scheme = effective_quantization(case.model.quantization, case.quantization)
    in_fp8 = scheme.method == "fp8" and gpu.fp8_tflops is not None
    tflops = gpu.fp8_tflops if in_fp8 and gpu.fp8_tflops else gpu.fp16_tflops
    return Hardware(
        bandwidth_bytes_s=gpu.bandwidth_gbps * 1e9, flops_s=tflops * 1e12, link_bytes_s=link
    )


def _link_bytes_s(case: SpeedCase, data: SpeedData) -> float | None:
    """Return the bytes per second between GPUs in one direction; infinite for one GPU."""
    if case.tp * case.pp == 1:
        return math.inf
    gpu = case.gpu
    if gpu is None:
        return None
    has_nvlink = gpu.has_nvlink if case.is_nvlinked is None else case.is_nvlinked
    if has_nvlink and gpu.nvlink_gbps:
        return gpu.nvlink_gbps / 2 * 1e9
    lanes = {entry.generation: entry.lane_gbps for entry in data.pcie}
    if gpu.pcie_gen not in lanes or not gpu.pcie_lanes:
        return None
    return lanes[gpu.pcie_gen] * gpu.pcie_lanes * 1e9


def _outside(case: SpeedCase, constants: EngineSpeed) -> tuple[bool, tuple[Text, ...]]:
    """Return whether a case lies beside what was measured, and in what."""
    found = []
    if constants.gpu not in case.gpu_name.lower():
        found.append(NOTES["gpu"].filled({"measured": constants.gpu.upper()}))
    if series_of(case.version) not in constants.series:
        found.append(NOTES["version"].filled({"measured": ", ".join(constants.series)}))
    if case.tp > constants.tensor_parallel_max:
        found.append(NOTES["parallel"].filled({"measured": constants.tensor_parallel_max}))
    if case.pp > 1:
        found.append(NOTES["stages"])
    return bool(found), tuple(found)


def _beyond(constants: EngineSpeed) -> Text:
    return NOTES["concurrency"].filled(
        {"measured": constants.concurrency_max, "factor": f"{constants.beyond_factor:g}"}
    )


def _widened(bands: Bands, factor: float) -> Bands:
    return Bands(
        ttft=bands.ttft * factor,
        itl=bands.itl * factor,
        throughput=bands.throughput * factor,
    )
