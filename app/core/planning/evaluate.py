"""From host, model and goal to ranked plans, refusals with reasons, and the tree that led there."""

import difflib
from collections.abc import Mapping

from app.core.engines.spec import EngineData, EngineStatus
from app.core.errors import ErrorCode, PlanError
from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.fingerprint import Fingerprint
from app.core.models.architecture import ModelInfo
from app.core.planning.candidate import Outcome, Question, consider
from app.core.planning.conditions import Facts
from app.core.planning.facts import goal_facts, host_facts, model_facts
from app.core.planning.host_view import view_host
from app.core.planning.plan import Goal, PlanResult, TuningStep
from app.core.planning.rules import RuleSet
from app.core.planning.sizing import Estimator
from app.core.planning.tree import draw
from app.core.planning.wording import Wording
from app.core.speed.measured import MeasuredRun


def make_plan(
    *,
    fingerprint: Fingerprint,
    model: ModelInfo,
    goal: Goal,
    engines: Mapping[str, EngineData],
    rules: RuleSet,
    estimator: Estimator,
    catalogue: GpuCatalogue | None = None,
    runs: tuple[MeasuredRun, ...] = (),
) -> PlanResult:
    """Return every engine's plan, best first, and for the others why not.

    ``runs`` are measurements of this installation; they count before any opinion.

    Raises:
        PlanError: NOT_FOUND for an engine or a GPU that was asked for and does not exist.
    """
    _check_engine(goal, engines)
    host = view_host(fingerprint, goal.gpu_uuids, catalogue, cpu_only=goal.cpu_only)
    facts: Facts = {**goal_facts(goal), **host_facts(host, fingerprint), **model_facts(model)}
    question = Question(
        model=model,
        host=host,
        goal=goal,
        rules=rules,
        wording=Wording(rules),
        estimator=estimator,
        facts=facts,
        runs=runs,
        engines=engines,
    )
    outcomes = sorted((consider(engine, question) for engine in engines.values()), key=_rank)
    best = outcomes[0].facts if outcomes and outcomes[0].plan else {}
    path, tree = draw(rules, question.wording, {**facts, **best}, outcomes)
    return PlanResult(
        goal=goal,
        ranked=tuple(outcome.plan for outcome in outcomes if outcome.plan is not None),
        rejected=tuple(outcome.rejection for outcome in outcomes if outcome.rejection is not None),
        path=path,
        tree=tree,
        tuning=tuple(
            TuningStep(kind=step.kind, id=step.id, text=step.text, parameters=step.parameters)
            for step in rules.tuning
        ),
    )


def _rank(outcome: Outcome) -> tuple[bool, bool, float, str]:
    """What is only kept working comes after everything that is still developed."""
    score = outcome.plan.score if outcome.plan else 0.0
    is_old = outcome.engine.status is EngineStatus.MAINTENANCE
    return outcome.plan is None, is_old, -score, outcome.engine.id


def _check_engine(goal: Goal, engines: Mapping[str, EngineData]) -> None:
    if goal.engine is None or goal.engine in engines:
        return
    near = difflib.get_close_matches(goal.engine, engines, n=1)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise PlanError(
        ErrorCode.NOT_FOUND,
        {"engine": goal.engine},
        cause=f"There is no engine called “{goal.engine}”.",
        remedy=f"{hint}Known engines: {', '.join(sorted(engines))}.",
    )
