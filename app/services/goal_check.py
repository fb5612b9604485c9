"""What a goal must be before anything is planned for it: wrong words are refused by their name."""

from collections.abc import Mapping

from app.core.engines.spec import EngineData
from app.core.errors import ErrorCode, UserInputError
from app.core.planning.plan import Goal
from app.services.estimating import check_version, engine_named


def check_goal(goal: Goal, engines: Mapping[str, EngineData]) -> None:
    """Refuse a goal that names no engine's version, or a time that is none.

    Raises:
        UserInputError: NOT_FOUND for an unknown engine; INVALID_INPUT, with the field.
    """
    for field, wanted_s in (("ttft", goal.ttft_s), ("itl", goal.itl_s)):
        if wanted_s is not None and wanted_s <= 0:
            raise _refused(field, f"--{field} is {wanted_s:g} s.", "Give a time such as 0.5s.")
    if goal.engine is not None:
        engine = engine_named(engines, goal.engine)
        if goal.engine_version is not None:
            check_version(goal.engine_version, engine)
    elif goal.engine_version is not None:
        raise _refused(
            "engine-version",
            f"“{goal.engine_version[:64]}” is a version, but of no engine that was named.",
            "Name the engine with --engine as well.",
        )


def _refused(field: str, cause: str, remedy: str) -> UserInputError:
    return UserInputError(ErrorCode.INVALID_INPUT, {"field": field}, cause=cause, remedy=remedy)
