"""What to say where no model lies: which ones do, there or beside it."""

import posixpath
from collections.abc import Sequence
from typing import Final

from app.core.errors import ErrorCode, HostError, PlanError
from app.core.models.folders import ModelCandidate, candidates
from app.core.models.hub_cache import HubRevision
from app.io.model_files import find_folders
from app.io.transport.base import Transport

_NAMED: Final = 6
"""Models named in a sentence; the details hold all."""
_LOOK_S: Final = 5.0
"""Looking around is a courtesy: a huge or slow folder must not hold up the answer."""
_LOST: Final = frozenset({ErrorCode.CONNECTION_LOST, ErrorCode.NOT_CONNECTED})


async def not_found(transport: Transport, path: str) -> PlanError:
    """Return the error for a path with nothing at it, with the models in the folder above."""
    folder = posixpath.dirname(path.rstrip("/"))
    found = await _models_below(transport, folder) if folder.strip("/") else ()
    if not found:
        return PlanError(
            ErrorCode.MODEL_NOT_FOUND,
            {"path": path},
            cause=f"There is no model at {path}.",
            remedy="Check the path, or name the folder that holds your models to see their names.",
        )
    return PlanError(
        ErrorCode.MODEL_NOT_FOUND,
        {"path": path, "candidates": _lines(found)},
        cause=f"There is no model at {path}; {_holds(folder, found)}.",
        remedy=_name_one(found),
        details=_all(found),
    )


async def models_below(transport: Transport, folder: str) -> PlanError | None:
    """Return the error for a folder that is no model but holds some; ``None`` when it does not."""
    found = await _models_below(transport, folder)
    return ambiguous(folder, found) if found else None


def ambiguous(folder: str, found: Sequence[ModelCandidate]) -> PlanError:
    """Return the error for a folder with several models in it."""
    return PlanError(
        ErrorCode.AMBIGUOUS,
        {"path": folder, "count": len(found), "candidates": _lines(found)},
        cause=f"{folder} is no model itself; {_holds('it', found)}.",
        remedy=_name_one(found),
        details=_all(found),
    )


def several_revisions(folder: str, found: Sequence[HubRevision]) -> PlanError:
    """Return the error for a repository of a cache in which no ref says what is meant."""
    lines = "\n".join(one.path for one in found)
    return PlanError(
        ErrorCode.AMBIGUOUS,
        {"path": folder, "count": len(found), "candidates": lines},
        cause=f"{folder} holds {len(found)} revisions and no refs/main.",
        remedy=f"Name one of them: {', '.join(one.path for one in found[:_NAMED])}.",
        details=lines if len(found) > _NAMED else "",
    )


async def _models_below(transport: Transport, folder: str) -> tuple[ModelCandidate, ...]:
    try:
        return candidates(await find_folders(transport, folder, timeout_s=_LOOK_S))
    except HostError as exc:
        if exc.code in _LOST:
            raise
        return ()


def _holds(folder: str, found: Sequence[ModelCandidate]) -> str:
    return f"{folder} holds {len(found)} model{'' if len(found) == 1 else 's'}"


def _name_one(found: Sequence[ModelCandidate]) -> str:
    named = ", ".join(model.path for model in found[:_NAMED])
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return f"{'Name it' if len(found) == 1 else 'Name one of them'}: {named}{more}."


def _lines(found: Sequence[ModelCandidate]) -> str:
    return "\n".join(model.path for model in found)


def _all(found: Sequence[ModelCandidate]) -> str:
    return _lines(found) if len(found) > _NAMED else ""
