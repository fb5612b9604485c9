"""A context that the user left open is as long as surely fits, not just a half of a half."""

import pytest
from fakes.planning_world import best, gpu_host, safetensors_model

from app.core.planning.plan import Goal, GoalKind


@pytest.mark.parametrize("used_mib", [112_000, 116_000, 118_000, 120_000])
@pytest.mark.parametrize("engine", ["vllm", "sglang"])
def test_the_longest_context_that_surely_fits_is_taken(engine, used_mib):
    goal = Goal(engine=engine, kind=GoalKind.LONG_CONTEXT)
    plan = best(gpu_host(used_mib=(used_mib,)), safetensors_model(), goal)
    context, estimate = plan.parameters.context_tokens, plan.estimate
    step = 1024 if context < 32768 else 4096
    sure = estimate.kv_tokens * (1 - estimate.error_band["kv_tokens"])
    assert context % step == 0
    assert context <= estimate.kv_tokens
    halves = {131072 >> times for times in range(7)}
    assert context in halves or context <= sure < context + 2 * step


def test_a_context_that_fits_or_was_asked_for_stays():
    model, roomy = safetensors_model(), gpu_host()
    goal = Goal(engine="vllm", kind=GoalKind.LONG_CONTEXT)
    assert best(roomy, model, goal).parameters.context_tokens == 131072
    asked = Goal(engine="vllm", kind=GoalKind.LONG_CONTEXT, context_tokens=20000)
    assert best(gpu_host(used_mib=(118_000,)), model, asked).parameters.context_tokens == 20000
