"""Add to plans how fast they may be, and say which limit of the goal they cannot meet."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from app.core.engines.spec import EngineData
from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.fingerprint import Fingerprint, Gpu
from app.core.models.architecture import ModelInfo
from app.core.planning.plan import Goal, Plan, PlanResult
from app.core.speed.estimate import SpeedCase, SpeedEstimate, SpeedMethod, estimate_speed
from app.core.speed.limits import limit_texts
from app.core.speed.load import Load, load_of_goal
from app.core.speed.measured import MeasuredRun
from app.core.speed.spec import SpeedData
from app.core.texts import Reason

_NOT_PREDICTED: Final = frozenset({"ttft_not_predicted", "itl_not_predicted"})
"""Advice of the rules that holds only where no speed is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedKnowledge:
    """What speeds are told from."""

    data: SpeedData
    catalogue: GpuCatalogue
    engines: Mapping[str, EngineData]
    runs: tuple[MeasuredRun, ...] = ()


def with_speeds(
    result: PlanResult, *, fingerprint: Fingerprint, model: ModelInfo, known: SpeedKnowledge
) -> PlanResult:
    """Return the same plans with their speed, and advice where a limit is out of reach."""
    ranked = tuple(
        _with_speed(plan, result.goal, fingerprint, model, known) for plan in result.ranked
    )
    return replace(result, ranked=ranked)


def _with_speed(
    plan: Plan, goal: Goal, fingerprint: Fingerprint, model: ModelInfo, known: SpeedKnowledge
) -> Plan:
    case = _case(plan, fingerprint, model, known)
    load = _load(plan, goal, known, plan.parameters.concurrency)
    speed = estimate_speed(case, load, known.data, known.runs)
    # A concurrency that nobody asked for must not make a limit look out of reach.
    asked = _load(plan, goal, known, goal.concurrency or 1)
    judged = estimate_speed(case, asked, known.data, known.runs)
    kept = plan.advice
    if judged.method is not SpeedMethod.UNKNOWN:
        kept = tuple(advice for advice in kept if advice.code not in _NOT_PREDICTED)
    return replace(plan, speed=speed, advice=(*kept, *_advice(judged, goal)))


def _load(plan: Plan, goal: Goal, known: SpeedKnowledge, concurrency: int) -> Load:
    return load_of_goal(
        goal.kind.value,
        known.data.load,
        context=plan.parameters.context_tokens,
        concurrency=concurrency,
        output_tokens=goal.output_tokens,
    )


def _advice(speed: SpeedEstimate, goal: Goal) -> Iterable[Reason]:
    said = limit_texts(speed, ttft_s=goal.ttft_s, itl_s=goal.itl_s)
    source = speed.source or "GPU catalogue: bandwidth and throughput at their full rate"
    return (Reason(code=code, text=text, source=source) for code, text in said.items())


def _case(
    plan: Plan, fingerprint: Fingerprint, model: ModelInfo, known: SpeedKnowledge
) -> SpeedCase:
    parameters = plan.parameters
    gpus = _gpus(fingerprint, parameters.gpu_uuids)
    first = gpus[0] if gpus else None
    name = "CPU" if first is None else first.name or "GPU"
    layers = parameters.gpu_layers
    return SpeedCase(
        model=model,
        engine=plan.engine,
        engine_name=known.engines[plan.engine].engine.name,
        version=plan.version,
        estimate=plan.estimate,
        gpu_name=name,
        gpu=None if first is None else known.catalogue.match(name, first.memory_total_mib),
        is_nvlinked=_is_one_island(gpus, fingerprint),
        tp=parameters.tensor_parallel_size,
        pp=parameters.pipeline_parallel_size,
        dtype=parameters.dtype,
        prefill_tokens=parameters.prefill_tokens,
        eager=bool(parameters.enforce_eager),
        in_main_memory=bool(parameters.cpu_moe_layers)
        or (layers is not None and layers <= model.architecture.layers),
    )


def _gpus(fingerprint: Fingerprint, wanted: tuple[str, ...]) -> tuple[Gpu, ...]:
    return tuple(gpu for gpu in fingerprint.gpus if {gpu.uuid, str(gpu.index)} & set(wanted))


def _is_one_island(gpus: tuple[Gpu, ...], fingerprint: Fingerprint) -> bool:
    indices = {gpu.index for gpu in gpus}
    return any(indices <= set(island) for island in fingerprint.topology.nvlink_islands)
