"""The load that a speed is stated for: lengths and how many requests at once."""

from collections.abc import Iterable
from dataclasses import dataclass

from app.core.speed.spec import GoalLoad


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """``concurrency`` requests at once, each answered by a new one; lengths in tokens."""

    prompt_tokens: int
    output_tokens: int
    concurrency: int


def load_of_goal(
    goal: str,
    loads: Iterable[GoalLoad],
    *,
    context: int,
    concurrency: int,
    output_tokens: int | None = None,
) -> Load:
    """Return the load of a goal, cut to what the context holds.

    Args:
        goal: Kind of goal, such as ``latency``.
        loads: The load of each kind.
        context: Tokens of the longest request.
        concurrency: Requests at once.
        output_tokens: Length of answers, where the goal says it.
    """
    known = {entry.goal: entry for entry in loads}
    entry = known.get(goal) or next(iter(known.values()))
    wanted = entry.output_tokens if output_tokens is None else output_tokens
    output = max(1, min(wanted, context if output_tokens else context // 2))
    prompt = max(1, min(entry.prompt_tokens, context - output))
    return Load(prompt_tokens=prompt, output_tokens=output, concurrency=max(1, concurrency))
