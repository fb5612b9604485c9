"""How well an engine suits a goal: runs of this installation first, then field opinion, labelled.

Published rankings between engines flip by model and GPU: none is written down here.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from app.core.planning.conditions import Facts, holds
from app.core.planning.plan import Goal, GoalKind
from app.core.planning.rules import RuleSet
from app.core.planning.wording import Wording
from app.core.speed.measured import MeasuredRun
from app.core.texts import Reason, sourced

BASE: Final = 50.0

_MEASURED_POINTS: Final = 45.0
"""What the best measured engine gets; others in proportion. More than all opinions together."""


def scored(
    rules: RuleSet,
    wording: Wording,
    facts: Facts,
    *,
    goal: Goal,
    runs: Sequence[MeasuredRun] = (),
) -> tuple[float, tuple[Reason, ...]]:
    """Return an engine's score from 0 to 100 with the reasons for it.

    Where this model was measured here for this goal, opinions no longer count for the engines
    that were.
    """
    measured = _measured(wording, facts, goal, runs)
    points, reasons = (measured[0], [measured[1]]) if measured else (0.0, [])
    for rule in rules.scores:
        if rule.opinion and measured is not None:
            continue
        if rule.engine in ("", facts["engine"]) and holds(rule.when, facts):
            points += rule.points
            source = sourced(rule.source, rule.checked)
            reasons.append(Reason(code=rule.code, text=rule.text.filled(facts), source=source))
    return max(0.0, min(100.0, BASE + points)), tuple(reasons)


def _measured(
    wording: Wording, facts: Facts, goal: Goal, runs: Iterable[MeasuredRun]
) -> tuple[float, Reason] | None:
    alike = [run for run in runs if (run.model, run.gpu) == (facts["model"], facts["gpu_name"])]
    own = [run for run in alike if run.engine == facts["engine"]]
    if not own:
        return None
    best = max(own, key=lambda run: _merit(run, goal))
    # Only runs of one load can be compared with each other.
    rivals = [run for run in alike if run.load == best.load]
    share = _merit(best, goal) / max(_merit(run, goal) for run in rivals)
    reason = wording.reason(
        "measured_here",
        {
            "tokens": f"{best.output_tokens_per_s:.0f}",
            "ttft_ms": f"{best.ttft_s * 1000:.0f}",
            "run": best.source,
            "version": best.engine_version,
        },
    )
    return _MEASURED_POINTS * share, reason


def _merit(run: MeasuredRun, goal: Goal) -> float:
    """Return what counts for the goal, more being better."""
    if goal.kind is GoalKind.LATENCY:
        return 1.0 / max(run.ttft_s, 1e-6)
    return max(run.output_tokens_per_s, 1e-6)
