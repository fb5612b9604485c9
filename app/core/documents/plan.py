"""Document of ``pitwall plan``."""

from dataclasses import dataclass
from typing import Literal

from app.core.deployment.spec import ContainerSpec
from app.core.models.memory import MemoryEstimate
from app.core.planning.plan import Parameters, PathStep, Plan, PlanResult, Reason, Rejection


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
    estimate: MemoryEstimate


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
        profile_file=profile_file,
    )
