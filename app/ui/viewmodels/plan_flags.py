"""What an engine's version makes of the user's own flags, told while they are typed."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from PySide6.QtCore import QCoreApplication

from app.core.engines.flag_texts import finding_text
from app.core.engines.flags import FlagProblem
from app.core.engines.spec import EngineData
from app.core.planning.own_flags import read_own_flags
from app.core.planning.plan import Plan, PlanResult, Rejection
from app.core.texts import Text
from app.ui.viewmodels.plan_texts import engine_name
from app.ui.viewmodels.said import said

translate = QCoreApplication.translate

_OF_OWN = "own_flag"
"""How the codes of reasons begin that speak of the user's own flags."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagNote:
    """One thing that is wrong with a flag, or worth knowing of it."""

    text: Text
    is_wrong: bool
    flag: str = ""
    suggestion: str = ""
    """The flag to write in its place, where there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagReport:
    """What one engine version makes of the user's own flags."""

    engine: str
    version: str
    notes: tuple[FlagNote, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagLine:
    """A note as a line below the field."""

    text: str
    status: str
    flag: str = ""
    suggestion: str = ""


def judge_flags(
    result: PlanResult, engines: Mapping[str, EngineData], engine: str
) -> FlagReport | None:
    """Return what ``engine`` makes of the goal's own flags; without one, what the best plan does.

    ``None`` where there are no flags, or no engine to ask.
    """
    ranked = {plan.engine: plan for plan in result.ranked}
    refused = {entry.engine: entry for entry in result.rejected}
    others: Iterator[Plan | Rejection] = chain(result.ranked, _refused_for_flags(result))
    known = ranked.get(engine) or refused.get(engine) or next(others, None)
    if not result.goal.own_flags or known is None or known.engine not in engines:
        return None
    data = engines[known.engine]
    own = read_own_flags(result.goal, data, known.version, engines)
    notes = [
        FlagNote(
            text=finding_text(finding),
            is_wrong=True,
            flag=finding.flag,
            suggestion="" if finding.problem is FlagProblem.CONFLICT else finding.suggestion,
        )
        for finding in own.findings
    ]
    notes += _of_the_plan(known) if not notes else ()
    return FlagReport(engine=known.engine, version=known.version, notes=tuple(notes))


def present_flags(
    report: FlagReport | None, plan: Plan | None, engines: Mapping[str, EngineData]
) -> tuple[FlagLine, ...]:
    """Return the lines below the field."""
    if report is None:
        return ()
    name = f"{engine_name(report.engine, engines)} {report.version}"
    lines = [
        FlagLine(
            text=translate("Plan", "{engine}: {text}").format(engine=name, text=said(note.text)),
            status="error" if note.is_wrong else "warn",
            flag=note.flag,
            suggestion=note.suggestion,
        )
        for note in report.notes
    ]
    if not lines:
        text = translate("Plan", "{engine} takes them.").format(engine=name)
        lines.append(FlagLine(text=text, status="ok"))
    if plan is not None and plan.engine != report.engine:
        text = translate("Plan", "As they stand, the plan goes to {engine}.")
        other = f"{engine_name(plan.engine, engines)} {plan.version}"
        lines.append(FlagLine(text=text.format(engine=other), status="warn"))
    return tuple(lines)


def with_flag(text: str, flag: str, suggestion: str) -> str:
    """Return the words with one flag's name replaced; its value stays.

    Example:
        >>> with_flag("--max-len=4096 --seed 1", "--max-len", "--max-model-len")
        '--max-model-len=4096 --seed 1'
    """
    words = shlex.split(text)
    for place, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name == flag:
            words[place] = f"{suggestion}{equals}{value}"
    return shlex.join(words)


def _refused_for_flags(result: PlanResult) -> Iterator[Rejection]:
    return (entry for entry in result.rejected if entry.code.startswith(_OF_OWN))


def _of_the_plan(known: Plan | Rejection) -> Iterator[FlagNote]:
    if isinstance(known, Rejection):
        if known.code.startswith(_OF_OWN):
            yield FlagNote(text=known.text, is_wrong=True)
        return
    for reason in known.advice:
        if reason.code.startswith(_OF_OWN):
            yield FlagNote(text=reason.text, is_wrong=False)
