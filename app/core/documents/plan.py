"""Document of ``pitwall plan``."""

from dataclasses import dataclass, replace
from typing import Literal

from app.core.deployment.spec import ContainerSpec
from app.core.models.memory import MemoryEstimate
from app.core.planning.plan import (
    ParameterRange,
    Parameters,
    PathStep,
    Plan,
    PlanResult,
    Reason,
    Rejection,
    TuningStep,
)
from app.core.speed.estimate import Span, SpeedEstimate, SpeedMethod
from app.core.speed.load import Load
from app.core.speed.roofline import Times


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonEntry:
    """Why, from which fact."""

    code: str
    text: str
    text_zh_CN: str  # noqa: N815 - the language's own code
    source: str
    parameter: str
    flags: tuple[str, ...] = ()
    """The engine's flags, with their values, that this explains."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedEntry:
    """How fast a proposal may be under a load; ``null`` is not known, ``reason`` says why."""

    method: SpeedMethod
    load: Load
    ttft_s: Span | None
    itl_s: Span | None
    output_tokens_per_s: Span | None
    least: Times | None
    """What one request takes at the hardware's full rate: no engine is faster."""
    samples: int
    source: str
    reason: str | None
    reason_zh_CN: str | None  # noqa: N815 - the language's own code
    notes: tuple[str, ...]
    notes_zh_CN: tuple[str, ...]  # noqa: N815 - the language's own code


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedValueEntry:
    """A value that a parameter cannot take here."""

    value: str
    text: str
    text_zh_CN: str  # noqa: N815 - the language's own code
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeEntry:
    """What a parameter could be here instead."""

    parameter: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    refused: tuple[RefusedValueEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningEntry:
    """One thing of the tuning plan."""

    kind: str
    id: str
    text: str
    text_zh_CN: str  # noqa: N815 - the language's own code
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedEntry:
    """One proposal."""

    engine: str
    version: str
    image: str
    score: float
    parameters: Parameters
    reasons: tuple[ReasonEntry, ...]
    advice: tuple[ReasonEntry, ...]
    argv: tuple[str, ...]
    container: ContainerSpec
    docker_run: str
    compose: str = ""
    """The same container as a compose file; empty unless it was asked for."""
    two_steps: str = ""
    """Building the engine and serving it, as lines for a shell; empty unless asked for."""
    estimate: MemoryEstimate
    ranges: tuple[RangeEntry, ...] = ()
    speed: SpeedEntry | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedEntry:
    """One engine that cannot serve here."""

    engine: str
    version: str
    code: str
    text: str
    text_zh_CN: str  # noqa: N815 - the language's own code
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PathEntry:
    """One question of the tree and the answer that was taken."""

    node: str
    question: str
    answer: str
    branch: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanDocument:
    """Ranked proposals, refusals with their reasons, and the path through the tree."""

    schema: Literal["pitwall.plan/1"] = "pitwall.plan/1"
    host: str | None
    model: str
    simulated: bool = False
    ranked: tuple[RankedEntry, ...]
    rejected: tuple[RejectedEntry, ...]
    path: tuple[PathEntry, ...]
    tuning: tuple[TuningEntry, ...] = ()
    """How to find better values by measuring."""
    profile_file: str | None = None


def _reason(reason: Reason, flags: tuple[str, ...] = ()) -> ReasonEntry:
    return ReasonEntry(
        code=reason.code,
        text=reason.text.en,
        text_zh_CN=reason.text.zh_CN,
        source=reason.source,
        parameter=reason.parameter,
        flags=flags,
    )


def _with_flags(plan: Plan) -> tuple[ReasonEntry, ...]:
    """Return each reason once, the engine's own first, with the flags that it explains.

    A flag often has the reason of the parameter behind it.
    """
    flags: dict[Reason, list[str]] = {reason: [] for reason in plan.reasons}
    for flag in plan.flags:
        words = [flag.name] if flag.value is None else [flag.name, flag.value]
        flags.setdefault(flag.reason, []).append(" ".join(words))
    return tuple(_reason(reason, tuple(names)) for reason, names in flags.items())


def _range(known: ParameterRange) -> RangeEntry:
    return RangeEntry(
        parameter=known.parameter,
        low=known.low,
        high=known.high,
        choices=known.choices,
        refused=tuple(
            RefusedValueEntry(
                value=entry.value,
                text=entry.reason.text.en,
                text_zh_CN=entry.reason.text.zh_CN,
                source=entry.reason.source,
            )
            for entry in known.refused
        ),
    )


def _tuning(step: TuningStep) -> TuningEntry:
    return TuningEntry(
        kind=step.kind,
        id=step.id,
        text=step.text.en,
        text_zh_CN=step.text.zh_CN,
        parameters=step.parameters,
    )


def ranked_entry(plan: Plan, docker_run: str, compose: str = "") -> RankedEntry:
    """Return what is printed of one plan; flag reasons follow the engine's own."""
    return RankedEntry(
        engine=plan.engine,
        version=plan.version,
        image=plan.image,
        score=plan.score,
        parameters=plan.parameters,
        reasons=_with_flags(plan),
        advice=tuple(_reason(reason) for reason in plan.advice),
        argv=plan.argv,
        container=plan.container,
        docker_run=docker_run,
        compose=compose,
        estimate=plan.estimate,
        ranges=tuple(map(_range, plan.ranges)),
        speed=None if plan.speed is None else _speed(plan.speed),
    )


def _speed(speed: SpeedEstimate) -> SpeedEntry:
    return SpeedEntry(
        method=speed.method,
        load=speed.load,
        ttft_s=speed.ttft_s,
        itl_s=speed.itl_s,
        output_tokens_per_s=speed.output_tokens_per_s,
        least=speed.least,
        samples=speed.samples,
        source=speed.source,
        reason=None if speed.reason is None else speed.reason.en,
        reason_zh_CN=None if speed.reason is None else speed.reason.zh_CN,
        notes=tuple(note.en for note in speed.notes),
        notes_zh_CN=tuple(note.zh_CN for note in speed.notes),
    )


def rejected_entry(rejection: Rejection) -> RejectedEntry:
    """Return what is printed of a refused engine."""
    return RejectedEntry(
        engine=rejection.engine,
        version=rejection.version,
        code=rejection.code,
        text=rejection.text.en,
        text_zh_CN=rejection.text.zh_CN,
        source=rejection.source,
    )


def path_entry(step: PathStep) -> PathEntry:
    """Return what is printed of one step."""
    return PathEntry(
        node=step.node, question=step.question.en, answer=step.answer.en, branch=step.branch
    )


def plan_document(
    result: PlanResult,
    *,
    host: str | None,
    model: str,
    simulated: bool,
    docker_run: tuple[str, ...],
    compose: tuple[str, ...] = (),
    profile_file: str | None = None,
) -> PlanDocument:
    """Wrap a planning result; ``docker_run``, and ``compose`` if any, have one text per plan."""
    composed = compose or ("",) * len(result.ranked)
    return PlanDocument(
        host=host,
        model=model,
        simulated=simulated,
        ranked=tuple(map(ranked_entry, result.ranked, docker_run, composed)),
        rejected=tuple(map(rejected_entry, result.rejected)),
        path=tuple(map(path_entry, result.path)),
        tuning=tuple(map(_tuning, result.tuning)),
        profile_file=profile_file,
    )


def with_two_steps(document: PlanDocument, text: str) -> PlanDocument:
    """Add how the engine of the best plan is built and served."""
    best, *others = document.ranked
    return replace(document, ranked=(replace(best, two_steps=text), *others))
