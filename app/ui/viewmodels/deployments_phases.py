"""The steps of a start as they are shown: gone through, running, skipped, still to come."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.engines.spec import EngineData
from app.core.events import DeploymentSnapshot, DeploymentState, PhaseProgress
from app.core.units import format_seconds
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.viewmodels.said import said

translate = QCoreApplication.translate

S = DeploymentState

_PHASES: Final[Mapping[str, str]] = {
    "preflight": QT_TRANSLATE_NOOP("Deployments", "Check"),
    "fetch": QT_TRANSLATE_NOOP("Deployments", "Fetch image"),
    "create": QT_TRANSLATE_NOOP("Deployments", "Create"),
    "process": QT_TRANSLATE_NOOP("Deployments", "Launch"),
    "configure": QT_TRANSLATE_NOOP("Deployments", "Config"),
    "engine": QT_TRANSLATE_NOOP("Deployments", "Engine"),
    "weights": QT_TRANSLATE_NOOP("Deployments", "Load weights"),
    "compile": QT_TRANSLATE_NOOP("Deployments", "Compile"),
    "kv_cache": QT_TRANSLATE_NOOP("Deployments", "KV cache"),
    "graphs": QT_TRANSLATE_NOOP("Deployments", "CUDA graphs"),
    "warmup": QT_TRANSLATE_NOOP("Deployments", "Warm up"),
    "server": QT_TRANSLATE_NOOP("Deployments", "Server"),
    "ready": QT_TRANSLATE_NOOP("Deployments", "Listen"),
    "verify": QT_TRANSLATE_NOOP("Deployments", "Verify"),
    "serving": QT_TRANSLATE_NOOP("Deployments", "Serving"),
}
"""Short words for the track; the engine's data file has the long ones."""

_BEFORE: Final = ("preflight", "fetch", "create")
_AFTER: Final = ("verify", "serving")

_BROKEN: Final = frozenset({S.FAILED, S.CRASH_LOOPING})


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseView:
    """One step of the track."""

    id: str
    word: str
    tip: str
    time: str
    status: str
    """``done running waiting failed skipped``; skipped is what was passed without a word"""
    progress: float | None = None


def present_phases(
    snapshot: DeploymentSnapshot, engine: EngineData | None
) -> tuple[PhaseView, ...]:
    """Return the whole track, also what was not reached yet."""
    known = {phase.phase: phase for phase in snapshot.phases}
    rules = () if engine is None else engine.startup.phase
    labels = {rule.id: said(rule.label) for rule in rules}
    track = _track(known, list(labels))
    statuses = _statuses(track, known, snapshot.state)
    return tuple(
        _present(name, known.get(name), labels.get(name, ""), status)
        for name, status in zip(track, statuses, strict=True)
    )


def _track(known: Mapping[str, PhaseProgress], engine: Sequence[str]) -> tuple[str, ...]:
    """Return the ids of all steps in their order."""
    middle = engine or [phase for phase in known if phase not in {*_BEFORE, *_AFTER}]
    # Fetching is shown only where an image is really fetched.
    before = [phase for phase in _BEFORE if phase != "fetch" or phase in known]
    return (*before, *middle, *_AFTER)


def _statuses(
    track: Sequence[str], known: Mapping[str, PhaseProgress], state: DeploymentState
) -> list[str]:
    """Return how each step stands; a later one that was reached leaves none to come before it."""
    begun = [number for number, name in enumerate(track) if _is_begun(known.get(name))]
    serves = state in {S.SERVING, S.DEGRADED} and _is_begun(known.get("verify"))
    if serves and len(track) - 1 not in begun:
        begun.append(len(track) - 1)
    furthest = max(begun, default=-1)
    statuses = ["done" if number in begun else "skipped" for number in range(furthest + 1)]
    statuses += ["waiting"] * (len(track) - len(statuses))
    if furthest >= 0:
        statuses[furthest] = _last(track[furthest], known, state)
    return statuses


def _is_begun(progress: PhaseProgress | None) -> bool:
    return progress is not None and progress.started_s is not None


def _last(name: str, known: Mapping[str, PhaseProgress], state: DeploymentState) -> str:
    """Return how the furthest step stands: the one that may run, or that failed."""
    if state in _BROKEN:
        return "failed"
    if name == "serving" or known[name].duration_s is not None:
        return "done"
    return "running"


def _present(name: str, progress: PhaseProgress | None, label: str, status: str) -> PhaseView:
    short = _PHASES.get(name)
    word = translate("Deployments", short) if short else label or name
    time, share = "", None
    if progress is not None and progress.duration_s is not None and name != "serving":
        time = format_seconds(progress.duration_s)
    if status == "running" and progress is not None and progress.progress is not None:
        share = progress.progress
        time = f"{share:.0%}"
    detail = "" if progress is None else progress.detail
    if status == "skipped":
        time = translate("Deployments", "skipped")
        detail = translate("Deployments", "The engine did not name this step in its log.")
    return PhaseView(
        id=name,
        word=word,
        tip="\n".join(part for part in (label or word, detail) if part),
        time=time,
        status=status,
        progress=share,
    )
